"""Storing memories: one, many of a user, or those of many users from one stream.

Many are stored in batches, one transaction each; within it each user's part is whole or not there. Vectors are made
before the transaction starts, which must not wait. While one batch is committed, the next is prepared.
"""

import gc
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import islice

from recollect.engine.base import embedders
from recollect.engine.base.context import VECTOR, Engine
from recollect.engine.base.scopes import authored_memories
from recollect.engine.drafts import kept_secrets, memory_drafts, redaction, tombstones
from recollect.engine.drafts.items import embedded_texts
from recollect.engine.drafts.media import with_checked_media
from recollect.engine.memories import decisions
from recollect.engine.memories.decisions import PreparedMemory
from recollect.engine.vectors import embed_texts
from recollect.engine.vectors.embed_texts import EmbeddedItems
from recollect.errors import EmbeddingError, InvalidVector, RecollectError, StoreError
from recollect.model.memories import (
    Draft,
    Loaded,
    MemoryRecord,
    NewMemory,
    OfferedMemory,
    Remembered,
    Scope,
    Space,
    Vector,
)
from recollect.model.places import is_somewhere
from recollect.model.vectors import as_units
from recollect.storage.base import PendingWrite, StoreWriter

BATCH = 10_000
_ROWS_AT_ONCE = 2 * BATCH  # the rows of a user may lie far apart in the stream
_Outcomes = Sequence[list[Remembered] | RecollectError]


@dataclass(frozen=True, slots=True)
class MemoryBatch:
    """Drafts whose vectors are all of one space, what these cost, and what failed."""

    drafts: list[Draft]
    space: Space | None
    embedded: EmbeddedItems = field(default_factory=EmbeddedItems)
    degraded: tuple[str, ...] = ()
    unknown: bool = False  # the length of the vectors is not known yet

    def prepared(self, position: int) -> PreparedMemory:
        """Give one of the drafts with its part of the payment; the first bears the cost."""
        return PreparedMemory(self.drafts[position], self.space, self.embedded.only(position))

    @property
    def waiting(self) -> bool:
        """Whether a worker has something left to do: a vector, an address, the vector of a place."""
        lacking = self.space is not None and any(draft.vector is None for draft in self.drafts)
        return self.unknown or lacking or any(map(_is_somewhere, self.drafts))


def _is_somewhere(draft: Draft) -> bool:
    return is_somewhere(draft.record.lat, draft.record.address, draft.record.place_label)


def remember(engine: Engine, scope: Scope, memory: NewMemory, *, wait: bool | None = None) -> Remembered:
    """Store one memory, unless it is already known in these words."""
    batch = prepare_batch(engine, scope, [memory], wait=wait)
    prepared = batch.prepared(0)
    remembered = engine.write(
        scope, lambda writer: replace(decisions.decide(writer, engine, prepared), degraded=batch.degraded)
    )
    after_commit(engine, waiting=batch.waiting or bool(remembered.taken_over), paid=batch.embedded.entries)
    return remembered


def after_commit(engine: Engine, *, waiting: bool, paid: int) -> None:
    """Wake the worker and trim the cache, after the commit."""
    if waiting or engine.models.is_changing:
        engine.background.wake()
    embed_texts.trim_after(engine, paid)


def prepare_many(
    engine: Engine, scope: Scope, memories: Sequence[NewMemory]
) -> tuple[list[PreparedMemory], tuple[str, ...]]:
    """Do what takes time before a transaction, which is making vectors; names what failed."""
    batch = prepare_batch(engine, scope, memories)
    return [batch.prepared(position) for position in range(len(batch.drafts))], batch.degraded


def remember_many(
    engine: Engine,
    scope: Scope,
    memories: Iterable[OfferedMemory],
    *,
    wait: bool | None = None,
    imported: bool = False,
) -> list[Remembered]:
    """Store many memories, one transaction a batch; the next batch is prepared while the last one is committed.

    `imported` ones that were forgotten are left out.
    """
    results: list[Remembered] = []
    waiting, paid = False, 0
    pending: PendingWrite[list[Remembered]] | None = None
    source = iter(memories)
    try:
        while offered := list(islice(source, BATCH)):
            batch = prepare_batch(engine, scope, offered, wait=wait)
            waiting, paid = waiting or batch.waiting, paid + batch.embedded.entries
            if pending is not None:
                results += pending.result()
            with without_gc():
                pending = engine.write_behind(scope, batch_work(engine, batch, imported=imported))
    finally:
        if pending is not None:
            results += pending.result()
        after_commit(engine, waiting=waiting, paid=paid)
    return results


@contextmanager
def without_gc() -> Iterator[None]:
    """Pause the garbage collector: a batch makes a hundred thousand objects and not one cycle."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def prepare_batch(
    engine: Engine, scope: Scope, memories: Sequence[OfferedMemory], *, wait: bool | None = None
) -> MemoryBatch:
    """Draft and embed memories; those that cannot be embedded now are stored without a vector."""
    space = space_for(engine, wait=wait)
    return embed_batch(engine, scope, space, draft_batch(engine, scope, space, memories), wait=wait)


def draft_batch(engine: Engine, scope: Scope, space: Space | None, memories: Sequence[OfferedMemory]) -> list[Draft]:
    """Draft memories, with the vectors that came with them."""
    with without_gc():
        checked = [
            memory
            if isinstance(memory, str)
            else kept_secrets.sealed(engine, scope, with_checked_media(engine, scope, memory))
            for memory in memories
        ]
        memories = authored_memories(engine, redaction.public_memories(engine, checked))
        vectors = _check_vectors(engine, space, memories)
        return memory_drafts.draft_memories(memories, engine.clock.now(), vectors, engine.priority.give_way)


def embed_batch(
    engine: Engine, scope: Scope, space: Space | None, drafts: list[Draft], *, wait: bool | None
) -> MemoryBatch:
    """Embed drafts without a vector; those that cannot be embedded now are stored without."""
    lacking = [position for position, draft in enumerate(drafts) if draft.vector is None]
    if space is None or not lacking:
        unknown = bool(lacking) and engine.models.configured is not None
        return MemoryBatch(drafts, space, degraded=(VECTOR,) if unknown and wait else (), unknown=unknown)
    texts = [embedded_texts(drafts[position].record, space) for position in lacking]
    try:
        embedded = embed_texts.embed_items(engine, scope, space, texts, wait=wait)
    except EmbeddingError:
        return MemoryBatch(drafts, space, degraded=(VECTOR,))
    for position, vectors_of_item in embedded.vectors.items():
        drafts[lacking[position]] = memory_drafts.with_vectors(drafts[lacking[position]], vectors_of_item)
    paid = {lacking[position]: entries for position, entries in embedded.paid.items()}
    payment = EmbeddedItems({}, paid, embedded.usage)
    return MemoryBatch(drafts, space, payment, (VECTOR,) if embedded.failed else ())


def space_for(engine: Engine, *, wait: bool | None) -> Space | None:
    """Give the space to embed for. A caller that waits for vectors also waits to learn their length."""
    configured, space = engine.models.configured, engine.space
    if space is None and configured is not None and embed_texts.waits(engine, configured, wait=wait):
        with suppress(EmbeddingError):
            return embedders.probe(configured)
    return space


def _check_vectors(engine: Engine, space: Space | None, memories: Sequence[OfferedMemory]) -> Sequence[Vector | None]:
    """Check the vectors that came with the memories."""
    vectors = [None if isinstance(memory, str) else memory.vector for memory in memories]
    offered = [vector for vector in vectors if vector is not None]
    if not offered:
        return [None] * len(memories)
    if space is None and engine.models.configured is not None:
        raise InvalidVector(
            "A vector was given, but the length of the model's vectors is not known yet. Set embedding.dimensions, "
            "or run `recollect worker --once`."
        )
    if space is None:
        raise InvalidVector("A vector was given, but vectors are switched off (embedding.provider is none).")
    units = iter(as_units(offered, space.dimensions))
    return [None if vector is None else next(units) for vector in vectors]


def batch_work(engine: Engine, batch: MemoryBatch, *, imported: bool) -> Callable[[StoreWriter], list[Remembered]]:
    """Insert what cannot supersede or repeat anything at once; decide in order about the rest."""

    def work(writer: StoreWriter) -> list[Remembered]:
        forgotten = tombstones.find_forgotten(writer, batch.drafts) if imported else {}
        plain = _unheard(writer, [draft for draft in batch.drafts if draft.record.id not in forgotten])
        refused = writer.insert(plain, batch.space) if plain else frozenset()
        if refused:
            plain = [draft for draft in plain if draft.record.id not in refused]
        settled = {draft.record.id for draft in plain} | forgotten.keys()
        rest = {position: draft for position, draft in enumerate(batch.drafts) if draft.record.id not in settled}
        decided = decisions.decide_batch(writer, rest, batch.space, imported=imported) if rest else {}
        decisions.lift(writer, plain)

        def outcome(position: int, record: MemoryRecord) -> Remembered:
            if record.id in forgotten:
                return Remembered("forgotten", "")
            if position in decided:
                return replace(decided[position], degraded=batch.degraded)
            return Remembered("created", record.id, None, batch.degraded, record.left_out, record.kept_secret)

        results = [outcome(position, draft.record) for position, draft in enumerate(batch.drafts)]
        if batch.space is not None and (batch.embedded.paid or batch.embedded.usage.tokens):
            owners = {position: remembered.id for position, remembered in enumerate(results) if remembered.id}
            embed_texts.keep(writer, engine, batch.space, batch.embedded, owners)
        return results

    return work


def _unheard(writer: StoreWriter, drafts: Sequence[Draft]) -> list[Draft]:
    """Give the drafts without a slot whose words neither a memory has nor a draft before them."""
    first = {memory_drafts.words_hash(draft.content_hash): draft for draft in reversed(drafts)}
    plain = {words: draft for words, draft in first.items() if memory_drafts.slot(draft.record) is None}
    known = writer.with_words([draft.content_hash for draft in plain.values()]) if plain else ()
    for live in known:
        plain.pop(memory_drafts.words_hash(live.content_hash), None)
    return [*reversed(plain.values())]


def load(
    engine: Engine, rows: Iterable[tuple[Scope, OfferedMemory]], *, wait: bool | None = None, imported: bool = False
) -> Loaded:
    """Store memories of any users. What one user may not store is named, and the others' is stored."""
    stream = _Stream(engine, wait=wait, imported=imported)
    source = iter(rows)
    try:
        try:
            while batch := list(islice(source, _ROWS_AT_ONCE)):
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
