"""The life of the service: a port, a store, requests, and an orderly end.

The port is taken first, so that no store is opened that cannot be served; connections are accepted only when the store
is open. At the end no connection is accepted, and requests under way are finished.
"""

import os
import signal
import socket
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from recollect import plugins
from recollect.api.memory import Memory
from recollect.errors import RecollectError, SettingsError, UnknownKey
from recollect.service.worker_processes import Lifeline, WorkerProcesses
from recollect.settings import Settings, admin_key_file
from recollect.web.host_check import check_listen_address
from recollect.web.middleware import start_logging
from recollect.web.server import HttpServer, bind, configure, exit_on_signals, listen, url_of


@dataclass(frozen=True, slots=True)
class FirstKey:
    """The first admin key, and the file that only its owner can read."""

    secret: str
    file: Path


@dataclass(frozen=True, slots=True)
class ServiceReady:
    """What is served, and where. `first_key` is the admin's key, when this was the first start.

    `page_link` opens the page, logged in, once within ten minutes; '' if none was wished for.
    """

    url: str
    location: str
    backend: str
    workers: int
    key_file: Path | None  # with a key that opens it, if there is one
    first_key: FirstKey | None
    page_link: str = ""


def serve(settings: Settings, tell: Callable[[ServiceReady], None], *, with_link: bool = False) -> None:
    """Serve until a signal ends it. Raises ServerError without a port, and StoreError without a store.

    `tell` is called when requests are answered. `with_link` makes a one-time link to the page, to show on a terminal.
    """
    service = settings.serve
    check_listen_address(service.host, service.allowed_hosts)
    if settings.files.watch and not plugins.installed("workers", "watched folders"):
        raise plugins.missing("files.watch", "recollect-files")
    with exit_on_signals(), closing(bind(service.host, service.port)) as listener:
        with Memory.open(settings=replace(settings, embedding=replace(settings.embedding, worker=False))) as memory:
            first_key = _create_first_key(memory)
            key_file = _find_key_file(memory)
            status = memory.status()
            secret = memory.keys.create_link(scopes=("admin",)).secret if with_link else ""
        url = url_of(listener)
        ready = ServiceReady(url, status.location, status.backend, service.workers, key_file, first_key)
        if secret:
            ready = replace(ready, page_link=page_link(url, secret))
        listen(listener)
        announce = partial(tell, ready)
        if service.workers == 1:
            run(settings, listener, announce)
            return
        start_logging(service)
        with TemporaryDirectory(prefix="recollect-") as shared:
            work = partial(serve_worker, settings, listener, shared)
            # the port is let go of at once, or late clients would wait for an answer that never comes
            WorkerProcesses(service.workers, work, service.drain_s, ending=listener.close).run(announce)


def _find_key_file(memory: Memory) -> Path | None:
    """Give the file with the first key, if it is where it was put and still opens the store."""
    file = admin_key_file(memory.settings)
    try:
        memory.keys.identify(file.read_text(encoding="ascii").strip())
    except (OSError, UnicodeDecodeError, UnknownKey):
        return None
    return file


def _create_first_key(memory: Memory) -> FirstKey | None:
    """Make the admin's key if the store never had one, and write it to a file. A revoked one is not replaced."""
    if memory.keys.had_admin():
        return None
    file = admin_key_file(memory.settings)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise SettingsError(
            f"This store has no admin key yet, but {file} exists: it belongs to another store, or to a first start "
            "that was interrupted. Move it away, or set serve.admin_key_file."
        ) from None
    except OSError as error:
        raise SettingsError(f"The admin key cannot be written to {file}: {error}. Set serve.admin_key_file.") from error
    made = memory.keys.create("admin", scopes=("admin",))
    try:
        with os.fdopen(handle, "w", encoding="ascii") as opened:
            opened.write(f"{made.secret}\n")
            opened.flush()
            os.fsync(opened.fileno())
    except OSError as error:
        memory.keys.revoke(made.key.id)
        raise SettingsError(
            f"The admin key cannot be written to {file}: {error}. It was revoked; make one with `recollect keys create "
            "--scope admin`."
        ) from error
    return FirstKey(made.secret, file)


def page_link(url: str, secret: str) -> str:
    """Give the address that opens the page. The secret is behind `#`, which no browser sends or logs."""
    return f"{url}/#login={secret}"


def run(
    settings: Settings,
    listener: socket.socket,
    announce: Callable[[], None],
    *,
    shared: Path | None = None,
    lifeline: Lifeline | None = None,
) -> None:
    """Serve in this process, until a signal or the end of the lifeline."""
    from recollect.service.app import create_service  # noqa: PLC0415 - not needed where only workers are started

    start_logging(settings.serve)
    with Memory.open(settings=settings) as memory:
        service = create_service(memory, shared=shared)
        server = HttpServer(configure(service.app, last_requests_s=settings.serve.drain_s, lifespan="on"))
        server.announce, server.ending = announce, service.end
        warm_up = Thread(target=_warm_up, args=(memory,), name="recollect-warm-up")
        warm_up.start()
        if lifeline is None or lifeline.first:
            for worker in service.workers:
                worker.start()
        if lifeline is not None:
            Thread(target=_end_with, args=(lifeline, server), name="recollect-lifeline", daemon=True).start()
        try:
            server.run(sockets=[listener])
        finally:
            warm_up.join()
            for worker in service.workers:
                worker.wait(settings.serve.drain_s)


def serve_worker(settings: Settings, listener: socket.socket, shared: str, lifeline: Lifeline) -> None:
    """Run one of several worker processes that share the port."""
    with exit_on_signals():
        run(settings, listener, lifeline.say_ready, shared=Path(shared), lifeline=lifeline)


def _warm_up(memory: Memory) -> None:
    """Load what is loaded at its first use, so that the first request does not wait for it."""
    with suppress(RecollectError):  # a request that needs it will be told
        memory.user(memory.settings.user).messages.should_capture("I prefer warm rooms.")
        if not memory.operations.embeds_remotely():
            memory.operations.embedder_problem()


def _end_with(lifeline: Lifeline, server: HttpServer) -> None:
    lifeline.wait()
    server.handle_exit(signal.SIGTERM, None)
