"""The same verbs for programs that await: each runs in a worker thread. There is no second implementation here."""

from asyncio import to_thread
from collections.abc import Callable
from os import PathLike
from threading import Event
from types import TracebackType
from typing import Self

from recollect.api.aio.conversation import AsyncConversation
from recollect.api.aio.user import AsyncUserMemory
from recollect.api.keys import Keys
from recollect.api.memory import Memory
from recollect.api.operations import StoreOperations
from recollect.model.memories import Space
from recollect.model.stats import Estimate, Maintenance, Model, Problem, Reembedding, Status, StoreStats, WorkReport
from recollect.ports import Clock, Embedder, Summarizer
from recollect.settings import Settings

__all__ = ["AsyncConversation", "AsyncMemory", "AsyncUserMemory"]


class AsyncMemory:
    """An open store, for `async with`. See `Memory`."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    @classmethod
    async def open(
        cls,
        database: str | PathLike[str] | None = None,
        *,
        settings: Settings | None = None,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
        summarizer: Summarizer | None = None,
    ) -> Self:
        """See `Memory.open`."""
        return cls(
            await to_thread(
                Memory.open, database, settings=settings, clock=clock, embedder=embedder, summarizer=summarizer
            )
        )

    def user(self, user_id: str) -> "AsyncUserMemory":
        """See `Memory.user`."""
        return AsyncUserMemory(self._memory.user(user_id))

    @property
    def keys(self) -> Keys:
        """See `Memory.keys`; its verbs are short, and there is nothing to await."""
        return self._memory.keys

    @property
    def doors(self) -> StoreOperations:
        """See `Memory.doors`; its verbs are for threads."""
        return self._memory.doors

    @property
    def settings(self) -> Settings:
        """See `Memory.settings`."""
        return self._memory.settings

    async def stats(self) -> StoreStats:
        """See `Memory.stats`."""
        return await to_thread(self._memory.stats)

    async def status(self) -> Status:
        """See `Memory.status`."""
        return await to_thread(self._memory.status)

    async def doctor(self) -> tuple[Problem, ...]:
        """See `Memory.doctor`."""
        return await to_thread(self._memory.doctor)

    async def maintain(self) -> Maintenance:
        """See `Memory.maintain`."""
        return await to_thread(self._memory.maintain)

    async def embed_waiting(
        self, *, thorough: bool = True, stop: Event | None = None, tell: Callable[[WorkReport], None] | None = None
    ) -> WorkReport:
        """See `Memory.embed_waiting`."""
        return await to_thread(self._memory.embed_waiting, thorough=thorough, stop=stop, tell=tell)

    async def retry_parked(self) -> int:
        """See `Memory.retry_parked`."""
        return await to_thread(self._memory.retry_parked)

    async def reembed(
        self,
        provider: str | None = None,
        model: str | None = None,
        *,
        dimensions: int | None = None,
        embedder: Embedder | None = None,
        wait: bool = True,
        bulk: bool | None = None,
        without_parked: bool = False,
        stop: Event | None = None,
        tell: Callable[[WorkReport], None] | None = None,
    ) -> Reembedding:
        """See `Memory.reembed`."""
        return await to_thread(
            self._memory.reembed,
            provider,
            model,
            dimensions=dimensions,
            embedder=embedder,
            wait=wait,
            bulk=bulk,
            without_parked=without_parked,
            stop=stop,
            tell=tell,
        )

    async def estimate(
        self, provider: str | None = None, model: str | None = None, *, dimensions: int | None = None
    ) -> Estimate:
        """See `Memory.estimate`."""
        return await to_thread(self._memory.estimate, provider, model, dimensions=dimensions)

    async def cancel_reembed(self) -> Space:
        """See `Memory.cancel_reembed`."""
        return await to_thread(self._memory.cancel_reembed)

    async def drop_model(self, name: str) -> Space:
        """See `Memory.drop_model`."""
        return await to_thread(self._memory.drop_model, name)

    async def models(self, *, ask: bool = True) -> tuple[Model, ...]:
        """See `Memory.models`."""
        return await to_thread(self._memory.models, ask=ask)

    async def close(self) -> None:
        """See `Memory.close`."""
        await to_thread(self._memory.close)

    async def __aenter__(self) -> Self:
        """Give itself."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        await self.close()
