"""Nodes on loopback that behave, or do not.

with NodeServer(hits) as node:
    node.behave(status(500))  # whatever is asked next meets this
    assert node.requests == []
"""

import json
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, Self

CREATED = "2026-02-27T10:00:00Z"


def hit(content: str, /, **members: object) -> dict[str, Any]:
    """Make a hit as a service gives it."""
    made: dict[str, Any] = {
        "id": "019a8c31-62e0-7f05-9c4b-3f1d2a7b8e90",
        "source": "memory",
        "type": "fact",
        "content": content,
        "score": 0.5,
        "similarity": 0.4,
        "created_at": CREATED,
        "occurred_at": None,
        "place": None,
        "trust": 3,
        "metadata": {},
        "folded": [],
        "parts": {"of a": "later version"},
    }
    return {**made, **members}


def answer(hits: Sequence[object], **members: object) -> dict[str, object]:
    """Make an answer as a service gives it."""
    return {"hits": list(hits), "degraded": [], "answerable": 0.8, **members}


@dataclass(frozen=True)
class Recorded:
    """What somebody asked."""

    path: str
    headers: Mapping[str, str]
    body: Any


Behaviour = Callable[["Handler"], None]


class NodeServer:
    """A service that answers `POST /api/context/search` as it is told."""

    def __init__(self, *contents: str) -> None:
        self.requests: list[Recorded] = []
        self.released = Event()  # set when those who wait may let go
        self.behaviour: Behaviour = says(answer([hit(content) for content in contents]))
        self._listener = _Listener(("127.0.0.1", 0), type("Bound", (Handler,), {"node": self}))
        self._thread = Thread(target=self._listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._listener.shutdown()
        self._listener.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.server_address[1]}"

    def behave(self, behaviour: Behaviour) -> None:
        """Meet whatever is asked next like this."""
        self.behaviour = behaviour


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a connection that breaks is what some tests are about."""


class Handler(BaseHTTPRequestHandler):
    """One connection to a node."""

    node: NodeServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Note what is asked, and behave."""
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
        self.node.requests.append(Recorded(self.path, dict(self.headers), body))
        self.node.behaviour(self)

    def do_GET(self) -> None:
        """Note that somebody followed a redirect; nobody should."""
        self.node.requests.append(Recorded(self.path, dict(self.headers), None))
        self.reply(b"{}")

    def reply(
        self, body: bytes, status: int = 200, headers: Mapping[str, str] | None = None, announced: int | None = None
    ) -> None:
        """Send an answer, of the length it has or of another."""
        self.send_response(status)
        length = str(len(body) if announced is None else announced)
        for name, value in {"Content-Type": "application/json", "Content-Length": length, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def says(document: object) -> Behaviour:
    """Answer with a document; NaN is written as Python writes it."""
    return lambda handler: handler.reply(json.dumps(document).encode())


def sends(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Behaviour:
    return lambda handler: handler.reply(body, status, headers)


def redirects(url: str, status: int) -> Behaviour:
    return sends(b"", status, {"Location": url})


def hangs(handler: Handler) -> None:
    handler.close_connection = True
    handler.node.released.wait()


def trickles(handler: Handler) -> None:
    """Send a right answer, far too slowly: each single wait is short."""
    body = json.dumps(answer([hit("slow")])).encode()
    handler.close_connection = True
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    for byte in body:
        with suppress(OSError):
            handler.wfile.write(bytes((byte,)))
        if handler.node.released.wait(0.02):
            return


def trickles_headers(handler: Handler) -> None:
    """Never come to the end of the headers."""
    handler.close_connection = True
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slowly: ")
    while not handler.node.released.wait(0.02):
        handler.wfile.write(b"x")


def never_ends(handler: Handler) -> None:
    handler.close_connection = True
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"hits": [')
    while not handler.node.released.is_set():
        handler.wfile.write(b" " * 65_536)


def breaks_off(handler: Handler) -> None:
    """Announce more than there is, and hang up."""
    body = json.dumps(answer([hit("half")])).encode()
    handler.reply(body, announced=len(body) + 1_000)
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def announces_too_little(handler: Handler) -> None:
    body = json.dumps(answer([hit("half")])).encode()
    handler.close_connection = True
    handler.reply(body, announced=len(body) - 10)


def announces_too_much(handler: Handler) -> None:
    """Announce what nobody should wait for, and wait."""
    handler.reply(b"{", announced=10**12)
    hangs(handler)


def closed_port() -> str:
    """Give an address where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"
