"""Numbered migrations: which a store still needs, and which stores this version must not touch."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from recollect.errors import NotFound, StoreDamaged, StoreTooNew, StoreTooOld
from recollect.storage.base.statements import sql_folder

_FILE_NAME = re.compile(r"^(\d{4})_(\w+)\.sql$")


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
    begun = by_version.get(1)
    if begun and begun.name != migrations[0].name:
        raise StoreTooOld(
            f"{where} was made by an unreleased version of recollect: its schema, number {max(by_version)}, begins "
            f"with the migration {begun.name!r}, that of this version with {migrations[0].name!r}. Nothing was "
            "changed. To take everything along, run `recollect export everything.zip --all-users` with the version "
            "that wrote it, then `recollect import everything.zip` with this one and a new file or database."
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
