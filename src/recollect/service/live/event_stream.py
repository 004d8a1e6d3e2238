"""One live search: a streaming response that sends matches as they are stored.

Nothing is buffered for a client but the few changes that are being sent. A client that does not read them is
disconnected, and comes back with the number of the last event it saw.
"""

import json
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

from recollect.engine.search.live import LiveHit, LiveQuery
from recollect.errors import NotFound
from recollect.model.literals import MemoryType, Source
from recollect.service.live.subscriptions import LiveSubscriptions, Subscription
from recollect.service.responses import HitBody
from recollect.web.server import abort_connection

_FRESH_S: Final = 1.0  # what was read longer ago is read again: it may have been forgotten
_GOODBYE_S: Final = 1.0
_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_HEARTBEAT: Final = b": still here\n\n"
_RETRY_MS: Final = 2_000

# JSON may hold them as they are, and so may an event; but many clients cut lines there.
_LINE_BREAKS: Final = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\u0085\u2028\u2029"}


@dataclass(frozen=True, slots=True)
class LiveSearchRequest:
    """Whose key, which user and what to match. Without a query everything new matches; `after` is where to begin.

    `shared` is the shared scope in which to look, instead of the user's own memory.
    """

    key_id: str
    user_id: str
    query: str
    min_score: float
    sources: tuple[Source, ...]
    types: tuple[MemoryType, ...]
    after: int | None = None
    shared: str = ""


class EventStream(Response):
    """The streaming response of a live search."""

    media_type = "text/event-stream"

    def __init__(self, subscriptions: LiveSubscriptions, request: LiveSearchRequest) -> None:
        super().__init__(headers=_HEADERS)
        self.raw_headers = [header for header in self.raw_headers if header[0] != b"content-length"]
        self._subscriptions = subscriptions
        self._request = request

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Subscribe and stream. What is wrong with the request is raised before anything is sent."""
        sender = _EventSender(send, self._subscriptions.patience_s)
        with self._subscriptions.subscribe(self._request.key_id) as subscription:
            query, position = await self._subscriptions.in_thread(self._begin)
            await sender.begin(self.raw_headers)
            search = _LiveSearch(self._subscriptions, self._request, sender, query, position)
            try:
                if await _until_disconnect(receive, subscription, partial(search.run, subscription)):
                    return
                await sender.finish()
            except _ClientTooSlow:
                abort_connection(scope)
                with move_on_after(_GOODBYE_S):
                    await _disconnect(receive)

    def _begin(self) -> tuple[LiveQuery, int]:
        request, operations = self._request, self._subscriptions.memory.operations
        query = operations.live_query(
            request.user_id,
            request.query,
            min_score=request.min_score,
            sources=request.sources,
            types=request.types,
            shared=request.shared,
        )
        if request.after is not None:
            return query, request.after
        return query, operations.change_position(request.user_id, shared=request.shared)


class _ClientTooSlow(Exception):
    """A client does not read what is sent to it."""


class _EventSender:
    """Sends events with back-pressure. `last_number` is the number the client comes back with if it is cut off."""

    def __init__(self, send: Send, patience_s: float) -> None:
        self._send = send
        self._patience_s = patience_s
        self._sent_at = monotonic()
        self.last_number = 0

    async def begin(self, headers: list[tuple[bytes, bytes]]) -> None:
        """Start the response."""
        await self._send({"type": "http.response.start", "status": int(HTTPStatus.OK), "headers": headers})

    async def send(self, event: bytes, number: int | None = None) -> None:
        """Send an event, and wait until it is on its way. Raises _ClientTooSlow when that takes too long."""
        await self._put(event, self._patience_s)
        self._sent_at = monotonic()
        self.last_number = self.last_number if number is None else number

    async def wait_for_room(self) -> None:
        """Wait until there is room for more. Raises _ClientTooSlow when that takes too long."""
        await self._put(b"", self._patience_s)

    async def finish(self) -> None:
        """End the response."""
        await self._put(b"", min(_GOODBYE_S, self._patience_s), more=False)

    def silence_s(self) -> float:
        """Give for how long nothing was sent."""
        return monotonic() - self._sent_at

    async def _put(self, body: bytes, patience_s: float, *, more: bool = True) -> None:
        with move_on_after(patience_s) as waiting:
            await self._send({"type": "http.response.body", "body": body, "more_body": more})
        if waiting.cancelled_caught:
            raise _ClientTooSlow
        await checkpoint()  # other tasks have their turn, and a disconnect is noticed


@dataclass(frozen=True, slots=True)
class _LiveBatch:
    """The events that are due up to a position, each with its number."""

    events: tuple[tuple[int, bytes], ...]
    position: int
    more: bool = False
    missed: bool = False
    authorized: bool = True


class _LiveSearch:
    """The loop of one live search, at a position in the order of changes."""

    def __init__(
        self,
        subscriptions: LiveSubscriptions,
        request: LiveSearchRequest,
        sender: _EventSender,
        query: LiveQuery,
        position: int,
    ) -> None:
        self._subscriptions = subscriptions
        self._request = request
        self._sender = sender
        self._query = query
        self._position = position
        self._heartbeat_s = subscriptions.memory.settings.serve.heartbeat_s

    async def run(self, subscription: Subscription) -> None:
        """Read changes and send matches, until the key is no longer valid, or the user no member of the scope."""
        subscriptions, sender = self._subscriptions, self._sender
        await sender.send(_ready(self._position, self._query.degraded), self._position)
        while True:
            subscription.changed.clear()
            batch = await subscriptions.read(self._read, _LiveBatch((), self._position))
            if not batch.authorized:
                return
            all_sent = await self._send(batch)
            if sender.silence_s() >= self._heartbeat_s:
                if not await subscriptions.read(self._is_authorized, otherwise=True):
                    return
                await self._send_heartbeat()
            if all_sent and not batch.more:
                left_s = self._heartbeat_s - sender.silence_s()
                with move_on_after(max(0.0, min(subscriptions.look_every_s, left_s))):
                    await subscription.changed.wait()

    def _read(self) -> _LiveBatch:
        request, operations = self._request, self._subscriptions.memory.operations
        try:
            news = operations.changes(request.user_id, self._query, self._position, shared=request.shared)
        except NotFound:  # the user was removed from the scope
            return _LiveBatch((), self._position, authorized=False)
        encoded = tuple((live.number, _hit(live)) for live in news.hits)
        return _LiveBatch(encoded, news.position, news.more, news.missed, not encoded or self._is_authorized())

    def _is_authorized(self) -> bool:
        return self._subscriptions.memory.keys.is_live(self._request.key_id)

    async def _send(self, batch: _LiveBatch) -> bool:
        """Send a batch and tell whether that was all. A batch that has waited too long is left to be read again.

        So nothing is sent that was forgotten more than a moment before.
        """
        read_at = monotonic()
        if batch.missed:
            first_known = batch.events[0][0] - 1 if batch.events else batch.position
            await self._sender.send(_at("missed", first_known), first_known)
        for number, event in batch.events:
            await self._sender.wait_for_room()
            if monotonic() - read_at > _FRESH_S:
                return False
            await self._sender.send(event, number)
            self._position = number
        self._position = batch.position
        return True

    async def _send_heartbeat(self) -> None:
        if self._position == self._sender.last_number:
            await self._sender.send(_HEARTBEAT)
        else:
            await self._sender.send(_at("position", self._position), self._position)


async def _until_disconnect(receive: Receive, subscription: Subscription, run: Callable[[], Awaitable[None]]) -> bool:
    """Run until either side ends it; tells whether the client did. An error is raised as itself, not in a group."""
    gone = False
    failure: Exception | None = None

    async with create_task_group() as group:

        async def listen() -> None:
            nonlocal gone
            await _disconnect(receive)
            gone = True
            group.cancel_scope.cancel()

        async def wait_for_end() -> None:
            await subscription.ended.wait()
            group.cancel_scope.cancel()

        group.start_soon(listen)
        group.start_soon(wait_for_end)
        try:
            await run()
        except Exception as error:  # noqa: BLE001 - raised again below, where no group is put around it
            failure = error
        group.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return gone


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _event(name: str, number: int, data: str) -> bytes:
    """Encode an event. A client that comes back with its number goes on after it."""
    return f"event: {name}\nid: {number}\ndata: {data.translate(_LINE_BREAKS)}\n\n".encode()


def _ready(position: int, degraded: tuple[str, ...]) -> bytes:
    """Begin: when to reconnect, where the search begins, and what it has to do without."""
    data = json.dumps({"position": position, "degraded": degraded}, separators=(",", ":"))
    return f"retry: {_RETRY_MS}\n".encode() + _event("ready", position, data)


def _hit(live: LiveHit) -> bytes:
    """Encode a match, with its number in the order of changes."""
    shown = HitBody.model_validate(live.hit).model_dump_json()
    return _event("hit", live.number, f'{shown[:-1]},"number":{live.number}}}')


def _at(name: str, position: int) -> bytes:
    """Say how far the search has come without a match, or that changes before a position are no longer known."""
    return _event(name, position, f'{{"position":{position}}}')
