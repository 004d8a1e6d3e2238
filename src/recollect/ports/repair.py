"""What a repair asks of the engine: how a forgotten item would be recognised."""

from collections.abc import Sequence
from typing import Protocol

from recollect.model.files import FileRecord
from recollect.model.memories import MemoryRecord
from recollect.model.messages import Message


class ItemMarks(Protocol):
    """Gives the fingerprints by which items are known after they were forgotten."""

    everything: str  # the fingerprint of all that a user has

    def of_memory(self, record: MemoryRecord) -> Sequence[str]:
        """Give those of a memory."""

    def of_message(self, message: Message) -> Sequence[str]:
        """Give those of a message."""

    def of_file(self, record: FileRecord) -> Sequence[str]:
        """Give those of a file, and that of its folder."""
