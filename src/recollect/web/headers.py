"""Headers on every answer: the request id, and what a browser may do with it."""

import re
from typing import Final
from uuid import uuid4

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

REQUEST_ID: Final = "X-Request-ID"
_USABLE_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_ALWAYS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
_UNLESS_SET: Final = (b"cache-control", b"no-store")
_CSP: Final = b"content-security-policy"
_USUAL_CSP: Final = (_CSP, b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")

# No script or style but those of these files, no frame around the page, no request to any other host.
PAGE_CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'"
)


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


HeaderPairs = tuple[tuple[bytes, bytes], ...]


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
