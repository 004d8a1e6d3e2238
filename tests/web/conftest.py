"""Applications behind the guards: asked directly, or over real HTTP on loopback."""

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import httpx2
import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.web.limits import ConnectionLimits
from recollect.web.middleware import LOG
from recollect.web.server import HttpServer, bind, configure, listen, url_of
from tests.plain_http import NO_CERTIFICATES
from tests.waiting import PATIENCE_S

LOCAL = ((b"host", b"127.0.0.1:8787"),)

Pairs = Iterable[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Answer:
    """What an application answered, and what it left in the scope."""

    status: int
    headers: dict[str, str]
    body: bytes
    scope: Scope


def ask(
    app: ASGIApp,
    method: str = "GET",
    path: str = "/",
    headers: Pairs = LOCAL,
    body: Sequence[bytes] = (b"",),
) -> Answer:
    """Ask an application as a server would; the body comes in pieces, and then the client is gone."""
    scope: dict[str, Any] = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": list(headers),
    }
    pieces = [{"type": "http.request", "body": piece, "more_body": True} for piece in body]
    if pieces:
        pieces[-1]["more_body"] = False
    sent: list[Message] = []

    async def receive() -> Message:
        return pieces.pop(0) if pieces else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(_called(app, scope, receive, send))
    start = next((message for message in sent if message["type"] == "http.response.start"), None)
    pairs = start["headers"] if start else []
    assert len({name.lower() for name, _ in pairs}) == len(pairs), "a header stands there twice"
    return Answer(
        start["status"] if start else 0,
        {name.decode().lower(): value.decode() for name, value in pairs},
        b"".join(message.get("body", b"") for message in sent),
        scope,
    )


async def _called(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    await app(scope, receive, send)


async def empty(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer everything with 204."""
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the body of the request."""
    message = await receive()
    assert message["more_body"] is False
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": message["body"]})


@contextmanager
def serving(
    app: ASGIApp, lifespan: Literal["on", "off"] = "off", limits: ConnectionLimits | None = None
) -> Iterator[httpx2.Client]:
    """Serve an application on a free port, and give a client for it."""
    with closing(bind("127.0.0.1", 0)) as listener:
        listen(listener)
        url = url_of(listener)
        server = HttpServer(configure(app, last_requests_s=PATIENCE_S, lifespan=lifespan, limits=limits))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            with httpx2.Client(base_url=url, timeout=PATIENCE_S, verify=NO_CERTIFICATES, trust_env=False) as http:
                yield http
        finally:
            server.should_exit = True
            thread.join(PATIENCE_S)


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something is so that will be so."""
    last = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < last, "it never came"
        time.sleep(0.005)


def connect(http: httpx2.Client) -> socket.socket:
    """Open a plain connection to where a client goes."""
    return socket.create_connection((http.base_url.host, http.base_url.port or 0), timeout=PATIENCE_S)


def typed(http: httpx2.Client, request: bytes) -> bytes:
    """Send bytes as they are, and give all that comes back."""
    with connect(http) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """The service's log, as it is before anybody has said where it goes."""
    before = (LOG.handlers, LOG.propagate, LOG.level)
    LOG.handlers, LOG.propagate = [], True
    caplog.set_level(logging.INFO, LOG.name)
    yield caplog
    LOG.handlers, LOG.propagate = before[:2]
    LOG.setLevel(before[2])
