"""A connection pool: how long a caller waits for a connection, and what happens while the server is away.

A caller waits for a busy pool as long as the settings say. While the server is away callers are told so soon, and the
server's return is noticed within a second or two, however long it was gone.
"""

from collections.abc import Callable
from time import monotonic
from typing import Final

from psycopg_pool import ConnectionPool, PoolTimeout

from recollect.storage.postgres.connection import PgConnection, register_types

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
        self._is_away = False
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

    @property
    def is_away(self) -> bool:
        """Whether there was no server to connect to when it was tried last."""
        return self._is_away

    def getconn(self, timeout: float | None = None) -> PgConnection:
        """Wait for a connection. Raises PoolTimeout, early if there is no server to connect to."""
        deadline = monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            left_s = deadline - monotonic()
            try:
                lent = super().getconn(min(left_s, _WAIT_FOR_RETURN_S if self._is_away else _LOOK_EVERY_S))
            except PoolTimeout:
                if self._is_away or deadline <= monotonic():
                    raise
            else:
                self._is_away = False
                return lent

    def _connected(self, connection: PgConnection) -> None:
        register_types(connection)
        self._on_connect()
        self._is_away = False

    def _missed(self, _: ConnectionPool[PgConnection]) -> None:
        """Note that a connection could not be made. A server that only refuses one more is not away."""
        self._is_away = self.get_stats().get("pool_size", 0) == 0
