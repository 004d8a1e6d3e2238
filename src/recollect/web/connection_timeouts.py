"""Timeouts of connections: for the next request to come, and for the last answer to be read.

An orderly close waits until the client has read what was written, so a client that does not read could keep a
connection for ever. Here it can be aborted, and is when no complete request head arrives in time.
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

_ABORT: Final = "recollect.abort"
_UNREADABLE: Final = "This cannot be read as a request of HTTP/1.1, or its headers are too long."


class TimedConnection(H11Protocol):
    """A connection with a timeout for the next request, which a handler can abort.

    The timeout runs from the start of the connection and from the end of each answer, and includes the rest of a body
    that was refused. It does not run while a request is being answered: live searches last for hours.
    """

    limits: ClassVar[ConnectionLimits] = ConnectionLimits()
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Let every request abort the connection. One connection too many is aborted at once."""
        super().connection_made(transport)
        if len(self.connections) > self.limits.most:
            transport.abort()
            return
        app = self.app

        async def abortable(scope: Scope, receive: Receive, send: Send) -> None:
            scope.setdefault("extensions", {})[_ABORT] = transport.abort
            await app(scope, receive, send)

        self.app = abortable
        self._update_timeout()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timeout."""
        super().connection_lost(exc)
        self._update_timeout()

    def handle_events(self) -> None:
        """Stop the timeout when a request has come."""
        super().handle_events()
        self._update_timeout()

    def on_response_complete(self) -> None:
        """Start the timeout for the next request."""
        super().on_response_complete()
        self._update_timeout()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - ours says more
        """Answer what is no HTTP with a problem document, unless an answer is on its way already."""
        if self.cycle is not None:
            self.cycle.disconnected = True  # its handler must not write between these lines
            self.cycle.message_event.set()
        if self.conn.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            self.transport.abort()
            return
        answer = problem(HTTPStatus.BAD_REQUEST, _UNREADABLE, {"Connection": "close"})
        start = h11.Response(status_code=answer.status_code, headers=answer.raw_headers, reason=b"Bad Request")
        for event in (start, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _update_timeout(self) -> None:
        """Run the timeout exactly while a request is due."""
        cycle = self.cycle
        is_answering = cycle is not None and not cycle.response_complete and not cycle.disconnected
        if is_answering or self not in self.connections:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None
        elif self._deadline is None:
            self._start_timeout()

    def _start_timeout(self) -> None:
        unread = self.transport.get_write_buffer_size()
        wait_s = self.limits.answer_wait_s if unread else self.limits.head_wait_s
        self._deadline = self.loop.call_later(wait_s, self._time_out, unread)

    def _time_out(self, unread: int) -> None:
        """Abort, unless the client is still reading the last answer."""
        if 0 < self.transport.get_write_buffer_size() < unread:
            self._start_timeout()
        else:
            self.transport.abort()


def connection_class(limits: ConnectionLimits) -> type[TimedConnection]:
    """Make a connection class with these limits."""
    return type("LimitedConnection", (TimedConnection,), {"limits": limits})


def abort_connection(scope: Scope) -> None:
    """End a connection now, whether the client has read what was sent or not, where the server can."""
    abort: Callable[[], None] | None = scope.get("extensions", {}).get(_ABORT)
    if abort is not None:
        abort()
