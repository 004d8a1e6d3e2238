"""How much clients may send: bodies within their limits, and requests by a token bucket for each key.

Bodies are read before the routes see them, so that no route can forget a limit. A body is counted while it arrives,
whatever length was announced.
"""

import asyncio
import math
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from http import HTTPStatus
from threading import Lock
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.web.limits import BodyLimits
from recollect.web.problems import RequestRefused

_JSON: Final = re.compile(r"application/([\w.+-]+\+)?json\s*(;|$)", re.IGNORECASE)
_WITHOUT_BODY: Final = frozenset({"GET", "HEAD", "OPTIONS"})  # no route reads one that is sent nevertheless


class _BufferedBody:
    """A body as it arrives. `held` is how many bytes of it are in memory."""

    def __init__(self) -> None:
        self.held = 0
        self._pieces: list[bytes] = []

    def add(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self.held += len(piece)

    def replayed(self, receive: Receive) -> Receive:
        """Make a `receive` that gives the body again, and then what the client sends."""
        pending: list[Message] = [{"type": "http.request", "body": b"".join(self._pieces), "more_body": False}]
        self._pieces.clear()

        async def replay() -> Message:
            return pending.pop() if pending else await receive()

        return replay


class BodyLimitMiddleware:
    """Middleware that limits how many requests with a body are inside, and how large bodies are."""

    def __init__(self, app: ASGIApp, limits: BodyLimits) -> None:
        self._app = app
        self._limits = limits
        self._inside = 0
        self._held_bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in _WITHOUT_BODY:
            await self._app(scope, receive, send)
        elif self._inside >= self._limits.inside:
            await self._busy().answer()(scope, receive, send)
        else:
            self._inside += 1
            buffered = _BufferedBody()
            try:
                await self._admit(buffered, scope, receive, send)
            finally:
                self._inside -= 1
                self._held_bytes -= buffered.held

    async def _admit(self, buffered: _BufferedBody, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._read(buffered, scope, receive)
        except RequestRefused as refused:
            await refused.answer()(scope, receive, send)
        except ClientDisconnect:
            return
        else:
            await self._app(scope, buffered.replayed(receive), send)

    async def _read(self, buffered: _BufferedBody, scope: Scope, receive: Receive) -> None:
        headers, path = Headers(scope=scope), scope["path"]
        any_form = path in self._limits.any_form
        announced = headers.get("content-length", "0")
        if announced.isdecimal() and int(announced) > 0:
            _check_form(headers, any_form=any_form)
        if announced.isdecimal() and int(announced) > self._limits.most(path):
            raise self._too_large(path)
        wait_s = self._limits.wait_s(path)
        try:
            async with asyncio.timeout(wait_s):
                await self._receive(buffered, path, receive)
        except TimeoutError:
            slow = f"The body did not arrive within {wait_s:g} seconds."
            raise RequestRefused(HTTPStatus.REQUEST_TIMEOUT, slow, headers={"Connection": "close"}) from None
        if buffered.held:
            _check_form(headers, any_form=any_form)

    async def _receive(self, buffered: _BufferedBody, path: str, receive: Receive) -> None:
        most, room = self._limits.most(path), self._limits.room(path)
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            piece = message.get("body", b"")
            if buffered.held + len(piece) > most:
                raise self._too_large(path)
            if self._held_bytes + len(piece) > room:
                raise self._busy()
            self._held_bytes += len(piece)
            buffered.add(piece)
            if not message.get("more_body", False):
                return

    def _too_large(self, path: str) -> RequestRefused:
        advice = "Split it." if path in self._limits.larger else "Send several batches."
        found = f"The body is larger than {self._limits.most(path):,} bytes. {advice}"
        return RequestRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, found)

    def _busy(self) -> RequestRefused:
        return RequestRefused(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "The server is busy: too many requests wait already. Try again in a moment.",
            headers={"Retry-After": str(self._limits.retry_after_s)},
        )


def _check_form(headers: Headers, *, any_form: bool) -> None:
    """Refuse a body that is not JSON, unless any form will do, and any compressed one: it may be endless unpacked."""
    codings = ",".join(headers.getlist("content-encoding")).split(",")
    if any(coding.strip().lower() not in {"", "identity"} for coding in codings):
        raise RequestRefused(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "The body is packed. Send it as it is, without the header Content-Encoding.",
            headers={"Accept-Encoding": "identity"},
        )
    if not any_form and _JSON.match(headers.get("content-type", "")) is None:
        raise RequestRefused(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send JSON, with the header Content-Type: application/json."
        )


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
