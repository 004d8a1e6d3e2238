"""The life of the server: a port, a model, requests, and an orderly end.

The port is taken before the model is loaded, so that nobody waits for a model that then cannot be served; connections
are accepted only afterwards, so that whoever gets through is answered.
"""

import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from types import FrameType
from typing import Final, NoReturn, Protocol

import uvicorn

from recollect.e5.app import create_app
from recollect.e5.journal import LOG, Journal
from recollect.e5.limits import Limits
from recollect.e5.line import Line
from recollect.e5.models import Model, full_name, load_model, require_runnable
from recollect.errors import RecollectError

_LAST_REQUESTS_S: Final = 120
_BACKLOG: Final = 128


class ServerError(RecollectError):
    """The server cannot listen where it was told to."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to serve, and where."""

    host: str
    port: int
    model: str
    limits: Limits
    verbose: bool = False


@dataclass(frozen=True, slots=True)
class Ready:
    """What is served, and where. `open_to` is the address when others than this machine may reach it."""

    model: str
    dimension: int
    url: str
    open_to: str | None = None


class Audience(Protocol):
    """Who started the server, and wants to know how far it is."""

    def loading(self, model: str) -> None:
        """Hear that the model is being loaded, which may take long."""
        ...

    def ready(self, ready: Ready) -> None:
        """Hear that requests are answered from now on."""
        ...


def serve(plan: Plan, audience: Audience) -> None:
    """Serve until a signal ends it. Raises EmbeddingError without a model, and ServerError without a port."""
    require_runnable(plan.model)
    with _ended_by_signals(), closing(bind(plan.host, plan.port)) as listener:
        audience.loading(full_name(plan.model))
        model = load_model(plan.model)
        listen(listener)
        _log_to_standard_error(verbose=plan.verbose)
        with closing(Line(model)) as line:
            server = create_server(model, line, plan.limits)
            server.announce = partial(audience.ready, _ready(model, listener))
            server.run(sockets=[listener])


class Server(uvicorn.Server):
    """The HTTP server. It finishes what is under way before it ends."""

    announce: Callable[[], None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer, and say so; from here on a signal ends it in good order."""
        await super().startup(sockets)
        if self.announce is not None:
            self.announce()


def create_server(model: Model, line: Line, limits: Limits) -> Server:
    """Make the server around the application."""
    return Server(
        uvicorn.Config(
            Journal(create_app(model, line, limits)),
            http="h11",
            ws="none",
            lifespan="off",
            log_config=None,
            log_level=logging.CRITICAL,  # the journal says what is to be said
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=_LAST_REQUESTS_S,
        )
    )


def bind(host: str, port: int) -> socket.socket:
    """Take an address, without accepting anybody yet; port 0 is any free one."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise ServerError(f"{host} is no address of this machine: {_reason(error)}.") from error
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


def _cannot_listen(host: str, port: int, error: OSError) -> ServerError:
    return ServerError(f"Cannot listen on {host}, port {port}: {_reason(error)}. Choose another with --port or --host.")


def _reason(error: Exception) -> str:
    said = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return f"{said[:1].lower()}{said[1:]}".rstrip(".")


def _ready(model: Model, listener: socket.socket) -> Ready:
    host, port = listener.getsockname()[:2]
    address = ip_address(host.partition("%")[0])
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - not bound here, only recognised
    url = f"http://[{reached}]:{port}" if address.version == 6 else f"http://{reached}:{port}"  # noqa: PLR2004 - IPv6
    return Ready(model.name, model.dimension, url, None if address.is_loopback else host)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM be the ordinary end, with exit code 0, whether a model is loading or served.

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


def _log_to_standard_error(*, verbose: bool) -> None:
    shown = logging.StreamHandler(sys.stderr)
    shown.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    LOG.handlers = [shown]
    LOG.propagate = False
    LOG.setLevel(logging.INFO if verbose else logging.ERROR)
