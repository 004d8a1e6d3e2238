"""One live search: a connection that stays, and what is sent down it.

Nothing is kept for a listener but the few changes that are just being sent. Whoever does not take them is cut off, and
comes back with the number of what they saw last.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from time import monotonic
from typing import Final

from anyio import create_task_group, move_on_after
from anyio.lowlevel import checkpoint
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from recollect.engine.search.live import LiveQuery
from recollect.model.literals import MemoryType, Source
from recollect.service import events
from recollect.service.stream import Seat, Switchboard
from recollect.web.cutting import cut

_FRESH_S: Final = 1.0  # what was read longer ago is read again: it may have been forgotten
_GOODBYE_S: Final = 1.0
_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Who listens, and for what. Without a query it is everything that is new; `after` is where to begin."""

    key_id: str
    user_id: str
    query: str
    min_score: float
    sources: tuple[Source, ...]
    types: tuple[MemoryType, ...]
    after: int | None = None


class Stream(Response):
    """The answer that goes on: events, for as long as both sides want."""

    media_type = "text/event-stream"

    def __init__(self, switchboard: Switchboard, wanted: Wanted) -> None:
        super().__init__(headers=_HEADERS)
        self.raw_headers = [header for header in self.raw_headers if header[0] != b"content-length"]
        self._board = switchboard
        self._wanted = wanted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a seat and answer. Whatever is wrong with the request is raised before anything is sent."""
        line = _Line(send, self._board.patience_s)
        with self._board.seated(self._wanted.key_id) as seat:
            watch, position = await self._board.in_thread(self._begin)
            await line.begin(self.raw_headers)
            listener = _Listener(self._board, self._wanted, line, watch, position)
            try:
                if await _until_hung_up(receive, seat, partial(listener.talk, seat)):
                    return
                await line.finish()
            except _TooSlow:
                cut(scope)
                with move_on_after(_GOODBYE_S):
                    await _hung_up(receive)

    def _begin(self) -> tuple[LiveQuery, int]:
        wanted, doors = self._wanted, self._board.memory.operations
        watch = doors.live_query(
            wanted.user_id, wanted.query, min_score=wanted.min_score, sources=wanted.sources, types=wanted.types
        )
        return watch, doors.change_position(wanted.user_id) if wanted.after is None else wanted.after


class _TooSlow(Exception):
    """Somebody does not take what is sent to them."""


class _Line:
    """What leads to one who listens. `said` is the number they come back with if it is cut."""

    def __init__(self, send: Send, patience_s: float) -> None:
        self._send = send
        self._patience_s = patience_s
        self._spoke = monotonic()
        self.said = 0

    async def begin(self, headers: list[tuple[bytes, bytes]]) -> None:
        """Say that there will be an answer."""
        await self._send({"type": "http.response.start", "status": int(HTTPStatus.OK), "headers": headers})

    async def say(self, what: bytes, number: int | None = None) -> None:
        """Send something, and wait until it is on its way. Raises _TooSlow when that takes too long."""
        await self._put(what, self._patience_s)
        self._spoke = monotonic()
        self.said = self.said if number is None else number

    async def room(self) -> None:
        """Wait until there is room for more. Raises _TooSlow when that takes too long."""
        await self._put(b"", self._patience_s)

    async def finish(self) -> None:
        """Say that this was all."""
        await self._put(b"", min(_GOODBYE_S, self._patience_s), more=False)

    def silence_s(self) -> float:
        """Say for how long nothing was sent."""
        return monotonic() - self._spoke

    async def _put(self, body: bytes, patience_s: float, *, more: bool = True) -> None:
        with move_on_after(patience_s) as waiting:
            await self._send({"type": "http.response.body", "body": body, "more_body": more})
        if waiting.cancelled_caught:
            raise _TooSlow
        await checkpoint()  # others have their turn, and a line that was cut is noticed


@dataclass(frozen=True, slots=True)
class _Found:
    """What a look found: events with their numbers, all that are due up to a place."""

    events: tuple[tuple[int, bytes], ...]
    position: int
    more: bool = False
    missed: bool = False
    welcome: bool = True


class _Listener:
    """One who listens, at a place in the order of changes."""

    def __init__(self, board: Switchboard, wanted: Wanted, line: _Line, watch: LiveQuery, position: int) -> None:
        self._board = board
        self._wanted = wanted
        self._line = line
        self._watch = watch
        self._position = position
        self._heartbeat_s = board.memory.settings.serve.heartbeat_s

    async def talk(self, seat: Seat) -> None:
        """Look and tell, again and again, until the key opens this door no more."""
        line = self._line
        await line.say(events.ready(self._position, self._watch.degraded), self._position)
        while True:
            seat.rung.clear()
            found = await self._board.look(self._look, _Found((), self._position))
            if not found.welcome:
                return
            all_told = await self._tell(found)
            if line.silence_s() >= self._heartbeat_s:
                if not await self._board.look(self._is_welcome, otherwise=True):
                    return
                await self._say_alive()
            if all_told and not found.more:
                left_s = self._heartbeat_s - line.silence_s()
                with move_on_after(max(0.0, min(self._board.look_every_s, left_s))):
                    await seat.rung.wait()

    def _look(self) -> _Found:
        news = self._board.memory.operations.changes(self._wanted.user_id, self._watch, self._position)
        made = tuple((live.number, events.found(live)) for live in news.hits)
        welcome = not made or self._is_welcome()
        return _Found(made, news.position, news.more, news.missed, welcome)

    def _is_welcome(self) -> bool:
        return self._board.memory.keys.is_live(self._wanted.key_id)

    async def _tell(self, found: _Found) -> bool:
        """Send what was found; says whether that was all. What has waited for too long has to be looked at again.

        So nothing is sent that was forgotten more than a moment before.
        """
        read_at = monotonic()
        if found.missed:
            known = found.events[0][0] - 1 if found.events else found.position
            await self._line.say(events.missed(known), known)
        for number, event in found.events:
            await self._line.room()
            if monotonic() - read_at > _FRESH_S:
                return False
            await self._line.say(event, number)
            self._position = number
        self._position = found.position
        return True

    async def _say_alive(self) -> None:
        if self._position == self._line.said:
            await self._line.say(events.HEARTBEAT)
        else:
            await self._line.say(events.reached(self._position), self._position)


async def _until_hung_up(receive: Receive, seat: Seat, talk: Callable[[], Awaitable[None]]) -> bool:
    """Talk until either side has enough; says whether it was the other one. What goes wrong is raised as what it is."""
    gone = False
    failure: Exception | None = None

    async with create_task_group() as group:

        async def listen() -> None:
            nonlocal gone
            await _hung_up(receive)
            gone = True
            group.cancel_scope.cancel()

        async def stay() -> None:
            await seat.leave.wait()
            group.cancel_scope.cancel()

        group.start_soon(listen)
        group.start_soon(stay)
        try:
            await talk()
        except Exception as error:  # noqa: BLE001 - raised again below, where no group is put around it
            failure = error
        group.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return gone


async def _hung_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
