"""The life of the server: a port, a model, requests, and an orderly end.

The port is taken before the model is loaded, so that no model is loaded that cannot be served; connections are accepted
only afterwards, so that every connection is answered.
"""

import logging
import socket
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

from recollect.web.access_log import AccessLogMiddleware, log_to_stderr, path_of
from recollect.web.middleware import RequestFramingMiddleware
from recollect.web.server import HttpServer, bind, configure, exit_on_signals, listen, open_to, url_of
from recollect_connect.e5.app import RequestQueue, create_app
from recollect_connect.e5.limits import EmbeddingServerLimits
from recollect_connect.e5.models import ServedModel, full_name, load_model, require_runnable

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
    """What is served, and where. `open_to` is the address when other machines may reach it."""

    model: str
    dimension: int
    url: str
    open_to: str | None = None


class EmbeddingServerListener(Protocol):
    """The caller of `serve`, who is told how far it is."""

    def loading(self, model: str) -> None:
        """The model is being loaded, which may take long."""
        ...

    def ready(self, ready: EmbeddingServerReady) -> None:
        """Requests are answered from now on."""
        ...


def serve(config: EmbeddingServerConfig, audience: EmbeddingServerListener) -> None:
    """Serve until a signal ends it. Raises EmbeddingError without a model, and ServerError without a port."""
    require_runnable(config.model)
    with exit_on_signals(), closing(bind(config.host, config.port)) as listener:
        audience.loading(full_name(config.model))
        model = load_model(config.model)
        listen(listener)
        log_to_stderr(LOG, logging.Formatter("%(asctime)s %(message)s"), requests=config.verbose)
        with closing(RequestQueue(model)) as queue:
            server = create_server(model, queue, config.limits)
            server.announce = partial(audience.ready, _ready(model, listener))
            server.run(sockets=[listener])


def create_server(model: ServedModel, queue: RequestQueue, limits: EmbeddingServerLimits) -> HttpServer:
    """Make the server around the application."""
    app = AccessLogMiddleware(RequestFramingMiddleware(create_app(model, queue, limits)), LOG, path_of)
    return HttpServer(configure(app, last_requests_s=_LAST_REQUESTS_S))


def _ready(model: ServedModel, listener: socket.socket) -> EmbeddingServerReady:
    return EmbeddingServerReady(model.name, model.dimension, url_of(listener), open_to(listener))
