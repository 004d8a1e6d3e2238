"""Stands before the routes and turns away what is too much, before it takes room.

A body is counted while it arrives, whatever its length was announced to be. The whole of it is read before the routes
see the request, so none of them can forget the limit.
"""

import asyncio
import re
from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.e5.limits import Limits
from recollect.e5.problems import Refused, problem

_JSON: Final = re.compile(r"application/([\w.+-]+\+)?json\s*(;|$)", re.IGNORECASE)


class Gate:
    """Admits requests that bring a body: only so many at a time, and only bodies of a bearable size."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits
        self._inside = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it at once."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
        elif self._inside >= self._limits.inside:
            busy = "The server is busy: too many requests wait already. Try again in a moment."
            headers = {"Retry-After": str(self._limits.retry_after_s)}
            await problem(HTTPStatus.SERVICE_UNAVAILABLE, busy, headers)(scope, receive, send)
        else:
            self._inside += 1
            try:
                await self._admit(scope, receive, send)
            finally:
                self._inside -= 1

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await self._body(Headers(scope=scope), receive)
        except Refused as refused:
            await problem(refused.status, refused.detail)(scope, receive, send)
        except ClientDisconnect:
            return  # nobody is there to be told
        else:
            await self._app(scope, _replayed(body, receive), send)

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        if not _JSON.match(headers.get("content-type", "")):
            raise Refused(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send JSON, with the header Content-Type: application/json."
            )
        announced = headers.get("content-length", "")
        if announced.isdecimal() and int(announced) > self._limits.body_bytes:
            raise self._too_large()
        try:
            async with asyncio.timeout(self._limits.body_wait_s):
                return await self._read(receive)
        except TimeoutError:
            slow = f"The body did not arrive within {self._limits.body_wait_s:g} seconds."
            raise Refused(HTTPStatus.REQUEST_TIMEOUT, slow) from None

    async def _read(self, receive: Receive) -> bytes:
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            body += message.get("body", b"")
            if len(body) > self._limits.body_bytes:
                raise self._too_large()
            if not message.get("more_body", False):
                return bytes(body)

    def _too_large(self) -> Refused:
        most = self._limits.body_bytes
        return Refused(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The body is larger than {most:,} bytes. Send several batches."
        )


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Give a body that was read already to whoever reads it again; what comes after it is real."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay
