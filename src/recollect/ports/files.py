"""What the engine asks of a store about files, and of those who read documents and keep their originals."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple, Protocol

from recollect.model.files import (
    Chunk,
    ChunkDraft,
    ChunkMark,
    FileMark,
    FileRecord,
    Folder,
    IndexedTextPiece,
    KnownFile,
)
from recollect.model.filters import ChunkFilters
from recollect.model.literals import FileKind, FileSource
from recollect.model.media import Media
from recollect.model.memories import Space

LAST: Final = 2**62  # above all lines, and above all numbers of rows


class TouchedFile(NamedTuple):
    """What of a file changed although its bytes did not."""

    id: str
    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class FileRows(Protocol):
    """What reading and writing have in common."""

    def file(self, file_id: str) -> FileRecord | None:
        """Give a file by its id."""

    def file_at(self, root: str, path: str) -> FileRecord | None:
        """Give the synced file at a path beneath a root."""

    def document(self, digest: str) -> FileRecord | None:
        """Give the file with these bytes that was added by itself."""

    def get_chunks(self, ids: Sequence[str]) -> Sequence[Chunk]:
        """Give the chunks with these ids in any order; unknown ids are left out."""

    def chunks_of(self, file_id: str, *, first: int = 0, last: int = LAST, limit: int = LAST) -> Sequence[Chunk]:
        """Give chunks of a file in order: those with a part in some of its lines, and no more than so many."""

    def chunk_marks(self, file_id: str) -> Sequence[ChunkMark]:
        """Give what tells the chunks of a file apart, in order."""

    def file_marks(self, root: str) -> Sequence[FileMark]:
        """Give size, times, inode and recipe of all files of a root: all that a look that finds nothing new needs."""

    def known_files(self, root: str) -> Sequence[KnownFile]:
        """Give what tells whether the files of a root have changed."""

    def files_called(self, names: Sequence[str]) -> Sequence[FileRecord]:
        """Give the files that have one of these names or paths, or whose path ends with one of them; case counts not.

        Names are given in lower case and without a leading slash.
        """

    def folders(self) -> Sequence[Folder]:
        """Give the folders that were synced."""

    def file_ids(self) -> Sequence[str]:
        """Give the ids of all files."""

    def has_original(self, digest: str) -> bool:
        """Say whether a memory or message has the original with this digest."""

    def own_originals(self, ids: Sequence[str]) -> Sequence[str]:
        """Give the digests of originals that these memories and messages have, and no others of the user."""


class FileReader(FileRows, Protocol):
    """Questions about one user's files."""

    def files(
        self,
        limit: int,
        before: str | None = None,
        *,
        source: FileSource | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> Sequence[FileRecord]:
        """List files, the one that was added last first, with ids below `before`, of that time."""

    def folder_sizes(self) -> Mapping[str, tuple[int, int]]:
        """Say how many files and chunks each root has; documents are under ''."""

    def chunks_in(self, file_ids: Sequence[str], filters: ChunkFilters, limit: int) -> Sequence[str]:
        """Give the ids of the first chunks of files that pass."""


class FileWriter(FileRows, Protocol):
    """Changes of one user's files."""

    def save_file(self, record: FileRecord) -> None:
        """Write a file, new or changed."""

    def touch_files(self, touched: Sequence[TouchedFile]) -> None:
        """Note paths, sizes and times of files whose bytes are what they were."""

    def insert_chunks(self, record: FileRecord, drafts: Sequence[ChunkDraft], space: Space | None) -> None:
        """Write chunks with their terms and vectors.

        One that says the very same as another chunk of this user gets its vectors; what lacks one is owed it by a job.
        """

    def mark_chunks(self, marks: Sequence[ChunkMark]) -> None:
        """Note where chunks stand now, and since when, whose text is what it was."""

    def delete_chunks(self, ids: Sequence[str]) -> None:
        """Remove chunks with their terms, vectors and jobs."""

    def delete_files(self, ids: Sequence[str]) -> None:
        """Remove files, whose chunks are gone already."""

    def save_folder(self, folder: Folder) -> None:
        """Note that a folder was looked through."""

    def delete_folder(self, root: str) -> None:
        """Forget that a folder was ever synced."""


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
