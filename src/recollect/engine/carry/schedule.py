"""The backups that the settings ask for: the newest one, when the next is due, and which are older than a moment."""

from datetime import datetime, timedelta
from os import PathLike
from pathlib import Path
from typing import Final

from recollect.engine.base.context import Engine
from recollect.engine.carry import manifest
from recollect.model.backups import BackupState
from recollect.model.receipts import OlderBackup

_LATE: Final = 2  # intervals after which a backup is overdue


def state(engine: Engine) -> BackupState | None:
    """Give the state of the backups; None when the settings ask for none."""
    settings = engine.settings.backup
    if not settings.folder:
        return None
    folder = Path(settings.folder).expanduser().absolute()
    newest = manifest.newest(folder, engine.store.identity())
    moment = newest.manifest.moment if newest else None
    late = moment is None or engine.clock.now() - moment > _LATE * timedelta(seconds=settings.every)
    return BackupState(str(folder), manifest.count(folder), moment, late)


def due_in(engine: Engine) -> timedelta:
    """Say how long it is until the next backup; nothing when it is due."""
    now, found = engine.clock.now(), state(engine)
    newest: datetime | None = found.newest if found else None
    every = timedelta(seconds=engine.settings.backup.every)
    return max(timedelta(), newest + every - now) if newest and newest <= now else timedelta()


def advice(engine: Engine) -> str:
    """Say what to do about backups; empty when nothing is."""
    found = state(engine)
    if found is None or not found.overdue:
        return ""
    since = f"the newest is of {found.newest:%Y-%m-%d %H:%M} UTC" if found.newest else "there is none yet"
    return (
        f"A backup is overdue in {found.folder}: {since}. `recollect serve` writes them; its log says why one failed, "
        "and so does `recollect backup`."
    )


def older_than(engine: Engine, moment: datetime, folder: str | PathLike[str] | None) -> tuple[OlderBackup, ...]:
    """Name the backups of this store that were begun before a moment; without a folder, those of the settings."""
    place = (engine.settings.backup.folder or None) if folder is None else folder
    if place is None:
        return ()
    found = manifest.list_backups(Path(place).expanduser(), engine.store.identity())
    return tuple(
        OlderBackup(str(one.folder), one.manifest.created_at) for one in found if one.manifest.moment <= moment
    )
