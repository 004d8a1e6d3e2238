"""Requests as spans: named by their route, continuing the caller's trace, and holding nothing that anybody said."""

from collections.abc import Sequence

import httpx2
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from recollect.service.metrics import tracing
from tests.service.conftest import Running
from tests.waiting import until

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)

PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
PLACE = "zanzibar"


@pytest.fixture(scope="session")
def provider() -> TracerProvider:
    """Whoever takes spans; a process can have one only, and for good, whatever runs between these tests."""
    provided = TracerProvider()
    trace.set_tracer_provider(provided)
    return provided


@pytest.fixture(scope="session")
def exporter(provider: TracerProvider) -> InMemorySpanExporter:
    kept = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    return kept


@pytest.fixture
def spans(exporter: InMemorySpanExporter) -> InMemorySpanExporter:
    """The spans of one test; a service is gone, and its requests are over, before the next begins."""
    exporter.clear()
    return exporter


def named(exporter: InMemorySpanExporter, name: str) -> ReadableSpan:
    """Give a span once it is over, which is a moment after the answer was sent."""
    until(lambda: name in [span.name for span in exporter.get_finished_spans()], name)
    (span,) = [span for span in exporter.get_finished_spans() if span.name == name]
    return span


def events(span: ReadableSpan, name: str) -> Sequence[object]:
    key = {"recollect.recall": "recollect.stage", "recollect.degraded": "recollect.part"}[name]
    return [(event.attributes or {})[key] for event in span.events if event.name == name]


def test_a_request_is_a_span(spans: InMemorySpanExporter, anna: httpx2.Client) -> None:
    stored = anna.post("/api/memories/unified", json={"content": "Has a boat"}).json()["id"]
    anna.get(f"/api/memories/{stored}")
    span = named(spans, "GET /api/memories/{id}")
    assert span.kind is trace.SpanKind.SERVER
    assert dict(span.attributes or {}) == {
        "http.request.method": "GET",
        "http.route": "/api/memories/{id}",
        "http.response.status_code": 200,
        "url.scheme": "http",
    }
    assert span.status.is_unset
    assert span.parent is None


def test_the_trace_of_the_caller_goes_on(spans: InMemorySpanExporter, anna: httpx2.Client) -> None:
    anna.get("/api/stats", headers={"traceparent": PARENT, "baggage": f"user={PLACE}"})
    anna.get("/livez", headers={"traceparent": "nonsense"})
    span = named(spans, "GET /api/stats")
    assert span.parent is not None
    assert (f"{span.parent.trace_id:x}", f"{span.parent.span_id:016x}") == (
        "4bf92f3577b34da6a3ce929d0e0e4736",
        "00f067aa0ba902b7",
    )
    assert named(spans, "GET /livez").parent is None


def test_the_stages_of_a_search(spans: InMemorySpanExporter, anna: httpx2.Client) -> None:
    anna.post("/api/memories/unified", json={"content": "Has a boat in the harbour"})
    anna.get("/api/memories/search", params={"query": "where is the boat?"})
    span = named(spans, "GET /api/memories/search")
    assert events(span, "recollect.recall") == ["embed", "store", "rank", "total"]
    assert all((event.attributes or {})["recollect.duration_ms"] for event in span.events)


def test_no_span_says_anything_about_anybody(
    spans: InMemorySpanExporter, anna: httpx2.Client, service: Running
) -> None:
    stored = anna.post("/api/memories/unified", json={"content": f"Moved to {PLACE}", "subject": PLACE}).json()["id"]
    anna.get("/api/memories/search", params={"query": PLACE})
    anna.patch(f"/api/memories/{stored}", json={"content": 7, "subject": PLACE})
    anna.get(f"/{PLACE}", headers={"User-Agent": PLACE, "X-Request-ID": PLACE})
    anna.request(PLACE.upper(), f"/api/{PLACE}")
    with service.client(f"rk_{PLACE}") as nobody:
        nobody.get(f"/api/memories/{stored}")
    anna.get("/livez")
    named(spans, "GET /livez")
    shown = "".join(span.to_json() for span in spans.get_finished_spans()).lower()
    assert len(spans.get_finished_spans()) >= 5
    assert PLACE not in shown
    assert stored not in shown
    assert "anna" not in shown
    assert "rk_" not in shown


def test_a_failure_is_marked_without_its_message(
    spans: InMemorySpanExporter, anna: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise LookupError(PLACE)

    monkeypatch.setattr("recollect.api.operations.StoreOperations.search_stats", broken)
    assert anna.get("/api/stats").status_code == 500
    span = named(spans, "GET /api/stats")
    assert span.status.status_code is trace.StatusCode.ERROR
    assert (span.attributes or {})["error.type"] in ("500", "LookupError")
    assert PLACE not in span.to_json()


def test_without_the_extra_nothing_stands_in_between(monkeypatch: pytest.MonkeyPatch, database: str) -> None:
    async def app(*_: object) -> None: ...

    monkeypatch.setattr(tracing, "INSTALLED", False)
    assert tracing.add_tracing(app) is app
    tracing.record_stage("total", 1.0)
    tracing.record_degraded("vector")
