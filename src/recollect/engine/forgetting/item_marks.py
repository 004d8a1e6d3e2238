"""The fingerprints by which a repair recognises what was forgotten, for a store that must not bring it back."""

from recollect.dialogue.overlap import fingerprints
from recollect.engine.drafts import tombstones
from recollect.engine.files import file_chunks
from recollect.model.files import FileRecord
from recollect.model.memories import MemoryRecord
from recollect.model.messages import Message


class TombstoneMarks:
    """Gives the same fingerprints that forgetting writes."""

    everything = tombstones.EVERYTHING

    def of_memory(self, record: MemoryRecord) -> tuple[str, ...]:
        """Give those of a memory."""
        return tombstones.of_item(record.id), *tombstones.of_memory(record)

    def of_message(self, message: Message) -> tuple[str, ...]:
        """Give those of a message and of its conversation; what a summary says has none."""
        said = () if message.role == "summary" else fingerprints(message)
        return tombstones.of_item(message.id), tombstones.of_session(message.conversation), *said

    def of_file(self, record: FileRecord) -> tuple[str, ...]:
        """Give those of a file, and that of its folder."""
        folder = (tombstones.of_folder(record.root),) if record.root else ()
        places = file_chunks.tombs(record.root, record.path, record.digest)
        return tombstones.of_item(record.id), *places, *folder
