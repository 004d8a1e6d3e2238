"""What the engine asks of those who read documents, and of those who keep the bytes of documents and media."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from recollect.model.files import IndexedTextPiece
from recollect.model.literals import FileKind
from recollect.model.media import Media


@dataclass(frozen=True, slots=True)
class FileReading:
    """What a file says, cut and analysed, with what its format tells about it and what is not as it should be.

    `external`: others wrote it, as they did mail and web pages.
    """

    kind: FileKind
    mime: str
    pieces: Sequence[IndexedTextPiece]
    lines: int
    metadata: Mapping[str, Any] = field(default_factory=dict)
    dated_at: datetime | None = None
    notes: tuple[str, ...] = ()
    external: bool = False


@dataclass(frozen=True, slots=True)
class ChunkingRecipe:
    """How texts are cut: chunks of about so many tokens, how much of the one before each repeats, and how many."""

    tokens: int = 400
    overlap: int = 80
    redact: bool = True
    most_bytes: int = 10 * 2**20
    most_pieces: int = 4_000

    @property
    def most_characters(self) -> int:
        """Say how much of a text is looked at: as much as would fill the pieces."""
        return self.most_pieces * self.tokens * 4


class Documents(Protocol):
    """Reads documents of many formats, so that none can do harm."""

    def read(self, data: bytes, name: str, recipe: ChunkingRecipe) -> FileReading:
        """Read a document. Raises InvalidDocument."""

    def examine(self, data: bytes, *, details: bool = True) -> Media:
        """Say what bytes are: their kind, their type, and with `details` a photo's size, words and place."""


class Originals(Protocol):
    """Keeps the bytes of documents and media as they came."""

    def own(self) -> frozenset[tuple[int, int]]:
        """Give the device and inode of the folder in which originals are kept, which must never be synced."""

    def keep(self, owner: str, digest: str, data: bytes) -> str:
        """Keep a user's original, durably; gives the name under which it is kept, or '' when none are."""

    def original(self, name: str) -> bytes:
        """Give an original. Raises NotFound."""

    def discard(self, names: Sequence[str]) -> None:
        """Remove originals for good; one that is gone already is fine."""

    def names(self) -> Iterator[str]:
        """Give the names of all originals that are kept."""

    def sweep(self, known: Callable[[str], bool]) -> int:
        """Remove originals that no file refers to, and that were not just put there; says how many."""
