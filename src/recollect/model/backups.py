"""Values about backups: what one holds, and what came of restoring one. They never hold content."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """What a database held at one moment: rows of each table, users, and the names of the originals that rows refer to.

    `names_key` hides those names in an encrypted backup.
    """

    tables: Mapping[str, int]
    schema_version: int
    identity: int
    users: int
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
