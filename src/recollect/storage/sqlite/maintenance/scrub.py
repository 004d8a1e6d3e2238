"""Erases what deleting leaves behind in an SQLite file: in the index of words, in statistics, in pages and in the log.

SQLite overwrites what it deletes, but it moves rows from page to page when it fills a tree, and then a copy of a few
words may stay behind in the unused part of a page: the file is written anew. The log is emptied last. A reader with an
older snapshot keeps it from being emptied; that is waited for without any lock, in short tries.

The file itself says how far this is, in its `user_version`: the number of times that rows have vanished up to which all
is erased, or `_rewritten(number)` while only the log is left, or UNERASED.
"""

from contextlib import closing, suppress
from pathlib import Path
from threading import Lock
from time import monotonic, sleep

import apsw

from recollect.model.stats import Erasure
from recollect.storage.sqlite.connection import open_connection, translated
from recollect.storage.sqlite.reserve import ReserveFile
from recollect.storage.sqlite.session import SqliteSession
from recollect.storage.sqlite.writer import UNMERGED

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
            drop_samples(connection)
            _merge_deleted(connection)
            if whole or file_bytes(connection) <= REWRITE_AT_ONCE_BYTES:
                _rewrite(connection)
            return pending(connection) if _empty_log(connection) else Erasure(_IN_LOG, later=True)
        except apsw.BusyError:
            return Erasure(pending(connection).reason or _IN_LOG, later=True)
        except apsw.FullError:
            return _make_room(connection)


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


def drop_samples(connection: apsw.Connection) -> None:
    """Remove the samples that versions before this one have taken."""
    if samples(connection):
        with connection:
            connection.execute("DELETE FROM sqlite_stat4")
            connection.execute(f"PRAGMA user_version = {UNERASED}")


def refresh_statistics(connection: apsw.Connection) -> None:
    """Refresh the planner's statistics. Bit 0x10 bounds the rows looked at, and bounded statistics take no samples."""
    connection.execute("PRAGMA optimize = 0x10012")


def _merge_deleted(connection: apsw.Connection) -> None:
    """Merge rows out of the index of words that were only marked as gone."""
    session = SqliteSession(connection)
    marks = session.rows("get_mark", {"name": UNMERGED})
    if marks and marks[0][0]:
        with connection:
            session.execute("merge_terms", kind="chunk")
            session.execute("set_mark", {"name": UNMERGED, "value": 0})


def _rewrite(connection: apsw.Connection) -> None:
    """Write the whole file anew if rows have vanished since this was last done."""
    vanished = _vanished(connection)
    if connection.pragma("user_version") not in (vanished, _rewritten(vanished)):
        connection.execute("VACUUM")
        connection.execute(f"PRAGMA user_version = {_rewritten(vanished)}")


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


def _make_room(connection: apsw.Connection) -> Erasure:
    """Give back the room that a try took in the log before it failed on a full disk; says what is left to erase."""
    with suppress(apsw.Error):
        if _empty_log(connection) and not pending(connection).reason:
            return Erasure()
    return Erasure(_FULL, later=True)


def _vanished(connection: apsw.Connection) -> int:
    return int(SqliteSession(connection).row("count_resets")[0])


def _rewritten(vanished: int) -> int:
    """Note that the file was written anew and its log not yet emptied."""
    return -2 - vanished


def file_bytes(connection: apsw.Connection) -> int:
    """Give the size of the file, with what its log has added to it."""
    return int(connection.pragma("page_count")) * int(connection.pragma("page_size"))
