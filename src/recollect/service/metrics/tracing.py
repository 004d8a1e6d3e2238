"""OpenTelemetry traces: a span per request, with the stages of its searches as events.

Used if it is installed (`recollect[otel]`); nothing happens until a program sets up an exporter. Spans hold declared
routes, methods, statuses and times: never an id, a user or a text.
"""

from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect._version import __version__
from recollect.service.metrics.metric_labels import OTHER, method_name, route_name
from recollect.web.access_log import ResponseRecorder

try:
    from opentelemetry import trace
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
except ImportError:  # it is an extra
    INSTALLED = False
else:
    INSTALLED = True

_SCHEMES: Final = frozenset({"http", "https"})


def add_tracing(app: ASGIApp) -> ASGIApp:
    """Make a span of each request to an application, if OpenTelemetry is installed; a `traceparent` is continued."""
    return _TracingMiddleware(app) if INSTALLED else app


def record_stage(stage: str, seconds: float) -> None:
    """Add the duration of a stage of a search to the span of the request."""
    if INSTALLED:
        taken: dict[str, str | float] = {"recollect.stage": stage, "recollect.duration_ms": round(1000 * seconds, 3)}
        trace.get_current_span().add_event("recollect.recall", taken)


def record_degraded(part: str) -> None:
    """Add a degraded part of the answer to the span of the request."""
    if INSTALLED:
        trace.get_current_span().add_event("recollect.degraded", {"recollect.part": part})


class _TracingMiddleware:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._tracer = trace.get_tracer("recollect", __version__)
        self._parent = TraceContextTextMapPropagator()  # and no baggage: clients may write anything into that

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_unused = isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)  # no program has an exporter
        if scope["type"] != "http" or is_unused:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        parent = {name: headers[name] for name in ("traceparent", "tracestate") if name in headers}
        method = method_name(scope)
        with self._tracer.start_as_current_span(
            method if method != OTHER else "HTTP",
            context=self._parent.extract(parent),
            kind=trace.SpanKind.SERVER,
            attributes={"http.request.method": method if method != OTHER else "_OTHER"},
            record_exception=False,  # its message may quote a text
            set_status_on_exception=False,
        ) as span:
            response = ResponseRecorder(send)
            try:
                await self._app(scope, receive, response)
            except Exception as error:
                _failed(span, type(error).__name__)
                raise
            finally:
                _describe(span, scope, response.status)


def _describe(span: "trace.Span", scope: Scope, status: int) -> None:
    route = route_name(scope)
    if route != OTHER:
        span.set_attribute("http.route", route)
        span.update_name(f"{method_name(scope)} {route}")
    if scope.get("scheme") in _SCHEMES:
        span.set_attribute("url.scheme", scope["scheme"])
    if status:
        span.set_attribute("http.response.status_code", status)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _failed(span, str(status))


def _failed(span: "trace.Span", kind: str) -> None:
    span.set_attribute("error.type", kind)
    span.set_status(trace.StatusCode.ERROR)
