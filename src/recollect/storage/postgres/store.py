"""The store for many users: PostgreSQL with pgvector.

Invariant: whatever a work function does through its writer is committed wholly before `write` returns, or not at all;
and while it runs, the row lock on the user keeps the user's other writers waiting.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import datetime
from secrets import randbits
from threading import Lock
from typing import TypeVar

from psycopg_pool import PoolClosed, PoolTimeout

from recollect.errors import StoreError, StoreUnavailable
from recollect.model.memories import Scope
from recollect.model.messages import Usage
from recollect.model.stats import Problem, StoreStats
from recollect.ports import Clock, PendingWrite, StoreReader, StoreWriter
from recollect.settings import PostgresSettings, hide_password
from recollect.storage.postgres import giants, roles, spaces, wall
from recollect.storage.postgres.bell import Ringer, ServerBell
from recollect.storage.postgres.connection import Connection, check_server, connect, prepare, translated
from recollect.storage.postgres.ledgers import PostgresLedgers
from recollect.storage.postgres.migrate import applied_version, migrate
from recollect.storage.postgres.place_store import PostgresPlaces
from recollect.storage.postgres.pool import Pool
from recollect.storage.postgres.reader import PostgresReader
from recollect.storage.postgres.rows import QUERIES, one
from recollect.storage.postgres.space_store import PostgresSpaces
from recollect.storage.postgres.writer import PostgresWriter
from recollect.storage.rows import ANALYSER, IDENTITY, IDENTITY_BITS
from recollect.storage.statements import load_checks

T = TypeVar("T")


class PostgresStore(PostgresSpaces, PostgresPlaces, PostgresLedgers):
    """Memories on a server."""

    backend = "postgresql"

    def __init__(
        self, url: str, settings: PostgresSettings, clock: Clock, *, analyser: int, geocodes: bool = False
    ) -> None:
        self._url = url
        self._settings = settings
        self._geocodes = geocodes
        self._where = hide_password(url)
        self._closed = False
        self._background = ThreadPoolExecutor(max_workers=1, thread_name_prefix="recollect-write")
        with connect(url, settings.connect_timeout_s) as connection, translated(self._where):
            check_server(connection)
            migrate(connection, self._where, clock.now(), analyser)
            self._standing = roles.standing(connection, settings.role)
        self._ringer = Ringer(self._connect)
        self._pool: Pool | None = None
        self._pool_lock = Lock()

    def _connections(self) -> Pool:
        """Start the pool at first use: a program that only opens and closes needs none."""
        with self._pool_lock:
            if self._closed:
                raise StoreError("This store is closed. Open it again with Memory.open().")
            if self._pool is None:
                size, timeout_s = self._settings.pool_size, self._settings.connect_timeout_s
                self._pool = Pool(self._url, self._configure, size=size, timeout_s=timeout_s)
            return self._pool

    def _configure(self, connection: Connection) -> None:
        """Make a connection of the pool ready: from here on it is the application's, not the login's."""
        prepare(connection)
        if self._standing.role:
            roles.take(connection, self._standing.role)

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        pool = self._connections()
        with translated(self._where):
            try:
                with pool.connection() as connection:
                    yield connection
            except (PoolTimeout, PoolClosed) as error:
                raise StoreUnavailable(
                    f"No connection to {self._where} in time ({error}). Try again; if it happens often, raise "
                    "postgres.pool_size."
                ) from error

    def read(self, scope: Scope, work: Callable[[StoreReader], T]) -> T:
        """Run questions against one snapshot."""
        with self._connected() as connection, connection.pipeline():
            connection.execute(QUERIES["begin_read"].encode())
            try:
                wall.for_user(connection, scope)
                return work(PostgresReader(connection, scope, self._standing))
            finally:
                connection.execute("ROLLBACK")

    def write(self, scope: Scope, work: Callable[[StoreWriter], T]) -> T:
        """Run changes in one transaction."""
        with self._connected() as connection, connection.transaction():
            writer = _writer(connection, scope, geocodes=self._geocodes)
            result = work(writer)
            writer.finish()
        self._ringer.ring()
        return result

    def write_behind(self, scope: Scope, work: Callable[[StoreWriter], T]) -> PendingWrite[T]:
        """Run changes now, and send the vectors and commit in the background."""
        with ExitStack() as stack:
            connection = stack.enter_context(self._connected())
            stack.enter_context(connection.transaction())
            writer = _writer(connection, scope, geocodes=self._geocodes)
            result = work(writer)
            return self._background.submit(self._finish, stack.pop_all(), writer, result)

    def _finish(self, transaction: ExitStack, writer: PostgresWriter, result: T) -> T:
        with transaction:
            writer.finish()
        self._ringer.ring()
        return result

    def _connect(self) -> Connection:
        """Open a connection apart from the pool."""
        connection = connect(self._url, self._settings.connect_timeout_s)
        if self._standing.role:
            roles.take(connection, self._standing.role)
        return connection

    def bell(self) -> ServerBell:
        """Give something that hears when anybody writes."""
        return ServerBell(self._connect)

    def scrub(self) -> None:
        """Do nothing: a server keeps deleted rows in its files until an operator has the tables rewritten."""

    def users(self) -> Iterable[Scope]:
        """Name the users who have anything."""
        with self._everybody() as connection:
            rows = connection.execute(QUERIES["users_with_rows"].encode()).fetchall()
        return [Scope(row[0]) for row in rows]

    def identity(self) -> int:
        """Give the store's own number; the first who asks chooses it."""
        with self._everybody() as connection:
            chosen = {"name": IDENTITY, "value": randbits(IDENTITY_BITS)}
            connection.execute(QUERIES["make_mark"].encode(), chosen)
            return int(one(connection.execute(QUERIES["get_mark"].encode(), {"name": IDENTITY}))[0])

    def own_files(self) -> frozenset[tuple[int, int]]:
        """Give nothing: a server's files are its own affair."""
        return frozenset()

    def known_originals(self, names: Sequence[str]) -> frozenset[str]:
        """Say which copies of documents belong to somebody."""
        with self._everybody() as connection:
            found = connection.execute(QUERIES["originals"].encode(), {"names": list(names)}).fetchall()
        return frozenset(row[0] for row in found)

    def users_with_expired(self, now: datetime) -> Iterable[Scope]:
        """Name the users who have memories past their expiry."""
        with self._everybody() as connection:
            rows = connection.execute(QUERIES["expired_users"].encode(), {"now": now}).fetchall()
        return [Scope(row[0]) for row in rows]

    def idle_conversations(self, before: datetime) -> Iterable[tuple[Scope, str]]:
        """Name the conversations in which nobody has spoken for long."""
        with self._everybody() as connection:
            rows = connection.execute(QUERIES["idle_conversations"].encode(), {"before": before}).fetchall()
        return [(Scope(user_id), conversation_id) for user_id, conversation_id in rows]

    def analyser(self) -> int:
        """Say which version of the analyser made the terms."""
        with self._everybody() as connection:
            return int(one(connection.execute(QUERIES["get_mark"].encode(), {"name": ANALYSER}))[0])

    def set_analyser(self, version: int) -> None:
        """Note that all terms are those of this version."""
        with self._everybody() as connection:
            connection.execute(QUERIES["set_mark"].encode(), {"name": ANALYSER, "value": version})

    def spent(self, day: str) -> Usage:
        """Say what all users together spent."""
        with self._everybody() as connection:
            return Usage(*map(int, one(connection.execute(QUERIES["spent_by_all"].encode(), {"day": day}))))

    def embedded(self, day: str) -> Mapping[str, int]:
        """Say how many tokens each model embedded."""
        with self._everybody() as connection:
            found = connection.execute(QUERIES["embedded_by_all"].encode(), {"day": day}).fetchall()
        return {model: int(tokens) for model, tokens in found}

    def stats(self) -> StoreStats:
        """Count rows of the whole store."""
        with self._everybody() as connection:
            counts = one(connection.execute(QUERIES["store_counts"].encode()))
            vectors = sum(
                one(connection.execute(QUERIES["count_all_vectors"].replace("{space}", str(row.number)).encode()))[0]
                for row in spaces.listing(connection)
                if row.state == "active"
            )
            (size,) = one(connection.execute(QUERIES["store_size"].encode()))
        users, memories, messages, chunks, files, pending, parked = map(int, counts)
        counted = (users, memories, messages, vectors, pending, parked)
        return StoreStats(*counted, size_bytes=int(size), files=files, chunks=chunks)

    def version(self) -> str:
        """The version of the server."""
        with self._connected() as connection:
            number = connection.info.server_version
        return f"{number // 10000}.{number % 10000}"

    def location(self) -> str:
        """The URL without its password."""
        return self._where

    def schema_version(self) -> int:
        """The number of the newest migration."""
        with self._everybody() as connection:
            return applied_version(connection)

    def check(self) -> Sequence[Problem]:
        """Look for rows without their other halves, and at the wall between users."""
        problems = []
        with self._everybody() as connection:
            kinds = {row.number: row.kind for row in spaces.listing(connection)}
            for check in load_checks("postgres", kinds):
                found = connection.execute(check.sql.encode()).fetchall()[0][0]
                if found:
                    problems.append(Problem(check.name, found, check.advice))
        if not self._standing.holds:
            problems += [Problem("wall_between_users", 1, advice) for advice in self._standing.advice]
        return problems

    def tune(self) -> Sequence[str]:
        """Index the giants and refresh the planner's statistics, which only the owner of the tables may."""
        with self._everybody() as connection:
            lacking = list(giants.missing(connection, self._settings.giant_user_rows))
            vectors = [f"vectors_{row.number}" for row in spaces.listing(connection)]
        if not self._standing.owns:
            left = f"left {len(lacking)} vector index(es) and the planner's statistics to the owner of the tables"
            return (f"{left}: run `recollect maintain` with that login, {self._standing.login} may not",)
        with translated(self._where), connect(self._url, self._settings.connect_timeout_s) as owner:
            built = giants.build(owner, lacking)
            for table in ("memories", "messages", *vectors):
                owner.execute(f"ANALYZE {table}".encode())
        return (*built, "refreshed the planner's statistics")

    def advice(self) -> Sequence[str]:
        """Say which users would profit from an index, and whether the wall between users stands."""
        with self._everybody() as connection:
            lacking = len(list(giants.missing(connection, self._settings.giant_user_rows)))
        large = f"{lacking} large user(s) have no vector index yet: run `recollect maintain`."
        return (*((large,) if lacking else ()), *self._standing.advice)

    def close(self) -> None:
        """Close all connections; a write under way is finished first."""
        self._background.shutdown(wait=True)
        self._ringer.close()
        with self._pool_lock:
            self._closed = True
            if self._pool is not None:
                self._pool.close()
                self._pool = None


def _writer(connection: Connection, scope: Scope, *, geocodes: bool) -> PostgresWriter:
    """Begin a user's write: one trip to the server for the wall and the locks."""
    with connection.pipeline():
        wall.for_user(connection, scope)
        return PostgresWriter(connection, scope, geocodes=geocodes)
