"""A client that keeps a server busy: so many connections, each with its next request as soon as it has an answer.

It is as lean as a client can be here, since what it takes of a processor is not there for the server.
"""

import asyncio
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from urllib.parse import urlsplit

_HEAD_END = b"\r\n\r\n"
_LENGTH = b"content-length: "
_STATUS = slice(9, 12)
_FINE = frozenset({b"200", b"201"})
_COMPLETE = b'"degraded":[]'
_INCOMPLETE = b'"degraded":'
_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Load:
    """What to ask: requests as they go over the wire, one after the other and over again.

    It ends after so many seconds, or after so many requests if that is said.
    """

    url: str
    requests: Sequence[bytes]
    connections: int
    seconds: float = 0.0
    amount: int = 0


@dataclass(slots=True)
class Answered:
    """What came of it."""

    latencies_s: list[float] = field(default_factory=list)
    errors: dict[str, int] = field(default_factory=dict)
    took_s: float = 0.0
    worked_s: float = 0.0  # how long processors worked for whoever answered

    @property
    def per_second(self) -> float:
        """Answers a second."""
        return len(self.latencies_s) / self.took_s

    @property
    def per_core(self) -> float:
        """Answers a second of a processor's work. What else the machine has to do does not count."""
        return len(self.latencies_s) / self.worked_s

    def quantile_s(self, percent: int) -> float:
        """Give the time within which so many of a hundred answers came."""
        return statistics.quantiles(self.latencies_s, n=100, method="inclusive")[percent - 1]

    def fail(self, what: str) -> None:
        """Note an answer that should not have been."""
        self.errors[what] = self.errors.get(what, 0) + 1


def run(load: Load) -> Answered:
    """Ask until it is enough."""
    return asyncio.run(_run(load))


async def _run(load: Load) -> Answered:
    loop = asyncio.get_running_loop()
    address = urlsplit(load.url)
    host, port = address.hostname or "", address.port or 0
    asking = _Asking(load)
    connections = []
    for _ in range(load.connections):
        _, connection = await loop.create_connection(lambda: _Connection(asking), host, port)
        connections.append(connection)
    asking.begin()
    for connection in connections:
        connection.ask()
    async with asyncio.timeout(load.seconds + _PATIENCE_S + load.amount / 10):
        await asyncio.gather(*(connection.done for connection in connections))
    asking.answered.took_s = time.perf_counter() - asking.started
    return asking.answered


class _Asking:
    """What the connections share: what is next, until when, and what came of it."""

    def __init__(self, load: Load) -> None:
        self.answered = Answered()
        self.started = 0.0
        self._load = load
        self._turns = count()

    def begin(self) -> None:
        self.started = time.perf_counter()

    def next(self) -> bytes | None:
        """Give the next request; None when it is enough."""
        turn = next(self._turns)
        if self._load.amount:
            if turn >= self._load.amount:
                return None
        elif time.perf_counter() - self.started >= self._load.seconds:
            return None
        return self._load.requests[turn % len(self._load.requests)]


class _Connection(asyncio.Protocol):
    def __init__(self, asking: _Asking) -> None:
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._asking = asking
        self._transport: asyncio.Transport | None = None
        self._arrived = b""
        self._sent = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):
            self._transport = transport

    def ask(self) -> None:
        request = self._asking.next()
        if self._transport is None or request is None:
            self._end()
            return
        self._sent = time.perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._arrived += data
        head = self._arrived.find(_HEAD_END)
        if head < 0:
            return
        place = self._arrived.find(_LENGTH, 0, head)
        if place < 0:
            self._asking.answered.fail("an answer without a length")
            self._end()
            return
        length = int(self._arrived[place + len(_LENGTH) : self._arrived.index(b"\r\n", place)])
        if len(self._arrived) < head + len(_HEAD_END) + length:
            return
        answer, self._arrived = self._arrived, b""
        if answer[_STATUS] not in _FINE:
            self._asking.answered.fail(f"status {answer[_STATUS].decode()}")
        elif _COMPLETE not in answer and _INCOMPLETE in answer:
            self._asking.answered.fail("something was missing in the answer")
        else:
            self._asking.answered.latencies_s.append(time.perf_counter() - self._sent)
        self.ask()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self._asking.answered.fail(f"connection lost: {type(exc).__name__}")
            self.done.set_result(None)

    def _end(self) -> None:
        if not self.done.done():
            self.done.set_result(None)
        if self._transport is not None:
            self._transport.close()
