"""Decides which migrations a store still needs, and refuses stores that this version must not touch."""

from collections.abc import Mapping, Sequence

from recollect.errors import StoreDamaged, StoreTooNew
from recollect.storage.statements import Migration


def pending(migrations: Sequence[Migration], applied: Mapping[int, str], where: str) -> Sequence[Migration]:
    """Compare what was applied (version to checksum) with what we know; forward is the only direction."""
    newest = max(applied, default=0)
    if newest > len(migrations):
        raise StoreTooNew(
            f"{where} was written by a newer version of recollect: its schema is number {newest}, "
            f"this version knows {len(migrations)}. Upgrade recollect to open it; nothing was changed."
        )
    for migration in migrations[:newest]:
        if applied.get(migration.version) != migration.checksum:
            raise StoreDamaged(
                f"{where}: migration {migration.version} ({migration.name}) is recorded with another checksum than "
                "the one in this version. The store was made by a modified recollect; restore a backup or use that "
                "version. Nothing was changed."
            )
    return migrations[newest:]
