"""Values about what is brought out of a store and in again: backups, repairs and imports. They never hold content."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, TypeAlias


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """What a database held at one moment: rows of each table, and the names of the originals that rows refer to.

    `names_key` hides those names in an encrypted backup.
    """

    tables: Mapping[str, int]
    schema_version: int
    identity: int
    originals: tuple[str, ...] = field(default=(), repr=False)
    names_key: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was written and verified, or found.

    `reused` counts the originals that an earlier backup in the same folder had already, `missing` those that rows refer
    to and that are not in the store's folder any more. `removed` are the older backups that `keep` let go.
    """

    folder: str
    created_at: datetime
    version: str
    backend: str
    schema_version: int
    users: int
    tables: Mapping[str, int]
    originals: int
    size_bytes: int
    encrypted: bool
    reused: int = 0
    missing: int = 0
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored from a backup, and where to. `notes` say what to know about it."""

    backup: Backup
    location: str
    originals_folder: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BackupState:
    """The backups that the settings ask for: how many there are, the newest, and whether the next one is overdue."""

    folder: str
    amount: int
    newest: datetime | None
    overdue: bool


@dataclass(frozen=True, slots=True)
class TableSalvage:
    """How many rows of a table were saved, and how many were lost; `estimated`: from the size of damaged pages."""

    table: str
    saved: int
    lost: int = 0
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Repaired:
    """A repair: why it was done, what was saved, and where the damaged file is kept.

    `damaged_file` is kept whole and still holds all it held: delete it when it is no longer needed. `damaged_pages`
    counts those of its `pages` that could not be read. `notes` say what else a user should know.
    """

    location: str
    damaged_file: str
    repaired_at: datetime
    reason: str
    pages: int
    damaged_pages: int
    tables: tuple[TableSalvage, ...]
    notes: tuple[str, ...] = ()

    def saved(self, table: str) -> int:
        """How many rows of a table were saved."""
        return sum(one.saved for one in self.tables if one.table == table)

    def lost(self, table: str) -> int:
        """How many rows of a table were lost."""
        return sum(one.lost for one in self.tables if one.table == table)

    @property
    def lost_rows(self) -> int:
        """How many rows of all tables were lost."""
        return sum(one.lost for one in self.tables)


class Skipped(NamedTuple):
    """What was left where it is: what it is, why, and how many."""

    what: str
    reason: str
    amount: int


class ImportProgress(NamedTuple):
    """How far an import is with one kind of thing."""

    what: str
    done: int
    total: int


ImportListener: TypeAlias = Callable[[ImportProgress], None]


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import brought, or with `dry_run` would bring into an empty store, and what it left out.

    Whatever was found is counted once, as brought or as skipped with a reason; nothing is silently dropped.

    `brought` counts by what it is: conversations, messages, memories, files, chunks, vectors. `examples` name some of
    what was skipped. `waiting` counts the user's texts that wait for a vector, where that was asked.
    """

    format: str
    path: str
    brought: Mapping[str, int] = field(default_factory=dict)
    skipped: tuple[Skipped, ...] = ()
    examples: tuple[str, ...] = ()
    dry_run: bool = False
    waiting: int = 0

    def skipped_because(self, reason: str) -> int:
        """Say how many were skipped for a reason."""
        return sum(one.amount for one in self.skipped if one.reason == reason)
