"""How busy a server was kept: the share of time in which at least one request was under way."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition

from tests.waiting import PATIENCE_S


class Watch:
    """A stretch of time, and how much of it was busy."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self.started = monotonic()
        self.busy_s = 0.0
        self.ended: float | None = None

    @property
    def share(self) -> float:
        """The busy share of the time watched, from 0 to 1; read it when the block is over."""
        whole = (self.ended or self._monotonic()) - self.started
        return self.busy_s / whole if whole > 0 else 0.0


class Activity:
    """Counts requests that are under way."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._lock = Condition()
        self._under_way = 0
        self._busy_since = 0.0
        self._watches: list[Watch] = []
        self.most_at_once = 0

    @contextmanager
    def request(self) -> Iterator[None]:
        """One request, for as long as the block takes."""
        with self._lock:
            if self._under_way == 0:
                self._busy_since = self._monotonic()
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
            self._lock.notify_all()
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1
                if self._under_way == 0:
                    self._credit(self._monotonic())

    def wait_for(self, at_once: int) -> None:
        """Wait until there were so many requests at the same time."""
        with self._lock:
            self._lock.wait_for(lambda: self.most_at_once >= at_once, PATIENCE_S)

    @contextmanager
    def watched(self) -> Iterator[Watch]:
        """Measure while the block runs."""
        watch = Watch(self._monotonic)
        with self._lock:
            self._watches.append(watch)
        try:
            yield watch
        finally:
            with self._lock:
                watch.ended = self._monotonic()
                if self._under_way:
                    self._credit(watch.ended)
                    self._busy_since = watch.ended
                self._watches.remove(watch)

    def _credit(self, now: float) -> None:
        for watch in self._watches:
            watch.busy_s += now - max(self._busy_since, watch.started)
