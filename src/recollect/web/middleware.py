"""The middleware of the service, from the outside in.

request id, security headers   on every answer, with what a browser may do with it
access log                     every request is logged and no failure escapes
request framing                it is clear where the request ends
host check                     before anything is done for a page that may not call
authentication                 before the body is read
gzip                           of answers, except streams
body limits                    the body, read and counted; then the application
"""

import logging
import re
from collections.abc import Callable, Iterator
from http import HTTPStatus
from ipaddress import ip_address
from typing import Final
from uuid import uuid4

from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.settings.sections import ServeSettings
from recollect.web.access_log import AccessLogMiddleware, JsonLogFormatter, log_to_stderr, route_of
from recollect.web.body_limits import BodyLimitMiddleware
from recollect.web.host_check import AllowedHosts, AllowedOrigins, HostCheckMiddleware
from recollect.web.limits import BodyLimits
from recollect.web.problems import RequestRefused

REQUEST_ID: Final = "X-Request-ID"
_USABLE_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_ALWAYS: Final = ((b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer"))
_UNLESS_SET: Final = (b"cache-control", b"no-store")
_CSP: Final = b"content-security-policy"
_USUAL_CSP: Final = (_CSP, b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")

# No script or style but those of these files, no frame around the page, no request to any other host.
PAGE_CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)

HeaderPairs = tuple[tuple[bytes, bytes], ...]

_LENGTHS: Final = frozenset({b"content-length", b"transfer-encoding"})

LOG: Final = logging.getLogger("recollect.service")
_GZIP_MIN_BYTES: Final = 1024
_GZIP_LEVEL: Final = 1  # a tenth larger than the smallest, in less than half the time


class RequestIdMiddleware:
    """Middleware that gives each request an id: the client's own if it can be logged, or a new one.

    It is in the answer, and in `scope["state"]["request_id"]` for the logs.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sent_ids = Headers(scope=scope).getlist(REQUEST_ID)
        usable = len(sent_ids) == 1 and _USABLE_ID.fullmatch(sent_ids[0])
        request_id = sent_ids[0] if usable else uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id
        await self._app(scope, receive, _with_headers(send, ((REQUEST_ID.lower().encode(), request_id.encode()),)))


class SecurityHeadersMiddleware:
    """Middleware with the security headers: browsers guess, load, cache and tell nothing.

    A route may say how long its answer is kept, and that it is a file of the page, which has a policy of its own.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with_headers = _with_headers(_with_policy(send), _ALWAYS, (_UNLESS_SET,)) if scope["type"] == "http" else send
        await self._app(scope, receive, with_headers)


def _with_policy(send: Send) -> Send:
    """Set the policy of every answer but of those that have the page's."""

    async def send_with_policy(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            if (_CSP, PAGE_CSP.encode()) not in headers:
                message["headers"] = [*(pair for pair in headers if pair[0].lower() != _CSP), _USUAL_CSP]
        await send(message)

    return send_with_policy


def _with_headers(send: Send, always: HeaderPairs, unless_set: HeaderPairs = ()) -> Send:
    replaced = {name for name, _ in always}

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [(name.lower(), value) for name, value in message.get("headers", ())]
            set_names = {name for name, _ in kept}
            message["headers"] = [
                *(pair for pair in kept if pair[0] not in replaced),
                *always,
                *(pair for pair in unless_set if pair[0] not in set_names),
            ]
        await send(message)

    return send_with_headers


class RequestFramingMiddleware:
    """Middleware that refuses requests with both a length and a transfer coding (RFC 9112, 6.3): request smuggling.

    Such a request ends in two places. A proxy may believe one and we the other; what lies between would become the next
    request of another client.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and {name.lower() for name, _ in scope["headers"]} >= _LENGTHS:
            doubtful = "The request has both Content-Length and Transfer-Encoding. Send one of them."
            refused = RequestRefused(HTTPStatus.BAD_REQUEST, doubtful, headers={"Connection": "close"})
            await refused.answer()(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def add_middleware(
    app: ASGIApp,
    settings: ServeSettings,
    limits: BodyLimits | None = None,
    *,
    authenticate: Callable[[ASGIApp], ASGIApp] = lambda app: app,
) -> ASGIApp:
    """Put the middleware around an application. Raises SettingsError when a list of hosts or origins is wrong."""
    limited = BodyLimitMiddleware(app, limits or BodyLimits())
    compressed = GZipMiddleware(limited, minimum_size=_GZIP_MIN_BYTES, compresslevel=_GZIP_LEVEL)
    hosts, origins = AllowedHosts(_host_names(settings)), AllowedOrigins(settings.allowed_origins)
    checked = RequestFramingMiddleware(HostCheckMiddleware(authenticate(compressed), hosts, origins))
    return RequestIdMiddleware(SecurityHeadersMiddleware(AccessLogMiddleware(checked, LOG, route_of)))


def start_logging(settings: ServeSettings) -> None:
    """Log failures to standard error as JSON lines, and requests if the settings say so."""
    log_to_stderr(LOG, JsonLogFormatter(), requests=settings.access_log)


def _host_names(settings: ServeSettings) -> Iterator[str]:
    """Give the allowed names, and the loopback address that is listened on."""
    yield from settings.allowed_hosts
    try:
        address = ip_address(settings.host)
    except ValueError:  # a name: other machines may resolve it too
        return
    if address.is_loopback:
        yield settings.host
