"""The service, run for real on a free port of this machine, in this process or as the command that people type."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from recollect import Memory
from recollect.model.literals import Permission
from recollect.service.app import create_service
from recollect.web.server import HttpServer, bind, configure, listen
from tests.fixtures import OpenMemory
from tests.plain_http import NO_CERTIFICATES
from tests.waiting import PATIENCE_S

EVERYTHING: tuple[Permission, ...] = ("read", "write", "forget")


@dataclass(frozen=True, slots=True)
class Running:
    """A service that answers requests."""

    memory: Memory
    url: str

    def key(self, user: str = "anna", scopes: Sequence[Permission] = EVERYTHING) -> str:
        """Make a key."""
        return self.memory.keys.create(user="" if "admin" in scopes else user, scopes=scopes).secret

    def client(self, key: str | None = None, **headers: str) -> httpx2.Client:
        """Give a client that presents a key."""
        shown = {"Authorization": f"Bearer {key}", **headers} if key else headers
        return httpx2.Client(
            base_url=self.url, headers=shown, timeout=PATIENCE_S, verify=NO_CERTIFICATES, trust_env=False
        )


@contextmanager
def serving(memory: Memory, port: int = 0) -> Iterator[Running]:
    """Serve a store on a port, by default a free one."""
    with closing(bind("127.0.0.1", port)) as listener:
        listen(listener)
        service = create_service(memory)
        server = HttpServer(configure(service.app, last_requests_s=5, lifespan="on"))
        ready = threading.Event()
        server.announce, server.ending = ready.set, service.end
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            assert ready.wait(PATIENCE_S)
            yield Running(memory, f"http://127.0.0.1:{listener.getsockname()[1]}")
        finally:
            server.should_exit = True
            thread.join(PATIENCE_S)


Serve = Callable[..., Running]

# A test that asks often should not be throttled, unless that is what it is about.
UNHURRIED = {"serve__burst": 10**6, "serve__requests_per_minute": 10**8}


@pytest.fixture
def serve(open_memory: OpenMemory, tmp_path: Path) -> Iterator[Serve]:
    """Serve the test's store, with settings by their dotted names."""
    usual = {**UNHURRIED, "files__originals": str(tmp_path / "originals")}
    with ExitStack() as stack:
        yield lambda **overrides: stack.enter_context(serving(open_memory(**{**usual, **overrides})))


@pytest.fixture
def service(serve: Serve) -> Running:
    """A service on the test's store."""
    return serve()


@pytest.fixture
def anna(service: Running) -> Iterator[httpx2.Client]:
    """A client with a key of Anna's that may do all but administer."""
    with service.client(service.key()) as client:
        yield client
