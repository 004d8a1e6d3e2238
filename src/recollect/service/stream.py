"""Who listens to live searches, and what wakes them.

One thread of the process waits at the store's bell and wakes all who listen; each of them then reads the order of
changes from where it stands. A ring that is lost costs a moment, because everybody looks by themselves now and then.
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
from recollect.ports import ChangeNotifier
from recollect.web.problems import Refused

T = TypeVar("T")

PATIENCE_S: Final = 10.0  # for what is sent to be taken
LOOK_EVERY_S: Final = 2.0  # if nobody rings

_READERS: Final = 4  # threads that look for all who listen, so that they leave some to everybody else
_SHARE: Final = 4  # no key has more than this part of all seats
_STEP_S: Final = 0.5  # how soon the thread at the bell notices that it is dismissed
_RETRY_AFTER_S: Final = 5


@dataclass(eq=False, slots=True)
class Seat:
    """The place of one who listens. `rung` wakes them; `leave` ends their stream."""

    rung: asyncio.Event
    leave: asyncio.Event


class Switchboard:
    """All live searches of a process. It takes listeners while it is open.

    `patience_s` is how long what is sent may take to be taken; `look_every_s` is how often they look by themselves.
    """

    def __init__(self, memory: Memory, *, patience_s: float = PATIENCE_S, look_every_s: float = LOOK_EVERY_S) -> None:
        self.memory = memory
        self.patience_s = patience_s
        self.look_every_s = look_every_s
        self._reach = _Reach()
        self._seats: set[Seat] = set()
        self._by_key: Counter[str] = Counter()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._readers: CapacityLimiter | None = None
        self._watchman: _Watchman | None = None
        self._dismissed: list[_Watchman] = []

    def __len__(self) -> int:
        """Count those who listen."""
        return len(self._seats)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Take listeners, until the end."""
        self._loop = asyncio.get_running_loop()
        self._readers = CapacityLimiter(_READERS)
        try:
            yield
        finally:
            self._close()
            for watchman in self._dismissed:
                await to_thread.run_sync(watchman.join, 2 * _STEP_S)

    def end(self) -> None:
        """End all streams, and take nobody else. Any thread may say so."""
        self._call(self._close)

    @contextmanager
    def seated(self, key_id: str) -> Iterator[Seat]:
        """Give a seat to somebody. Raises Refused when there is none."""
        self._insist_on_room(key_id)
        seat = Seat(asyncio.Event(), asyncio.Event())
        self._seats.add(seat)
        self._by_key[key_id] += 1
        if self._watchman is None:
            self._watchman = _Watchman(self.memory.operations.change_notifier, partial(self._call, self._wake))
            self._watchman.start()
        try:
            yield seat
        finally:
            self._seats.discard(seat)
            self._by_key -= Counter((key_id,))  # so that a key without a seat is not remembered
            if not self._seats:
                self._dismiss()

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Ask the store, beside the requests of everybody else."""
        return await to_thread.run_sync(work, limiter=self._readers)

    async def look(self, work: Callable[[], T], otherwise: T) -> T:
        """Ask the store; while it is away, the answer is `otherwise`."""
        return await self.in_thread(partial(self._reach.ask, work, otherwise))

    def _insist_on_room(self, key_id: str) -> None:
        most = self.memory.settings.serve.streams
        if self._loop is None:
            raise _no_seat("The service is ending. Try again in a moment.")
        if len(self._seats) >= most:
            raise _no_seat(f"{most} live searches are open here, and there may be no more. Try again in a moment.")
        share = max(1, most // _SHARE)
        if self._by_key[key_id] >= share:
            raise Refused(
                HTTPStatus.TOO_MANY_REQUESTS,
                f"This key has {share} live searches open here, and may have no more. Close one.",
                headers={"Retry-After": str(_RETRY_AFTER_S)},
            )

    def _call(self, what: Callable[[], None]) -> None:
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # the loop is over, and all streams with it
                loop.call_soon_threadsafe(what)

    def _wake(self) -> None:
        for seat in self._seats:
            seat.rung.set()

    def _close(self) -> None:
        self._loop = None
        for seat in self._seats:
            seat.leave.set()
        self._dismiss()

    def _dismiss(self) -> None:
        if self._watchman is not None:
            self._watchman.dismissed.set()
            self._dismissed = [one for one in self._dismissed if one.is_alive()] + [self._watchman]
            self._watchman = None


class _Watchman(Thread):
    """Waits at the bell and tells."""

    def __init__(self, hang: Callable[[], ChangeNotifier], tell: Callable[[], None]) -> None:
        super().__init__(name="recollect-bell", daemon=True)
        self.dismissed = Event()
        self._hang = hang
        self._tell = tell

    def run(self) -> None:
        """Wait and tell, until dismissed."""
        bell: ChangeNotifier | None = None
        while not self.dismissed.is_set():
            try:
                bell = bell or self._hang()
                if bell.wait(_STEP_S):
                    self._tell()
            except StoreError:  # those who listen look by themselves
                self.dismissed.wait(_STEP_S)
        if bell is not None:
            bell.close()


class _Reach:
    """Asks the store. While it is away, one at a time finds out whether it is back, and nobody else waits for it."""

    def __init__(self) -> None:
        self._away = False
        self._trying = Lock()

    def ask(self, work: Callable[[], T], otherwise: T) -> T:
        """Give what work gives, or `otherwise`."""
        if not self._away:
            return self._asked(work, otherwise)
        if not self._trying.acquire(blocking=False):
            return otherwise
        try:
            return self._asked(work, otherwise)
        finally:
            self._trying.release()

    def _asked(self, work: Callable[[], T], otherwise: T) -> T:
        try:
            found = work()
        except StoreUnavailable:
            self._away = True
            return otherwise
        self._away = False
        return found


def _no_seat(detail: str) -> Refused:
    return Refused(HTTPStatus.SERVICE_UNAVAILABLE, detail, headers={"Retry-After": str(_RETRY_AFTER_S)})
