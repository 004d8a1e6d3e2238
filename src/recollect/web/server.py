"""Ports, signals and the life of an HTTP server, and the timeouts of its connections.

An orderly close waits until the client has read what was written, so a client that does not read could keep a
connection for ever. Here it can be aborted, and is when no complete request head arrives in time.
"""

import asyncio
import logging
import math
import os
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from ipaddress import IPv4Address, IPv6Address, ip_address
from types import FrameType
from typing import Any, ClassVar, Final, Literal, NoReturn, TypeAlias

import h11
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from recollect.errors import RecollectError
from recollect.web.limits import ConnectionLimits
from recollect.web.problems import problem

_ABORT: Final = "recollect.abort"
_UNREADABLE: Final = "This cannot be read as a request of HTTP/1.1, or its headers are too long."

_BACKLOG: Final = 128

IpAddress: TypeAlias = IPv4Address | IPv6Address


class TimedConnection(H11Protocol):
    """A connection with a timeout for the next request, which a handler can abort.

    The timeout runs from the start of the connection and from the end of each answer, and includes the rest of a body
    that was refused. It does not run while a request is being answered: live searches last for hours.
    """

    limits: ClassVar[ConnectionLimits] = ConnectionLimits()
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Let every request abort the connection. One connection too many is aborted at once."""
        super().connection_made(transport)
        if len(self.connections) > self.limits.most:
            transport.abort()
            return
        app = self.app

        async def abortable(scope: Scope, receive: Receive, send: Send) -> None:
            scope.setdefault("extensions", {})[_ABORT] = transport.abort
            await app(scope, receive, send)

        self.app = abortable
        self._update_timeout()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timeout."""
        super().connection_lost(exc)
        self._update_timeout()

    def handle_events(self) -> None:
        """Stop the timeout when a request has come."""
        super().handle_events()
        self._update_timeout()

    def on_response_complete(self) -> None:
        """Start the timeout for the next request."""
        super().on_response_complete()
        self._update_timeout()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - ours says more
        """Answer what is no HTTP with a problem document, unless an answer is on its way already."""
        if self.cycle is not None:
            self.cycle.disconnected = True  # its handler must not write between these lines
            self.cycle.message_event.set()
        if self.conn.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            self.transport.abort()
            return
        answer = problem(HTTPStatus.BAD_REQUEST, _UNREADABLE, {"Connection": "close"})
        start = h11.Response(status_code=answer.status_code, headers=answer.raw_headers, reason=b"Bad Request")
        for event in (start, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _update_timeout(self) -> None:
        """Run the timeout exactly while a request is due."""
        cycle = self.cycle
        is_answering = cycle is not None and not cycle.response_complete and not cycle.disconnected
        if is_answering or self not in self.connections:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None
        elif self._deadline is None:
            self._start_timeout()

    def _start_timeout(self) -> None:
        unread = self.transport.get_write_buffer_size()
        wait_s = self.limits.answer_wait_s if unread else self.limits.head_wait_s
        self._deadline = self.loop.call_later(wait_s, self._time_out, unread)

    def _time_out(self, unread: int) -> None:
        """Abort, unless the client is still reading the last answer."""
        if 0 < self.transport.get_write_buffer_size() < unread:
            self._start_timeout()
        else:
            self.transport.abort()


def abort_connection(scope: Scope) -> None:
    """End a connection now, whether the client has read what was sent or not, where the server can."""
    abort: Callable[[], None] | None = scope.get("extensions", {}).get(_ABORT)
    if abort is not None:
        abort()


class ServerError(RecollectError):
    """The server cannot listen where it was told to."""


class HttpServer(uvicorn.Server):
    """An HTTP server that finishes requests before it ends.

    `announce` is called when requests are answered, `ending` when the end begins, so that live answers can be ended.
    """

    announce: Callable[[], None] | None = None
    ending: Callable[[], None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer, and announce it; from here on a signal ends it in good order."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_BACKLOG)  # it was made as short as the number that is let in at once
        if self.announce is not None:
            self.announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more connections, and wait for requests under way."""
        if self.ending is not None:
            self.ending()
        await super().shutdown(sockets)


def configure(
    app: ASGIApp,
    *,
    last_requests_s: float,
    lifespan: Literal["on", "off"] = "off",
    limits: ConnectionLimits | None = None,
) -> uvicorn.Config:
    """Configure uvicorn: no proxy header is believed, and no server header sent.

    A stop waits `last_requests_s` for requests under way. Without `limits`, those of this process apply.
    """
    limits = limits or ConnectionLimits.of_this_process()
    return uvicorn.Config(
        app,
        http=type("LimitedConnection", (TimedConnection,), {"limits": limits}),
        backlog=limits.at_once,
        ws="none",
        lifespan=lifespan,
        log_config=None,
        log_level=logging.CRITICAL,  # the access log replaces its logs
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=math.ceil(last_requests_s),
    )


def bind(host: str, port: int) -> socket.socket:
    """Take an address, without accepting connections yet; port 0 is any free one."""
    family, kind, protocol, _, address = _lookup(host, port)[0]
    try:
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise _no_address(host, error) from error
    try:
        if os.name == "posix":  # elsewhere it would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise _cannot_listen(host, port, error) from error
    return listener


def listen(listener: socket.socket) -> None:
    """Accept connections."""
    host, port = listener.getsockname()[:2]
    try:
        listener.listen(_BACKLOG)
    except OSError as error:
        raise _cannot_listen(host, port, error) from error


def resolve_host(host: str) -> tuple[IpAddress, ...]:
    """Give all addresses of a host name. Raises ServerError when there are none."""
    return tuple(_address(info[4][0]) for info in _lookup(host, 0))


def url_of(listener: socket.socket) -> str:
    """Give the URL at which this machine reaches it."""
    return url_at(*listener.getsockname()[:2])


def url_at(host: str, port: int) -> str:
    """Give the URL at which this machine reaches a server that listens on a host, given as address or name."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - not bound here, only recognised
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def open_to(listener: socket.socket) -> str | None:
    """Give the address, if other machines may reach it."""
    host: str = listener.getsockname()[0]
    return None if _address(host).is_loopback else host


@contextmanager
def exit_on_signals() -> Iterator[None]:
    """Make Ctrl-C and SIGTERM the ordinary end, with exit code 0.

    While it serves, uvicorn catches them, finishes requests, and raises them again.
    """
    before = {number: signal.signal(number, _end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


def _lookup(host: str, port: int) -> Sequence[tuple[socket.AddressFamily, socket.SocketKind, int, str, Any]]:
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise _no_address(host, error) from error


def _address(text: str) -> IpAddress:
    return ip_address(text.partition("%")[0])


def _no_address(host: str, error: Exception) -> ServerError:
    return ServerError(f"{host} is no address of this machine: {_reason(error)}.")


def _cannot_listen(host: str, port: int, error: OSError) -> ServerError:
    return ServerError(f"Cannot listen on {host}, port {port}: {_reason(error)}. Choose another with --port or --host.")


def _reason(error: Exception) -> str:
    said = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return f"{said[:1].lower()}{said[1:]}".rstrip(".")
