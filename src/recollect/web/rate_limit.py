"""Rate limit: a token bucket for each key."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from http import HTTPStatus
from threading import Lock

from recollect.web.problems import RequestRefused


class RateLimiter:
    """Token buckets: `burst` tokens at once, and `per_minute` over time. Thread-safe.

    What costs more than a burst needs a full bucket, and leaves a debt.

    A full bucket is the same as none, so it is dropped; beyond `most` buckets the least recently used go.
    """

    def __init__(
        self, per_minute: float, burst: int, *, now: Callable[[], float] = time.monotonic, most: int = 10_000
    ) -> None:
        self._per_second = per_minute / 60
        self._burst = float(burst)
        self._now = now
        self._most = most
        self._buckets: OrderedDict[str, tuple[float, float]] = (
            OrderedDict()
        )  # tokens at a time; least recently used first
        self._lock = Lock()

    def __len__(self) -> int:
        """Count the buckets."""
        return len(self._buckets)

    def take(self, id: str, cost: int = 1) -> float:
        """Take tokens for what a request costs; gives 0, or the seconds until there are enough."""
        with self._lock:
            now = self._now()
            tokens = self._tokens(self._buckets.pop(id, (self._burst, now)), now)
            needed = min(cost, self._burst)
            wait_s = 0.0 if tokens >= needed else (needed - tokens) / self._per_second
            self._buckets[id] = (tokens - cost if wait_s == 0 else tokens, now)
            self._drop_full(now)
            return wait_s

    def owe(self, id: str, cost: int) -> None:
        """Take tokens for what a request turned out to cost, whether there are enough or not."""
        with self._lock:
            now = self._now()
            self._buckets[id] = (self._tokens(self._buckets.pop(id, (self._burst, now)), now) - cost, now)
            self._drop_full(now)

    def _tokens(self, bucket: tuple[float, float], now: float) -> float:
        tokens, then = bucket
        return min(self._burst, tokens + max(0.0, now - then) * self._per_second)

    def _drop_full(self, now: float) -> None:
        """Check two buckets at most: a call adds one, so they never pile up and no call has to clean up a lot."""
        for _ in range(2):
            key, bucket = next(iter(self._buckets.items()))
            if self._tokens(bucket, now) < self._burst and len(self._buckets) <= self._most:
                return
            del self._buckets[key]
            if not self._buckets:
                return


def rate_limit_exceeded(wait_s: float, why: str = "made too many requests") -> RequestRefused:
    """Make the refusal of a key that has to wait, since it has done what `why` says."""
    seconds = max(1, math.ceil(wait_s))
    return RequestRefused(
        HTTPStatus.TOO_MANY_REQUESTS,
        f"This key has {why}. Try again in {seconds} s.",
        headers={"Retry-After": str(seconds)},
    )
