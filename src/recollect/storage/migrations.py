"""Numbered migrations: which a store still needs, and which stores this version must not touch."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from recollect.errors import NotFound, StoreDamaged, StoreTooNew, StoreTooOld
from recollect.storage.statements import sql_folder

_FILE_NAME = re.compile(r"^(\d{4})_(\w+)\.sql$")
_FIRST = "initial"


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema, known by its number and by the checksum of its text."""

    version: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """Identify the text, so that a migration that was changed after its release is noticed."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


class AppliedMigration(NamedTuple):
    """A row of `schema_migrations`."""

    version: int
    name: str
    checksum: str


def no_store(where: str) -> NotFound:
    """Say that there is no store, and how one begins."""
    return NotFound(
        f"There is no memory yet at {where}, and nothing was made there. Check the address (--database) if there "
        'should be one; `recollect store "…"` begins a new one.'
    )


def load_migrations(backend: str) -> tuple[Migration, ...]:
    """Read a backend's migrations in order, and insist that their numbers have no gap."""
    migrations = []
    for entry in (sql_folder(backend) / "migrations").iterdir():
        match = _FILE_NAME.match(entry.name)
        if match:
            migrations.append(Migration(int(match[1]), match[2], entry.read_text(encoding="utf-8")))
    migrations.sort(key=lambda migration: migration.version)
    if [migration.version for migration in migrations] != list(range(1, len(migrations) + 1)):
        raise AssertionError(f"the migrations of {backend} are not numbered 1, 2, 3 …")
    return tuple(migrations)


def pending_migrations(
    migrations: Sequence[Migration], applied: Sequence[AppliedMigration], where: str
) -> Sequence[Migration]:
    """Compare what a store has applied with what this version knows; forward is the only direction."""
    by_version = {row.version: row for row in applied}
    if any(row.version == 1 and row.name != _FIRST for row in applied):
        raise StoreTooOld(
            f"{where} was made by a development version of recollect from before the first release, and this version "
            "cannot bring it up to date. Nothing was changed. To take its memories along, list them with the version "
            "that made it (`recollect list --json`) and store them anew; otherwise start with a new file or database."
        )
    newest = max(by_version, default=0)
    if newest > len(migrations):
        raise StoreTooNew(
            f"{where} was written by a newer version of recollect: its schema is number {newest}, "
            f"this version knows {len(migrations)}. Upgrade recollect to open it; nothing was changed."
        )
    for migration in migrations[:newest]:
        row = by_version.get(migration.version)
        if row is None or row.checksum != migration.checksum:
            raise StoreDamaged(
                f"{where}: migration {migration.version} ({migration.name}) is recorded with another checksum than "
                "the one in this version. The store was made by a modified recollect; restore a backup or use that "
                "version. Nothing was changed."
            )
    return migrations[newest:]
