"""The life of the service: a port, a store, requests, and an orderly end.

The port is taken first, so that nobody waits for a store that then cannot be served; connections are accepted only when
the store is open. At the end nobody new is let in, and whoever is inside is waited for.
"""

import signal
import socket
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Protocol

from recollect.api.memory import Memory
from recollect.errors import RecollectError
from recollect.service.admin import FirstKey, first_key, key_file
from recollect.service.app import create_service
from recollect.service.crew import Crew, Lifeline
from recollect.settings import Settings
from recollect.web.callers import refuse_open_address
from recollect.web.guarded import show_log
from recollect.web.listening import Server, bind, configure, ended_by_signals, listen, url_of


@dataclass(frozen=True, slots=True)
class Ready:
    """What is served, and where. `first_key` is the admin's key, when this was the first start."""

    url: str
    location: str
    backend: str
    workers: int
    key_file: Path | None  # where a key is that opens it, if there is one
    first_key: FirstKey | None


class Audience(Protocol):
    """Who started the service, and wants to know when it answers."""

    def ready(self, ready: Ready) -> None:
        """Hear that requests are answered from now on."""
        ...


def serve(settings: Settings, audience: Audience) -> None:
    """Serve until a signal ends it. Raises ServerError without a port, and StoreError without a store."""
    service = settings.serve
    refuse_open_address(service.host, service.allowed_hosts)
    with ended_by_signals(), closing(bind(service.host, service.port)) as listener:
        with Memory.open(settings=_quiet(settings)) as memory:
            made = first_key(memory)
            file = key_file(memory)
            status = memory.status()
        ready = Ready(url_of(listener), status.location, status.backend, service.workers, file, made)
        listen(listener)
        announce = partial(audience.ready, ready)
        if service.workers == 1:
            run(settings, listener, announce)
            return
        show_log(service)
        with TemporaryDirectory(prefix="recollect-") as shared:
            each = partial(work, settings, listener, shared)
            # the port is let go of at once, or whoever comes late would wait for an answer that nobody gives
            Crew(service.workers, each, service.drain_s, ending=listener.close).run(announce)


def run(
    settings: Settings,
    listener: socket.socket,
    announce: Callable[[], None],
    *,
    shared: Path | None = None,
    lifeline: Lifeline | None = None,
) -> None:
    """Serve in this process, until a signal or the end of the lifeline."""
    show_log(settings.serve)
    with Memory.open(settings=settings) as memory:
        app = create_service(memory, shared=shared)
        server = Server(configure(app.guarded, last_requests_s=settings.serve.drain_s, lifespan="on"))
        server.announce, server.ending = announce, app.end
        warming = Thread(target=_warm_up, args=(memory,), name="recollect-warm-up")
        warming.start()
        if lifeline is None or lifeline.first:
            app.folders.start()
        if lifeline is not None:
            Thread(target=_hang_on, args=(lifeline, server), name="recollect-lifeline", daemon=True).start()
        try:
            server.run(sockets=[listener])
        finally:
            warming.join()
            app.folders.wait(settings.serve.drain_s)


def work(settings: Settings, listener: socket.socket, shared: str, lifeline: Lifeline) -> None:
    """Be one of several processes that share the port."""
    with ended_by_signals():
        run(settings, listener, lifeline.say_ready, shared=Path(shared), lifeline=lifeline)


def _warm_up(memory: Memory) -> None:
    """Load what is loaded at its first use, so that nobody's first request waits for it."""
    with suppress(RecollectError):  # whoever needs it will be told
        memory.user(memory.settings.user).messages.should_capture("I prefer warm rooms.")
        if not memory.operations.embeds_remotely():
            memory.operations.embedder_problem()


def _hang_on(lifeline: Lifeline, server: Server) -> None:
    """End in good order when whoever started this process has ended."""
    lifeline.wait()
    server.handle_exit(signal.SIGTERM, None)


def _quiet(settings: Settings) -> Settings:
    """Open a store without setting anybody to work on it."""
    return replace(settings, embedding=replace(settings.embedding, worker=False))
