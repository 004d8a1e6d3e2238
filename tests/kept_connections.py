"""Connections to the shared database that outlive a test, as behind a pooler: a new one costs more than most tests do.

When a test closes one, its session is made as new (`DISCARD ALL`), and the next to connect in the same way gets it. The
server process stays and with it what it learnt of the schema; to the test the connection is closed.
"""

import os
from collections.abc import Generator
from functools import cache
from threading import Lock
from typing import Any, Final, TypeAlias

import psycopg
from psycopg import pq
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import ConnStatus, ExecStatus, PipelineStatus, TransactionStatus
from psycopg.pq.abc import PGconn

_MOST: Final = 6  # of those that connect in the same way

_Login: TypeAlias = tuple[tuple[str, object], ...]
_connect_gen = psycopg.Connection._connect_gen.__func__  # type: ignore[attr-defined]
_close = psycopg.Connection.close


class KeptConnections:
    """The connections to one database that nobody uses."""

    def __init__(self, address: str) -> None:
        self._name = conninfo_to_dict(address)["dbname"]
        self._process_id = os.getpid()
        self._lock = Lock()
        self._free: dict[_Login, list[PGconn]] = {}

    def login(self, conninfo: str) -> _Login | None:
        """Say how somebody connects; None if not to this database, or in a child process."""
        said = conninfo_to_dict(conninfo)
        if said.get("dbname") != self._name or os.getpid() != self._process_id:
            return None
        return tuple(sorted((name, value) for name, value in said.items() if name != "connect_timeout"))

    def take(self, login: _Login) -> PGconn | None:
        """Lend a connection that still works."""
        while True:
            with self._lock:
                if not self._free.get(login):
                    return None
                free = self._free[login].pop()
            if _ran(free, b""):
                return free
            free.finish()

    def give_back(self, login: _Login, used: PGconn) -> bool:
        """Keep a connection for the next, if its session can be made as new."""
        if os.getpid() != self._process_id or not _as_new(used):
            return False
        with self._lock:
            free = self._free.setdefault(login, [])
            if len(free) == _MOST:
                return False
            free.append(used)
        return True

    def process_ids(self) -> list[int]:
        """Give the server processes that wait here."""
        with self._lock:
            return [one.backend_pid for free in self._free.values() for one in free]

    def close(self) -> None:
        """End them all."""
        with self._lock:
            for free in self._free.values():
                while free:
                    free.pop().finish()


def keep(kept: KeptConnections | None) -> None:
    """Let connections of this process come from here, and go back when they are closed; with None as ever."""

    def connected(
        cls: type[psycopg.Connection[Any]], conninfo: str = ""
    ) -> Generator[Any, Any, psycopg.Connection[Any]]:
        login = kept.login(conninfo) if kept is not None else None
        free = kept.take(login) if kept is not None and login is not None else None
        connection: psycopg.Connection[Any] = (
            cls(free) if free is not None else (yield from _connect_gen(cls, conninfo))
        )
        connection._login = login  # type: ignore[attr-defined]
        return connection

    def close(self: psycopg.Connection[Any]) -> None:
        login, used = getattr(self, "_login", None), self.pgconn
        if self.closed or login is None or kept is None:
            _close(self)
        else:
            self.pgconn, self._closed = _closed_one(), True
            if not kept.give_back(login, used):
                used.finish()

    psycopg.Connection._connect_gen = classmethod(connected)  # type: ignore[method-assign,assignment]
    psycopg.Connection.close = close  # type: ignore[method-assign]


@cache
def _closed_one() -> PGconn:
    never = pq.PGconn.connect_start(b"host=/nowhere")
    never.finish()
    return never


def _as_new(used: PGconn) -> bool:
    if used.status != ConnStatus.OK or used.pipeline_status != PipelineStatus.OFF:
        return False
    open_ones = (TransactionStatus.INTRANS, TransactionStatus.INERROR)
    if used.transaction_status in open_ones and not _ran(used, b"ROLLBACK"):
        return False
    if used.transaction_status != TransactionStatus.IDLE or not _ran(used, b"DISCARD ALL"):
        return False
    while used.notifies() is not None:
        pass
    return True


def _ran(connection: PGconn, command: bytes) -> bool:
    try:
        connection.nonblocking = 0
        status = connection.exec_(command).status
        connection.nonblocking = 1
    except psycopg.Error:
        return False
    return status in (ExecStatus.COMMAND_OK, ExecStatus.EMPTY_QUERY)
