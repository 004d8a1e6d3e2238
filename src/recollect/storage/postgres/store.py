"""The store for many users: PostgreSQL with pgvector.

Invariant: whatever a work function does through its writer is committed wholly before `write` returns, or not at all;
and while it runs, the row lock on the user keeps the user's other writers waiting.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from psycopg_pool import PoolClosed, PoolTimeout

from recollect.errors import RecollectError, StoreError, StoreUnavailable
from recollect.model.backups import DatabaseFacts
from recollect.model.literals import VectorKind
from recollect.model.memories import Scope, Space
from recollect.model.stats import Erasure, Problem, Purged, ReplicaStatus, SpaceState
from recollect.ports import Clock
from recollect.settings import PostgresSettings, hide_password
from recollect.storage.base.forgotten import tombstone_secrets
from recollect.storage.base.reader import StoreReader
from recollect.storage.base.session import StoreSession
from recollect.storage.base.spaces import list_spaces, register_space
from recollect.storage.base.statements import load_checks, no_store
from recollect.storage.base.store import Store
from recollect.storage.base.values import PendingWrite, StepListener, StoredRow
from recollect.storage.base.writer import StoreWriter
from recollect.storage.postgres import schema
from recollect.storage.postgres import upkeep as purging
from recollect.storage.postgres.change_notifier import ChangeSender, ServerChangeNotifier
from recollect.storage.postgres.cluster import run_for_tables
from recollect.storage.postgres.connection import (
    PgConnection,
    PoolAtFirstUse,
    ServerPool,
    check_server,
    connect,
    is_pooled,
    translated,
)
from recollect.storage.postgres.distribute import find_cluster
from recollect.storage.postgres.dump import copy_database
from recollect.storage.postgres.reader import PostgresReader
from recollect.storage.postgres.replicas import Replicas, ServerIdentity, server_identity
from recollect.storage.postgres.schema import applied_version, has_migrations_table, migrate
from recollect.storage.postgres.session import CODEC, PostgresSession, TransactionSettings, statement
from recollect.storage.postgres.upkeep import build_indexes, missing_indexes
from recollect.storage.postgres.writer import PostgresWriter

T = TypeVar("T")

_AWAY = (
    "Its users get StoreUnavailable, and figures, checks and upkeep leave them out. Start it again; nothing else is "
    "needed."
)
_UNPURGED = "The server's files still hold deleted rows: `recollect purge` removes them."
_SAMPLES = "Statistics of the server hold words of users, forgotten ones too. `recollect purge` removes them."
_LONG_TRANSACTION_S = 3600.0
_LONG_TRANSACTIONS = (
    "Transactions have been open for more than an hour. Until they end, nothing that is deleted can be vacuumed, and "
    "searches slow down. Find them in pg_stat_activity and pg_prepared_xacts, and end them."
)
_MANY_DEAD_ROWS = 10_000
_BLOAT = (
    "Deleted rows outnumber the others in some tables. Run `recollect maintain` with the owner's login. If they stay, "
    "a transaction that has been open for long holds them. `recollect purge` gives the room back."
)
_PURGE_WAIT_S = 10.0
_BEYOND_SQL = "The server's write-ahead log, its archive, replicas and backups cannot be looked into from here."
_DEAD_ROWS = "Deleted rows are in the server's files until `recollect purge`; no query shows them."
_NO_STATISTICS = "This login may not look into the server's statistics."


class PostgresStore(Store):
    """Memories on a server, or distributed over several: while workers are away, what concerns the others is done.

    What needs all servers waits until they are back: tables, the list of embedding spaces, and the size of the cache.
    """

    backend = "postgresql"
    codec = CODEC

    def __init__(
        self,
        url: str,
        settings: PostgresSettings,
        clock: Clock,
        *,
        analyser: int,
        geocodes: bool = False,
        create: bool = True,
    ) -> None:
        self._url = url
        self._settings = settings
        self._geocodes = geocodes
        self._where = hide_password(url)
        self._background = ThreadPoolExecutor(max_workers=1, thread_name_prefix="recollect-write")
        self._many = ThreadPoolExecutor(max_workers=1, thread_name_prefix="recollect-write-many")
        with connect(url, settings.connect_timeout_s) as connection, translated(self._where):
            check_server(connection)
            if not (create or has_migrations_table(connection)):
                raise no_store(self._where)
            migrate(connection, self._where, clock.now(), analyser)
            self._rights = schema.login_rights(connection, settings.role)
            self._transactions = TransactionSettings(
                self._rights.role, settings.lock_timeout_s, find_cluster(PostgresSession(connection), self._where)
            )
            self._prepares = settings.prepare == "always" or (settings.prepare == "auto" and not is_pooled(connection))
            with connection.transaction():
                # As the application does: the login may lack the right.
                self._secrets = tombstone_secrets(self._session(connection, None))
        self._sender = ChangeSender(self._connected)
        self._replicas = Replicas(settings, self._identity, prepares=self._prepares) if settings.replicas else None
        self._pool = PoolAtFirstUse(
            partial(
                ServerPool,
                url,
                size=settings.pool_size,
                timeout_s=settings.connect_timeout_s,
                prepares=self._prepares,
                on_connect=self._replicas.distrust if self._replicas else lambda: None,
            )
        )

    @contextmanager
    def _connected(self) -> Iterator[PgConnection]:
        pool = self._pool.get()
        with translated(self._where):
            try:
                with pool.connection() as connection:
                    yield connection
            except (PoolTimeout, PoolClosed) as error:
                raise StoreUnavailable(
                    f"No connection to {self._where} in time ({error}). Try again; if it happens often, raise "
                    "postgres.pool_size."
                ) from error

    def _session(self, connection: PgConnection, scope: Scope | None) -> PostgresSession:
        """Work for a user, or for the store as a whole, until the transaction of a connection ends."""
        session = PostgresSession(connection, self._transactions, self._connect)
        session.act_for(scope)
        return session

    @contextmanager
    def _lent(self, scope: Scope | None = None) -> Iterator[PostgresSession]:
        with self._connected() as connection, connection.transaction():
            yield self._session(connection, scope)

    @contextmanager
    def _reading(self, scope: Scope | None = None) -> Iterator[PostgresSession]:
        """Lend a session for questions; those about the store leave out the users of workers that are away."""
        with self._lent(scope) as session, session.whole_store() if scope is None else nullcontext():
            yield session

    @contextmanager
    def _writing(
        self,
        scope: Scope | None = None,
        *,
        patient: bool = True,  # noqa: ARG002 - only rows are locked
    ) -> Iterator[PostgresSession]:
        with self._committing(scope) as connection:
            yield self._session(connection, scope)

    @contextmanager
    def _committing(self, *scopes: Scope | None) -> Iterator[PgConnection]:
        """Lend a connection inside a transaction that changes rows of users, or of the whole store (None)."""
        with self._connected() as connection:
            noting = self._replicas.noting(connection, scopes) if self._replicas else nullcontext()
            with noting, connection.transaction():
                yield connection

    @contextmanager
    def _exclusive(self) -> Iterator[StoreSession]:
        """Lend a session during which no other process writes, or makes or changes spaces."""
        with self._writing() as session:
            session.claim_spaces()
            yield session

    @contextmanager
    def _long_reading(self, scope: Scope | None) -> Iterator[StoreSession]:
        with self._connected() as connection:
            connection.execute(statement("begin_read"))
            try:
                yield self._session(connection, scope)
            finally:
                connection.execute("ROLLBACK")

    def read(self, scope: Scope, work: Callable[[StoreReader], T], *, replica: bool = False) -> T:
        begin = partial(self._snapshot, scope)
        answer = self._replicas.read(scope.user_id, begin, work) if replica and self._replicas else None
        if answer is not None:
            return answer[0]
        with (
            self._connected() as connection,
            connection.pipeline(),
            begin(connection) as reader,
            self._replicas.noting_read(connection, scope.user_id) if self._replicas else nullcontext(),
        ):
            return work(reader)

    @contextmanager
    def _snapshot(self, scope: Scope, connection: PgConnection) -> Iterator[PostgresReader]:
        """Begin a snapshot of a user, in a pipeline, without waiting for the server."""
        connection.execute(statement("begin_read"))
        try:
            yield PostgresReader(self._session(connection, scope), scope, self._rights, secrets=self._secrets)
        finally:
            connection.execute("ROLLBACK")

    def write(self, scope: Scope, work: Callable[[StoreWriter], T]) -> T:
        with self._committing(scope) as connection:
            with connection.pipeline():
                writer = self._writer(connection, scope)
            result = work(writer)
            writer.finish()
        self._sender.send()
        return result

    def write_many(
        self, works: Sequence[tuple[Scope, Callable[[StoreWriter], T]]]
    ) -> PendingWrite[Sequence[T | RecollectError]]:
        """Run changes of several users in one transaction, in the background: most of the time the server is at work.

        It may wait for what another thread writes behind, so it has a thread of its own.
        """
        return self._many.submit(self._write_many, works)

    def _write_many(self, works: Sequence[tuple[Scope, Callable[[StoreWriter], T]]]) -> Sequence[T | RecollectError]:
        """Run changes of several users in a pipeline: each waits only for the answers that it needs."""
        outcomes: list[T | RecollectError] = []
        with self._committing(*(scope for scope, _ in works)) as connection, connection.pipeline():
            for scope, work in works:
                try:
                    with connection.transaction():
                        writer = self._writer(connection, scope)
                        result = work(writer)
                        writer.finish()
                except RecollectError as error:
                    outcomes.append(error)
                else:
                    outcomes.append(result)
        self._sender.send()
        return outcomes

    def write_behind(self, scope: Scope, work: Callable[[StoreWriter], T]) -> PendingWrite[T]:
        """Run changes now, and send the vectors and commit in the background."""
        with ExitStack() as stack:
            connection = stack.enter_context(self._committing(scope))
            with connection.pipeline():
                writer = self._writer(connection, scope)
            result = work(writer)
            transaction = stack.pop_all()

        def finish() -> T:
            with transaction:
                writer.finish()
            self._sender.send()
            return result

        return self._background.submit(finish)

    def _writer(self, connection: PgConnection, scope: Scope) -> PostgresWriter:
        """Begin a user's write: in a pipeline, one trip to the server for row-level security and the locks."""
        return PostgresWriter(self._session(connection, scope), scope, secrets=self._secrets, geocodes=self._geocodes)

    def _connect(self) -> PgConnection:
        """Open a connection apart from the pool."""
        return connect(self._url, self._settings.connect_timeout_s)

    def _identity(self) -> ServerIdentity:
        with self._connected() as connection:
            return server_identity(connection)

    def replicas(self, *, patience_s: float = 0.0) -> Sequence[ReplicaStatus]:
        """Look at each replica; with patience, wait for one that is behind."""
        if self._replicas is None:
            return ()
        with self._connected() as connection:
            (position,) = PostgresSession(connection).row("primary_position")
        return self._replicas.status(position or 0, patience_s=patience_s)

    def change_notifier(self) -> ServerChangeNotifier:
        return ServerChangeNotifier(self._connect)

    def scrub(self) -> Erasure:
        """Do nothing: a server keeps deleted rows in its files until an operator purges the store."""
        return Erasure(_UNPURGED)

    def erasure(self) -> Erasure:
        with self._reading() as session:
            owes = purging.owes_purge(session) or session.reached() is not None  # users who are not reached may
            return Erasure(_UNPURGED) if owes else Erasure()

    def restock_reserve(self) -> None:
        """Do nothing: the disk is the server's."""

    def purge(self, tell: StepListener) -> Purged:
        """Rewrite what holds deleted rows, table by table, and take new statistics. The owner of the tables may."""
        if not self._rights.owns:
            login = self._rights.login
            raise StoreError(f"{login} does not own the tables. Run `recollect purge` with the login that does.")
        away = self.away()
        with self._reading() as session:
            upto, tables = purging.vanished(session), purging.marked_tables(session)
            everyone = session.reached() is None
        failed = []
        with translated(self._where), connect(self._url, self._settings.connect_timeout_s) as owner:
            if away:
                return purging.purge_reached(owner, [*tables], away, tell)
            for number, (table, mark) in enumerate(tables.items()):
                tell(f"rewriting {table}", number, len(tables))
                if mark != upto or not everyone:
                    trouble = purging.rewrite(owner, table, _PURGE_WAIT_S)
                    failed += [trouble] if trouble else []
                    if everyone and not trouble:
                        with self._lent() as session:
                            purging.set_mark(session, upto, table)
            tell("refreshing statistics", len(tables), len(tables))
            refreshed = purging.refresh_statistics(owner, [*tables])
        if everyone and not failed:
            with self._lent() as session:
                purging.set_mark(session, upto)
        notes = (f"rewrote {len(tables) - len(failed)} of {len(tables)} tables with their indexes", *refreshed.notes)
        return Purged(notes, tuple(failed), refreshed.administrator)

    def statistics(self) -> Sequence[StoredRow] | None:
        with translated(self._where), connect(self._url, self._settings.connect_timeout_s) as login:
            session = PostgresSession(login)
            sampled = session.rows("sampled_values") if session.row("may_read_statistics")[0] else None
        rows = (StoredRow("pg_statistic", "", None, {table: samples.encode()}) for table, samples in sampled or ())
        return None if sampled is None else [*rows]

    def unseen(self) -> Sequence[str]:
        with translated(self._where), connect(self._url, self._settings.connect_timeout_s) as login:
            readable = PostgresSession(login).row("may_read_statistics")[0]
        with self._lent() as session:
            hidden = ", ".join(row[0] for row in session.rows("unreadable_tables"))
        tables = (f"Tables that the role of the application may not read: {hidden}.",) if hidden else ()
        dead = (_DEAD_ROWS,) if self.erasure().reason else ()
        return (*dead, *tables, *(() if readable else (_NO_STATISTICS,)), _BEYOND_SQL)

    def copy_database(self, target: str, tell: StepListener) -> DatabaseFacts:
        """Dump the database while it is in use, with a connection of its own."""
        if self._transactions.cluster is not None:
            raise StoreError(
                f"{self._where} is distributed over several servers, of which no dump has all rows as they are at one "
                "moment. Archive the write-ahead log of each server and take base backups of each, let a superuser run "
                "SELECT citus_create_restore_point('NAME'); now and then, and restore all servers to that name, see "
                "docs/citus.md. Or use `recollect export`."
            )
        return copy_database(self._url, self._settings, Path(target), tell)

    def away(self) -> Sequence[str]:
        cluster = self._transactions.cluster
        if cluster is None:
            return ()
        with self._lent() as session:
            return cluster.look(session.connection).names

    def open_space(self, space: Space, state: SpaceState, now: datetime) -> None:
        """Make a space, or use one for something else, which takes all servers; one that is so already is left."""
        if self.away() and any(known.space == space and known.state == state for known in self.spaces()):
            return
        super().open_space(space, state, now)

    def activate(self, space: Space, *, without_parked: bool = False) -> bool:
        """Let searches use a space that has everything; with a worker away, nothing tells whether it has."""
        return not self.away() and super().activate(space, without_parked=without_parked)

    def trim_cache(self, most_bytes: int) -> int:
        """Drop the oldest entries, unless some cannot be reached."""
        return 0 if self.away() else super().trim_cache(most_bytes)

    def _owe_kind(self, kind: VectorKind, space: Space, now: datetime) -> int:
        with self._reading() as session:
            known = list_spaces(session)
        number = known.number(kind, space)
        if known.state(space) == "kept":
            return 0
        if number is None:  # nothing of this kind was ever stored in the space
            if self.away():
                return 0
            with self._exclusive() as session:
                number = register_space(session, kind, space, known.state(space), now)
        with self._writing() as session:
            return session.changed("owe_jobs", {"item_kind": kind, "now": now}, kind=kind, space=number)

    def _size_bytes(self, session: StoreSession) -> int:
        return int(session.row("store_size")[0])

    def version(self) -> str:
        with self._connected() as connection:
            number = connection.info.server_version
        return f"{number // 10000}.{number % 10000}"

    def location(self) -> str:
        return self._where

    def schema_version(self) -> int:
        with self._lent() as session:
            return applied_version(session.connection)

    def check(self) -> Sequence[Problem]:
        """Look for rows without their other halves, and whether row-level security holds."""
        away = self.away()
        problems = [Problem("workers_away", len(away), _AWAY)] if away else []
        with self._reading() as session:
            kinds = {row.number: row.kind for row in list_spaces(session)}
            for check in load_checks("postgres", kinds):
                ((amount,),) = session.ask(check.sql.encode())
                if amount:
                    problems.append(Problem(check.name, amount, check.advice))
        problems += self._server_problems()
        for seen in self.replicas(patience_s=self._settings.replica_max_lag_s):
            if seen.trouble:
                advice = f"The replica {seen.location} answers no reads: {seen.trouble}."
                problems.append(Problem("replica", 1, advice))
        if not self._rights.holds:
            problems += [Problem("wall_between_users", 1, advice) for advice in self._rights.advice]
        return problems

    def _server_problems(self) -> list[Problem]:
        """Look at what the login may see of the server: its statistics, its transactions, what it has not vacuumed."""
        with translated(self._where), connect(self._url, self._settings.connect_timeout_s) as login:
            session = PostgresSession(login)
            stale = purging.stale_samples(session)
            (transactions,) = session.row("long_transactions", {"seconds": _LONG_TRANSACTION_S})
            (dead_rows,) = session.row("dead_rows", {"least": _MANY_DEAD_ROWS})
        found = (
            ("samples_of_texts", stale, _SAMPLES),
            ("long_transactions", transactions, _LONG_TRANSACTIONS),
            ("dead_rows", dead_rows, _BLOAT),
        )
        return [Problem(name, amount, advice) for name, amount, advice in found if amount]

    def tune(self) -> Sequence[str]:
        """Index large users, vacuum, and refresh the planner's statistics, which only the owner of the tables may.

        Vacuuming also empties the pending lists of the word indexes, which every search for words scans.
        """
        away = self.away()
        with self._reading() as session:
            lacking = list(missing_indexes(session, self._settings.giant_user_rows))
            tables = [row[0] for row in session.rows("own_tables")]
        if not self._rights.owns:
            left = f"left {len(lacking)} vector index(es), vacuuming and the planner's statistics"
            owner_only = f"run `recollect maintain` with that login, {self._rights.login} may not"
            return (f"{left} to the owner of the tables: {owner_only}",)
        with translated(self._where), connect(self._url, self._settings.connect_timeout_s) as owner:
            if away:
                run = run_for_tables(owner, "VACUUM (ANALYZE) %s", tables, away)
                wanted = f"left {len(lacking)} vector index(es) until all workers answer"
                return (f"vacuumed {run.done} of {run.total} parts of the tables", *((wanted,) if lacking else ()))
            built = build_indexes(owner, lacking)
            for table in tables:
                owner.execute(f"VACUUM (ANALYZE) {table}".encode())
        return (*built, "vacuumed all tables", "refreshed the planner's statistics")

    def advice(self) -> Sequence[str]:
        """Say which users would profit from an index, and what of the server's settings endangers data."""
        away = tuple(f"The worker {worker} does not answer. {_AWAY}" for worker in self.away())
        with self._reading() as session:
            lacking = len(list(missing_indexes(session, self._settings.giant_user_rows)))
            unsafe = " and ".join(row[0] for row in session.rows("unsafe_settings"))
        large = f"{lacking} large user(s) have no vector index yet: run `recollect maintain`."
        loss = f"The server runs with {unsafe} off: a power failure can lose or damage what was stored. Set it to on."
        return (*away, *((large,) if lacking else ()), *((loss,) if unsafe else ()), *self._rights.advice)

    def close(self) -> None:
        """Close all connections; a write under way is finished first."""
        self._many.shutdown(wait=True)
        self._background.shutdown(wait=True)
        self._sender.close()
        if self._replicas is not None:
            self._replicas.close()
        self._pool.close()
