"""Admission: what a request costs, when its work begins, and which work gives way to which.

Urgent requests have the threads of the process; users take turns when there are more requests than threads. A request
with many texts is bulk work: one at a time, users in turn, and between its texts it gives way to urgent requests.
Documents are read a few at a time, since other processes do most of that work.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Final, NamedTuple, TypeVar

from anyio import CapacityLimiter, to_thread

from recollect.api.memory import Memory
from recollect.errors import QuotaExceeded
from recollect.service.admission.fair_queue import FairQueue, QueueFull
from recollect.service.metrics.metric_labels import WorkClass
from recollect.service.metrics.service_metrics import Metrics
from recollect.web.body_limits import RateLimiter, rate_limit_exceeded
from recollect.web.problems import RequestRefused

T = TypeVar("T")

FEW_TEXTS: Final = 10  # more are bulk work
DOCUMENTS_AT_ONCE: Final = 4
MOST_DOCUMENTS: Final = 40  # that wait
_URGENT_AT_ONCE: Final = 32  # threads are left for authentication
_MOST_BULK: Final = 32
_TEXT_BYTES: Final = 2_000  # of a document count as a text
_RETRY_AFTER_S: Final = 5


class Requester(NamedTuple):
    """The key that asks, and the user for whom it does."""

    key_id: str
    user_id: str


class RequestAdmission:
    """Lets the requests of one process to their work."""

    def __init__(self, memory: Memory, limiter: RateLimiter, metrics: Metrics) -> None:
        self._priority = memory.operations.priority
        self._limiter = limiter
        self._limits_of = memory.operations.limits_of
        self._texts: dict[int, RateLimiter] = {}  # of users, by what they may send in a minute
        self._metrics = metrics
        self._threads: Mapping[WorkClass, CapacityLimiter | None] = {
            "urgent": None,
            "bulk": CapacityLimiter(1),
            "document": CapacityLimiter(DOCUMENTS_AT_ONCE),
        }
        self._queues: Mapping[WorkClass, FairQueue] = {
            "urgent": FairQueue(_URGENT_AT_ONCE),
            "bulk": FairQueue(1, _MOST_BULK),
            "document": FairQueue(DOCUMENTS_AT_ONCE, MOST_DOCUMENTS),
        }

    async def run(self, requester: Requester, texts: int, work: Callable[[], T]) -> T:
        """Do the work of a request with so many texts in a thread. Raises RequestRefused when it may not begin."""
        self._charge(requester, texts)
        if texts > FEW_TEXTS:
            return await self._patiently("bulk", requester, work)
        with self._priority.urgent():
            async with self._turn("urgent", requester.user_id):
                return await to_thread.run_sync(self._counted, work)

    async def read_document(self, requester: Requester, size_bytes: int, work: Callable[[], T]) -> T:
        """Do the work for a document in a thread. Raises RequestRefused when it may not begin."""
        self._charge(requester, _texts_of(size_bytes))
        return await self._patiently("document", requester, work)

    def owe_pieces(self, requester: Requester, size_bytes: int, pieces: int) -> None:
        """Charge the pieces of a document that was read, beyond what its bytes have paid for. Thread-safe.

        What is small may unpack to a lot; then the key and the user have to wait before they send more.
        """
        more = pieces - _texts_of(size_bytes)
        if more > 0:
            self._limiter.owe(requester.key_id, more)
            per_minute = self._limits_of(requester.user_id).texts_per_minute
            if per_minute:
                self._texts_of_users(per_minute).owe(requester.user_id, more)

    async def _patiently(self, kind: WorkClass, requester: Requester, work: Callable[[], T]) -> T:
        def patiently() -> T:
            with self._priority.patient():
                return self._counted(work)

        async with self._turn(kind, requester.user_id):
            return await to_thread.run_sync(patiently, limiter=self._threads[kind])

    def _counted(self, work: Callable[[], T]) -> T:
        """Do work, and count it if a quota has refused it."""
        try:
            return work()
        except QuotaExceeded as error:
            self._metrics.limited(error.quota)
            raise

    def _charge(self, requester: Requester, texts: int) -> None:
        """Charge the texts of a request beyond the first, which the request itself has paid for."""
        wait_s = self._limiter.take(requester.key_id, texts - 1) if texts > 1 else 0.0
        per_minute = self._limits_of(requester.user_id).texts_per_minute
        if per_minute and texts and not wait_s:
            wait_s = self._texts_of_users(per_minute).take(requester.user_id, texts)
        if wait_s > 0:
            self._metrics.limited("texts")
            raise rate_limit_exceeded(wait_s, "sent too many texts")

    def _texts_of_users(self, per_minute: int) -> RateLimiter:
        return self._texts.setdefault(per_minute, RateLimiter(per_minute, per_minute))

    @asynccontextmanager
    async def _turn(self, kind: WorkClass, user: str) -> AsyncIterator[None]:
        try:
            with self._metrics.waiting(kind) as began:
                async with self._queues[kind].turn(user):
                    began()
                    yield
        except QueueFull as full:
            self._metrics.limited("queue")
            whose = "of yours wait" if full.own else "wait"
            raise RequestRefused(
                HTTPStatus.TOO_MANY_REQUESTS if full.own else HTTPStatus.SERVICE_UNAVAILABLE,
                f"Too many requests with many texts or documents {whose} already. Send it again in a moment.",
                headers={"Retry-After": str(_RETRY_AFTER_S)},
            ) from None


def _texts_of(size_bytes: int) -> int:
    return 1 + size_bytes // _TEXT_BYTES
