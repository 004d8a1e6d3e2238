"""The backups that the settings ask for: the newest one, and when the next is due."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from recollect.engine.backup import manifest
from recollect.engine.base.context import Engine
from recollect.model.backups import BackupState

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
