"""What the operator sees: a line per request when asked for, and where the server failed. Never what was sent."""

import logging
import time
import traceback
from pathlib import PurePath
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOG: Final = logging.getLogger("recollect.e5")


class Journal:
    """The outermost room: no failure leaves it, and requests are noted on the way out."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request be served, whatever comes of it."""
        started = time.perf_counter()
        status = 0

        async def noted(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except Exception as error:  # noqa: BLE001 - the HTTP edge: it has been answered with a 500 already
            # no traceback: it ends with the message of the error, which may quote a text
            LOG.error("%s %s failed: %s", scope.get("method"), _path(scope), _whereabouts(error))  # noqa: TRY400
        LOG.info("%s %s %d %.0f ms", scope.get("method"), _path(scope), status, 1000 * (time.perf_counter() - started))


def _path(scope: Scope) -> str:
    """Give the path as it was sent, without the query; it cannot break a line, since it is still encoded."""
    raw: bytes = scope.get("raw_path") or b""
    return raw.partition(b"?")[0].decode("ascii", "backslashreplace")


def _whereabouts(error: Exception) -> str:
    """Say what kind of error it was, and where."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
