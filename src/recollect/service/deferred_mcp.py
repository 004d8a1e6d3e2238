"""The part for agents, made at their first request: its SDK takes as long to import as half of the service."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from anyio import TASK_STATUS_IGNORED, Lock, create_task_group, sleep_forever, to_thread
from anyio.abc import TaskGroup, TaskStatus
from starlette.types import Receive, Scope, Send

if TYPE_CHECKING:
    from recollect.mcp.http import Mcp


class DeferredMcp:
    """Answers as the application that `create` makes, once, in a thread. Needs its `lifespan`."""

    def __init__(self, create: "Callable[[], Mcp]") -> None:
        self._create = create
        self._mcp: Mcp | None = None
        self._creating: Lock
        self._tasks: TaskGroup

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Enter it once, while the service runs."""
        self._creating = Lock()
        async with create_task_group() as self._tasks:
            yield
            self._tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        made = self._mcp or await self._made()
        await made.app(scope, receive, send)

    async def _made(self) -> "Mcp":
        async with self._creating:
            if self._mcp is None:
                made = await to_thread.run_sync(self._create)
                await self._tasks.start(_keep_open, made)
                self._mcp = made
            return self._mcp


async def _keep_open(made: "Mcp", *, task_status: TaskStatus[None] = TASK_STATUS_IGNORED) -> None:
    async with made.lifespan():
        task_status.started()
        await sleep_forever()
