"""One HTTP request within a deadline, over a plain socket: `http.client` takes longer to import than the request.

So does `socket`, of which only its core is used, except with TLS.
"""

import _socket
import time

from recollect._version import __version__
from recollect_connect.hook_client import light_json
from recollect_connect.hook_client.connection import Connection

_LARGEST_ANSWER = 4_000_000
_PIECE = 65_536


class NoAnswer(Exception):
    """The service did not answer as HTTP, or not in time."""


class NotRunning(NoAnswer):
    """No program listens where the service should be."""


class Deadline:
    """A moment after which nothing is waited for."""

    __slots__ = ("_end",)

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Give the seconds that are left. Raises NoAnswer when there are none."""
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise NoAnswer("the time is up")
        return seconds


class Answer:
    """The status and the JSON of an answer; `content` is None if it is none."""

    __slots__ = ("content", "status")

    def __init__(self, status: int, content: object) -> None:
        self.status = status
        self.content = content


def get(connection: Connection, path: str, query: "dict[str, str]", deadline: Deadline) -> Answer:
    """Ask for something. Raises NoAnswer."""
    pairs = (f"{name}={''.join(f'%{byte:02X}' for byte in value.encode())}" for name, value in query.items())
    return _exchange(connection, "GET", f"{path}?{'&'.join(pairs)}", b"", deadline)


def post(
    connection: Connection,
    path: str,
    body: object,
    deadline: Deadline,
    *,
    idempotency_key: str = "",
    given_at: str = "",
) -> Answer:
    """Send JSON, and give the answer. `given_at` is since when it has waited. Raises NoAnswer."""
    content = light_json.dumps(body).encode("ascii")
    headers = {"Idempotency-Key": idempotency_key, "X-Recollect-Given-At": given_at}
    return _exchange(connection, "POST", path, content, deadline, headers=headers)


def _exchange(
    connection: Connection,
    method: str,
    path: str,
    content: bytes,
    deadline: Deadline,
    *,
    headers: "dict[str, str] | None" = None,
) -> Answer:
    host = f"[{connection.host}]" if ":" in connection.host else connection.host
    lines = [
        f"{method} {connection.prefix}{path} HTTP/1.1",
        f"Host: {host}:{connection.port}",
        f"User-Agent: recollect-hook/{__version__}",
        "Content-Type: application/json",
        f"Content-Length: {len(content)}",
        "Accept: application/json",
        "Connection: close",
        f"Authorization: Bearer {connection.key}",
        f"X-Recollect-User: {connection.user}",
        f"X-Recollect-Version: {__version__}",
    ]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items() if value]
    head = "\r\n".join((*lines, "", "")).encode("latin-1", "replace")
    try:
        opened = _connect(connection, deadline)
        try:
            opened.settimeout(deadline.left())
            opened.sendall(head + content)
            return _answer(opened, deadline)
        finally:
            opened.close()
    except OSError as error:
        raise NoAnswer(f"{connection.url} does not answer: {error}") from None


def _connect(connection: Connection, deadline: Deadline) -> _socket.socket:
    host = connection.host.encode("ascii")  # of a text, Python would first import the encoding of host names
    try:
        opened = _first_that_answers(host, connection.port, deadline)
    except ConnectionRefusedError:
        raise NotRunning(f"nothing listens at {connection.url}") from None
    if not connection.secure:
        return opened
    import socket  # noqa: PLC0415 - as below
    import ssl  # noqa: PLC0415 - takes 20 ms, which only those who need it should pay

    plain = socket.socket(fileno=opened.detach())
    plain.settimeout(deadline.left())
    return ssl.create_default_context().wrap_socket(plain, server_hostname=connection.host)


def _first_that_answers(host: bytes, port: int, deadline: Deadline) -> _socket.socket:
    """Connect to the first address of a host that takes the connection. Raises OSError."""
    failure: OSError | None = None
    for family, kind, protocol, _, address in _socket.getaddrinfo(host, port, 0, _socket.SOCK_STREAM):
        seconds = deadline.left()
        opened = _socket.socket(family, kind, protocol)
        try:
            opened.settimeout(seconds)
            opened.connect(address)
        except OSError as error:
            opened.close()
            failure = error
        else:
            return opened
    raise failure or OSError("the host has no address")


def _answer(opened: _socket.socket, deadline: Deadline) -> Answer:
    received = b""
    length = _LARGEST_ANSWER
    while len(received) < length:
        opened.settimeout(deadline.left())
        piece = opened.recv(_PIECE)
        if not piece:
            break
        received += piece
        if length == _LARGEST_ANSWER:
            length = _whole_length(received)
    head, _, content = received.partition(b"\r\n\r\n")
    words = head.split(None, 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit():  # noqa: PLR2004 - HTTP and a status
        raise NoAnswer("the answer is not HTTP")
    if len(received) < length < _LARGEST_ANSWER:
        raise NoAnswer("the answer ended too early")
    try:
        return Answer(int(words[1]), light_json.loads(content))
    except (ValueError, RecursionError):
        return Answer(int(words[1]), None)


def _whole_length(received: bytes) -> int:
    """Give the length of the answer, head included; the most that is read while it is not known."""
    head, end, _ = received.partition(b"\r\n\r\n")
    if end:
        for line in head.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length" and value.strip().isdigit():
                return min(len(head) + len(end) + int(value), _LARGEST_ANSWER)
    return _LARGEST_ANSWER
