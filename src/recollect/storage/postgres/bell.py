"""Rings for other processes when something was written, and waits for others to ring.

Whoever waits reads the order of changes afterwards: a ring is only a wake-up, and one that is lost costs a moment. So
it is sent after the commit and outside of the transaction, where it makes no other writer wait, and not more often than
a person could notice.
"""

from collections.abc import Callable
from contextlib import suppress
from threading import Event, Lock, Thread
from time import sleep
from typing import Final

import psycopg

from recollect.errors import StoreError
from recollect.storage.postgres.connection import Connection
from recollect.storage.postgres.rows import QUERIES

_RING_EVERY_S: Final = 0.02
_TRY_AGAIN_S: Final = 1.0


class Ringer:
    """Tells other processes. It starts with the first write and ends with the store."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._due = Event()
        self._closed = Event()
        self._lock = Lock()
        self._thread: Thread | None = None

    def ring(self) -> None:
        """Let others know, soon."""
        self._due.set()
        with self._lock:
            if self._thread is None and not self._closed.is_set():
                self._thread = Thread(target=self._run, name="recollect-ring", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        connection: Connection | None = None
        while True:
            self._due.wait()
            ended = self._closed.is_set()
            self._due.clear()
            try:
                connection = connection or self._connect()
                connection.execute(QUERIES["notify_change"].encode())
            except (psycopg.Error, StoreError):  # whoever waits looks by themselves after a while
                connection = None
            if ended or self._closed.wait(_RING_EVERY_S if connection else _TRY_AGAIN_S):
                break
        if connection is not None:
            connection.close()

    def close(self) -> None:
        """Ring once more if that is due, and end."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._closed.set()
        if thread is not None:
            self._due.set()
            thread.join(_TRY_AGAIN_S)


class ServerBell:
    """Rings when somebody has written. It belongs to one thread."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._connection: Connection | None = None

    def wait(self, timeout_s: float) -> bool:
        """Listen. While there is no server it never rings; nor does anything change."""
        try:
            for _ in self._listening().notifies(timeout=timeout_s, stop_after=1):
                return True
        except (psycopg.Error, StoreError):
            self.close()
            sleep(min(timeout_s, _TRY_AGAIN_S))
        return False

    def _listening(self) -> Connection:
        if self._connection is None:
            self._connection = self._connect()
            self._connection.execute("LISTEN recollect_changes")
        return self._connection

    def close(self) -> None:
        """Stop listening."""
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
            self._connection = None
