"""Opens a file, and repairs it first if it is damaged and the settings say so."""

from collections.abc import Callable
from pathlib import Path

from recollect.errors import FileDamaged, StoreFull, StoreUnavailable
from recollect.ports import Clock
from recollect.settings import SqliteSettings
from recollect.storage.base.statements import no_store
from recollect.storage.base.values import ItemMarks
from recollect.storage.sqlite.connection import is_read_only
from recollect.storage.sqlite.repair.repair import FileRepair, log_is_damaged
from recollect.storage.sqlite.store import SqliteStore
from recollect.storage.sqlite.upkeep import DamageNote, holds_store


def open_file(
    path: Path,
    settings: SqliteSettings,
    clock: Clock,
    *,
    analyser: int,
    geocodes: bool,
    marks: ItemMarks | None,
    create: bool,
) -> SqliteStore:
    """Open a store. A damaged file is repaired if there are `marks`, by which what was forgotten is recognised.

    Unless it may `create`, what is no store stays as it is. Raises NotFound.
    """
    path = path.expanduser().absolute()

    def opened() -> SqliteStore:
        if not (create or holds_store(path, settings.busy_timeout_s)):
            raise no_store(str(path))
        return SqliteStore(path, settings, clock, analyser=analyser, geocodes=geocodes)

    if marks is None or settings.on_damage != "repair":
        return opened()
    return _opened_sound(FileRepair(path, settings.busy_timeout_s, clock, marks), opened)


def _opened_sound(repair: FileRepair, opened: Callable[[], SqliteStore]) -> SqliteStore:
    """Open the store, after a repair of its file if need be."""
    path = repair.path
    repair.finish_interrupted()
    if DamageNote(path).exists() and repair.is_possible():
        return _opened_after_repair(repair, opened, thorough=True)
    if log_is_damaged(path):
        return _opened_after_repair(repair, opened)
    try:
        return opened()
    except FileDamaged as error:
        if is_read_only(path):
            raise
        try:
            return _opened_after_repair(repair, opened)
        except (StoreUnavailable, StoreFull) as reason:
            raise FileDamaged(f"{error} It could not be repaired now: {reason}") from reason
    except StoreUnavailable:
        if not repair.waited():
            raise
        return opened()


def _opened_after_repair(
    repair: FileRepair, opened: Callable[[], SqliteStore], *, thorough: bool = False
) -> SqliteStore:
    repaired = repair.repair(thorough=thorough)
    store = opened()
    store.repaired = repaired
    return store
