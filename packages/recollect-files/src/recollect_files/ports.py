"""What a sync asks of the disk that folders lie on."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from recollect.model.files import FileRecord, KnownFile, NamedRoot, SkippedFile
from recollect.model.literals import FileState
from recollect.ports import ChunkingRecipe, FileReading


@dataclass(frozen=True, slots=True)
class SyncRules:
    """Which files of a folder are meant: patterns as in `.gitignore`; excluded wins over included."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    hidden: bool = False
    gitignore: bool = True
    most_bytes: int = 10 * 2**20


class SeenFile(NamedTuple):
    """A file that a walk came by, and what shows that it has changed."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class FolderWalk:
    """What lies beneath a root: the files that the rules want, and what was left out, by reason.

    `exists` says that the root is a folder; `complete` that all of it could be looked into. `trouble` names the first
    of what was left out; `skipped` counts all of it. Files that are `too_large` lie there, but are not read.
    """

    seen: Sequence[SeenFile] = ()
    exists: bool = True
    complete: bool = True
    skipped: Mapping[str, int] = field(default_factory=dict)
    trouble: Sequence[SkippedFile] = ()
    too_large: frozenset[str] = frozenset()


class ReadRequest(NamedTuple):
    """A file to be read. When its bytes have one of the digests `known`, they need not be cut again."""

    path: str
    known: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file that was read. `reading` is None when its digest was known."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    digest: str
    reading: FileReading | None = None


class Disk(Protocol):
    """Where synced files lie. It is only ever read, and never left through a link."""

    def name(self, path: str) -> NamedRoot:
        """Give a folder's one absolute path, with `~` and links resolved, as one that this machine's owner names.

        Only for paths that were typed on this machine or stand in its settings, never for what was stored or received.
        """

    def is_named(self, root: NamedRoot) -> bool:
        """Say whether a root was named on this machine; no other is ever opened."""

    def walk(self, root: NamedRoot, rules: SyncRules, own: frozenset[tuple[int, int]]) -> FolderWalk:
        """Look through a folder. `own` are the device and inode of files that must not even be opened."""

    def read(
        self, root: NamedRoot, wishes: Sequence[ReadRequest], recipe: ChunkingRecipe
    ) -> Iterator[ReadFile | SkippedFile]:
        """Read files and cut them, in any order; with a process beside this one if there is much to do."""

    def text(
        self,
        root: NamedRoot,
        file: FileRecord | KnownFile,
        recipe: ChunkingRecipe,
        own: frozenset[tuple[int, int]],
    ) -> tuple[str, str]:
        """Give the text of a file that a sync of this store has seen, as it is cut, and its digest. Raises OSError."""

    def states(self, root: NamedRoot, files: Sequence[FileRecord]) -> Mapping[str, FileState]:
        """Say by their ids which files have changed or gone; nothing of those that cannot be looked at."""

    def watch(self, roots: Sequence[NamedRoot], debounce_s: float) -> "AbstractContextManager[FolderWatch]":
        """Begin to watch folders."""


class FolderWatch(Protocol):
    """Folders that are being watched."""

    def wait(self, timeout_s: float) -> frozenset[str]:
        """Wait until something has changed and it is quiet again, or for so long; says in which roots."""

    def stop(self) -> None:
        """End the wait, from any thread."""
