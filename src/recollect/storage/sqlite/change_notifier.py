"""Notices writes to the file, by this process or another, by polling.

SQLite sends no notices, but keeps a number that differs after every commit of another connection. Reading it costs
microseconds, so polling often is cheap.
"""

from collections.abc import Callable
from time import monotonic, sleep
from typing import Final

import apsw

_LOOK_EVERY_S: Final = 0.05


class FileChangeNotifier:
    """Polls the file for changes. It has a connection of its own, and belongs to one thread."""

    def __init__(self, connect: Callable[[], apsw.Connection]) -> None:
        self._connection = connect()
        self._seen = self._version()

    def _version(self) -> int | None:
        """Give the number, or None when it cannot be read just now: a waiter that wakes for nothing is fine."""
        try:
            return int(self._connection.pragma("data_version"))
        except apsw.Error:
            return None

    def wait(self, timeout_s: float) -> bool:
        """Poll until something has changed, or for so long."""
        deadline = monotonic() + timeout_s
        while True:
            version = self._version()
            if version != self._seen:
                self._seen = version
                return True
            left = deadline - monotonic()
            if left <= 0:
                return False
            sleep(min(_LOOK_EVERY_S, left))

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
