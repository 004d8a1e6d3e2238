"""Loading memories of many users from one stream.

Rows are stored in batches, one transaction each; within it each user's part is whole or not there. While one batch is
committed, the next is prepared.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice

from recollect.engine.base.context import Engine
from recollect.engine.memories.remember import (
    BATCH,
    MemoryBatch,
    after_commit,
    batch_work,
    draft_batch,
    embed_batch,
    space_for,
    without_gc,
)
from recollect.errors import RecollectError, StoreError
from recollect.model.memories import Loaded, OfferedMemory, Remembered, Scope
from recollect.storage.base import PendingWrite

_BATCH = 2 * BATCH  # the rows of a user may lie far apart in the stream
_Outcomes = Sequence[list[Remembered] | RecollectError]


def load(
    engine: Engine, rows: Iterable[tuple[Scope, OfferedMemory]], *, wait: bool | None = None, imported: bool = False
) -> Loaded:
    """Store memories of any users. What one user may not store is named, and the others' is stored."""
    stream = _Stream(engine, wait=wait, imported=imported)
    source = iter(rows)
    try:
        try:
            while batch := list(islice(source, _BATCH)):
                stream.store(batch)
        finally:
            stream.settle()
    finally:
        after_commit(engine, waiting=stream.waiting, paid=stream.paid)
    return stream.result()


class _Stream:
    """What was stored so far, and the batch that is being written."""

    def __init__(self, engine: Engine, *, wait: bool | None, imported: bool) -> None:
        self._engine = engine
        self._wait = wait
        self._imported = imported
        self._pending: tuple[PendingWrite[_Outcomes], dict[Scope, MemoryBatch]] | None = None
        self._rows = 0
        self._users: set[str] = set()
        self._actions: Counter[str] = Counter()
        self._refused: dict[str, str] = {}
        self._degraded: set[str] = set()
        self.waiting = False
        self.paid = 0

    def store(self, rows: list[tuple[Scope, OfferedMemory]]) -> None:
        """Prepare a batch and begin to write it. Users come in the order of their ids: two loads cannot deadlock."""
        shares = defaultdict[Scope, list[OfferedMemory]](list)
        for scope, memory in rows:
            shares[scope].append(memory)
        engine = self._engine
        space = space_for(engine, wait=self._wait)
        with without_gc():
            drafts = {
                scope: draft_batch(engine, scope, space, shares[scope])
                for scope in sorted(shares, key=lambda scope: scope.user_id)
            }
        batches = {scope: embed_batch(engine, scope, space, own, wait=self._wait) for scope, own in drafts.items()}
        self.settle()
        works = [(scope, batch_work(engine, each, imported=self._imported)) for scope, each in batches.items()]
        with without_gc():
            self._pending = engine.write_many(works), batches

    def settle(self) -> None:
        """Wait for the batch that is being written."""
        if self._pending is None:
            return
        pending, batches = self._pending
        self._pending = None
        for (scope, batch), outcome in zip(batches.items(), pending.result(), strict=True):
            self._count(scope, batch, outcome)

    def _count(self, scope: Scope, batch: MemoryBatch, outcome: list[Remembered] | RecollectError) -> None:
        self._rows += len(batch.drafts)
        if isinstance(outcome, StoreError):
            raise outcome
        if isinstance(outcome, RecollectError):
            self._refused[scope.user_id] = str(outcome)
            return
        self._users.add(scope.user_id)
        self._actions.update(remembered.action for remembered in outcome)
        self._degraded.update(batch.degraded)
        self.waiting, self.paid = self.waiting or batch.waiting, self.paid + batch.embedded.entries

    def result(self) -> Loaded:
        """Give the figures."""
        return Loaded(self._rows, len(self._users), dict(self._actions), self._refused, tuple(sorted(self._degraded)))
