"""Connections that can be cut.

A connection is closed in good order when the client has read what was written to it. One who does not read would keep
it, and what waits in it, for as long as they like; so a server must be able to hang up.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

_CUT: Final = "recollect.cut"


class CuttableConnection(H11Protocol):
    """A connection that lets whoever answers a request cut it."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Tell every request how."""
        super().connection_made(transport)
        app = self.app

        async def cuttable(scope: Scope, receive: Receive, send: Send) -> None:
            scope.setdefault("extensions", {})[_CUT] = transport.abort
            await app(scope, receive, send)

        self.app = cuttable


def cut(scope: Scope) -> None:
    """End a connection now, whether the client has read what was sent or not; what waits to be sent is gone.

    Where a server knows no way, it ends when the client has read.
    """
    abort: Callable[[], None] | None = scope.get("extensions", {}).get(_CUT)
    if abort is not None:
        abort()
