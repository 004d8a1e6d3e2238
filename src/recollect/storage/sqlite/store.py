"""The embedded store: one SQLite file, one writer at a time, readers that never wait.

Invariant: whatever a work function does through its writer is committed wholly before `write` returns, or not at all.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from secrets import randbits
from threading import Lock
from typing import TypeVar

import apsw

from recollect.errors import StoreError, StoreUnavailable
from recollect.model.literals import ITEM_KINDS
from recollect.model.memories import Scope
from recollect.model.messages import Usage
from recollect.model.stats import Problem, StoreStats
from recollect.ports import Clock, PendingWrite, StoreReader, StoreWriter
from recollect.storage.rows import ANALYSER, IDENTITY, IDENTITY_BITS, of_kind
from recollect.storage.sqlite import codec, spaces
from recollect.storage.sqlite.bell import FileBell
from recollect.storage.sqlite.connection import map_pages, open_connection, patiently, rows, translated
from recollect.storage.sqlite.items import UNMERGED
from recollect.storage.sqlite.ledgers import SqliteLedgers
from recollect.storage.sqlite.migrate import applied_version, migrate
from recollect.storage.sqlite.place_store import SqlitePlaces
from recollect.storage.sqlite.reader import Kept, SqliteReader
from recollect.storage.sqlite.rows import QUERIES, id_array
from recollect.storage.sqlite.space_store import SqliteSpaces
from recollect.storage.sqlite.writer import SqliteWriter
from recollect.storage.statements import load_checks

T = TypeVar("T")

_CHECKPOINT_TRY_MS = 20
_REWRITE_AT_ONCE_BYTES = 16 * 2**20  # takes about a tenth of a second


class SqliteStore(SqliteSpaces, SqlitePlaces, SqliteLedgers):
    """Memories in one file."""

    backend = "sqlite"

    def __init__(
        self, path: Path, *, busy_timeout_s: float, clock: Clock, analyser: int, geocodes: bool = False
    ) -> None:
        self._path = path.expanduser().absolute()
        self._busy_timeout_s = busy_timeout_s
        self._clock = clock
        self._geocodes = geocodes
        self._kept = Kept()
        self._idle: list[apsw.Connection] = []
        self._idle_lock = Lock()
        self._write_lock = Lock()
        self._committer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="recollect-commit")
        self._closed = False
        self._writing = open_connection(self._path, busy_timeout_s)
        with translated(self._path):
            migrate(self._writing, str(self._path), self._clock.now(), analyser)

    def read(self, scope: Scope, work: Callable[[StoreReader], T]) -> T:
        """Run questions against one snapshot."""
        with self._reading() as connection:
            return work(SqliteReader(connection, scope, self._kept))

    @contextmanager
    def _reading(self) -> Iterator[apsw.Connection]:
        """Lend a connection with an open snapshot."""
        self._insist_open()
        with self._idle_lock:
            connection = self._idle.pop() if self._idle else None
        if connection is None:
            connection = open_connection(self._path, self._busy_timeout_s)
            map_pages(connection)
        with translated(self._path):
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("COMMIT")
                with self._idle_lock:
                    self._idle.append(connection)

    @contextmanager
    def _changing(self, *, patient: bool = True) -> Iterator[apsw.Connection]:
        """Lend the connection that writes, for changes that belong to no user; who is not patient does not wait."""
        self._insist_open()
        with self._writing_alone(patient=patient), translated(self._path):
            self._begin(patient=patient)
            try:
                yield self._writing
                self._writing.execute("COMMIT")
            except BaseException:
                self._roll_back()
                raise

    @contextmanager
    def _writing_alone(self, *, patient: bool) -> Iterator[None]:
        """Keep other threads of this process from writing."""
        if not self._write_lock.acquire(blocking=patient):
            raise StoreUnavailable("Somebody else is writing.")
        try:
            yield
        finally:
            self._write_lock.release()

    def _begin(self, *, patient: bool) -> None:
        """Keep other processes from writing."""
        if not patient:
            self._writing.set_busy_timeout(0)
        try:
            self._writing.execute("BEGIN IMMEDIATE")
        finally:
            self._writing.set_busy_timeout(int(self._busy_timeout_s * 1000))

    def write(self, scope: Scope, work: Callable[[StoreWriter], T]) -> T:
        """Run changes in one transaction."""
        with self._write_lock, translated(self._path):
            writer, result = self._start(scope, work)
            self._commit(writer)
        self._kept.small_users.drop(scope.user_id)
        return result

    def write_behind(self, scope: Scope, work: Callable[[StoreWriter], T]) -> PendingWrite[T]:
        """Run changes now, and index and commit them in the background."""
        self._write_lock.acquire()
        try:
            with translated(self._path):
                writer, result = self._start(scope, work)
            return self._committer.submit(self._commit_behind, writer, result)
        except BaseException:
            self._write_lock.release()
            raise

    def _commit_behind(self, writer: SqliteWriter, result: T) -> T:
        try:
            with translated(self._path):
                self._commit(writer)
            return result
        finally:
            self._write_lock.release()

    def _start(self, scope: Scope, work: Callable[[StoreWriter], T]) -> tuple[SqliteWriter, T]:
        self._insist_open()
        self._writing.execute("BEGIN IMMEDIATE")
        try:
            writer = SqliteWriter(self._writing, scope, geocodes=self._geocodes)
            return writer, work(writer)
        except BaseException:
            self._roll_back()
            raise

    def _commit(self, writer: SqliteWriter) -> None:
        try:
            writer.finish()
            self._writing.execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        """Undo, unless SQLite already did so by itself, as it does when a disk is full."""
        if self._writing.in_transaction:
            self._writing.execute("ROLLBACK")

    def scrub(self) -> None:
        """Erase deleted text from the log, and from unused parts of the file; a large file waits for `tune`."""
        with self._write_lock, translated(self._path):
            try:
                self._merge_deleted()
                if self._size_bytes(self._writing) <= _REWRITE_AT_ONCE_BYTES:
                    self._rewrite()
                self._empty_log()
            except (apsw.BusyError, apsw.FullError) as error:
                raise StoreUnavailable(
                    f"The memories are deleted and no search finds them, but traces of their text are still in "
                    f"{self._path} or its log: the disk is full, or another process has been reading since before "
                    f"({error}). See to it and run `recollect maintain`."
                ) from error

    def _merge_deleted(self) -> None:
        """Take out of the index of words what was only marked as gone."""
        marked = rows(self._writing, QUERIES["get_mark"], {"name": UNMERGED})
        if marked and marked[0][0]:
            with self._writing:
                self._writing.execute(of_kind(QUERIES["merge_terms"], "chunk"))
                self._writing.execute(QUERIES["set_mark"], {"name": UNMERGED, "value": 0})

    def _empty_log(self) -> None:
        """Move everything from the log into the file. Each try is short, since other writers have to wait for it."""
        self._writing.set_busy_timeout(_CHECKPOINT_TRY_MS)
        try:
            checkpoint = partial(self._writing.wal_checkpoint, mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            patiently(self._busy_timeout_s, checkpoint)
        finally:
            self._writing.set_busy_timeout(int(self._busy_timeout_s * 1000))

    def bell(self) -> FileBell:
        """Give something that notices what anybody writes."""
        self._insist_open()
        return FileBell(lambda: open_connection(self._path, self._busy_timeout_s))

    def users(self) -> Iterable[Scope]:
        """Name the users who have anything."""
        with self._reading() as connection:
            found = rows(connection, QUERIES["users_with_rows"])
        return [Scope(row[0]) for row in found]

    def identity(self) -> int:
        """Give the store's own number; the first who asks chooses it."""
        asked = {"name": IDENTITY}
        with self._reading() as connection:
            known = rows(connection, QUERIES["get_mark"], asked)
        if known:
            return int(known[0][0])
        with self._write_lock, translated(self._path):
            rows(self._writing, QUERIES["make_mark"], {**asked, "value": randbits(IDENTITY_BITS)})
            return int(rows(self._writing, QUERIES["get_mark"], asked)[0][0])

    def own_files(self) -> frozenset[tuple[int, int]]:
        """Give the file and what SQLite puts beside it. They are looked at, never opened: that would drop its locks."""
        found = set()
        for suffix in ("", "-wal", "-shm", "-journal"):
            with suppress(OSError):
                seen = Path(f"{self._path}{suffix}").stat()
                found.add((seen.st_dev, seen.st_ino))
        return frozenset(found)

    def known_originals(self, names: Sequence[str]) -> frozenset[str]:
        """Say which copies of documents belong to somebody."""
        with self._reading() as connection:
            return frozenset(row[0] for row in rows(connection, QUERIES["originals"], {"names": id_array(names)}))

    def users_with_expired(self, now: datetime) -> Iterable[Scope]:
        """Name the users who have memories past their expiry."""
        with self._reading() as connection:
            found = rows(connection, QUERIES["expired_users"], {"now": codec.to_micros(now)})
        return [Scope(row[0]) for row in found]

    def idle_conversations(self, before: datetime) -> Iterable[tuple[Scope, str]]:
        """Name the conversations in which nobody has spoken for long."""
        with self._reading() as connection:
            found = rows(connection, QUERIES["idle_conversations"], {"before": codec.to_micros(before)})
        return [(Scope(user_id), conversation_id) for user_id, conversation_id in found]

    def analyser(self) -> int:
        """Say which version of the analyser made the terms."""
        with self._reading() as connection:
            return int(rows(connection, QUERIES["get_mark"], {"name": ANALYSER})[0][0])

    def set_analyser(self, version: int) -> None:
        """Note that all terms are those of this version."""
        self._insist_open()
        with self._write_lock, translated(self._path):
            rows(self._writing, QUERIES["set_mark"], {"name": ANALYSER, "value": version})

    def spent(self, day: str) -> Usage:
        """Say what all users together spent."""
        with self._reading() as connection:
            return Usage(*rows(connection, QUERIES["spent_by_all"], {"day": day})[0])

    def embedded(self, day: str) -> Mapping[str, int]:
        """Say how many tokens each model embedded."""
        with self._reading() as connection:
            return dict(rows(connection, QUERIES["embedded_by_all"], {"day": day}))

    def stats(self) -> StoreStats:
        """Count rows of the whole store."""
        with self._reading() as connection:
            users, memories, messages, chunks, files, pending, parked = rows(connection, QUERIES["store_counts"])[0]
            vectors = sum(
                rows(connection, QUERIES["count_all_vectors"].replace("{space}", str(row.number)))[0][0]
                for row in spaces.listing(connection)
                if row.state == "active"
            )
            size = self._size_bytes(connection)
        counted = (users, memories, messages, vectors, pending, parked)
        return StoreStats(*counted, size_bytes=size, files=files, chunks=chunks)

    @staticmethod
    def _size_bytes(connection: apsw.Connection) -> int:
        return int(connection.pragma("page_count")) * int(connection.pragma("page_size"))

    def version(self) -> str:
        """The version of SQLite."""
        return apsw.sqlite_lib_version()

    def location(self) -> str:
        """The path of the file."""
        return str(self._path)

    def schema_version(self) -> int:
        """The number of the newest migration."""
        with self._reading() as connection:
            return applied_version(connection)

    def check(self) -> Sequence[Problem]:
        """Let SQLite check its pages, then look for rows without their other halves."""
        self._insist_open()
        problems = []
        # A connection of its own: one that was used before may judge FTS5 by an older state and cry wolf.
        with closing(open_connection(self._path, self._busy_timeout_s)) as connection, translated(self._path):
            verdicts = [row[0] for row in rows(connection, "PRAGMA integrity_check(20)") if row[0] != "ok"]
            if verdicts:
                advice = f"Restore a backup; SQLite says: {verdicts[0]}"
                problems.append(Problem("integrity_check", len(verdicts), advice))
            kinds = {row.number: row.kind for row in spaces.listing(connection)}
            for check in load_checks("sqlite", kinds):
                found = rows(connection, check.sql)[0][0]
                if found:
                    problems.append(Problem(check.name, found, check.advice))
        if self._path.stat().st_mode & 0o077:
            problems.append(Problem("file_mode", 1, f"Others may read {self._path}: run chmod 600 on it."))
        return problems

    def tune(self) -> Sequence[str]:
        """Merge the index of terms, refresh the planner's statistics, and erase what deleting left behind."""
        with self._write_lock, translated(self._path):
            self._merge_deleted()
            for kind in ITEM_KINDS:
                self._writing.execute(of_kind(QUERIES["merge_terms"], kind))
            self._writing.execute("PRAGMA optimize = 0x10002")
            erased = self._rewrite()
            self._empty_log()
        return ("merged the index of terms", "refreshed the planner's statistics", *erased)

    def _rewrite(self) -> Sequence[str]:
        """Write the whole file anew if rows have vanished since this was last done.

        SQLite overwrites what it deletes, but it moves rows from page to page when it fills a tree, and then a copy of
        a few words may stay behind in the unused part of a page. The file's `user_version` says what has been erased.
        """
        vanished: int = rows(self._writing, QUERIES["count_resets"])[0][0]
        if self._writing.pragma("user_version") == vanished:
            return ()
        self._writing.execute("VACUUM")
        self._writing.execute(f"PRAGMA user_version = {vanished}")
        return ("erased the traces of deleted memories",)

    def advice(self) -> Sequence[str]:
        """Nothing an operator must do."""
        return ()

    def close(self) -> None:
        """Close all connections; a commit under way is finished first."""
        if self._closed:
            return
        self._committer.shutdown(wait=True)
        with self._write_lock, self._idle_lock, translated(self._path):
            self._closed = True
            for connection in self._idle:
                connection.close()
            self._idle.clear()
            self._writing.close()

    def _insist_open(self) -> None:
        if self._closed:
            raise StoreError("This store is closed. Open it again with Memory.open().")
