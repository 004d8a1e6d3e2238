"""The life of the server: a port, a model, requests, and an orderly end.

The port is taken before the model is loaded, so that nobody waits for a model that then cannot be served; connections
are accepted only afterwards, so that whoever gets through is answered.
"""

import logging
import socket
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

from recollect.e5.app import create_app
from recollect.e5.limits import EmbeddingServerLimits
from recollect.e5.models import ServedModel, full_name, load_model, require_runnable
from recollect.e5.request_queue import RequestQueue
from recollect.web.access_log import AccessLogMiddleware, log_to_stderr, path_of
from recollect.web.request_framing import RequestFramingMiddleware
from recollect.web.server import HttpServer, bind, configure, exit_on_signals, listen, open_to, url_of

LOG: Final = logging.getLogger("recollect.e5")
_LAST_REQUESTS_S: Final = 120


@dataclass(frozen=True, slots=True)
class EmbeddingServerConfig:
    """What to serve, and where."""

    host: str
    port: int
    model: str
    limits: EmbeddingServerLimits
    verbose: bool = False


@dataclass(frozen=True, slots=True)
class EmbeddingServerReady:
    """What is served, and where. `open_to` is the address when others than this machine may reach it."""

    model: str
    dimension: int
    url: str
    open_to: str | None = None


class EmbeddingServerListener(Protocol):
    """Who started the server, and wants to know how far it is."""

    def loading(self, model: str) -> None:
        """Hear that the model is being loaded, which may take long."""
        ...

    def ready(self, ready: EmbeddingServerReady) -> None:
        """Hear that requests are answered from now on."""
        ...


def serve(plan: EmbeddingServerConfig, audience: EmbeddingServerListener) -> None:
    """Serve until a signal ends it. Raises EmbeddingError without a model, and ServerError without a port."""
    require_runnable(plan.model)
    with exit_on_signals(), closing(bind(plan.host, plan.port)) as listener:
        audience.loading(full_name(plan.model))
        model = load_model(plan.model)
        listen(listener)
        log_to_stderr(LOG, logging.Formatter("%(asctime)s %(message)s"), requests=plan.verbose)
        with closing(RequestQueue(model)) as line:
            server = create_server(model, line, plan.limits)
            server.announce = partial(audience.ready, _ready(model, listener))
            server.run(sockets=[listener])


def create_server(model: ServedModel, line: RequestQueue, limits: EmbeddingServerLimits) -> HttpServer:
    """Make the server around the application."""
    app = AccessLogMiddleware(RequestFramingMiddleware(create_app(model, line, limits)), LOG, path_of)
    return HttpServer(configure(app, last_requests_s=_LAST_REQUESTS_S))


def _ready(model: ServedModel, listener: socket.socket) -> EmbeddingServerReady:
    return EmbeddingServerReady(model.name, model.dimension, url_of(listener), open_to(listener))
