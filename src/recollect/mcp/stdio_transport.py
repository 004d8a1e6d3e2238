"""The transport over standard input and output: one reader, one writer, and nothing else on the wire.

The SDK's own transport leaves an invalid line unanswered, and ends while calls are under way. This one answers each
invalid line, through the one writer, so that lines never mix; and when input ends, calls under way are finished first.
"""

import os
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO, Final, NamedTuple, TypeAlias

import anyio
import mcp_types as sdk
from anyio import to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from recollect.mcp.json_lines import InvalidLine, format_line, parse_line

PATIENCE_S: Final = 10.0
_INPUT, _OUTPUT, _ERRORS = 0, 1, 2

IncomingMessages: TypeAlias = MemoryObjectReceiveStream[SessionMessage | Exception]
OutgoingMessages: TypeAlias = MemoryObjectSendStream[SessionMessage]


class Descriptors(NamedTuple):
    """File descriptors of the host's writing and reading side."""

    incoming: int
    outgoing: int


@contextmanager
def standard_descriptors() -> Iterator[Descriptors]:
    """Take standard input and output for the protocol alone; other prints land on standard error.

    The duplicates stay open: a thread may still wait for input.
    """
    nothing = os.open(os.devnull, os.O_RDWR)  # first, so that it takes the place of a standard one that is closed
    taken = Descriptors(os.dup(_INPUT), os.dup(_OUTPUT))
    os.dup2(nothing, _INPUT)
    os.dup2(_ERRORS, _OUTPUT)
    if nothing > _ERRORS:
        os.close(nothing)
    try:
        yield taken
    finally:
        os.dup2(taken.incoming, _INPUT)
        os.dup2(taken.outgoing, _OUTPUT)


class StdioTransport:
    """Carries messages between one host and a server. Made inside of an event loop."""

    def __init__(self, descriptors: Descriptors) -> None:
        self._source: BinaryIO = os.fdopen(descriptors.incoming, "rb", closefd=False)
        self._sink = descriptors.outgoing
        self._threads = anyio.CapacityLimiter(2)  # our own, so that many calls under way do not silence the wire
        self._waiting: Counter[sdk.RequestId | None] = Counter()
        self._idle = anyio.Event()
        self._idle.set()

    async def carry(self, serve: Callable[[IncomingMessages, OutgoingMessages], Awaitable[None]]) -> None:
        """Run a server on the messages of the host until input ends. Raises OSError when the host no longer reads."""
        to_server, incoming_messages = anyio.create_memory_object_stream[SessionMessage | Exception]()
        outgoing_messages, to_host = anyio.create_memory_object_stream[SessionMessage]()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._read, to_server, outgoing_messages.clone())
            tasks.start_soon(self._write, to_host)
            async with incoming_messages, outgoing_messages:
                await serve(incoming_messages, outgoing_messages)

    async def _read(
        self, to_server: MemoryObjectSendStream[SessionMessage | Exception], outgoing_messages: OutgoingMessages
    ) -> None:
        async with to_server, outgoing_messages:
            while line := await self._in_thread(self._source.readline):
                if line.isspace():
                    continue
                try:
                    message = parse_line(line)
                except InvalidLine as unfit:
                    self._expect(unfit.answer.id)
                    await outgoing_messages.send(SessionMessage(unfit.answer))
                else:
                    await to_server.send(self._tracked(message))
            with anyio.move_on_after(PATIENCE_S):
                await self._idle.wait()

    async def _write(self, to_host: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with to_host:
            async for sent in to_host:
                await self._in_thread(partial(_write_whole, self._sink, format_line(sent.message)))
                if isinstance(sent.message, sdk.JSONRPCResponse | sdk.JSONRPCError):
                    await self._settle(sent.message.id)

    def _tracked(self, message: sdk.JSONRPCMessage) -> SessionMessage:
        """Note a request that waits for an answer. One that the host cancels gets none; the SDK tells when."""
        if not isinstance(message, sdk.JSONRPCRequest):
            return SessionMessage(message)
        self._expect(message.id)
        return SessionMessage(message, ServerMessageMetadata(on_request_unanswered=partial(self._settle, message.id)))

    def _expect(self, number: sdk.RequestId | None) -> None:
        if self._idle.is_set():
            self._idle = anyio.Event()
        self._waiting[number] += 1

    async def _settle(self, number: sdk.RequestId | None) -> None:
        if self._waiting[number] > 1:
            self._waiting[number] -= 1
        else:
            del self._waiting[number]
        if not self._waiting:
            self._idle.set()

    async def _in_thread(self, work: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever the work gives
        return await to_thread.run_sync(work, limiter=self._threads)


def _write_whole(descriptor: int, line: bytes) -> None:
    left = memoryview(line)
    while left:
        left = left[os.write(descriptor, left) :]
