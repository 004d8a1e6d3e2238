"""The server on standard input and output, for a host that starts `recollect mcp` as a program of its own.

Standard output belongs to the protocol; whatever else is printed lands on standard error. The host ends it by closing
standard input, and calls under way are answered before.

The store is opened beside the first messages of the protocol, so that a host that starts many servers at once is
answered soon; calls wait for it. If it cannot be opened, the process ends and says why.
"""

import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

import anyio

from recollect.access import LOCAL, authorize
from recollect.errors import RecollectError
from recollect.mcp.callers import Caller
from recollect.mcp.server import LOG, create_server
from recollect.mcp.wire import Heard, Said, Wire, standard_descriptors
from recollect.settings import Settings

if TYPE_CHECKING:
    from recollect.api.memory import Memory
    from recollect.mcp.desk import Desk


class _Opened(NamedTuple):
    """The open store, and who works on it."""

    memory: "Memory"
    desk: "Desk"


def serve(settings: Settings, *, user: str = "", verbose: bool = False) -> None:
    """Serve until standard input ends or a signal comes. `user` is the one that was named on the command line.

    Whoever may open the store needs no key. With one in the settings, what the key may counts, and nothing else.
    """
    _log_to_standard_error(verbose=verbose)
    with ThreadPoolExecutor(1, "recollect-open") as beside:
        opening = beside.submit(_open, settings, user)
        opening.add_done_callback(_leave_if_it_failed)

        def caller() -> Caller:
            # Asked each time anew: a key may be revoked, or expire, while the host runs.
            who = opening.result().memory.keys.identify(settings.key) if settings.key else LOCAL
            return Caller(who, user)

        try:
            with _ended_by_signals(opening):
                anyio.run(_serve, lambda: opening.result().desk, caller)
        except* BrokenPipeError:
            LOG.info("the host is gone")
        finally:
            opening.result().memory.close()


def _open(settings: Settings, user: str) -> _Opened:
    """Open the store. That a key opens nothing, or not for this user, is told now, and not to a model."""
    memory = import_module("recollect.api.memory").Memory.open(settings=settings)
    try:
        if settings.key:
            who = memory.keys.identify(settings.key)
            authorize(who, next(iter(who.scopes)), user=user, default=settings.user)
        return _Opened(memory, import_module("recollect.mcp.desk").Desk(lambda: memory))
    except BaseException:
        memory.close()
        raise


async def _serve(desk: "Callable[[], Desk]", caller: Callable[[], Caller]) -> None:
    server = create_server(desk, lambda _: caller())

    async def run(heard: Heard, said: Said) -> None:
        await server.run(heard, said, server.create_initialization_options())

    with standard_descriptors() as descriptors:
        await Wire(descriptors).carry(run)


def _leave_if_it_failed(opening: "Future[_Opened]") -> None:
    """Say why the store cannot be opened, and end. A thread waits for standard input, so nothing else would end it."""
    error = opening.exception()
    if error is not None:
        told = str(error) if isinstance(error, (RecollectError, OSError)) else f"{type(error).__name__} while opening."
        sys.stderr.write(f"Error: {told}\n")
        sys.stderr.flush()
        os._exit(1)


@contextmanager
def _ended_by_signals(opening: "Future[_Opened]") -> Iterator[None]:
    """Close the store and leave when a signal comes; the thread that waits for standard input cannot be woken."""

    def leave(_number: int, _frame: FrameType | None) -> None:
        opening.result().memory.close()
        os._exit(0)

    before = {number: signal.signal(number, leave) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _log_to_standard_error(*, verbose: bool) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
    LOG.handlers = [handler]
    LOG.propagate = False
    LOG.setLevel(logging.INFO if verbose else logging.ERROR)
