"""A queue in which users take turns, however much each of them asks for."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class QueueFull(Exception):
    """There is no room in the queue; `own` says that the user's own work fills it."""

    def __init__(self, *, own: bool) -> None:
        super().__init__()
        self.own = own


class FairQueue:
    """Lets `at_once` pieces of work in; of those that wait, each user's first come before anyone's second.

    Without `most_waiting` any number may wait. A user may fill half of it. It belongs to one event loop.
    """

    def __init__(self, at_once: int, most_waiting: int | None = None) -> None:
        self._free = at_once
        self._most = most_waiting
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self.length = 0

    @asynccontextmanager
    async def turn(self, user: str) -> AsyncIterator[None]:
        """Wait for a turn, and have it. Raises QueueFull."""
        if self._free and not self.length:
            self._free -= 1
        else:
            await self._wait(user)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, user: str) -> None:
        own = self._waiting.get(user, ())
        if self._most is not None and (self.length >= self._most or len(own) >= max(1, self._most // 2)):
            raise QueueFull(own=len(own) >= max(1, self._most // 2))
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(user, deque()).append(turn)
        self.length += 1
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # the turn had come already
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give a turn to the next user; those who went away meanwhile are passed over."""
        while self._waiting:
            user, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            if turns:
                self._waiting[user] = turns
            self.length -= 1
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
