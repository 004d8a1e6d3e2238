"""LISTEN and NOTIFY: tells other processes of writes, and waits for theirs.

A waiter reads the order of changes afterwards: a notice is only a wake-up, and a lost one costs a moment. So it is sent
after the commit and outside of the transaction, where it makes no other writer wait, and not more often than a person
could notice.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from threading import Event, Lock, Thread
from time import sleep
from typing import Final

import psycopg

from recollect.errors import StoreError
from recollect.storage.postgres.connection import PgConnection
from recollect.storage.postgres.session import statement

_NOTIFY_EVERY_S: Final = 0.02
_TRY_AGAIN_S: Final = 1.0


class ChangeSender:
    """Notifies other processes from a thread that starts with the first write and ends with the store.

    `connected` lends a connection for one notice.
    """

    def __init__(self, connected: Callable[[], AbstractContextManager[PgConnection]]) -> None:
        self._connected = connected
        self._due = Event()
        self._closed = Event()
        self._lock = Lock()
        self._thread: Thread | None = None

    def send(self) -> None:
        self._due.set()
        with self._lock:
            if self._thread is None and not self._closed.is_set():
                self._thread = Thread(target=self._run, name="recollect-notify", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while True:
            self._due.wait()
            ended = self._closed.is_set()
            self._due.clear()
            pause_s = _TRY_AGAIN_S
            with suppress(StoreError), self._connected() as connection:  # waiters look by themselves after a while
                connection.execute(statement("notify_change"))
                pause_s = _NOTIFY_EVERY_S
            if ended or self._closed.wait(pause_s):
                break

    def close(self) -> None:
        """Send once more if that is due, and end."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._closed.set()
        if thread is not None:
            self._due.set()
            thread.join(_TRY_AGAIN_S)


class ServerChangeNotifier:
    """Waits for writes of other processes. It belongs to one thread."""

    def __init__(self, connect: Callable[[], PgConnection]) -> None:
        self._connect = connect
        self._connection: PgConnection | None = None

    def wait(self, timeout_s: float) -> bool:
        """Listen. While there is no server nothing is heard; nor does anything change."""
        try:
            if self._connection is None:
                self._connection = self._connect()
                self._connection.execute("LISTEN recollect_changes")
            for _ in self._connection.notifies(timeout=timeout_s, stop_after=1):
                return True
        except (psycopg.Error, StoreError):
            self.close()
            sleep(min(timeout_s, _TRY_AGAIN_S))
        return False

    def close(self) -> None:
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
            self._connection = None
