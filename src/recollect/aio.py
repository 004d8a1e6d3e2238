"""The same verbs for programs that await: each runs in a worker thread. There is no second implementation here."""

from asyncio import to_thread
from collections.abc import Iterable, Mapping
from os import PathLike
from types import TracebackType
from typing import Any, Self, Unpack

from recollect.memory import Memory, UserMemory
from recollect.ports import Clock, Embedder
from recollect.settings import Settings
from recollect.types import (
    FilterFields,
    Forgotten,
    Maintenance,
    MemoryChanges,
    MemoryFields,
    MemoryRecord,
    NewMemory,
    Page,
    Problem,
    Recall,
    Remembered,
    Stats,
    Status,
    StoreStats,
    VectorLike,
)


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
    ) -> Self:
        """See `Memory.open`."""
        return cls(await to_thread(Memory.open, database, settings=settings, clock=clock, embedder=embedder))

    def user(self, user_id: str) -> "AsyncUserMemory":
        """See `Memory.user`."""
        return AsyncUserMemory(self._memory.user(user_id))

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


class AsyncUserMemory:
    """One user's memories, with verbs to await. See `UserMemory`."""

    def __init__(self, memory: UserMemory) -> None:
        self._memory = memory

    @property
    def user_id(self) -> str:
        """See `UserMemory.user_id`."""
        return self._memory.user_id

    async def remember(self, content: str, **fields: Unpack[MemoryFields]) -> Remembered:
        """See `UserMemory.remember`."""
        return await to_thread(self._memory.remember, content, **fields)

    async def remember_many(
        self, memories: Iterable[str | NewMemory | Mapping[str, Any]], *, near_duplicates: bool = False
    ) -> tuple[Remembered, ...]:
        """See `UserMemory.remember_many`."""
        return await to_thread(self._memory.remember_many, memories, near_duplicates=near_duplicates)

    async def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        min_score: float | None = None,
        vector: VectorLike | None = None,
        **filters: Unpack[FilterFields],
    ) -> Recall:
        """See `UserMemory.recall`."""
        return await to_thread(self._memory.recall, query, limit=limit, min_score=min_score, vector=vector, **filters)

    async def forget(
        self, id: str | None = None, *, query: str | None = None, everything: bool = False, dry_run: bool = False
    ) -> Forgotten:
        """See `UserMemory.forget`."""
        return await to_thread(self._memory.forget, id, query=query, everything=everything, dry_run=dry_run)

    async def get(self, id: str) -> MemoryRecord:
        """See `UserMemory.get`."""
        return await to_thread(self._memory.get, id)

    async def update(self, id: str, **changes: Unpack[MemoryChanges]) -> MemoryRecord:
        """See `UserMemory.update`."""
        return await to_thread(self._memory.update, id, **changes)

    async def list(self, *, limit: int = 50, cursor: str | None = None, **filters: Unpack[FilterFields]) -> Page:
        """See `UserMemory.list`."""
        return await to_thread(self._memory.list, limit=limit, cursor=cursor, **filters)

    async def history(self, id: str) -> tuple[MemoryRecord, ...]:
        """See `UserMemory.history`."""
        return await to_thread(self._memory.history, id)

    async def count(self, **filters: Unpack[FilterFields]) -> int:
        """See `UserMemory.count`."""
        return await to_thread(self._memory.count, **filters)

    async def stats(self) -> Stats:
        """See `UserMemory.stats`."""
        return await to_thread(self._memory.stats)
