"""Notices that somebody has written to the file, in this process or in another.

SQLite tells nobody by itself, but keeps a number that differs whenever anybody else has committed. Looking at it costs
microseconds, so looking often is cheap.
"""

from collections.abc import Callable
from time import monotonic, sleep
from typing import Final

import apsw

_LOOK_EVERY_S: Final = 0.05


class FileBell:
    """Rings when the file has changed. It has a connection of its own, and belongs to one thread."""

    def __init__(self, connect: Callable[[], apsw.Connection]) -> None:
        self._connection = connect()
        self._seen = self._version()

    def _version(self) -> int | None:
        """Give the number. When it cannot be had just now, another one will do: whoever is woken looks for nothing."""
        try:
            return int(self._connection.pragma("data_version"))
        except apsw.Error:
            return None

    def wait(self, timeout_s: float) -> bool:
        """Look again and again."""
        deadline = monotonic() + timeout_s
        while True:
            found = self._version()
            if found != self._seen:
                self._seen = found
                return True
            left = deadline - monotonic()
            if left <= 0:
                return False
            sleep(min(_LOOK_EVERY_S, left))

    def close(self) -> None:
        """Stop looking."""
        self._connection.close()
