"""The store for programs in one event loop: what is awaited at the same time is done as one batch."""

from collections.abc import Iterable
from typing import Any

from langgraph.store.base import Op, Result, TTLConfig
from langgraph.store.base.batch import AsyncBatchedBaseStore

from recollect_connect.integrations.langgraph.store import RecollectStore


class AsyncRecollectStore(AsyncBatchedBaseStore):
    """A `RecollectStore` that collects operations; make it inside a running event loop.

    Only the awaited verbs may be called in that loop's thread; the others are for further threads.
    """

    supports_ttl = True

    def __init__(self, store: RecollectStore) -> None:
        super().__init__()
        self._store = store
        self.ttl_config: TTLConfig | None = store.ttl_config
        self.index_config: Any = store.index_config
        self.embeddings = store.embeddings

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in a worker thread."""
        return await self._store.abatch(ops)

    async def sweep_ttl(self) -> int:
        """Erase what has expired; returns how many memories. See `RecollectStore.sweep_ttl`."""
        return await self._store.asweep_ttl()

    async def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:
        """Erase what has expired from time to time, in a thread."""
        self._store.start_ttl_sweeper(sweep_interval_minutes)

    async def stop_ttl_sweeper(self) -> None:
        """End that thread, if there is one."""
        await self._store.astop_ttl_sweeper()
