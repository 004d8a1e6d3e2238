"""What whoever runs the service can watch: how many requests, how fast, what went without, what waits.

Labels are routes as they were declared, methods, statuses and names of parts: never an id, a user, a query or a path as
somebody sent it. So nothing about anybody can be read from the figures, and nobody can make them grow.
"""

import platform
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect._version import __version__
from recollect.api.memory import Memory
from recollect.ports import Stage
from recollect.service import telemetry
from recollect.service.health import Health
from recollect.service.holdings import Holdings
from recollect.service.naming import OTHER, SYNC_STATES, method_name, route_name
from recollect.service.sums import Folder, added, sheet_of

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
EVENT_STREAM: Final = "text/event-stream"

_REFUSALS: Final = frozenset({401, 403, 429})
_PARTS: Final = ("vector", "text", "context", "recall", "saving")
_STAGES: Final[tuple[Stage, ...]] = ("embed", "store", "rank", "total")
_OF_THE_PROCESS: Final = frozenset({"process_cpu_seconds", "process_resident_memory_bytes", "process_open_fds"})
_BUCKETS_S: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
_FINER_BUCKETS_S: Final = (0.0001, 0.0002, 0.0005, *_BUCKETS_S)


class Metrics:
    """The figures of the service, and whether it is well. Threads may share it.

    `shared` is the folder in which the processes of one server leave their figures for each other; without it, this
    process is alone.
    """

    def __init__(self, memory: Memory, shared: Path | None = None) -> None:
        self._counts = _Counts()
        self._holdings = Holdings(memory)
        self.health = Health(memory, self._holdings)
        self._folder = Folder(shared, self._counts) if shared else None
        memory.operations.observe(self._counts)

    def around(self, app: ASGIApp) -> ASGIApp:
        """Count the requests to an application, and make spans of them if that is wanted.

        It sees only what reaches it: who is turned away is counted if this stands before the lock.
        """
        return _Counting(telemetry.traced(app), self._counts)

    def synced(self, state: str) -> None:
        """Note how the sync of a folder ended."""
        self._counts.syncs.labels(state).inc()

    def show(self) -> bytes:
        """Write all figures as Prometheus reads them."""
        return generate_latest(self)

    def collect(self) -> Iterator[Metric]:
        """Give the figures of all processes, and of the store."""
        sheets = self._folder.sheets() if self._folder else [sheet_of(self._counts)]
        about = GaugeMetricFamily("recollect_build_info", "What is running.", labels=["version", "python"])
        about.add_metric([__version__, platform.python_version()], 1)
        yield about
        running = sum(sheet.current for sheet in sheets)
        yield GaugeMetricFamily("recollect_processes", "Processes that serve requests.", running)
        yield from added(sheets)
        yield from self._holdings.collect()

    def close(self) -> None:
        """Leave the last figures for the other processes."""
        if self._folder:
            self._folder.close()


class _Counts:
    """What this process has counted. The engine tells it how its searches go."""

    def __init__(self) -> None:
        own = CollectorRegistry()  # not the library's own one, which whoever else uses the library fills
        self._registry = own
        self._process = ProcessCollector(registry=None)
        self.requests = Counter(
            "recollect_requests", "Requests that were answered.", ["method", "route", "status"], registry=own
        )
        self.latency = Histogram(
            "recollect_request_seconds",
            "Time until an answer was complete, or until a live one began.",
            ["route"],
            buckets=_BUCKETS_S,
            registry=own,
        )
        self.in_flight = Gauge("recollect_requests_in_flight", "Requests that are being answered.", registry=own)
        self.streams = Gauge("recollect_streams_open", "Live answers that are open.", ["route"], registry=own)
        self.refusals = Counter("recollect_refusals", "Requests that were turned away.", ["status"], registry=own)
        self.syncs = Counter(
            "recollect_folder_syncs",
            "Looks through folders that are kept in step, by how they ended.",
            ["state"],
            registry=own,
        )
        recall = Histogram(
            "recollect_recall_seconds", "Time that searches took.", ["stage"], buckets=_FINER_BUCKETS_S, registry=own
        )
        without = Counter("recollect_degraded", "Answers that had to do without a part.", ["part"], registry=own)
        # made now, so that each is there, at 0, before anything happens
        self._stages = {stage: recall.labels(stage) for stage in _STAGES}
        self._parts = {part: without.labels(part) for part in (*_PARTS, OTHER)}
        for status in sorted(_REFUSALS):
            self.refusals.labels(str(status))
        for state in SYNC_STATES:
            self.syncs.labels(state)

    def collect(self) -> Iterator[Metric]:
        """Give what was counted, and what the process itself uses, where the system tells."""
        yield from self._registry.collect()
        yield from (one for one in self._process.collect() if one.name in _OF_THE_PROCESS)

    def took(self, stage: Stage, seconds: float) -> None:
        """Note how long a part of a search took."""
        self._stages[stage].observe(seconds)
        telemetry.note_stage(stage, seconds)

    def went_without(self, part: str) -> None:
        """Note what an answer had to do without."""
        self._parts.get(part, self._parts[OTHER]).inc()
        telemetry.note_missing(part if part in self._parts else OTHER)


class _Counting:
    """Counts requests on their way through."""

    def __init__(self, app: ASGIApp, counts: _Counts) -> None:
        self._app = app
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request be answered, and count it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = _Request(self._counts, scope, send)
        try:
            await self._app(scope, receive, request.send)
        except Exception:
            request.status = request.status or 500
            raise
        finally:
            request.end()


class _Request:
    """One request while it is being answered. One that turns out to be a stream is no longer in flight."""

    def __init__(self, counts: _Counts, scope: Scope, send: Send) -> None:
        self._counts = counts
        self._scope = scope
        self._send = send
        self._started = perf_counter()
        self._streams_on = ""
        self._ended = False
        self.status = 0
        counts.in_flight.inc()

    async def send(self, message: Message) -> None:
        """Pass a part of the answer on."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if Headers(raw=message.get("headers", [])).get("content-type", "").startswith(EVENT_STREAM):
                self._streams_on = route_name(self._scope)
                self._answered(self._streams_on)
                self._counts.streams.labels(self._streams_on).inc()
        elif message["type"] == "http.response.body" and not message.get("more_body"):
            self.end()  # before the last of it is sent, so that whoever has an answer finds it counted
        await self._send(message)

    def end(self) -> None:
        """Note what became of it, once. Without a status, whoever asked did not wait for the answer."""
        if self._ended:
            return
        self._ended = True
        route = route_name(self._scope)
        if self._streams_on:
            self._counts.streams.labels(self._streams_on).dec()
        else:
            self._answered(route)
        status = f"{self.status // 100}xx" if self.status else "gone"
        self._counts.requests.labels(method_name(self._scope), route, status).inc()
        if self.status in _REFUSALS:
            self._counts.refusals.labels(str(self.status)).inc()

    def _answered(self, route: str) -> None:
        self._counts.in_flight.dec()
        self._counts.latency.labels(route).observe(perf_counter() - self._started)
