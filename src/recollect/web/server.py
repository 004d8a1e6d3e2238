"""Ports, signals and the life of an HTTP server."""

import logging
import math
import os
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv6Address, ip_address
from types import FrameType
from typing import Any, Final, Literal, NoReturn, TypeAlias

import uvicorn
from starlette.types import ASGIApp

from recollect.errors import RecollectError
from recollect.web.connection_timeouts import connection_class
from recollect.web.limits import ConnectionLimits

_BACKLOG: Final = 128

IpAddress: TypeAlias = IPv4Address | IPv6Address


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
        http=connection_class(limits),
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
