"""Against request smuggling: a request with two lengths ends in two places.

A proxy may believe one and we the other; what lies between would become the next request of another client.
"""

from http import HTTPStatus
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from recollect.web.problems import RequestRefused

_LENGTHS: Final = frozenset({b"content-length", b"transfer-encoding"})


class RequestFramingMiddleware:
    """Middleware that refuses requests with both a length and a transfer coding (RFC 9112, 6.3)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and {name.lower() for name, _ in scope["headers"]} >= _LENGTHS:
            await _doubtful().answer()(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _doubtful() -> RequestRefused:
    return RequestRefused(
        HTTPStatus.BAD_REQUEST,
        "The request has both Content-Length and Transfer-Encoding. Send one of them.",
        headers={"Connection": "close"},
    )
