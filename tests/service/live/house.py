"""A service with nothing but live search, whose parts a test can look at; run as a module it is a process of its own.

The guards, the lock and the server are those of the real one.
"""

import socket
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from starlette.types import ASGIApp

from recollect import Memory
from recollect.service.admission.admission import RequestAdmission
from recollect.service.authentication import AuthenticationMiddleware
from recollect.service.error_responses import add_error_handler
from recollect.service.live.subscriptions import LiveSubscriptions
from recollect.service.metrics.service_metrics import Metrics
from recollect.service.routes import live
from recollect.web.body_limits import RateLimiter
from recollect.web.middleware import add_middleware
from recollect.web.problems import add_error_handlers
from recollect.web.server import HttpServer, bind, configure, listen
from tests.reliability.opening import open_memory
from tests.service.live.radio import Radio
from tests.waiting import PATIENCE_S


@dataclass(frozen=True, slots=True)
class House:
    """A running service."""

    memory: Memory
    subscriptions: LiveSubscriptions
    server: HttpServer
    url: str

    def key(self, user: str = "me") -> str:
        """Make a key that may read."""
        return self.memory.keys.create(user=user, scopes=["read"]).secret

    def waiting_bytes(self) -> int:
        """How much waits to be sent, in all connections."""
        lines = [getattr(one, "transport", None) for one in list(self.server.server_state.connections)]
        return sum(line.get_write_buffer_size() for line in lines if line is not None)

    def radio(self, key: str = "", **asked: Any) -> Radio:
        """Listen."""
        return Radio(self.url, key or self.key(), **asked)


@contextmanager
def hosting(memory: Memory, **board: float) -> Iterator[House]:
    """Serve live search on a free port of this machine."""
    subscriptions = LiveSubscriptions(memory, **board)

    @asynccontextmanager
    async def alive(_: FastAPI) -> AsyncIterator[None]:
        async with subscriptions.open():
            yield

    app = FastAPI(lifespan=alive)
    app.state.memory, app.state.subscriptions = memory, subscriptions
    add_error_handlers(app, "GET /api/stream")
    add_error_handler(app)
    app.include_router(live.router)
    throttle = RateLimiter(10**8, 10**6)
    app.state.admission = RequestAdmission(memory, throttle, Metrics(memory))

    def lock(inner: ASGIApp) -> ASGIApp:
        return AuthenticationMiddleware(inner, memory.keys, throttle)

    with closing(bind("127.0.0.1", 0)) as listener:
        listener.setsockopt(
            socket.SOL_SOCKET, socket.SO_SNDBUF, 2**16
        )  # or the system takes megabytes that nobody reads
        listen(listener)
        service = add_middleware(app, memory.settings.serve, authenticate=lock)
        server = HttpServer(configure(service, last_requests_s=PATIENCE_S, lifespan="on"))
        ready = threading.Event()
        server.announce, server.ending = ready.set, subscriptions.end
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            assert ready.wait(PATIENCE_S)
            yield House(memory, subscriptions, server, f"http://127.0.0.1:{listener.getsockname()[1]}")
        finally:
            server.should_exit = True
            thread.join(PATIENCE_S)
            assert not thread.is_alive()


def main(database: str) -> None:
    """Serve until whoever started this hangs up."""
    with open_memory(database) as memory, hosting(memory) as house:
        sys.stdout.write(f"{house.url}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
