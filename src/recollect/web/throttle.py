"""How often one key may ask: a bucket of tokens for each, which fills up again while it rests."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from http import HTTPStatus
from threading import Lock

from recollect.web.problems import Refused


class Throttle:
    """Lets each key make `burst` requests at once, and `per_minute` over time. Threads may share it.

    A full bucket is the same as none, so it is forgotten. If there are more than `most` all the same, those go that
    have rested longest: whoever they belong to may start anew.
    """

    def __init__(
        self, per_minute: float, burst: int, *, now: Callable[[], float] = time.monotonic, most: int = 10_000
    ) -> None:
        self._per_second = per_minute / 60
        self._burst = float(burst)
        self._now = now
        self._most = most
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # tokens at a moment; longest rest first
        self._lock = Lock()

    def __len__(self) -> int:
        """Count the buckets that are remembered."""
        return len(self._buckets)

    def take(self, id: str) -> float:
        """Take a token for a request; gives 0, or the seconds after which there will be one."""
        with self._lock:
            now = self._now()
            tokens = self._tokens(self._buckets.pop(id, (self._burst, now)), now)
            wait_s = 0.0 if tokens >= 1 else (1 - tokens) / self._per_second
            self._buckets[id] = (tokens - 1 if wait_s == 0 else tokens, now)
            self._forget(now)
            return wait_s

    def _tokens(self, bucket: tuple[float, float], now: float) -> float:
        tokens, then = bucket
        return min(self._burst, tokens + max(0.0, now - then) * self._per_second)

    def _forget(self, now: float) -> None:
        """Look at two at most. A call makes one bucket, so they never pile up, and no call has to clean up a lot."""
        for _ in range(2):
            rested, bucket = next(iter(self._buckets.items()))
            if self._tokens(bucket, now) < self._burst and len(self._buckets) <= self._most:
                return
            del self._buckets[rested]
            if not self._buckets:
                return


def too_many(wait_s: float) -> Refused:
    """Make the refusal for a key that has to wait."""
    seconds = max(1, math.ceil(wait_s))
    return Refused(
        HTTPStatus.TOO_MANY_REQUESTS,
        f"This key has made too many requests. Try again in {seconds} s.",
        headers={"Retry-After": str(seconds)},
    )
