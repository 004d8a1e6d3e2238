"""Opens SQLite the one way that loses nothing, binds moments and lists, and translates its errors.

The file is never opened by Python: closing any descriptor of it would drop the locks of this process, and another
process could then remove the write-ahead log under our feet.

The checksums of pages and of frames of the log are those of SQLite and its extension cksumvfs: `s1 += a + s2;
s2 += b + s1` over pairs of 32-bit words. That is linear, so the sum of many pages is one product with fixed weights.
"""

import ctypes
import errno
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from threading import Condition, Lock
from time import monotonic, sleep
from typing import Any, Final, NamedTuple, TypeAlias

import apsw
import numpy as np
from apsw import sqlite_extra
from numpy.typing import NDArray

from recollect.errors import FileDamaged, StoreError, StoreFull, StoreReadOnly, StoreTooOld, StoreUnavailable
from recollect.forking import leak, take_part
from recollect.private_folders import make_private, settle
from recollect.storage.sqlite.session import to_micros

CHECKSUM_BYTES = 8
_MODULUS = 2**32

ChecksumWords: TypeAlias = NDArray[np.uint32]


class Weights(NamedTuple):
    """How much each word counts in the two sums, and what becomes of the sums that came before (a matrix)."""

    first: ChecksumWords
    second: ChecksumWords
    carried: tuple[int, int, int, int]


@cache
def weights(words: int) -> Weights:
    first, second = np.zeros(words, np.uint64), np.zeros(words, np.uint64)
    a, b, c, d = 1, 0, 0, 1
    for position in range(words - 2, -1, -2):
        first[position], first[position + 1] = (a + b) % _MODULUS, b
        second[position], second[position + 1] = (c + d) % _MODULUS, d
        a, b, c, d = (a + b) % _MODULUS, (a + 2 * b) % _MODULUS, (c + d) % _MODULUS, (c + 2 * d) % _MODULUS
    return Weights(first.astype(np.uint32), second.astype(np.uint32), (a, b, c, d))


def sound_pages(content: bytes, page_bytes: int) -> NDArray[np.bool_]:
    """Say of each page whether its checksum fits."""
    rows = np.frombuffer(content, "<u4").reshape(-1, page_bytes // 4)
    used = weights(page_bytes // 4 - 2)
    first = (rows[:, :-2] * used.first).sum(axis=1, dtype=np.uint32)
    second = (rows[:, :-2] * used.second).sum(axis=1, dtype=np.uint32)
    sound: NDArray[np.bool_] = (first == rows[:, -2]) & (second == rows[:, -1])
    return sound


def chained_sum(before: tuple[int, int], content: bytes, *, big_endian: bool) -> tuple[int, int]:
    """Give the sums of the log after some more bytes."""
    words = np.frombuffer(content, ">u4" if big_endian else "<u4").astype(np.uint32)
    used = weights(len(words))
    a, b, c, d = used.carried
    first = int((words * used.first).sum(dtype=np.uint32)) + a * before[0] + b * before[1]
    second = int((words * used.second).sum(dtype=np.uint32)) + c * before[0] + d * before[1]
    return first % _MODULUS, second % _MODULUS


# Before this version, resetting the write-ahead log could corrupt a database.
MINIMUM_VERSION = (3, 51, 3)
PAGE_BYTES = 8192
_CACHE_KIB = 65536
_RESERVED_AT = 20  # the byte of the header that says how much of a page is reserved
REPAIR: Final = (
    "Stop all processes that use it and run `recollect repair`, which keeps it aside and saves what can be read, or "
    "restore a backup elsewhere."
)
_PAUSE_S = 0.02
_LOOK_EVERY_S = 0.002
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})


def check_version(version: str) -> None:
    parts = tuple(int(part) for part in version.split("."))
    if parts < MINIMUM_VERSION:
        minimum = ".".join(map(str, MINIMUM_VERSION))
        raise StoreTooOld(
            f"SQLite {version} can corrupt a write-ahead log; {minimum} or newer is needed. "
            "Upgrade the package apsw, which brings its own SQLite."
        )


def open_connection(path: Path, busy_timeout_s: float) -> apsw.Connection:
    """Open the file, create it for its owner only when it is new, and set what every connection needs."""
    check_version(apsw.sqlite_lib_version())
    has_checksums = load_checksums()
    if is_read_only(path):
        return open_for_reading(path, busy_timeout_s)
    _forked_files.insist_not_inherited(path)
    with translated(path):
        while True:
            connection = _open_once(path, busy_timeout_s, has_checksums=has_checksums)
            # From here on the connection holds a lock that keeps repairs out.
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
            moved = ctypes.c_int(0)
            asked = connection.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, ctypes.addressof(moved))
            if not (asked and moved.value):  # otherwise a repair gave the name to another file meanwhile
                return connection
            connection.close()


def _open_once(path: Path, busy_timeout_s: float, *, has_checksums: bool) -> apsw.Connection:
    fresh = not path.exists()
    if fresh:
        make_private(path.parent)
        with suppress(AttributeError, OSError):  # not every system lets us; then it is made private below
            os.mknod(path, 0o600)  # private from the first moment
    connection = apsw.Connection(os.fspath(path))
    with ExitStack() as undo:
        undo.callback(connection.close)
        _set_up(connection, path, busy_timeout_s, has_checksums=has_checksums, fresh=fresh)
        undo.pop_all()
    return connection


def _set_up(
    connection: apsw.Connection, path: Path, busy_timeout_s: float, *, has_checksums: bool, fresh: bool
) -> None:
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # a damaged file stays as it is
    connection.convert_binding = _bind
    wait_for_locks(connection, busy_timeout_s)
    if fresh and path.exists():
        path.chmod(0o600)  # nothing has been written yet; the log and its index inherit this mode
        settle(path.parent)
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    _leave_room(connection, path, has_checksums=has_checksums)
    patiently(busy_timeout_s, lambda: connection.execute("PRAGMA journal_mode = WAL"))
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)


@cache
def load_checksums() -> bool:
    """Load what puts a checksum at the end of every page and verifies it at every read; says whether there is one.

    It comes with apsw, and becomes the default of all connections of this process. Files of other programs, which have
    no room for a checksum in their pages, are read and written as ever.
    """
    try:
        with closing(apsw.Connection(":memory:")) as connection:
            sqlite_extra.load(connection, "cksumvfs")
    except (sqlite_extra.NotAvailable, apsw.Error):  # an apsw that was built without it
        return False
    return True


def _leave_room(connection: apsw.Connection, path: Path, *, has_checksums: bool) -> None:
    """Have new files, and those that are written anew, leave room for checksums."""
    connection.execute("PRAGMA schema_version").fetchall()  # reads the header
    found = connection.reserve_bytes("main")
    if found not in (0, CHECKSUM_BYTES) or (not found and _denies_checksums(path)):
        raise FileDamaged(f"{path} is damaged in its header. {REPAIR}")
    if has_checksums:
        connection.reserve_bytes("main", CHECKSUM_BYTES)
    elif found:
        raise StoreTooOld(
            f"The pages of {path} have checksums, but this apsw was built without the extension cksumvfs. Install a "
            "wheel of apsw from PyPI."
        )


def wait_for_locks(connection: apsw.Connection, timeout_s: float) -> None:
    """Have a connection look for a lock that another process holds every other millisecond.

    SQLite's own waiting looks ever more rarely, up to ten times a second: a process that writes one thing after the
    other, as one that forgets does, then gets the lock again and again before one that waits has looked.
    """
    began = 0.0

    def look_again(looks: int) -> bool:
        nonlocal began
        now = monotonic()
        began = began if looks else now
        left = began + timeout_s - now
        if left > 0:
            sleep(min(_LOOK_EVERY_S, left))
        return left > 0

    connection.set_busy_handler(look_again)


def _denies_checksums(path: Path) -> bool:
    """Tell whether the header says that there are no checksums, though with the right number it would have its own.

    A file that was damaged in this one byte would be read without any checksum, and long texts at the wrong places.
    """
    file = apsw.VFSFile(file_layer(), os.fspath(path), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        page = bytearray(file.xRead(min(PAGE_BYTES, file.xFileSize()), 0))
    finally:
        file.xClose()
    if len(page) < PAGE_BYTES:
        return False
    page[_RESERVED_AT] = CHECKSUM_BYTES
    return bool(sound_pages(bytes(page), PAGE_BYTES)[0])


def file_layer() -> str:
    """Name SQLite's own file layer, beneath the one that verifies checksums."""
    known = apsw.vfs_names()
    return next(name for name in ("unix", "win32", *known) if name in known)


def is_read_only(path: Path) -> bool:
    """Tell whether a file is there but cannot be written, or its folder, where the log has to be."""
    return path.is_file() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def open_for_reading(path: Path, busy_timeout_s: float) -> apsw.Connection:
    """Open a file that cannot be written, or must not be: one without a log has no need of a lock beside it."""
    _forked_files.insist_not_inherited(path)
    log = Path(f"{path}-wal")
    settled = not (log.exists() and log.stat().st_size)
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    with translated(path):
        connection = apsw.Connection(f"{path.as_uri()}?immutable={int(settled)}", flags=flags)
        connection.convert_binding = _bind
        wait_for_locks(connection, busy_timeout_s)
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    return connection


def _bind(_: object, __: int, value: object) -> Any:  # noqa: ANN401 - apsw gives its bindings no public type
    """Convert a parameter of a type that SQLite does not have: a moment, or a list of texts.

    SQLite refuses an empty array of texts, so that becomes one impossible id.
    """
    if isinstance(value, datetime):
        return to_micros(value)
    if isinstance(value, list):
        return apsw.carray(tuple(value) or ("",))
    raise TypeError(f"{type(value).__name__} cannot be bound to a parameter")


class ReadConnections:
    """The connections of a store that only read, lent to one caller each."""

    def __init__(self, path: Path, busy_timeout_s: float) -> None:
        self._path = path
        self._busy_timeout_s = busy_timeout_s
        self._idle: list[apsw.Connection] = []
        self._lent = 0
        self._changed = Condition(Lock())

    @contextmanager
    def lend(self) -> Iterator[apsw.Connection]:
        """Lend a connection, a new one if all are lent."""
        connection = None
        with self._changed:
            self._lent += 1
            if self._idle:
                connection = self._idle.pop()
        try:
            if connection is None:
                connection = open_connection(self._path, self._busy_timeout_s)
            yield connection
        finally:
            with self._changed:
                self._lent -= 1
                if connection is not None:
                    self._idle.append(connection)
                self._changed.notify_all()

    def hold(self, timeout_s: float) -> None:
        """Wait until all are back, close them, and lend none before `go_on`."""
        self._changed.acquire()
        self._changed.wait_for(lambda: not self._lent, timeout_s)
        self._close_idle()

    def go_on(self) -> None:
        self._changed.release()

    def close(self) -> None:
        with self._changed:
            self._close_idle()

    def _close_idle(self) -> None:
        for connection in self._idle:
            connection.close()
        self._idle.clear()


class _ForkedFiles:
    """Knows which files were open when this process was forked: SQLite's notes about their locks came along."""

    def __init__(self) -> None:
        self._open: set[tuple[int, int]] = set()
        self._inherited: set[tuple[int, int]] = set()

    def before_fork(self) -> None:
        """Note what is still open after all stores have let go."""
        self._open.clear()
        for connection in apsw.connections():
            with suppress(OSError, apsw.Error):
                self._open.add(_inode(Path(connection.filename)))

    def after_fork_in_parent(self) -> None:
        """Do nothing."""

    def after_fork_in_child(self) -> None:
        self._inherited |= self._open
        for connection in apsw.connections():
            leak(connection)

    def insist_not_inherited(self, path: Path) -> None:
        """Refuse a file whose locks SQLite would judge by what the parent had."""
        if self._inherited and path.exists() and _inode(path) in self._inherited:
            raise StoreUnavailable(
                f"{path} was in use when this process was forked, and SQLite cannot be carried into another process. "
                "Start processes with the methods spawn or forkserver of multiprocessing, or open the store only after "
                "forking."
            )


def _inode(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


_forked_files: Final = _ForkedFiles()
take_part(_forked_files)


def patiently(timeout_s: float, step: Callable[[], object]) -> None:
    """Take a step at which SQLite does not wait, but fails at once when another process is at the same step."""
    deadline = monotonic() + timeout_s
    while True:
        try:
            step()
        except apsw.BusyError:
            if monotonic() >= deadline:
                raise
            sleep(_PAUSE_S)
        else:
            return


def _full(path: Path) -> StoreFull:
    return StoreFull(f"The disk is full: nothing of this write to {path} was kept. Make room and try again.")


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Translate SQLite's errors into ours, with what to do about them."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise FileDamaged(f"{path} is not a sound SQLite database ({error}). {REPAIR}") from error
    except apsw.BusyError as error:
        raise StoreUnavailable(
            f"{path} stayed locked by another process for the whole time limit. Try again, or raise "
            "sqlite.busy_timeout_s."
        ) from error
    except apsw.ReadOnlyError as error:
        raise StoreReadOnly(
            f"{path} cannot be written: the file, its folder or its disk is read-only. It can be searched; copy it "
            "elsewhere to change it."
        ) from error
    except (apsw.CantOpenError, apsw.PermissionsError, apsw.AuthError, OSError) as error:
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            raise _full(path) from error
        raise StoreUnavailable(
            f"{path} cannot be opened for writing ({error}). Check that its folder exists, that you may write there "
            "and that it is a local disk."
        ) from error
    except apsw.FullError as error:
        raise _full(path) from error
    except apsw.Error as error:
        found = getattr(error, "extendedresult", 0)
        if found == apsw.SQLITE_IOERR_SHMSIZE:  # no room for the index of the log
            raise _full(path) from error
        if found == apsw.SQLITE_IOERR_DATA:
            raise FileDamaged(f"A page of {path} is not what was written: its checksum differs. {REPAIR}") from error
        raise StoreError(f"SQLite failed on {path}: {type(error).__name__}: {error}") from error


_POLL_EVERY_S: Final = 0.05


class FileChangeNotifier:
    """Polls the file for changes. It has a connection of its own, and belongs to one thread."""

    def __init__(self, connect: Callable[[], apsw.Connection]) -> None:
        self._connection = connect()
        self._seen = self._version()

    def _version(self) -> int | None:
        """Give the number, or None when it cannot be read just now: a waiter that wakes for nothing is fine."""
        try:
            return int(self._connection.pragma("data_version"))
        except apsw.Error:
            return None

    def wait(self, timeout_s: float) -> bool:
        deadline = monotonic() + timeout_s
        while True:
            version = self._version()
            if version != self._seen:
                self._seen = version
                return True
            left = deadline - monotonic()
            if left <= 0:
                return False
            sleep(min(_POLL_EVERY_S, left))

    def close(self) -> None:
        self._connection.close()
