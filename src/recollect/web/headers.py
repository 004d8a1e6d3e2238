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
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
)
_UNLESS_SET: Final = (b"cache-control", b"no-store")


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
    """Middleware with the security headers: browsers guess, load, cache and tell nothing."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with_headers = _with_headers(send, _ALWAYS, (_UNLESS_SET,)) if scope["type"] == "http" else send
        await self._app(scope, receive, with_headers)


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
