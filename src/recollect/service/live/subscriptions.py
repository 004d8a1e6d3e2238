"""The subscriptions of live searches, and what wakes them.

One thread of the process waits at the store's change notifier and wakes all subscriptions; each reads the order of
changes from its own position. A lost notification costs a moment, because every subscription polls now and then.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from threading import Event, Lock, Thread
from typing import Final, TypeVar

from anyio import CapacityLimiter, to_thread

from recollect.api.memory import Memory
from recollect.errors import StoreError, StoreUnavailable
from recollect.storage.base import ChangeNotifier
from recollect.web.problems import RequestRefused

T = TypeVar("T")

PATIENCE_S: Final = 10.0  # for what is sent to be read
LOOK_EVERY_S: Final = 2.0  # without a notification

_READERS: Final = 4  # threads that read for all subscriptions, so that other requests have some left
_SHARE: Final = 4  # no key has more than this part of all subscriptions
_STEP_S: Final = 0.5  # how soon the watcher thread notices that it is stopped
_RETRY_AFTER_S: Final = 5


@dataclass(eq=False, slots=True)
class Subscription:
    """One live search. `changed` wakes it; `ended` ends its stream."""

    changed: asyncio.Event
    ended: asyncio.Event


class LiveSubscriptions:
    """All live searches of a process, which takes new ones while it is open.

    `patience_s` is how long a client may take to read what is sent; `look_every_s` is how often searches poll.
    """

    def __init__(self, memory: Memory, *, patience_s: float = PATIENCE_S, look_every_s: float = LOOK_EVERY_S) -> None:
        self.memory = memory
        self.patience_s = patience_s
        self.look_every_s = look_every_s
        self._store = _StoreProbe()
        self._subscriptions: set[Subscription] = set()
        self._by_key: Counter[str] = Counter()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._readers: CapacityLimiter | None = None
        self._watcher: _ChangeWatcher | None = None
        self._stopped: list[_ChangeWatcher] = []

    def __len__(self) -> int:
        """Count the live searches."""
        return len(self._subscriptions)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Take subscriptions, until the end."""
        self._loop = asyncio.get_running_loop()
        self._readers = CapacityLimiter(_READERS)
        try:
            yield
        finally:
            self._close()
            for watcher in self._stopped:
                await to_thread.run_sync(watcher.join, 2 * _STEP_S)

    def end(self) -> None:
        """End all streams, and take no more. Thread-safe."""
        self._call(self._close)

    @contextmanager
    def subscribe(self, key_id: str) -> Iterator[Subscription]:
        """Take a subscription for a key. Raises RequestRefused when there are too many."""
        self._check_room(key_id)
        subscription = Subscription(asyncio.Event(), asyncio.Event())
        self._subscriptions.add(subscription)
        self._by_key[key_id] += 1
        if self._watcher is None:
            self._watcher = _ChangeWatcher(self.memory.operations.change_notifier, partial(self._call, self._wake))
            self._watcher.start()
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)
            self._by_key -= Counter((key_id,))  # so that a key without a subscription is not remembered
            if not self._subscriptions:
                self._stop_watcher()

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Use the store in one of the threads for live searches."""
        return await to_thread.run_sync(work, limiter=self._readers)

    async def read(self, work: Callable[[], T], otherwise: T) -> T:
        """Read from the store; while it is away, the answer is `otherwise`."""
        return await self.in_thread(partial(self._store.read, work, otherwise))

    def _check_room(self, key_id: str) -> None:
        most = self.memory.settings.serve.streams
        if self._loop is None:
            raise _no_room("The service is ending. Try again in a moment.")
        if len(self._subscriptions) >= most:
            raise _no_room(f"{most} live searches are open here, and there may be no more. Try again in a moment.")
        share = max(1, most // _SHARE)
        if self._by_key[key_id] >= share:
            raise RequestRefused(
                HTTPStatus.TOO_MANY_REQUESTS,
                f"This key has {share} live searches open here, and may have no more. Close one.",
                headers={"Retry-After": str(_RETRY_AFTER_S)},
            )

    def _call(self, callback: Callable[[], None]) -> None:
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # the loop is over, and all streams with it
                loop.call_soon_threadsafe(callback)

    def _wake(self) -> None:
        for subscription in self._subscriptions:
            subscription.changed.set()

    def _close(self) -> None:
        self._loop = None
        for subscription in self._subscriptions:
            subscription.ended.set()
        self._stop_watcher()

    def _stop_watcher(self) -> None:
        if self._watcher is not None:
            self._watcher.stop.set()
            self._stopped = [watcher for watcher in self._stopped if watcher.is_alive()] + [self._watcher]
            self._watcher = None


class _ChangeWatcher(Thread):
    """Waits for changes of the store and calls back."""

    def __init__(self, make_notifier: Callable[[], ChangeNotifier], callback: Callable[[], None]) -> None:
        super().__init__(name="recollect-bell", daemon=True)
        self.stop = Event()
        self._make_notifier = make_notifier
        self._callback = callback

    def run(self) -> None:
        notifier: ChangeNotifier | None = None
        while not self.stop.is_set():
            try:
                notifier = notifier or self._make_notifier()
                if notifier.wait(_STEP_S):
                    self._callback()
            except StoreError:  # subscriptions poll
                self.stop.wait(_STEP_S)
        if notifier is not None:
            notifier.close()


class _StoreProbe:
    """Circuit breaker for reads: while the store is away, one caller at a time tries it, the others do not wait."""

    def __init__(self) -> None:
        self._away = False
        self._trying = Lock()

    def read(self, work: Callable[[], T], otherwise: T) -> T:
        """Give what work gives, or `otherwise`."""
        if not self._away:
            return self._try(work, otherwise)
        if not self._trying.acquire(blocking=False):
            return otherwise
        try:
            return self._try(work, otherwise)
        finally:
            self._trying.release()

    def _try(self, work: Callable[[], T], otherwise: T) -> T:
        try:
            result = work()
        except StoreUnavailable:
            self._away = True
            return otherwise
        self._away = False
        return result


def _no_room(detail: str) -> RequestRefused:
    return RequestRefused(HTTPStatus.SERVICE_UNAVAILABLE, detail, headers={"Retry-After": str(_RETRY_AFTER_S)})
