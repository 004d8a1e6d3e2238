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

from recollect.errors import StoreUnavailable
from recollect.private_folders import settle

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
        found = self.path.parent.glob(f"{escape(self.path.name)}.damaged-*Z")
        return sorted(found)

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

    def is_from(self, facts: Mapping[str, int]) -> bool:
        """Tell whether the file and its log, as far as they are there, are those that a repair has read."""
        return all(facts.get(name) == value for name, value in self.source_facts().items())

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
        descriptor = self._lock_within(wait_s)
        try:
            yield
        finally:
            self.lock.unlink(missing_ok=True)
            os.close(descriptor)

    def _lock_within(self, wait_s: float) -> int:
        deadline = monotonic() + wait_s
        while (descriptor := self._try_lock()) is None:
            if monotonic() >= deadline:
                raise StoreUnavailable(f"Another process is repairing {self.path} and does not end. Try again later.")
            sleep(_PAUSE_S)
        return descriptor

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
        """Tell whether a process is repairing at this moment."""
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
