"""Erases what deleting leaves behind in an SQLite file: in the index of words, in statistics, in pages and in the log.

SQLite overwrites what it deletes, but it moves rows from page to page when it fills a tree, and then a copy of a few
words may stay behind in the unused part of a page: the file is written anew. The log is emptied last. A reader with an
older snapshot keeps it from being emptied; that is waited for without any lock, in short tries.

The file itself says how far this is, in its `user_version`: the number of times that rows have vanished up to which all
is erased, or `_rewritten(number)` while only the log is left, or UNERASED.

Deleting needs room: SQLite writes the changed pages to its log before it writes them to the file. A disk that is full
to the last block would so keep everything it holds, and a file cannot even be opened there. So there is a reserve
beside it: allocated blocks that are given back when a full disk would keep it from erasing.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Final

import apsw

from recollect.model.stats import Erasure
from recollect.storage.sqlite.connection import open_connection, translated
from recollect.storage.sqlite.session import SqliteSession
from recollect.storage.sqlite.writer import UNMERGED

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
                if not self._most_bytes:
                    self._remove()
                elif held > self._most_bytes:  # as the setting said before
                    with suppress(OSError):
                        os.truncate(self.path, self._most_bytes)
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


UNERASED = -1  # what `user_version` says of a file that may hold traces of anything
REWRITE_AT_ONCE_BYTES = 16 * 2**20  # takes about a tenth of a second
_TRY_MS = 5  # how long other writers have to wait for one try to empty the log
_WRITE_TRY_MS = 100
_PAUSE_S = 0.02
_IN_LOG = "Deleted text is still in the log beside the file: another process has been reading since before."
_IN_PAGES = "Unused parts of the file may hold traces of deleted text."
_FULL = "Deleted text may still be in the file or its log: the disk is full."


class FileEraser:
    """Erases deleted text from one file, over a connection of its own, so that no writer waits while it waits."""

    def __init__(self, path: Path, reserve: ReserveFile) -> None:
        self._path = path
        self._reserve = reserve
        self._lock = Lock()  # one at a time is enough: it erases what all threads have deleted

    def scrub(self, wait_s: float, *, whole: bool = False, anew: bool = False) -> Erasure:
        """Erase what was deleted until now, and say what is left.

        A large file is rewritten only as a `whole`; `anew`: also when nothing was deleted since.
        """
        deadline = monotonic() + wait_s
        with self._lock, translated(self._path), closing(open_connection(self._path, wait_s)) as connection:
            if file_bytes(connection) <= REWRITE_AT_ONCE_BYTES:
                connection.execute("PRAGMA temp_store = MEMORY")  # no second copy on a disk
            if anew:
                with connection:
                    connection.execute(f"PRAGMA user_version = {UNERASED}")
            while True:
                left = self._try(connection, whole=whole)
                if left.reason == _FULL:
                    with self._reserve.released() as released:
                        left = self._try(connection, whole=whole) if released else left
                if not left.later or left.reason == _FULL or monotonic() >= deadline:
                    return left
                sleep(_PAUSE_S)

    def empty_log(self) -> None:
        """Give back the room that the log takes, unless a reader needs what is in it."""
        with suppress(apsw.Error), self._lock, closing(open_connection(self._path, 0)) as connection:
            _empty_log(connection)

    def _try(self, connection: apsw.Connection, *, whole: bool) -> Erasure:
        connection.set_busy_timeout(_WRITE_TRY_MS)
        try:
            if samples(connection):  # versions before this one have taken them
                with connection:
                    connection.execute("DELETE FROM sqlite_stat4")
                    connection.execute(f"PRAGMA user_version = {UNERASED}")
            _merge_deleted(connection)
            vanished = _vanished(connection)
            rewritten = connection.pragma("user_version") in (vanished, _rewritten(vanished))
            if not rewritten and (whole or file_bytes(connection) <= REWRITE_AT_ONCE_BYTES):
                connection.execute("VACUUM")
                connection.execute(f"PRAGMA user_version = {_rewritten(vanished)}")
            return pending(connection) if _empty_log(connection) else Erasure(_IN_LOG, later=True)
        except apsw.BusyError:
            return Erasure(pending(connection).reason or _IN_LOG, later=True)
        except apsw.FullError:
            with suppress(apsw.Error):  # give back the room that this took in the log before it failed
                if _empty_log(connection) and not pending(connection).reason:
                    return Erasure()
            return Erasure(_FULL, later=True)


def pending(connection: apsw.Connection) -> Erasure:
    """Say what is still to be erased: the file tells, whichever process has erased or could not."""
    vanished, erased = _vanished(connection), connection.pragma("user_version")
    if erased == vanished and not samples(connection):
        return Erasure()
    small = file_bytes(connection) <= REWRITE_AT_ONCE_BYTES
    return Erasure(_IN_LOG if erased == _rewritten(vanished) else _IN_PAGES, later=small)


def samples(connection: apsw.Connection) -> int:
    """Count the keys of indexes that the planner's statistics hold; they are words of users."""
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat4'").fetchall():
        return 0
    return len(connection.execute("SELECT 1 FROM sqlite_stat4").fetchall())


def refresh_statistics(connection: apsw.Connection) -> None:
    """Refresh the planner's statistics. Bit 0x10 bounds the rows looked at, and bounded statistics take no samples."""
    connection.execute("PRAGMA optimize = 0x10012")


def _merge_deleted(connection: apsw.Connection) -> None:
    """Merge rows out of the index of words that were only marked as gone."""
    session = SqliteSession(connection)
    if session.mark(UNMERGED):
        with connection:
            session.execute("merge_terms", kind="chunk")
            session.execute("set_mark", {"name": UNMERGED, "value": 0})


def _empty_log(connection: apsw.Connection) -> bool:
    """Move everything from the log into the file; only the last step keeps others from writing."""
    frames, moved = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
    if moved < frames:
        return False
    connection.set_busy_timeout(_TRY_MS)
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    connection.set_busy_timeout(_WRITE_TRY_MS)
    vanished = _vanished(connection)
    if connection.pragma("user_version") == _rewritten(vanished):
        connection.execute(f"PRAGMA user_version = {vanished}")
    return True


def _vanished(connection: apsw.Connection) -> int:
    return int(SqliteSession(connection).row("count_resets")[0])


def _rewritten(vanished: int) -> int:
    """Note that the file was written anew and its log not yet emptied."""
    return -2 - vanished


def file_bytes(connection: apsw.Connection) -> int:
    """Give the size of the file, with what its log has added to it."""
    return int(connection.pragma("page_count")) * int(connection.pragma("page_size"))
