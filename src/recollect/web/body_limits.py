"""Reads request bodies within their limits, before the routes see them, so that no route can forget a limit.

A body is counted while it arrives, whatever length was announced.
"""

import asyncio
import re
from http import HTTPStatus
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
