"""What stands on every answer: the number of the request, and what a browser may do with what it got."""

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
_UNLESS_SAID: Final = (b"cache-control", b"no-store")


class RequestIds:
    """Gives each request a number: the client's own, if it is one that can stand in a log, or else a new one.

    It is in the answer, and in `scope["state"]["request_id"]` for whoever writes about the request.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Number a request, and its answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).getlist(REQUEST_ID)
        number = given[0] if len(given) == 1 and _USABLE_ID.fullmatch(given[0]) else uuid4().hex
        scope.setdefault("state", {})["request_id"] = number
        await self._app(scope, receive, _with_headers(send, ((REQUEST_ID.lower().encode(), number.encode()),)))


class SecurityHeaders:
    """Tells browsers to guess nothing, to load nothing, to keep nothing, and to tell nobody where they have been."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Put the headers on the answer. How long it may be kept, the route may say otherwise."""
        guarded = _with_headers(send, _ALWAYS, (_UNLESS_SAID,)) if scope["type"] == "http" else send
        await self._app(scope, receive, guarded)


Pairs = tuple[tuple[bytes, bytes], ...]


def _with_headers(send: Send, always: Pairs, unless_said: Pairs = ()) -> Send:
    replaced = {name for name, _ in always}

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [(name.lower(), value) for name, value in message.get("headers", ())]
            said = {name for name, _ in kept}
            message["headers"] = [
                *(pair for pair in kept if pair[0] not in replaced),
                *always,
                *(pair for pair in unless_said if pair[0] not in said),
            ]
        await send(message)

    return sending
