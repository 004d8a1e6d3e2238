"""Ports, signals and the life of a server, as every server of this package wants them."""

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
from recollect.web.cutting import connections
from recollect.web.limits import ConnectionLimits

_BACKLOG: Final = 128

Address: TypeAlias = IPv4Address | IPv6Address


class ServerError(RecollectError):
    """The server cannot listen where it was told to."""


class Server(uvicorn.Server):
    """The HTTP server. It finishes what is under way before it ends.

    `announce` is called when requests are answered. `ending` is called when the end begins, so that answers without an
    end of their own can be brought to one.
    """

    announce: Callable[[], None] | None = None
    ending: Callable[[], None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer, and say so; from here on a signal ends it in good order."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_BACKLOG)  # it was made as short as the number that is let in at once
        if self.announce is not None:
            self.announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let in nobody else, and wait for those who are inside."""
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
    """Say how to serve: nothing is believed that a stranger claims about a proxy, nothing is told about the server.

    A stop waits `last_requests_s` for requests that are under way. Without `limits`, connections are kept within those
    that the system sets to this process.
    """
    limits = limits or ConnectionLimits.of_this_process()
    return uvicorn.Config(
        app,
        http=connections(limits),
        backlog=limits.at_once,
        ws="none",
        lifespan=lifespan,
        log_config=None,
        log_level=logging.CRITICAL,  # the journal says what is to be said
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=math.ceil(last_requests_s),
    )


def bind(host: str, port: int) -> socket.socket:
    """Take an address, without accepting anybody yet; port 0 is any free one."""
    family, kind, protocol, _, address = _found(host, port)[0]
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
    """Let connections come in."""
    host, port = listener.getsockname()[:2]
    try:
        listener.listen(_BACKLOG)
    except OSError as error:
        raise _cannot_listen(host, port, error) from error


def addresses(host: str) -> tuple[Address, ...]:
    """Give every address that a name of this machine means. Raises ServerError when it means none."""
    return tuple(_address(found[4][0]) for found in _found(host, 0))


def url_of(listener: socket.socket) -> str:
    """Give the URL at which this machine reaches it."""
    host, port = listener.getsockname()[:2]
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - not bound here, only recognised
    return f"http://[{reached}]:{port}" if isinstance(_address(host), IPv6Address) else f"http://{reached}:{port}"


def open_to(listener: socket.socket) -> str | None:
    """Give the address, if others than this machine may reach it."""
    host: str = listener.getsockname()[0]
    return None if _address(host).is_loopback else host


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM be the ordinary end, with exit code 0, whether it is starting or serving.

    While it serves, uvicorn catches them, finishes what is under way, and raises them again for us.
    """
    before = {number: signal.signal(number, _end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


def _found(host: str, port: int) -> Sequence[tuple[socket.AddressFamily, socket.SocketKind, int, str, Any]]:
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise _no_address(host, error) from error


def _address(text: str) -> Address:
    return ip_address(text.partition("%")[0])


def _no_address(host: str, error: Exception) -> ServerError:
    return ServerError(f"{host} is no address of this machine: {_reason(error)}.")


def _cannot_listen(host: str, port: int, error: OSError) -> ServerError:
    return ServerError(f"Cannot listen on {host}, port {port}: {_reason(error)}. Choose another with --port or --host.")


def _reason(error: Exception) -> str:
    said = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return f"{said[:1].lower()}{said[1:]}".rstrip(".")
