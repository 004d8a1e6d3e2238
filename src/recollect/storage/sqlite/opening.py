"""Opens a file, and repairs it first if it is damaged and the settings say so."""

from collections.abc import Callable
from pathlib import Path

from recollect.errors import FileDamaged, StoreFull, StoreUnavailable
from recollect.model.repairs import Repaired
from recollect.ports import Clock
from recollect.storage.base.statements import no_store
from recollect.storage.base.values import ItemMarks
from recollect.storage.sqlite.connection import is_read_only
from recollect.storage.sqlite.repair.repair import FileRepair, log_is_damaged
from recollect.storage.sqlite.store import SqliteStore
from recollect.storage.sqlite.upkeep import DamageNote, holds_store


def open_file(
    path: Path,
    *,
    busy_timeout_s: float,
    reserve_bytes: int,
    clock: Clock,
    analyser: int,
    geocodes: bool = False,
    marks: ItemMarks | None = None,
    create: bool = True,
) -> SqliteStore:
    """Open a store. A damaged file is repaired if there are `marks`, by which what was forgotten is recognised.

    Unless it may `create`, what is no store stays as it is. Raises NotFound.
    """
    path = path.expanduser().absolute()

    def opened() -> SqliteStore:
        if not (create or holds_store(path, busy_timeout_s)):
            raise no_store(str(path))
        return SqliteStore(
            path,
            busy_timeout_s=busy_timeout_s,
            reserve_bytes=reserve_bytes,
            clock=clock,
            analyser=analyser,
            geocodes=geocodes,
        )

    if marks is None:
        return opened()
    return _Opening(FileRepair(path, busy_timeout_s, clock, marks), opened).run()


class _Opening:
    """Opens a store with what repairs its file."""

    def __init__(self, repair: FileRepair, opened: Callable[[], SqliteStore]) -> None:
        self._repair = repair
        self._path = repair.path
        self._opened = opened

    def run(self) -> SqliteStore:
        """Open the store, after a repair if need be."""
        self._repair.finish_interrupted()
        if DamageNote(self._path).exists() and self._repair.is_possible():
            return self._repaired(thorough=True)
        if log_is_damaged(self._path):
            return self._repaired(thorough=False)
        try:
            return self._opened()
        except FileDamaged as error:
            if is_read_only(self._path):
                raise
            return self._repaired_after(error)
        except StoreUnavailable:
            if not self._repair.is_under_way():
                raise
            self._repair.wait()
            return self._opened()

    def _repaired_after(self, error: FileDamaged) -> SqliteStore:
        try:
            return self._repaired(thorough=False)
        except (StoreUnavailable, StoreFull) as reason:
            raise FileDamaged(f"{error} It could not be repaired now: {reason}") from reason

    def _repaired(self, *, thorough: bool) -> SqliteStore:
        repaired = self._repair.repair(thorough=thorough)
        DamageNote(self._path).remove()
        store = self._opened()
        store.repaired = repaired
        return store


def repair_file(path: Path, *, busy_timeout_s: float, clock: Clock, marks: ItemMarks) -> Repaired | None:
    """Look at all of a file, and repair it if it is damaged; None when it is sound."""
    path = path.expanduser().absolute()
    repaired = FileRepair(path, busy_timeout_s, clock, marks).repair(thorough=True)
    DamageNote(path).remove()
    return repaired
