"""A reserve beside a database: allocated blocks that are given back when a full disk would keep it from erasing.

Deleting needs room: SQLite writes the changed pages to its log before it writes them to the file. A disk that is full
to the last block would so keep everything it holds, and a file cannot even be opened there.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Final

SUFFIX: Final = "-reserve"
_MB: Final = 2**20
_STEP_BYTES: Final = 4 * _MB  # it grows by so much, so that a file that grows does not change it each time
_GRAIN_BYTES: Final = 2**16
_OPENING_BYTES: Final = _MB  # what SQLite puts beside a file to open it takes less
_COPIES: Final = 2  # the log holds the pages that a deletion changes, and then all of a file that is written anew


class ReserveFile:
    """The reserve of one database, at most `most_bytes`; none if that is 0."""

    def __init__(self, database: Path, most_bytes: int) -> None:
        self._database = database
        self.path = Path(f"{database}{SUFFIX}")
        self._most_bytes = most_bytes
        self._lock = Lock()
        self._released = False
        self._in_need = 0  # threads that are using what was released
        self.trouble = "another process is using it"  # why it is not whole, where the disk has room

    def wanted_bytes(self) -> int:
        """Say how large it should be for the database as it is now."""
        try:
            size = self._database.stat().st_size
        except OSError:
            return 0
        return min(self._most_bytes, -(-(_COPIES * size + _MB) // _STEP_BYTES) * _STEP_BYTES)

    def held_bytes(self) -> int:
        """Say how much is allocated."""
        try:
            return self.path.lstat().st_size
        except OSError:
            return 0

    def advice(self) -> Iterator[str]:
        """Make it whole if there is room, because the file may have grown since; say what is missing all the same."""
        self.restock()
        wanted, held = self.wanted_bytes(), self.held_bytes()
        if held >= wanted // 2:
            return
        missing = f"of the {wanted // _MB} MB that are kept for forgetting on a full disk, {held // _MB} are there"
        if self.has_room():
            yield f"The reserve of {self._database} cannot be kept ({self.trouble}): {missing}."
            return
        yield (
            f"The disk of {self._database} is nearly full ({self.free_bytes() // _MB:,} MB free): {missing}. "
            "Make room; `recollect maintain` keeps them again."
        )

    def free_bytes(self) -> int:
        """Say how much of the disk is free."""
        return shutil.disk_usage(self._database.parent).free

    def has_room(self) -> bool:
        """Tell whether it can be made whole and as much again stays free."""
        wanted = self.wanted_bytes()
        return self.free_bytes() >= wanted - self.held_bytes() + wanted

    def release_some(self) -> bool:
        """Give back what opening the database takes; says whether there was anything."""
        with self._lock:
            held = self.held_bytes()
            if held <= _OPENING_BYTES:
                return self._remove()
            with suppress(OSError):
                os.truncate(self.path, held - _OPENING_BYTES)
                self._released = True
                return True
            return self._remove()

    def release(self) -> bool:
        """Give all of it back; says whether there was anything."""
        with self._lock:
            return self._remove()

    @contextmanager
    def released(self) -> Iterator[bool]:
        """Give all of it back, and let no other thread make it again meanwhile; says whether there was anything."""
        with self._lock:
            released = self._remove()
            self._in_need += 1
        try:
            yield released
        finally:
            with self._lock:
                self._in_need -= 1

    def _remove(self) -> bool:
        with suppress(OSError):
            self.path.unlink()
            self._released = True
            return True
        return False

    def restock(self) -> bool:
        """Make it, or make it whole again, if the disk has room; says whether it is whole.

        As much again must stay free, unless this process released it: then it takes back what is left of it, before
        others take it.
        """
        with self._lock:
            wanted, held = self.wanted_bytes(), self.held_bytes()
            if self._in_need:
                return False
            if held >= wanted:
                self._shrink(held)
                return True
            try:
                free = self.free_bytes()
                size = min(wanted, held + free // _GRAIN_BYTES * _GRAIN_BYTES) if self._released else wanted
                if size <= held or (not self._released and not self.has_room()):
                    return False
                self._allocate(size)
            except OSError as error:  # another process was faster, or a quota ends before the disk does
                self.trouble = error.strerror or str(error)
                return False
            self._released = self._released and size < wanted
            return size == wanted

    def _shrink(self, held: int) -> None:
        """Give back what is more than the setting says, which was larger before."""
        if not self._most_bytes:
            self._remove()
        elif held > self._most_bytes:
            with suppress(OSError):
                os.truncate(self.path, self._most_bytes)

    def _allocate(self, wanted: int) -> None:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        descriptor = os.open(self.path, flags, 0o600)
        before = os.fstat(descriptor).st_size
        try:
            self.path.chmod(0o600)  # whatever the umask
            _fill(descriptor, wanted)
        except OSError:
            os.ftruncate(descriptor, min(before, wanted))
            raise
        finally:
            os.close(descriptor)


def _fill(descriptor: int, size: int) -> None:
    """Allocate the blocks of a file. Where a system has no call for that, zeros are written."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
        return
    block = bytes(_MB)
    os.lseek(descriptor, 0, os.SEEK_SET)
    for _ in range(-(-size // _MB)):
        os.write(descriptor, block)
