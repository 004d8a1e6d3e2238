"""The nouns of files: a document, the pieces it is found by, a folder kept in step, and what came of doing so."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from recollect.model.literals import FileKind, FileSource

if TYPE_CHECKING:  # a process that only reads files starts without NumPy
    import numpy as np
    from numpy.typing import NDArray

# Stands for a line feed inside a turn of a session, while a turn is one line.
TURN_BREAK: Final = "\u2028"


class FileRecord(NamedTuple):
    """A file as it is kept.

    A synced file is known by its folder (`root`) and its `path` beneath it; one that was added by itself has no root,
    and its path is its name. `digest` is the SHA-256 of its bytes; `recipe` says which version of the chunker cut it.
    `dated_at` is the day a dated note is about. `original` names the copy of its bytes, if one is kept. `notes` say
    what is not as it should be, such as `invalid UTF-8`.
    """

    id: str
    root: str
    path: str
    source: FileSource
    kind: FileKind
    mime: str
    size: int
    mtime_ns: int
    digest: str
    recipe: int
    lines: int
    chunks: int
    trust: int
    original: str
    dated_at: datetime | None
    notes: tuple[str, ...]
    metadata: Mapping[str, Any]
    created_at: datetime
    updated_at: datetime


class TextPiece(NamedTuple):
    """A part of a text. It begins `start_column` characters into `start_line`, which is 0 unless a line had to be cut.

    `heading` is the way of headings that leads to it. A turn of a session has a `role` and the time it was said at.
    """

    content: str
    heading: str
    start_line: int
    end_line: int
    start_column: int = 0
    role: str = ""
    said_at: datetime | None = None


class CutText(NamedTuple):
    """A text in pieces, and what the text says about itself: its front matter, its title, the day it is about."""

    pieces: tuple[TextPiece, ...]
    metadata: Mapping[str, Any]
    dated_at: datetime | None = None


class IndexedTextPiece(NamedTuple):
    """A piece with the hash by which it is known again, and the terms it is found by, with blanks between them."""

    piece: TextPiece
    content_hash: str
    terms: str


class Chunk(NamedTuple):
    """A piece as it is kept, with what its file is."""

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

    @property
    def place(self) -> str:
        """Where it stands, as people write it: `notes/setup.md:12-30`."""
        return f"{self.path}:{self.start_line}-{self.end_line}"


class ChunkMark(NamedTuple):
    """What tells a chunk that is kept from others, without its text."""

    id: str
    content_hash: str
    start_line: int
    end_line: int
    start_column: int
    role: str
    trust: int
    dated_at: datetime | None


class ChunkDraft(NamedTuple):
    """A chunk ready to be written. `terms` have blanks between them."""

    id: str
    indexed: IndexedTextPiece
    trust: int
    dated_at: datetime | None
    vector: "NDArray[np.float32] | None" = None


# Of a synced file: its path, size, time of change in ns, and recipe. Plain, because each sync compares all of them.
FileMark: TypeAlias = tuple[str, int, int, int]


class KnownFile(NamedTuple):
    """What tells whether a synced file has changed."""

    path: str
    id: str
    size: int
    mtime_ns: int
    digest: str
    recipe: int


class Folder(NamedTuple):
    """A folder that was synced: when it was last looked through, when to its end, and what could not be read then.

    `rules` are the patterns that were given, so that looking again means the same. `trouble` maps reasons to how many.
    """

    root: str
    source: FileSource
    rules: Mapping[str, Any]
    scanned_at: datetime
    completed_at: datetime | None
    trouble: Mapping[str, int]


class FolderStatus(NamedTuple):
    """A synced folder now. `drift` counts the files that differ from what is kept; None when it cannot be read."""

    folder: Folder
    files: int
    chunks: int
    drift: int | None


# How a skipped or unread file is told: where it is beneath its root, and why.
class SkippedFile(NamedTuple):
    """A file or folder that was left out, and why."""

    path: str
    reason: str


SyncState = Literal["synced", "missing", "empty", "incomplete"]


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What syncing a folder did, or would do with `dry_run`.

    `state`: `synced` all of it was seen; `incomplete`: parts of it could not be looked into; `missing`: the folder is
    not there; `empty`: there is nothing in it, though there was. Only of one that was synced are files removed that are
    gone. `kept` and `written` count chunks. `skipped` says by reason how many files were left out; `trouble` names
    some.
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
    """How far a sync is: files done of those that must be read, and chunks written so far."""

    root: str
    done: int
    total: int
    chunks: int


AddedAction = Literal["created", "duplicate", "replaced"]


@dataclass(frozen=True, slots=True)
class AddedFile:
    """What became of a file that was offered: `duplicate` means that the very same bytes are kept already."""

    action: AddedAction
    file: FileRecord
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FilePage:
    """A part of a listing, newest first. Pass `cursor` to get the next part; it is None at the end."""

    items: tuple[FileRecord, ...]
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class FileText:
    """Lines of a file, from where it lies or, if it is gone or has changed since, from the store.

    `current` says that the lines are those of the file as it is indexed.
    """

    file: FileRecord
    first: int
    last: int
    text: str
    origin: Literal["disk", "store"]
    current: bool
