"""Both ends of the line between a test and a process that it started: one JSON value a line, over a socket.

A socket, because then the only `write` calls of a child are those of its database.
"""

import json
import socket
from typing import Any


class Link:
    """One end of the line."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._lines = end.makefile("rb")

    def say(self, value: Any) -> None:
        """Send a value; it has left this process when this returns."""
        self._end.sendall(json.dumps(value, default=str).encode() + b"\n")

    def hear(self) -> Any:
        """Wait for a value. Raises EOFError when the other end is gone, also in the middle of a line."""
        try:
            line = self._lines.readline()
        except ConnectionResetError as error:
            raise EOFError from error
        if not line.endswith(b"\n"):
            raise EOFError
        return json.loads(line)

    def be_patient(self, seconds: float) -> None:
        """Wait so much longer for whatever comes next."""
        self._end.settimeout((self._end.gettimeout() or 0.0) + seconds)

    def close(self) -> None:
        """Hang up."""
        self._lines.close()
        self._end.close()
