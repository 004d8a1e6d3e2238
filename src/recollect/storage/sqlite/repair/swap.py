"""Puts a repaired file in the place of a damaged one, which is kept under another name with its log.

A new file is built as `NAME.repairing`. Once it is complete and durable it is called `NAME.repaired`, and from then on
each process that opens the store finishes the exchange: first the damaged file gets its second name, then its log is
removed, then the new file takes its name. So a process that dies at any of these steps leaves the damaged file, or the
new one, and in both cases the damaged one under its new name or its old.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from glob import escape
from pathlib import Path
from time import monotonic, sleep
from typing import Final

import apsw

from recollect.errors import StoreUnavailable
from recollect.model.backups import Repaired, TableSalvage
from recollect.private_folders import settle
from recollect.storage.sqlite.repair.salvage import query
from recollect.storage.sqlite.session import from_micros, to_micros

if sys.platform != "win32":
    import fcntl

_LOG: Final = "-wal"
_KEPT_BESIDE: Final = (_LOG, "-journal")
_BESIDE: Final = (*_KEPT_BESIDE, "-shm")
_PAUSE_S: Final = 0.05
REPAIRED_AT: Final = "repair:at"


class RepairFiles:
    """The names of the files of one repair."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.unfinished = path.with_name(f"{path.name}.repairing")
        self.ready = path.with_name(f"{path.name}.repaired")
        self.lock = path.with_name(f"{path.name}.repair-lock")

    def aside(self, repaired_at: int) -> Path:
        """Name the damaged file after the moment of its repair, in microseconds."""
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=repaired_at)
        return self.path.with_name(f"{self.path.name}.damaged-{moment:%Y%m%dT%H%M%S.%fZ}")

    def kept(self) -> list[Path]:
        """Give the damaged files that are still there, the newest last."""
        return sorted(self.path.parent.glob(f"{escape(self.path.name)}.damaged-*Z"))

    def kept_files(self) -> list[Path]:
        """Give them with what was kept beside each."""
        return [
            file for kept in self.kept() for suffix in ("", *_KEPT_BESIDE) if (file := Path(f"{kept}{suffix}")).exists()
        ]

    def source_facts(self) -> dict[str, int]:
        """Tell the state of the damaged file and its log, by which one that was written to since is known."""
        facts = {}
        for name, path in (("file", self.path), ("log", Path(f"{self.path}{_LOG}"))):
            with suppress(FileNotFoundError):
                status = path.stat()
                facts[f"repair:{name}_bytes"] = status.st_size
                facts[f"repair:{name}_mtime_ns"] = status.st_mtime_ns
        return facts

    def remove_unfinished(self) -> None:
        """Remove what an interrupted repair has left."""
        for suffix in ("", *_BESIDE):
            Path(f"{self.unfinished}{suffix}").unlink(missing_ok=True)

    def finish_new(self) -> None:
        """Make the new file durable and say that it is complete. No process may have it open."""
        descriptor = os.open(self.unfinished, os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self.unfinished.rename(self.ready)
        settle(self.path.parent)

    def exchange(self, repaired_at: int) -> Path:
        """Keep the damaged file under another name and give the new one its name. Can be repeated after a crash."""
        aside = self.aside(repaired_at)
        _keep(self.path, aside)
        for suffix in _KEPT_BESIDE:
            _keep(Path(f"{self.path}{suffix}"), Path(f"{aside}{suffix}"))
        settle(self.path.parent)
        for suffix in _BESIDE:
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        settle(self.path.parent)
        self.ready.replace(self.path)
        settle(self.path.parent)
        return aside

    @contextmanager
    def locked(self, wait_s: float) -> Iterator[None]:
        """Let one process repair at a time. Raises StoreUnavailable when another one does not end."""
        if sys.platform == "win32":  # the lock of the file itself has to do
            yield
            return
        deadline = monotonic() + wait_s
        while (descriptor := self._try_lock()) is None:
            if monotonic() >= deadline:
                raise StoreUnavailable(f"Another process is repairing {self.path} and does not end. Try again later.")
            sleep(_PAUSE_S)
        try:
            yield
        finally:
            self.lock.unlink(missing_ok=True)
            os.close(descriptor)

    def _try_lock(self) -> int | None:
        descriptor = os.open(self.lock, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), self.lock.stat()):
                return descriptor
        except OSError:  # another process has it, or has just removed it
            pass
        os.close(descriptor)
        return None

    def is_locked(self) -> bool:
        if sys.platform == "win32" or not self.lock.exists():
            return False
        descriptor = self._try_lock()
        if descriptor is not None:
            os.close(descriptor)
        return descriptor is None


def _keep(path: Path, aside: Path) -> None:
    """Give a file a second name. On a disk without links it changes its name."""
    if not path.exists() or not path.stat().st_size or (aside.exists() and aside.samefile(path)):
        return
    try:
        os.link(path, aside)
    except FileExistsError:
        raise StoreUnavailable(f"{aside} is there already. Move it away and try again.") from None
    except OSError:
        path.rename(aside)


_PAGES: Final = "repair:pages"
_DAMAGED_PAGES: Final = "repair:damaged_pages"
_SAVED: Final = "repair:saved:"
_LOST: Final = "repair:lost:"
_GUESSED: Final = "repair:guessed:"
_WHOLE: Final = "Nothing was lost: all rows could be read."


def save_marks(target: apsw.Connection, repaired: Repaired, source: Mapping[str, int]) -> None:
    """Note in the new file what was done, for `status` and `doctor`."""
    marks = {REPAIRED_AT: to_micros(repaired.repaired_at), _PAGES: repaired.pages, **source}
    marks[_DAMAGED_PAGES] = repaired.damaged_pages
    for table in repaired.tables:
        marks[f"{_SAVED}{table.table}"] = table.saved
        marks[f"{_GUESSED if table.estimated else _LOST}{table.table}"] = table.lost
    with target:
        target.execute(query("drop_old_marks"))
        target.executemany(query("save_mark"), [{"name": name, "value": value} for name, value in marks.items()])


def read_marks(connection: apsw.Connection) -> dict[str, int]:
    return {str(name): int(str(value)) for name, value in connection.execute(query("repair_marks"))}


def last_repair(connection: apsw.Connection, path: Path) -> Repaired | None:
    """Give the last repair of a file whose damaged predecessor is still kept beside it."""
    kept = RepairFiles(Path(os.path.realpath(path))).kept()
    marks = read_marks(connection) if kept else {}
    if REPAIRED_AT not in marks:
        return None
    names = [name.removeprefix(_SAVED) for name in marks if name.startswith(_SAVED)]
    tables = (
        TableSalvage(
            name,
            marks[f"{_SAVED}{name}"],
            marks.get(f"{_LOST}{name}", 0) or marks.get(f"{_GUESSED}{name}", 0),
            f"{_GUESSED}{name}" in marks,
        )
        for name in names
    )
    return Repaired(
        location=str(path),
        damaged_file=str(kept[-1]),
        repaired_at=from_micros(marks[REPAIRED_AT]),
        reason="",
        pages=marks.get(_PAGES, 0),
        damaged_pages=marks.get(_DAMAGED_PAGES, 0),
        tables=tuple(tables),
    )


def describe(repaired: Repaired) -> str:
    """Say in a few sentences what was saved, what was lost, and what to do."""
    counts = (
        f"{table.table} {table.saved:,} saved, {'about ' if table.estimated else ''}{table.lost:,} lost"
        for table in repaired.tables
        if table.lost
    )
    lost = "; ".join(counts)
    outcome = f"Lost rows: {lost}. A backup may have them (`recollect restore`)." if lost else _WHOLE
    return (
        f"{repaired.location} was damaged and was repaired on {repaired.repaired_at:%Y-%m-%d %H:%M} UTC. {outcome} The "
        f"damaged file is kept as {repaired.damaged_file}. It still holds all that it held, also what is forgotten "
        "from now on: delete it, and its -wal file, when you no longer need it."
    )
