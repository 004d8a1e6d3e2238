"""Connections that can be cut, and that are not kept for those who ask nothing.

A connection is closed in good order when the client has read what was written to it. One who does not read would keep
it, and what waits in it, for as long as they like; so a server must be able to hang up. It does so by itself when a
request does not come, or not to the end of its head: until then nobody is known, so nobody can be held to anything.
"""

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import ClassVar, Final

import h11
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from recollect.web.limits import ConnectionLimits
from recollect.web.problems import problem

_CUT: Final = "recollect.cut"
_UNREADABLE: Final = "This cannot be read as a request of HTTP/1.1, or its headers are too long."


class CuttableConnection(H11Protocol):
    """A connection that lets whoever answers a request cut it, and that waits only so long for the next request.

    The wait begins with the connection, and again with the end of each answer; the rest of a body that was refused has
    to come within it too. It does not run while a request is being answered: live searches last for hours.
    """

    limits: ClassVar[ConnectionLimits] = ConnectionLimits()
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Tell every request how to cut it. What is one connection too many is cut at once."""
        super().connection_made(transport)
        if len(self.connections) > self.limits.most:
            transport.abort()
            return
        app = self.app

        async def cuttable(scope: Scope, receive: Receive, send: Send) -> None:
            scope.setdefault("extensions", {})[_CUT] = transport.abort
            await app(scope, receive, send)

        self.app = cuttable
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        super().connection_lost(exc)
        self._watch()

    def handle_events(self) -> None:
        """Stop the wait when a request has come."""
        super().handle_events()
        self._watch()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._watch()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - ours says more
        """Answer what is no HTTP as everything is answered, unless an answer is on its way already."""
        if self.cycle is not None:
            self.cycle.disconnected = True  # whoever answers it must not write between these lines
            self.cycle.message_event.set()
        if self.conn.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            self.transport.abort()
            return
        answer = problem(HTTPStatus.BAD_REQUEST, _UNREADABLE, {"Connection": "close"})
        start = h11.Response(status_code=answer.status_code, headers=answer.raw_headers, reason=b"Bad Request")
        for event in (start, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _watch(self) -> None:
        """Let the wait run exactly while the client owes a request."""
        cycle = self.cycle
        is_answering = cycle is not None and not cycle.response_complete and not cycle.disconnected
        if is_answering or self not in self.connections:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None
        elif self._deadline is None:
            self._wait()

    def _wait(self) -> None:
        unread = self.transport.get_write_buffer_size()
        wait_s = self.limits.answer_wait_s if unread else self.limits.head_wait_s
        self._deadline = self.loop.call_later(wait_s, self._give_up, unread)

    def _give_up(self, unread: int) -> None:
        """Cut it, unless the client is still busy with reading the last answer."""
        if 0 < self.transport.get_write_buffer_size() < unread:
            self._wait()
        else:
            self.transport.abort()


def connections(limits: ConnectionLimits) -> type[CuttableConnection]:
    """Make the kind of connection that keeps these limits."""
    return type("LimitedConnection", (CuttableConnection,), {"limits": limits})


def cut(scope: Scope) -> None:
    """End a connection now, whether the client has read what was sent or not; what waits to be sent is gone.

    Where a server knows no way, it ends when the client has read.
    """
    abort: Callable[[], None] | None = scope.get("extensions", {}).get(_CUT)
    if abort is not None:
        abort()
