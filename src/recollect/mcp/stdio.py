"""The server on standard input and output, for a host that starts `recollect mcp` as a program of its own.

Standard output belongs to the protocol; other prints land on standard error. The host ends it by closing standard
input, and calls under way are answered before.

The store is opened beside the first messages, so that a host that starts many servers at once is answered soon; calls
wait for it. If it cannot be opened, the process ends and says why.
"""

import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

import anyio

from recollect.authorization import LOCAL, authorize
from recollect.errors import RecollectError
from recollect.mcp.permissions import Caller
from recollect.mcp.server import LOG, create_server
from recollect.mcp.stdio_transport import IncomingMessages, OutgoingMessages, StdioTransport, standard_descriptors
from recollect.settings import Settings

if TYPE_CHECKING:
    from recollect.api.memory import Memory
    from recollect.mcp.dispatch import Dispatcher


class _OpenStore(NamedTuple):
    """The open store, and its dispatcher."""

    memory: "Memory"
    dispatcher: "Dispatcher"


def serve(settings: Settings, *, user: str = "", verbose: bool = False) -> None:
    """Serve until standard input ends or a signal comes. `user` is the one of the command line.

    A process that can open the store needs no key; with one in the settings, the permissions of the key count.
    """
    _log_to_standard_error(verbose=verbose)
    with ThreadPoolExecutor(1, "recollect-open") as executor:
        opening = executor.submit(_open, settings, user)
        opening.add_done_callback(_exit_on_failure)

        def caller() -> Caller:
            # each time anew: a key may be revoked, or expire, while the host runs
            principal = opening.result().memory.keys.identify(settings.key) if settings.key else LOCAL
            return Caller(principal, user)

        try:
            with _exit_on_signals(opening):
                anyio.run(_serve, lambda: opening.result().dispatcher, caller, bool(settings.federation.nodes))
        except* BrokenPipeError:
            LOG.info("the host is gone")
        finally:
            opening.result().memory.close()


def _open(settings: Settings, user: str) -> _OpenStore:
    """Open the store. A key that is not valid here is reported now, and not to a model."""
    memory = import_module("recollect.api.memory").Memory.open(settings=settings)
    with ExitStack() as undo:
        undo.callback(memory.close)
        if settings.key:
            principal = memory.keys.identify(settings.key)
            authorize(principal, next(iter(principal.scopes)), user=user, default=settings.user)
        opened = _OpenStore(memory, import_module("recollect.mcp.dispatch").Dispatcher(lambda: memory))
        undo.pop_all()
    return opened


async def _serve(
    dispatcher: "Callable[[], Dispatcher]",
    caller: Callable[[], Caller],
    federated: bool,  # noqa: FBT001 - anyio passes by position
) -> None:
    server = create_server(dispatcher, lambda _: caller(), federated=lambda: federated)

    async def run(incoming: IncomingMessages, outgoing: OutgoingMessages) -> None:
        await server.run(incoming, outgoing, server.create_initialization_options())

    with standard_descriptors() as descriptors:
        await StdioTransport(descriptors).carry(run)


def _exit_on_failure(opening: "Future[_OpenStore]") -> None:
    """Say why the store cannot be opened, and exit; a thread that waits for input would keep the process alive."""
    error = opening.exception()
    if error is not None:
        reason = (
            str(error) if isinstance(error, (RecollectError, OSError)) else f"{type(error).__name__} while opening."
        )
        sys.stderr.write(f"Error: {reason}\n")
        sys.stderr.flush()
        os._exit(1)


@contextmanager
def _exit_on_signals(opening: "Future[_OpenStore]") -> Iterator[None]:
    """Close the store and exit on a signal; the thread that waits for standard input cannot be woken."""

    def exit_now(_number: int, _frame: FrameType | None) -> None:
        opening.result().memory.close()
        os._exit(0)

    before = {number: signal.signal(number, exit_now) for number in (signal.SIGINT, signal.SIGTERM)}
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
