"""Prometheus metrics: how many requests, how fast, how degraded.

Labels are declared routes, methods, statuses and names of parts: never an id, a user, a query or a path as it was sent.
So the metrics say nothing about a user, and no client can make them grow.
"""

import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
from recollect.service.metrics import tracing
from recollect.service.metrics.metric_labels import (
    BACKUP_STATES,
    LIMIT_REASONS,
    OTHER,
    SYNC_STATES,
    WORK_CLASSES,
    LimitReason,
    WorkClass,
    method_name,
    route_name,
)
from recollect.service.metrics.multiprocess_metrics import MetricsFolder, collect_process, sum_processes
from recollect.service.metrics.readiness import ReadinessProbe
from recollect.service.metrics.store_gauges import StoreGauges

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
EVENT_STREAM: Final = "text/event-stream"

_REFUSALS: Final = frozenset({401, 403, 429})
_PARTS: Final = ("vector", "text", "context", "reranker", "recall", "saving")
_STAGES: Final[tuple[Stage, ...]] = ("embed", "store", "rank", "rerank", "total")
_OF_THE_PROCESS: Final = frozenset({"process_cpu_seconds", "process_resident_memory_bytes", "process_open_fds"})
_BUCKETS_S: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
_FINER_BUCKETS_S: Final = (0.0001, 0.0002, 0.0005, *_BUCKETS_S)


class Metrics:
    """The metrics of the service, with its readiness checks. Thread-safe.

    `shared` is the folder in which the processes of one server exchange metrics; without it there is one process.
    """

    def __init__(self, memory: Memory, shared: Path | None = None) -> None:
        self._counters = _ProcessCounters()
        self._gauges = StoreGauges(memory)
        self.readiness = ReadinessProbe(memory, self._gauges)
        self._folder = MetricsFolder(shared, self._counters) if shared else None
        memory.operations.observe(self._counters)

    def around(self, app: ASGIApp) -> ASGIApp:
        """Count and trace the requests to an application; those that authentication refuses too, if it is inside."""
        return _MetricsMiddleware(tracing.add_tracing(app), self._counters)

    def backed_up(self, state: str) -> None:
        """Count a backup, by how it ended."""
        self._counters.backups.labels(state).inc()

    def synced(self, state: str) -> None:
        """Count a sync of a folder by how it ended."""
        self._counters.syncs.labels(state).inc()

    def limited(self, reason: LimitReason) -> None:
        """Count a request that a limit has turned away."""
        self._counters.limited.labels(reason).inc()

    @contextmanager
    def waiting(self, work: WorkClass) -> Iterator[Callable[[], None]]:
        """Count a request that waits for its turn, until the function that is given is called."""
        waiting, started, begun = self._counters.waiting.labels(work), perf_counter(), False
        waiting.inc()

        def begin() -> None:
            nonlocal begun
            begun = True
            waiting.dec()
            self._counters.waited.labels(work).observe(perf_counter() - started)

        try:
            yield begin
        finally:
            if not begun:
                waiting.dec()

    def show(self) -> bytes:
        """Encode all metrics for Prometheus."""
        return generate_latest(self)

    def collect(self) -> Iterator[Metric]:
        """Give the metrics of all processes, and of the store."""
        processes = self._folder.read_all() if self._folder else [collect_process(self._counters)]
        about = GaugeMetricFamily("recollect_build_info", "What is running.", labels=["version", "python"])
        about.add_metric([__version__, platform.python_version()], 1)
        yield about
        running = sum(process.current for process in processes)
        yield GaugeMetricFamily("recollect_processes", "Processes that serve requests.", running)
        yield from sum_processes(processes)
        yield from self._gauges.collect()

    def close(self) -> None:
        """Leave the last metrics for the other processes."""
        if self._folder:
            self._folder.close()


class _ProcessCounters:
    """The counters of this process. It is the engine's observer of searches."""

    def __init__(self) -> None:
        own = CollectorRegistry()  # not the library's global one, which other users of the library fill
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
        self.limited = Counter(
            "recollect_limited", "Requests that a limit turned away, by the limit.", ["reason"], registry=own
        )
        self.waiting = Gauge("recollect_waiting", "Requests that wait for their turn.", ["work"], registry=own)
        self.waited = Histogram(
            "recollect_waiting_seconds",
            "Time that requests waited for their turn.",
            ["work"],
            buckets=_BUCKETS_S,
            registry=own,
        )
        self.syncs = Counter(
            "recollect_folder_syncs",
            "Looks through folders that are kept in step, by how they ended.",
            ["state"],
            registry=own,
        )
        self.backups = Counter("recollect_backups", "Backups at intervals, by how they ended.", ["state"], registry=own)
        recall = Histogram(
            "recollect_recall_seconds", "Time that searches took.", ["stage"], buckets=_FINER_BUCKETS_S, registry=own
        )
        degraded = Counter("recollect_degraded", "Answers that had to do without a part.", ["part"], registry=own)
        # made now, so that each is there, at 0, before anything happens
        self._stages = {stage: recall.labels(stage) for stage in _STAGES}
        self._parts = {part: degraded.labels(part) for part in (*_PARTS, OTHER)}
        for status in sorted(_REFUSALS):
            self.refusals.labels(str(status))
        for state in SYNC_STATES:
            self.syncs.labels(state)
        for reason in LIMIT_REASONS:
            self.limited.labels(reason)
        for work in WORK_CLASSES:
            self.waiting.labels(work)
            self.waited.labels(work)
        for state in BACKUP_STATES:
            self.backups.labels(state)

    def collect(self) -> Iterator[Metric]:
        """Give the counters, and what the process itself uses, where the system tells."""
        yield from self._registry.collect()
        yield from (family for family in self._process.collect() if family.name in _OF_THE_PROCESS)

    def took(self, stage: Stage, seconds: float) -> None:
        """Observe how long a stage of a search took."""
        self._stages[stage].observe(seconds)
        tracing.record_stage(stage, seconds)

    def went_without(self, part: str) -> None:
        self._parts.get(part, self._parts[OTHER]).inc()
        tracing.record_degraded(part if part in self._parts else OTHER)


class _MetricsMiddleware:
    """Middleware that counts requests."""

    def __init__(self, app: ASGIApp, counters: _ProcessCounters) -> None:
        self._app = app
        self._counters = counters

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = _CountedRequest(self._counters, scope, send)
        try:
            await self._app(scope, receive, request.send)
        except Exception:
            request.status = request.status or 500
            raise
        finally:
            request.end()


class _CountedRequest:
    """One request while it is being answered. One that turns out to be a stream is no longer in flight."""

    def __init__(self, counters: _ProcessCounters, scope: Scope, send: Send) -> None:
        self._counters = counters
        self._scope = scope
        self._send = send
        self._started = perf_counter()
        self._stream_route = ""
        self._ended = False
        self.status = 0
        counters.in_flight.inc()

    async def send(self, message: Message) -> None:
        """Pass a part of the answer on."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if Headers(raw=message.get("headers", [])).get("content-type", "").startswith(EVENT_STREAM):
                self._stream_route = route_name(self._scope)
                self._observe_latency(self._stream_route)
                self._counters.streams.labels(self._stream_route).inc()
        elif message["type"] == "http.response.body" and not message.get("more_body"):
            self.end()  # before the last of it is sent, so that a client that has an answer finds it counted
        await self._send(message)

    def end(self) -> None:
        """Count the outcome, once. Without a status, the client did not wait for the answer."""
        if self._ended:
            return
        self._ended = True
        route = route_name(self._scope)
        if self._stream_route:
            self._counters.streams.labels(self._stream_route).dec()
        else:
            self._observe_latency(route)
        status = f"{self.status // 100}xx" if self.status else "gone"
        self._counters.requests.labels(method_name(self._scope), route, status).inc()
        if self.status in _REFUSALS:
            self._counters.refusals.labels(str(self.status)).inc()

    def _observe_latency(self, route: str) -> None:
        self._counters.in_flight.dec()
        self._counters.latency.labels(route).observe(perf_counter() - self._started)
