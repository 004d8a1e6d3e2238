"""Files: documents, their chunks, synced folders, and the results of syncing. Frozen values without I/O."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Self, TypeAlias

from recollect.model.literals import FileKind, FileSource

if TYPE_CHECKING:  # a process that only reads files starts without NumPy
    import numpy as np
    from numpy.typing import NDArray

# Stands for a line feed inside a turn of a session, while a turn is one line.
TURN_BREAK: Final = "\u2028"

# What the note of a file begins with of which only a part is searched.
CUT: Final = "text was cut"

# Why a file is left out whose bytes are no text, whatever they were before.
NO_TEXT: Final = "not a text"


class NamedRoot(str):
    """A folder's absolute path, and the machine on which its owner named it: '' when it is not known.

    A path that came from elsewhere, as with an archive, has no machine. `disk.safe_open` opens none of another machine.
    """

    __slots__ = ("machine",)
    machine: str

    def __new__(cls, path: str, machine: str = "") -> Self:
        """Take a path and a machine, as `disk.safe_open.machine` names it."""
        root = super().__new__(cls, path)
        root.machine = machine
        return root


class FileRecord(NamedTuple):
    """A stored file.

    A synced file has a folder (`root`) and a `path` beneath it; an added document has no root, and its path is its
    name. `mtime_ns`, `ctime_ns` and `inode` are those that the last sync saw, and 0 of what no sync of this store
    has seen. `digest` is the SHA-256 of its bytes; `recipe` the version of the chunker. `dated_at` is the date of a
    dated note. `lat` and `lng` say where a photo was taken, if it says so. `original` names the copy of its bytes, if
    one is kept. `notes` are warnings such as `invalid UTF-8`.
    """

    id: str
    root: str
    path: str
    source: FileSource
    kind: FileKind
    mime: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    digest: str
    recipe: int
    lines: int
    chunks: int
    trust: int
    original: str
    dated_at: datetime | None
    lat: float | None
    lng: float | None
    notes: tuple[str, ...]
    metadata: Mapping[str, Any]
    created_at: datetime
    updated_at: datetime

    @property
    def cut(self) -> bool:
        """Whether only a part of it is searched; `notes` say which."""
        return any(note.startswith(CUT) for note in self.notes)


class TextPiece(NamedTuple):
    """A part of a text. `start_column` is 0 unless a line had to be split.

    `heading` is the path of headings above it. A turn of a session has a `role` and the time it was said at.
    """

    content: str
    heading: str
    start_line: int
    end_line: int
    start_column: int = 0
    role: str = ""
    said_at: datetime | None = None


class CutText(NamedTuple):
    """A text in pieces, with its own metadata: front matter, title, date."""

    pieces: tuple[TextPiece, ...]
    metadata: Mapping[str, Any]
    dated_at: datetime | None = None


class IndexedTextPiece(NamedTuple):
    """A piece with its content hash, and its search terms separated by blanks."""

    piece: TextPiece
    content_hash: str
    terms: str


class Chunk(NamedTuple):
    """A stored piece of a file, with the file's path and kind, and where it was made, if it is a photo that says so."""

    id: str
    file_id: str
    content: str
    heading: str
    start_line: int
    end_line: int
    start_column: int
    role: str
    trust: int
    dated_at: datetime | None
    created_at: datetime
    root: str
    path: str
    source: FileSource
    kind: FileKind
    lat: float | None
    lng: float | None

    @property
    def address(self) -> str:
        """Photos are not geocoded."""
        return ""

    @property
    def place_label(self) -> str:
        """Photos are not geocoded."""
        return ""

    @property
    def place(self) -> str:
        """The path and lines: `notes/setup.md:12-30`."""
        return f"{self.path}:{self.start_line}-{self.end_line}"


class ChunkMark(NamedTuple):
    """What identifies a stored chunk when a file is diffed, without its text."""

    id: str
    content_hash: str
    start_line: int
    end_line: int
    start_column: int
    role: str
    trust: int
    dated_at: datetime | None


class ChunkDraft(NamedTuple):
    """A chunk ready to be written."""

    id: str
    indexed: IndexedTextPiece
    trust: int
    dated_at: datetime | None
    vector: "NDArray[np.float32] | None" = None


# Of a synced file: its path, size, times of modification and of change in ns, inode, and recipe. Plain, because each
# sync compares all of them.
FileMark: TypeAlias = tuple[str, int, int, int, int, int]


class KnownFile(NamedTuple):
    """What tells whether a synced file has changed on disk."""

    path: str
    id: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    digest: str
    recipe: int


class Folder(NamedTuple):
    """A synced folder: when it was last scanned, when completely, and what could not be read.

    `root` knows on which machine it was named.

    `rules` are the patterns of the last sync, which the next one uses. `trouble` counts skipped files by reason.
    """

    root: NamedRoot
    source: FileSource
    rules: Mapping[str, Any]
    scanned_at: datetime
    completed_at: datetime | None
    trouble: Mapping[str, int]


class FolderStatus(NamedTuple):
    """A synced folder now. `drift` counts the files that differ from the store; None when it cannot be read."""

    folder: Folder
    files: int
    chunks: int
    drift: int | None


class SkippedFile(NamedTuple):
    """A file or folder that was left out: its path beneath the root, and why."""

    path: str
    reason: str


SyncState = Literal["synced", "missing", "unnamed", "empty", "incomplete"]


@dataclass(frozen=True, slots=True)
class SyncReport:
    """The result of syncing a folder, or with `dry_run` what it would be.

    `state`: `synced`: all of it was read; `incomplete`: parts could not be read; `missing`: the folder is gone;
    `unnamed`: it was not named on this machine, so it was not opened; sync it by its path;
    `empty`: it lost all its files. Only a `synced` folder loses its deleted files. `kept` and `written` count chunks.
    `skipped` counts left out files by reason; `trouble` names some.
    """

    root: str
    state: SyncState
    seen: int = 0
    unchanged: int = 0
    added: int = 0
    changed: int = 0
    renamed: int = 0
    removed: int = 0
    touched: int = 0
    forgotten: int = 0
    written: int = 0
    kept: int = 0
    bytes_read: int = 0
    embedded: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    trouble: tuple[SkippedFile, ...] = ()
    dry_run: bool = False

    @property
    def writes(self) -> int:
        """How many files were changed in the store."""
        return self.added + self.changed + self.renamed + self.removed + self.touched


class SyncProgress(NamedTuple):
    """The progress of a sync: files done of those that must be read, and chunks written so far."""

    root: str
    done: int
    total: int
    chunks: int


AddedAction = Literal["created", "duplicate", "replaced"]


@dataclass(frozen=True, slots=True)
class AddedFile:
    """The result of adding a file: `duplicate` means that the same bytes are stored already.

    `left_out` names the kinds of secrets that were left out of its text; the original, if one is kept, has them.
    """

    action: AddedAction
    file: FileRecord
    degraded: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FilePage:
    """A page of files, newest first. Pass `cursor` to get the next page; it is None at the end."""

    items: tuple[FileRecord, ...]
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class FileText:
    """Lines of a file, from the disk or, if it is gone or has changed, from the store.

    `current` says that the lines are those of the indexed file.
    """

    file: FileRecord
    first: int
    last: int
    text: str
    origin: Literal["disk", "store"]
    current: bool
