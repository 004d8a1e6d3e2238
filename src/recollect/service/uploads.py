"""Documents on their way in: read beside all other requests, a few at a time.

Reading one may take a minute. So they have threads of their own, and only so many wait for one; whoever comes then is
told to come again. However many documents are sent, nobody else's request waits for them.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from anyio import CapacityLimiter, to_thread
from fastapi import Response

from recollect.web.problems import Refused

AT_ONCE: Final = 4
MOST_INSIDE: Final = 24
_RETRY_AFTER_S: Final = 5


class Uploads:
    """Whoever brings a document to one process."""

    def __init__(self) -> None:
        self._threads = CapacityLimiter(AT_ONCE)
        self._inside = 0

    async def take(self, work: Callable[[], Response]) -> Response:
        """Do the work for a document in a thread. Raises Refused when too many wait already."""
        if self._inside >= MOST_INSIDE:
            raise Refused(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "Too many documents wait to be read. Send it again in a moment.",
                headers={"Retry-After": str(_RETRY_AFTER_S)},
            )
        self._inside += 1
        try:
            return await to_thread.run_sync(work, limiter=self._threads)
        finally:
            self._inside -= 1
