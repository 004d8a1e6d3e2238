"""The embedded store: one SQLite file, one writer at a time, readers that never wait.

Invariant: whatever a work function does through its writer is committed wholly before `write` returns, or not at all.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import apsw

from recollect.errors import FileDamaged, RecollectError, StoreError, StoreFull, StoreReadOnly, StoreUnavailable
from recollect.forking import leak, take_part, withdraw
from recollect.model.backups import DatabaseFacts
from recollect.model.literals import ITEM_KINDS, VectorKind
from recollect.model.memories import Scope, Space
from recollect.model.stats import Erasure, Problem, Purged
from recollect.ports import Clock
from recollect.settings import SqliteSettings
from recollect.storage.base.forgotten import tombstone_secrets
from recollect.storage.base.reader import StoreReader
from recollect.storage.base.session import StoreSession
from recollect.storage.base.spaces import list_spaces, register_space
from recollect.storage.base.store import Store
from recollect.storage.base.values import ERASED, PendingWrite, RawBlock, StepListener
from recollect.storage.base.writer import StoreWriter
from recollect.storage.sqlite.connection import (
    FileChangeNotifier,
    ReadConnections,
    is_read_only,
    open_connection,
    translated,
    wait_for_locks,
)
from recollect.storage.sqlite.erasing import (
    REWRITE_AT_ONCE_BYTES,
    SUFFIX,
    UNERASED,
    FileEraser,
    ReserveFile,
    file_bytes,
    pending,
    refresh_statistics,
    samples,
)
from recollect.storage.sqlite.group_commit import PendingGroup, SharedWrite, WriteGroup, WriteTurns, begin_together
from recollect.storage.sqlite.reader import ProcessCaches, SqliteReader
from recollect.storage.sqlite.repair.swap import RepairFiles, describe, last_repair
from recollect.storage.sqlite.session import CODEC, SqliteSession
from recollect.storage.sqlite.upkeep import (
    DamageNote,
    applied_version,
    contradictions,
    copy_database,
    damage,
    look_at_tables,
    migrate,
    raw_blocks,
)
from recollect.storage.sqlite.writer import SqliteWriter

T = TypeVar("T")

_FORK_WAIT_S = 5.0  # after that a child is not allowed to open the file
_SCRUB_WAIT_S = 0.5
_COPIES = "Backups and snapshots of the file that were made before hold what they held: delete them."
_SLICE = 5_000  # rows looked through at a time while no other process can write


class SqliteStore(Store):
    """Memories in one file."""

    backend = "sqlite"
    codec = CODEC

    def __init__(self, path: Path, settings: SqliteSettings, clock: Clock, *, analyser: int, geocodes: bool) -> None:
        self._path = path.expanduser().absolute()
        self._busy_timeout_s = settings.busy_timeout_s
        self._clock = clock
        self._geocodes = geocodes
        self._caches = ProcessCaches()
        self._readers = ReadConnections(self._path, settings.busy_timeout_s)
        self._turns = WriteTurns()
        self._committer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="recollect-commit")
        self._closed = self._held = False
        self._open_writer: apsw.Connection | None = None
        self._reserve = ReserveFile(self._path, settings.reserve_mb * 2**20)
        self._eraser = FileEraser(self._path, self._reserve)
        try:
            unerased = self._open_file(analyser)
        except StoreFull:
            unerased = self._open_on_full_disk(analyser)
        except BaseException:
            self._close_writer()  # a repair needs the file for itself
            raise
        if unerased and file_bytes(self._writer) <= REWRITE_AT_ONCE_BYTES:
            with suppress(StoreUnavailable, StoreReadOnly):  # whichever opens or maintains it next does it
                self.scrub()
        self.restock_reserve()
        take_part(self)

    def _open_file(self, analyser: int) -> bool:
        """Bring the file up to date and look at it; says whether something is still to be erased."""
        with translated(self._path):
            try:
                migrate(self._writer, str(self._path), self._clock.now(), analyser)
            except apsw.ReadOnlyError as error:
                raise StoreUnavailable(
                    f"{self._path} was written by an older version and has to be migrated, but it is read-only. Open "
                    "it once where it can be written."
                ) from error
            look_at_tables(self._writer)
            self._secrets = tombstone_secrets(SqliteSession(self._writer))
            return self._writer.pragma("user_version") == UNERASED or bool(samples(self._writer))

    def _open_on_full_disk(self, analyser: int) -> bool:
        """Open with a part of the reserve, which leaves the rest to a deletion, or with all of it."""
        for release in (self._reserve.release_some, self._reserve.release):
            self._close_writer()
            if release():
                with suppress(StoreFull):
                    return self._open_file(analyser)
        return self._open_file(analyser)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Translate SQLite's errors; damage is noted for the next process that opens the file."""
        try:
            with translated(self._path):
                yield
        except FileDamaged:
            DamageNote(self._path).write()
            raise

    @property
    def _writer(self) -> apsw.Connection:
        """The connection that writes, for the thread that holds the write lock."""
        if self._open_writer is None:
            self._open_writer = open_connection(self._path, self._busy_timeout_s)
        return self._open_writer

    def read(self, scope: Scope, work: Callable[[StoreReader], T], *, replica: bool = False) -> T:  # noqa: ARG002 - a file has none
        with self._snapshot() as connection:
            return work(SqliteReader(connection, scope, self._caches, secrets=self._secrets))

    @contextmanager
    def _reading(self, scope: Scope | None = None) -> Iterator[StoreSession]:  # noqa: ARG002 - a file has one owner
        with self._snapshot() as connection:
            yield SqliteSession(connection)

    @contextmanager
    def _snapshot(self) -> Iterator[apsw.Connection]:
        """Lend a connection with an open snapshot."""
        self._insist_open()
        with self._readers.lend() as connection, self._translated():
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:  # SQLite ends it by itself where a page cannot be read
                    connection.execute("COMMIT")

    @contextmanager
    def _writing(
        self,
        scope: Scope | None = None,  # noqa: ARG002 - a file has one owner
        *,
        patient: bool = True,
    ) -> Iterator[StoreSession]:
        """Lend the connection that writes, inside a transaction of its own: no other process writes meanwhile."""
        self._insist_open()
        if not self._turns.take(timeout_s=-1 if patient else 0):
            raise StoreUnavailable("Another thread is writing; try again.")
        with self._turns.ended(), self._translated():
            self._begin(patient=patient)
            with self._or_rolled_back():
                yield SqliteSession(self._writer)
                self._writer.execute("COMMIT")

    def _begin(self, *, patient: bool) -> None:
        """Keep other processes from writing."""
        if not patient:
            self._writer.set_busy_timeout(0)
        try:
            self._writer.execute("BEGIN IMMEDIATE")
        finally:
            if not patient:
                wait_for_locks(self._writer, self._busy_timeout_s)

    def write(self, scope: Scope, work: Callable[[StoreWriter], T]) -> T:
        """Run changes in a transaction that other writers may share, and wait for its commit."""
        write = SharedWrite(scope, work)
        with self._translated():
            if self._turns.share(write):
                with self._turns.ended():
                    self._turns.gather()
                    self._commit_together(self._turns.members(write))
            if write.is_undone:
                with self._turns.alone():
                    self._commit_together([write])
            result = write.outcome()
        self._caches.users.drop(scope.user_id)
        return result

    def write_many(
        self, works: Sequence[tuple[Scope, Callable[[StoreWriter], T]]]
    ) -> PendingWrite[Sequence[T | RecollectError]]:
        """Run changes of several users in one transaction now, and index and commit them in the background."""
        writes = [SharedWrite(scope, work, leads=True) for scope, work in works]
        with self._turns.handed_on(), self._translated():
            self._insist_open()
            group = begin_together(writes, self._writer, self._writer_of)
            committed = self._committer.submit(self._commit_behind, group.finish)
        return PendingGroup(committed, lambda: [self._outcome(write) for write in writes])

    def _outcome(self, write: SharedWrite[Any]) -> Any:  # noqa: ANN401 - a result or an error
        try:
            with self._translated():
                result = self.write(write.scope, write.work) if write.is_undone else write.outcome()
        except RecollectError as error:
            return error
        self._caches.users.drop(write.user)
        return result

    def _commit_together(self, writes: Iterable[SharedWrite[T]]) -> None:
        self._insist_open()
        group = WriteGroup(self._writer, self._writer_of)
        group.begin(writes)
        self._turns.note(*group.finish())

    def _writer_of(self, scope: Scope) -> SqliteWriter:
        return SqliteWriter(self._writer, scope, secrets=self._secrets, geocodes=self._geocodes)

    def write_behind(self, scope: Scope, work: Callable[[StoreWriter], T]) -> PendingWrite[T]:
        """Run changes now, and index and commit them in the background."""
        with self._turns.handed_on(scope.user_id), self._translated():
            self._insist_open()
            self._writer.execute("BEGIN IMMEDIATE")
            with self._or_rolled_back():
                writer = self._writer_of(scope)
                result = work(writer)

            def commit() -> T:
                with self._or_rolled_back():
                    writer.finish()
                    self._writer.execute("COMMIT")
                return result

            return self._committer.submit(self._commit_behind, commit)

    def _commit_behind(self, commit: Callable[[], T]) -> T:
        with self._turns.ended(), self._translated():
            return commit()

    @contextmanager
    def _or_rolled_back(self) -> Iterator[None]:
        """Undo what fails, unless SQLite already did so by itself, as it does when a disk is full."""
        try:
            yield
        except BaseException:
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
            raise

    def scrub(self) -> Erasure:
        """Erase deleted text from the file and its log; a large file waits for `tune`, readers only shortly."""
        left = self._eraser.scrub(min(_SCRUB_WAIT_S, self._busy_timeout_s))
        self.restock_reserve()
        return left

    @contextmanager
    def released_reserve(self) -> Iterator[bool]:
        """Delete the file that keeps room on the disk; it is not made again meanwhile."""
        with self._reserve.released() as released:
            self._eraser.empty_log()
            yield released

    def restock_reserve(self) -> None:
        if not is_read_only(self._path):
            self._reserve.restock()

    def erasure(self) -> Erasure:
        with self._snapshot() as connection:
            return pending(connection)

    def purge(self, tell: StepListener) -> Purged:
        """Merge the index of words, write the whole file anew and empty its log."""
        tell("merging the index of terms", 0, 2)
        notes = ["merged the index of terms", "wrote the file anew"]
        with self._turns.alone(), self._translated():
            for kind in ITEM_KINDS:
                SqliteSession(self._writer).execute("merge_terms", kind=kind)
        tell("writing the file anew", 1, 2)
        left = self._eraser.scrub(self._busy_timeout_s, whole=True, anew=True).reason
        return Purged(tuple(notes if left else [*notes, "emptied its log"]), (left,) if left else (), (_COPIES,))

    def raw_blocks(self) -> Iterator[RawBlock]:
        """Give the bytes of the file and its log, and of damaged files that were kept."""
        self._insist_open()
        with translated(self._path):
            yield from raw_blocks(self._path, RepairFiles(self._path).kept_files())

    def change_notifier(self) -> FileChangeNotifier:
        self._insist_open()
        return FileChangeNotifier(lambda: open_connection(self._path, self._busy_timeout_s))

    def _owe_kind(self, kind: VectorKind, space: Space, now: datetime) -> int:
        """Look through all rows. By statistics of a smaller table the planner would leave out the end of a slice."""
        with self._turns.alone(), self._translated():
            refresh_statistics(self._writer)
        owed, last = 0, 0
        while True:  # slice by slice, so that other writers get their turn
            with self._writing() as session:
                known = list_spaces(session)
                upto = session.rows("next_slice", {"after": last, "limit": _SLICE}, kind=kind)[0][0]
                if upto is None or known.state(space) == "kept":
                    return owed
                number = known.number(kind, space)
                if number is None:  # nothing of this kind was ever stored in the space
                    number = register_space(session, kind, space, known.state(space), now)
                values = {"item_kind": kind, "now": now, "after": last, "last": upto}
                owed, last = owed + session.changed("owe_jobs", values, kind=kind, space=number), upto

    def copy_database(self, target: str, tell: StepListener) -> DatabaseFacts:
        self._insist_open()
        return copy_database(self._path, self._busy_timeout_s, Path(target), tell)

    def own_files(self) -> frozenset[tuple[int, int]]:
        """Give the file and what SQLite puts beside it. They are looked at, never opened: that would drop its locks."""
        inodes = set()
        for suffix in ("", "-wal", "-shm", "-journal", SUFFIX):
            with suppress(OSError):
                status = Path(f"{self._path}{suffix}").stat()
                inodes.add((status.st_dev, status.st_ino))
        return frozenset(inodes)

    def _size_bytes(self, session: StoreSession) -> int:
        assert isinstance(session, SqliteSession)  # noqa: S101 - for the type checker
        return file_bytes(session.connection)

    def version(self) -> str:
        return apsw.sqlite_lib_version()

    def location(self) -> str:
        return str(self._path)

    def schema_version(self) -> int:
        with self._snapshot() as connection:
            return applied_version(connection)

    def check(self) -> Sequence[Problem]:
        """Let SQLite check its pages, then look for rows without their other halves."""
        self._insist_open()
        problems: list[Problem] = []
        # A connection of its own: one that was used before may judge FTS5 by an older state and cry wolf.
        try:
            with self._translated(), closing(open_connection(self._path, self._busy_timeout_s)) as connection:
                problems += contradictions(connection)
                repaired = last_repair(connection, self._path)
                problems += [Problem("repaired", repaired.lost_rows, describe(repaired))] if repaired else []
        except FileDamaged as error:
            problems.append(damage(self._path) or Problem("damage", 1, str(error)))
        if self._path.stat().st_mode & 0o077:
            problems.append(Problem("file_mode", 1, f"Others may read {self._path}: run chmod 600 on it."))
        told = () if is_read_only(self._path) else self._reserve.advice()
        return [*problems, *(Problem("reserve", 1, advice) for advice in told)]

    def tune(self) -> Sequence[str]:
        """Merge the index of terms, refresh the planner's statistics, and erase what deleting left behind."""
        with self._turns.alone(), self._translated():
            for kind in ITEM_KINDS:
                SqliteSession(self._writer).execute("merge_terms", kind=kind)
            refresh_statistics(self._writer)
        owed = self.erasure().reason
        left = self._eraser.scrub(self._busy_timeout_s, whole=True).reason
        self.restock_reserve()
        outcome = left or (owed and ERASED)
        return ("merged the index of terms", "refreshed the planner's statistics", *([outcome] if outcome else ()))

    def advice(self) -> Sequence[str]:
        """Say so when the file was repaired, when nothing can be written, or forgotten on a full disk."""
        with self._snapshot() as connection:
            repaired = last_repair(connection, self._path)
        told = [describe(repaired)] if repaired else []
        if is_read_only(self._path):
            told.append(f"{self._path} is read-only: it can be searched, but nothing can be stored or forgotten.")
            return told
        return [*told, *self._reserve.advice()]

    def close(self) -> None:
        """Close all connections; a commit under way is finished first."""
        if self._closed:
            return
        self._committer.shutdown(wait=True)
        with self._turns.alone(), self._translated():
            self._closed = True
            self._readers.close()
            self._close_writer()
        withdraw(self)

    def _close_writer(self) -> None:
        if self._open_writer is not None:
            self._open_writer.close()
            self._open_writer = None

    def before_fork(self) -> None:
        """Close all connections when they are free: SQLite must not be carried into another process."""
        self._readers.hold(_FORK_WAIT_S)
        self._held = self._turns.take(timeout_s=_FORK_WAIT_S)
        if self._held:
            self._close_writer()

    def after_fork_in_parent(self) -> None:
        """Go on; connections are opened again when they are needed."""
        if self._held:
            self._turns.end()
        self._readers.go_on()

    def after_fork_in_child(self) -> None:
        """Leave everything alone; the engine tells callers to open a store of their own."""
        withdraw(self)  # or a fork of this process would wait for locks that stay with the parent
        leak(self)

    def _insist_open(self) -> None:
        if self._closed:
            raise StoreError("This store is closed. Open it again with Memory.open().")
