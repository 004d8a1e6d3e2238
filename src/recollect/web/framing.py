"""Where a request ends must be beyond doubt.

A request that gives its length in two ways ends in two places. A proxy may believe one and we the other; what lies
between would be taken for the next request, of whoever comes next on the same connection.
"""

from http import HTTPStatus
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from recollect.web.problems import Refused

_LENGTHS: Final = frozenset({b"content-length", b"transfer-encoding"})


class Framing:
    """Refuses requests that give both a length and a transfer coding, and ends their connection (RFC 9112, 6.3)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it at once."""
        if scope["type"] == "http" and {name.lower() for name, _ in scope["headers"]} >= _LENGTHS:
            await _doubtful().answer()(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _doubtful() -> Refused:
    return Refused(
        HTTPStatus.BAD_REQUEST,
        "The request has both Content-Length and Transfer-Encoding. Send one of them.",
        headers={"Connection": "close"},
    )
