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
from recollect.service.failures import answer_our_errors
from recollect.service.lock import Lock
from recollect.service.routes import stream
from recollect.service.stream import Switchboard
from recollect.web.guarded import guarded
from recollect.web.listening import Server, bind, configure, listen
from recollect.web.problems import answer_errors
from recollect.web.throttle import Throttle
from tests.reliability.opening import open_memory
from tests.service.live.radio import Radio
from tests.waiting import PATIENCE_S


@dataclass(frozen=True, slots=True)
class House:
    """A running service."""

    memory: Memory
    switchboard: Switchboard
    server: Server
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
    switchboard = Switchboard(memory, **board)

    @asynccontextmanager
    async def alive(_: FastAPI) -> AsyncIterator[None]:
        async with switchboard.open():
            yield

    app = FastAPI(lifespan=alive)
    app.state.memory, app.state.switchboard = memory, switchboard
    answer_errors(app, "GET /api/stream")
    answer_our_errors(app)
    app.include_router(stream.router)
    throttle = Throttle(10**8, 10**6)

    def lock(inner: ASGIApp) -> ASGIApp:
        return Lock(inner, memory.keys.identify, throttle)

    with closing(bind("127.0.0.1", 0)) as listener:
        listener.setsockopt(
            socket.SOL_SOCKET, socket.SO_SNDBUF, 2**16
        )  # or the system takes megabytes that nobody reads
        listen(listener)
        service = guarded(app, memory.settings.serve, lock=lock)
        server = Server(configure(service, last_requests_s=PATIENCE_S, lifespan="on"))
        ready = threading.Event()
        server.announce, server.ending = ready.set, switchboard.end
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            assert ready.wait(PATIENCE_S)
            yield House(memory, switchboard, server, f"http://127.0.0.1:{listener.getsockname()[1]}")
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
