"""A client of live search that reads events as the standard says, and can be switched off at any moment."""

import json
import socket
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

from tests.waiting import PATIENCE_S


@dataclass(frozen=True, slots=True)
class Event:
    """What came: an event, or a comment without a name."""

    name: str
    id: int | None = None
    data: dict[str, Any] | None = None
    comment: str = ""
    retry: int | None = None


def narrow_line(url: str) -> socket.socket:
    """Connect so that hardly anything fits into the line: what is not read waits on the other side."""
    where = urlsplit(url)
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.settimeout(PATIENCE_S)
    line.connect((where.hostname, where.port))
    return line


class Radio:
    """An open live search."""

    def __init__(
        self, url: str, key: str, *, last: int | str | None = None, narrow: bool = False, **asked: Any
    ) -> None:
        where = urlsplit(url)
        self._connection = HTTPConnection(where.hostname or "", where.port, timeout=PATIENCE_S)
        if narrow:
            self._connection.sock = narrow_line(url)
        headers = {"Authorization": f"Bearer {key}"}
        if last is not None:
            headers["Last-Event-ID"] = str(last)
        self._connection.request("GET", f"/api/stream?{urlencode(asked, doseq=True)}", headers=headers)
        self.answer: HTTPResponse = self._connection.getresponse()

    @property
    def status(self) -> int:
        """What was answered."""
        return self.answer.status

    def problem(self) -> dict[str, Any]:
        """The document that says why not."""
        found: dict[str, Any] = json.loads(self.answer.read())
        return found

    def hear(self) -> Event | None:
        """Wait for what comes next; None is the end."""
        lines: list[str] = []
        while (line := self.answer.readline()) != b"\n":
            if not line:
                assert not lines, "it ended in the middle of an event"
                return None
            assert line.endswith(b"\n")
            lines.append(line[:-1].decode())
        return _event(lines)

    def wait_for(self, name: str) -> Event:
        """Wait for the next event of this name, whatever comes before it."""
        while (event := self.hear()) is not None:
            if event.name == name:
                return event
        raise AssertionError(f"it ended without {name}")

    def rest(self) -> list[Event]:
        """Everything up to the end."""
        return list(iter(self.hear, None))

    def close(self) -> None:
        """Hang up."""
        self.answer.close()
        self._connection.close()

    def __enter__(self) -> Self:
        """Give itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Hang up."""
        self.close()


def _event(lines: list[str]) -> Event:
    fields: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        assert colon, f"a line without a field: {line!r}"
        assert name not in fields, f"two lines of {name} in one event"
        fields[name] = value.removeprefix(" ")
    assert set(fields) <= {"event", "id", "data", "retry", ""}
    return Event(
        fields.get("event", ""),
        int(fields["id"]) if "id" in fields else None,
        json.loads(fields["data"]) if "data" in fields else None,
        fields.get("", ""),
        int(fields["retry"]) if "retry" in fields else None,
    )
