"""Connects to PostgreSQL, pools connections, and translates the driver's errors.

A caller waits for a busy pool as long as the settings say. While the server is away callers are told so soon, and the
server's return is noticed within a second or two, however long it was gone.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic
from typing import Any, Final, TypeAlias

import psycopg
from pgvector.psycopg import register_vector
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.rows import TupleRow
from psycopg.types.string import TextLoader
from psycopg_pool import ConnectionPool, PoolTimeout

from recollect.errors import StoreDamaged, StoreError, StoreFull, StoreTooOld, StoreUnavailable
from recollect.settings import hide_password

PgConnection: TypeAlias = psycopg.Connection[TupleRow]

MINIMUM_SERVER = 15
MINIMUM_VECTOR = (0, 8)

# What the server says when a login fails, and what to do about it.
_LOGIN_ADVICE = (
    ("password authentication failed", "The password is wrong. Check the URL, or set PGPASSWORD."),
    ("no password supplied", "A password is needed. Put it into the URL as ${PGPASSWORD}, or set PGPASSWORD."),
    ("does not exist", "Create it first, for example with `createdb` or `createuser`."),
    ("no pg_hba.conf entry", "The server's pg_hba.conf does not let you in from here; ask its administrator."),
    ("SSL", "Check `sslmode` in the URL."),
    ("too many", "The server has no connection left; lower postgres.pool_size or raise its max_connections."),
)
_UNREACHABLE_ADVICE = "Check that the server runs, and the host and port in the URL."


def connect(url: str, timeout_s: float) -> PgConnection:
    """Open one connection for a few statements, none of which is prepared: there may be a pooler in between."""
    wait_s = max(2, round(timeout_s))
    try:
        connection = psycopg.connect(url, autocommit=True, prepare_threshold=None, connect_timeout=wait_s)
    except (psycopg.OperationalError, psycopg.ProgrammingError) as error:
        said = " ".join(str(error).split())
        advice = next((advice for part, advice in _LOGIN_ADVICE if part in said), _UNREACHABLE_ADVICE)
        raise StoreUnavailable(f"Cannot connect to {hide_password(url)}. {advice} The server said: {said}") from error
    return connection


class Packed(bytes):
    """A value in the server's own binary format, of whatever type the statement says."""


class _PackedDumper(Dumper):
    format = Format.BINARY
    oid = 0

    def dump(self, obj: Packed) -> bytes:
        return obj


def register_types(connection: psycopg.Connection[Any]) -> None:
    """Teach a connection our types; ids travel as text."""
    connection.adapters.register_loader("uuid", TextLoader)
    register_vector(connection)
    connection.adapters.register_dumper(Packed, _PackedDumper)


def is_pooled(connection: PgConnection) -> bool:
    """Whether a pooler such as PgBouncer is in between: it numbers connections itself, not as the server does."""
    ((process_id,),) = connection.execute("SELECT pg_backend_pid()").fetchall()
    return bool(process_id != connection.info.backend_pid)


def check_server(connection: PgConnection) -> None:
    version = connection.info.server_version // 10000
    if version < MINIMUM_SERVER:
        raise StoreTooOld(f"The server is PostgreSQL {version}; {MINIMUM_SERVER} or newer is needed. Upgrade it.")


def ensure_vector(connection: PgConnection) -> None:
    """See to it that the extension `vector` is installed, or say which role can do it."""
    row = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    if row is None:
        _create_vector(connection)
        return
    version = tuple(int(part) for part in row[0].split(".")[:2])
    if version < MINIMUM_VECTOR:
        raise StoreTooOld(
            f"The extension vector has version {row[0]}; 0.8 or newer is needed for complete answers. Install a newer "
            "pgvector on the server and run: ALTER EXTENSION vector UPDATE;"
        )


def _create_vector(connection: PgConnection) -> None:
    database = connection.info.dbname
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreTooOld(
            f"The database {database} lacks the extension vector, and {connection.info.user} may not create it. Ask an "
            f"administrator to connect to {database} and run: CREATE EXTENSION vector;"
        ) from error
    except (psycopg.errors.FeatureNotSupported, psycopg.errors.UndefinedFile) as error:
        raise StoreTooOld(
            f"The server of {database} does not have the extension vector. Install pgvector there (the package is "
            "often called postgresql-NN-pgvector), then try again."
        ) from error


@contextmanager
def translated(where: str) -> Iterator[None]:
    try:
        yield
    except psycopg.errors.DiskFull as error:
        raise StoreFull(
            f"The disk is full on the server of {where}: nothing of this write was kept. Make room and try again."
        ) from error
    except (psycopg.errors.DataCorrupted, psycopg.errors.IndexCorrupted) as error:
        raise StoreDamaged(f"{where} is damaged: {error}. Restore a backup.") from error
    except psycopg.errors.LockNotAvailable as error:
        raise StoreUnavailable(
            f"Another transaction in {where} held what this one needs for longer than postgres.lock_timeout_s. Nothing "
            "was changed. Try again; `recollect doctor` tells of transactions that have been open for long."
        ) from error
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise StoreUnavailable(f"Lost the connection to {where}: {_first_line(error)} Try again.") from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreError(
            f"{where} does not let this login do that: {_first_line(error)}. Set it up as docs/postgresql.md shows."
        ) from error
    except psycopg.Error as error:
        raise StoreError(f"PostgreSQL failed on {where}: {type(error).__name__}: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0]


_OFTEN: Final = 5
_GIVE_UP_S: Final = 1.0  # after that, a connection is tried again when a caller wants one
_LOOK_EVERY_S: Final = 1.0
_WAIT_FOR_RETURN_S: Final = 0.25


class ServerPool(ConnectionPool[PgConnection]):
    """The connections of a store. `prepares` says whether statements that come often are prepared.

    `on_connect` is called for each new connection.
    """

    def __init__(
        self, url: str, *, size: int, timeout_s: float, prepares: bool, on_connect: Callable[[], None] = lambda: None
    ) -> None:
        self.is_away = False  # whether there was no server to connect to when it was tried last
        self._on_connect = on_connect
        options = {"connect_timeout": max(2, round(timeout_s)), "prepare_threshold": _OFTEN if prepares else None}
        super().__init__(
            url,
            kwargs={"autocommit": True, **options},
            configure=self._connected,
            min_size=0,  # with one, it and the first caller would make a connection each
            max_size=size,
            timeout=timeout_s,
            reconnect_timeout=_GIVE_UP_S,
            reconnect_failed=self._missed,
            open=True,
        )

    def getconn(self, timeout: float | None = None) -> PgConnection:
        """Wait for a connection. Raises PoolTimeout, early if there is no server to connect to."""
        deadline = monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            left_s = deadline - monotonic()
            try:
                lent = super().getconn(min(left_s, _WAIT_FOR_RETURN_S if self.is_away else _LOOK_EVERY_S))
            except PoolTimeout:
                if self.is_away or deadline <= monotonic():
                    raise
            else:
                self.is_away = False
                return lent

    def _connected(self, connection: PgConnection) -> None:
        register_types(connection)
        self._on_connect()
        self.is_away = False

    def _missed(self, _: ConnectionPool[PgConnection]) -> None:
        """Note that a connection could not be made. A server that only refuses one more is not away."""
        self.is_away = self.get_stats().get("pool_size", 0) == 0


class PoolAtFirstUse:
    """A pool that is started when it is needed: a program that only opens and closes, or reads once, needs none."""

    def __init__(self, start: Callable[[], ServerPool]) -> None:
        self._start = start
        self._pool: ServerPool | None = None
        self._is_closed = False
        self._lock = Lock()

    def get(self) -> ServerPool:
        """Give the pool. Raises StoreError once it was closed."""
        with self._lock:
            if self._is_closed:
                raise StoreError("This store is closed. Open it again with Memory.open().")
            if self._pool is None:
                self._pool = self._start()
            return self._pool

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            if self._pool is not None:
                self._pool.close()
                self._pool = None
