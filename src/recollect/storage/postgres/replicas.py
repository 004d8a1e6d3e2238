"""Read replicas: which standby may answer a read, and how far it must have replayed the primary's log.

The invariant: a replica answers only with everything that this process has written or read before for the same user,
and with everything that the primary had `replica_max_lag_s` ago. What it cannot answer so, the primary does.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from selectors import EVENT_READ, DefaultSelector
from threading import Lock
from time import monotonic, sleep
from typing import Final, NamedTuple, TypeVar
from weakref import WeakSet
from zlib import crc32

import psycopg
from psycopg.pq import ExecStatus

from recollect.errors import StoreError
from recollect.model.memories import Scope
from recollect.model.stats import ReplicaStatus
from recollect.settings import PostgresSettings, hide_password
from recollect.storage.postgres.connection import PgConnection, PoolAtFirstUse, ServerPool, connect
from recollect.storage.postgres.session import PostgresSession, statement

R = TypeVar("R")
T = TypeVar("T")

_COOL_DOWN_S: Final = 5.0
_ANSWER_S: Final = 1.0  # for the position of a replica
_POLL_S: Final = 0.02
_WAIT_S: Final = 0.02  # for a connection, which is mostly at hand; the primary answers meanwhile
_PROMOTED: Final = "it is no standby: it was promoted, or is the primary itself"
_FOREIGN: Final = "it is no standby of this database"
_BEHIND: Final = "within {:g} s it has not replayed what the primary had"
_TIMELINE: Final = (
    "it is on timeline {}, and the primary on {}: it follows another server, or has not met a checkpoint since"
)


class ServerIdentity(NamedTuple):
    """A row of `server_identity`."""

    cluster: str
    database: int
    memories: int
    timeline: int

    def mismatch(self, primary: "ServerIdentity") -> str:
        """Say why a server cannot be a standby of the primary; '' if it can."""
        if self[:3] != primary[:3]:
            return _FOREIGN
        return "" if self.timeline == primary.timeline else _TIMELINE.format(self.timeline, primary.timeline)


def server_identity(connection: PgConnection) -> ServerIdentity:
    return ServerIdentity(*PostgresSession(connection).row("server_identity"))


def _ask(connection: PgConnection, name: str) -> list[str]:
    """Ask a replica for one row of texts, but do not wait for ever: one that hangs loses the connection."""
    server = connection.pgconn
    server.send_query(statement(name))
    server.flush()
    with DefaultSelector() as selector:
        selector.register(server.socket, EVENT_READ)
        if not selector.select(_ANSWER_S):
            connection.close()
            raise psycopg.OperationalError("no answer in time")
    row: list[str] = []
    while (result := server.get_result()) is not None:
        if result.status != ExecStatus.TUPLES_OK:
            raise psycopg.OperationalError(result.get_error_message())
        row = [(result.get_value(0, column) or b"").decode() for column in range(result.nfields)]
    return row


class LogPositions:
    """How far into the primary's log a replica must be to answer: for each user, and for all of them.

    The position for all is taken anew when it is `max_lag_s` old. It covers all that was noted before, so only users of
    the last seconds have one of their own.
    """

    def __init__(self, max_lag_s: float) -> None:
        self._max_lag_s = max_lag_s
        self._of_all = 0
        self._of_users: dict[str, int] = {}
        self._taken_s = self._void_until_s = monotonic() - max_lag_s
        self._lock = Lock()

    def needed(self, user_id: str) -> int | None:
        """Give the position that a read of a user needs; None if the primary has to be asked for one."""
        with self._lock:
            return None if self._is_due(monotonic()) else max(self._of_all, self._of_users.get(user_id, 0))

    def note(self, position: int | None, user_ids: Sequence[str | None], asked_s: float) -> None:
        """Note what the primary said when it was asked: for these users, of whom None means all."""
        if position is None:
            return
        with self._lock:
            for user_id in user_ids:
                if user_id is None:
                    self._of_all = max(self._of_all, position)
                else:
                    self._of_users[user_id] = max(self._of_users.get(user_id, 0), position)
            if asked_s >= self._void_until_s and self._is_due(asked_s):
                self._of_all, self._taken_s = max(self._of_all, position), asked_s
                self._of_users = {user_id: own for user_id, own in self._of_users.items() if own > self._of_all}

    def note_replayed(self, position: int, user_id: str) -> None:
        """Note how far a replica was that answered a user: later answers do not go back."""
        with self._lock:
            if position > max(self._of_all, self._of_users.get(user_id, 0)):
                self._of_users[user_id] = position

    def void(self) -> None:
        """Let the primary answer until it has been asked again: it is not known where a write ended."""
        with self._lock:
            self._void_until_s = monotonic()

    def _is_due(self, now_s: float) -> bool:
        return self._taken_s < self._void_until_s or now_s - self._taken_s >= self._max_lag_s


class Replica:
    """One standby: its connections, which of them have been checked, and its cool-down."""

    def __init__(self, url: str, settings: PostgresSettings, *, prepares: bool) -> None:
        self.url = url
        self.where = hide_password(url)
        self.reads = 0
        self._rests_until_s = monotonic()
        self._checked: WeakSet[PgConnection] = WeakSet()
        size, timeout_s = settings.pool_size, settings.connect_timeout_s
        self._pool = PoolAtFirstUse(lambda: ServerPool(url, size=size, timeout_s=timeout_s, prepares=prepares))

    @property
    def rests(self) -> bool:
        return monotonic() < self._rests_until_s

    def rest(self) -> None:
        self._rests_until_s = monotonic() + _COOL_DOWN_S

    @contextmanager
    def lent(self, primary_identity: Callable[[], ServerIdentity]) -> Iterator[PgConnection | None]:
        """Lend a connection to a standby of the primary, or nothing if there is none at once."""
        pool = self._pool.get()
        try:
            connection = pool.getconn(_WAIT_S)
        except psycopg.OperationalError:
            if pool.is_away:
                self.rest()
            yield None
            return
        try:
            yield connection if self._is_checked(connection, primary_identity) else None
        finally:
            pool.putconn(connection)

    def _is_checked(self, connection: PgConnection, primary_identity: Callable[[], ServerIdentity]) -> bool:
        checked = self._checked  # another one by the time the primary has answered, if it is distrusted meanwhile
        if connection not in checked:
            cluster, *numbers = _ask(connection, "server_identity")
            if ServerIdentity(cluster, *map(int, numbers)).mismatch(primary_identity()):
                self.rest()
                return False
            checked.add(connection)
        return True

    def distrust(self) -> None:
        self._checked = WeakSet()

    def close(self) -> None:
        self._pool.close()


class Replicas:
    """The standbys of a store. Each user has one, so that answers do not go back and forth in time."""

    def __init__(
        self, settings: PostgresSettings, primary_identity: Callable[[], ServerIdentity], *, prepares: bool
    ) -> None:
        self.positions = LogPositions(settings.replica_max_lag_s)
        self._settings = settings
        self._primary_identity = primary_identity
        self._replicas = [Replica(url, settings, prepares=prepares) for url in settings.replicas]

    def read(
        self, user_id: str, begin: Callable[[PgConnection], AbstractContextManager[R]], work: Callable[[R], T]
    ) -> tuple[T] | None:
        """Let a replica answer a read, which `begin` prepares without waiting; None if the primary has to answer."""
        needed, first = self.positions.needed(user_id), crc32(user_id.encode())
        turns = (self._replicas[(first + turn) % len(self._replicas)] for turn in range(len(self._replicas)))
        replica = next((one for one in turns if not one.rests), None)  # the user's, or the one after it that does not
        if needed is None or replica is None:
            return None
        try:
            with replica.lent(self._primary_identity) as connection:
                if connection is None:
                    return None
                standby, position = _ask(connection, "replica_position")  # of a moment before the snapshot
                if standby != "t":
                    replica.rest()
                if standby != "t" or int(position) < needed:
                    return None
                with connection.pipeline(), begin(connection) as reader:
                    answer = work(reader)
        except psycopg.Error:
            replica.rest()
            return None
        except Exception:  # noqa: BLE001 - whatever older rows may lead to, the primary decides
            return None
        self.positions.note_replayed(int(position), user_id)
        replica.reads += 1
        return (answer,)

    @contextmanager
    def noting_read(self, connection: PgConnection, user_id: str) -> Iterator[None]:
        """Note after a read on the primary how far its log was, which is asked for in the pipeline of the read."""
        asked_s = monotonic()
        asked = connection.execute(statement("primary_position"))
        yield
        ((position,),) = asked.fetchall()
        self.positions.note(position, (user_id,), asked_s)

    @contextmanager
    def noting(self, connection: PgConnection, scopes: Sequence[Scope | None]) -> Iterator[None]:
        """Note after a commit on the primary how far its log is. Where that is not known, the primary is asked next."""
        try:
            yield
        except psycopg.Error:
            self.positions.void()
            raise
        asked_s = monotonic()
        try:
            (position,) = PostgresSession(connection).row("primary_position")
        except psycopg.Error:
            self.positions.void()
        else:
            self.positions.note(position, [None if scope is None else scope.user_id for scope in scopes], asked_s)

    def distrust(self) -> None:
        """Check every connection again: there is a new one to the primary, which may be another server by now."""
        for replica in self._replicas:
            replica.distrust()

    def status(self, position: int, *, patience_s: float = 0.0) -> Sequence[ReplicaStatus]:
        """Look at each replica, with a connection of its own; `position` is that of the primary.

        One that has not replayed it after the patience is in trouble, if there is any.
        """
        return [self._status(replica, position, patience_s) for replica in self._replicas]

    def _status(self, replica: Replica, position: int, patience_s: float) -> ReplicaStatus:
        deadline_s = monotonic() + patience_s
        try:
            with connect(replica.url, self._settings.connect_timeout_s) as connection:
                mismatch = server_identity(connection).mismatch(self._primary_identity())
                standby, replayed, seconds = PostgresSession(connection).row("replica_lag")
                while standby and replayed < position and monotonic() < deadline_s:
                    sleep(_POLL_S)
                    standby, replayed, seconds = PostgresSession(connection).row("replica_lag")
        except (psycopg.Error, StoreError) as error:
            return ReplicaStatus(replica.where, " ".join(str(error).split()), reads=replica.reads)
        trouble = mismatch if standby or mismatch == _FOREIGN else _PROMOTED
        if trouble:
            return ReplicaStatus(replica.where, trouble, reads=replica.reads)
        behind = max(0, position - replayed)
        trouble = _BEHIND.format(patience_s) if behind and patience_s else ""
        return ReplicaStatus(replica.where, trouble, behind, (seconds or 0.0) if behind else 0.0, replica.reads)

    def close(self) -> None:
        for replica in self._replicas:
            replica.close()
