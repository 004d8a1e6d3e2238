"""Traces for those who have OpenTelemetry: a span per request, with the stages of its searches as events.

It is used if it is installed (`recollect[otel]`), and does nothing until a program sets up where spans go; that is not
our business. Spans hold routes as they were declared, methods, statuses and times: never an id, a user or a text.
"""

from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect._version import __version__
from recollect.service.naming import OTHER, method_name, route_name

try:
    from opentelemetry import trace
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
except ImportError:  # it is an extra
    INSTALLED = False
else:
    INSTALLED = True

_SCHEMES: Final = frozenset({"http", "https"})


def traced(app: ASGIApp) -> ASGIApp:
    """Make a span of each request to an application, if spans can be made. A `traceparent` is continued."""
    return _Traced(app) if INSTALLED else app


def note_stage(stage: str, seconds: float) -> None:
    """Note on the span of the request how long a part of its search took."""
    if INSTALLED:
        taken: dict[str, str | float] = {"recollect.stage": stage, "recollect.duration_ms": round(1000 * seconds, 3)}
        trace.get_current_span().add_event("recollect.recall", taken)


def note_missing(part: str) -> None:
    """Note on the span of the request what its answer had to do without."""
    if INSTALLED:
        trace.get_current_span().add_event("recollect.degraded", {"recollect.part": part})


class _Traced:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._tracer = trace.get_tracer("recollect", __version__)  # of whoever provides spans, now or later
        self._parent = TraceContextTextMapPropagator()  # and no baggage: strangers may write anything into that

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request be answered inside of its span."""
        if scope["type"] != "http" or _nobody_listens():
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = {name: headers[name] for name in ("traceparent", "tracestate") if name in headers}
        method = method_name(scope)
        with self._tracer.start_as_current_span(
            method if method != OTHER else "HTTP",
            context=self._parent.extract(given),
            kind=trace.SpanKind.SERVER,
            attributes={"http.request.method": method if method != OTHER else "_OTHER"},
            record_exception=False,  # its message may quote a text
            set_status_on_exception=False,
        ) as span:
            answer = _Answer(send)
            try:
                await self._app(scope, receive, answer)
            except Exception as error:
                _failed(span, type(error).__name__)
                raise
            finally:
                _describe(span, scope, answer.status)


def _nobody_listens() -> bool:
    """Tell whether no program has set up where spans go; then making one is not worth the time."""
    return isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


class _Answer:
    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0

    async def __call__(self, message: Message) -> None:
        self.status = message.get("status", self.status)
        await self._send(message)


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
