"""Back-pressure for uploads: documents are read in threads of their own, so that other requests need not wait."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from anyio import CapacityLimiter, to_thread
from fastapi import Response

from recollect.web.problems import RequestRefused

AT_ONCE: Final = 4
MOST_INSIDE: Final = 24
_RETRY_AFTER_S: Final = 5


class Uploads:
    """The uploads of one process: a few are read at once, a few wait, more are refused."""

    def __init__(self) -> None:
        self._threads = CapacityLimiter(AT_ONCE)
        self._inside = 0

    async def take(self, work: Callable[[], Response]) -> Response:
        """Do the work for a document in a thread. Raises RequestRefused when too many wait already."""
        if self._inside >= MOST_INSIDE:
            raise RequestRefused(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "Too many documents wait to be read. Send it again in a moment.",
                headers={"Retry-After": str(_RETRY_AFTER_S)},
            )
        self._inside += 1
        try:
            return await to_thread.run_sync(work, limiter=self._threads)
        finally:
            self._inside -= 1
