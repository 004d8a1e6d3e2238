"""Storing: what is new, what is known already, what takes the place of something older.

All decisions are taken inside one transaction, in which nobody else writes for the same user; the unique index has the
last word. Vectors are made before the transaction starts, because nobody may wait inside it.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from recollect.engine.base import call_embedder
from recollect.engine.base.context import REWORDING, VECTOR, Engine
from recollect.engine.drafts import memory_drafts, redaction
from recollect.engine.vectors import embed_texts
from recollect.engine.vectors.embed_texts import EmbeddedTexts
from recollect.errors import EmbeddingError, InvalidVector, StoreDamaged
from recollect.model.filters import Filters
from recollect.model.memories import Draft, MemoryRecord, NewMemory, Remembered, Scope, Space, Vector, lapsed
from recollect.model.messages import Usage
from recollect.model.places import is_somewhere
from recollect.model.vectors import as_units
from recollect.ports import PendingWrite, StoreReader, StoreWriter
from recollect.ranking.fusion import nearness
from recollect.text.clean import fingerprint_text
from recollect.text.sameness import same_statement

BATCH = 10_000
_NEAR_CANDIDATES = 5
_SURER = 0.5  # hearing something again takes away half of what doubt is left
_FREE = EmbeddedTexts()


@dataclass(frozen=True, slots=True)
class PreparedMemory:
    """A memory about to be decided on: in which space its vector is, and the one that it may be a rewording of.

    `paid` is what its vector cost, and under which key it is kept, if it was paid for.
    """

    draft: Draft
    space: Space | None
    near: str | None = None
    paid: EmbeddedTexts = _FREE


@dataclass(frozen=True, slots=True)
class _MemoryBatch:
    """Drafts whose vectors are all of one space, what these cost, and what failed."""

    drafts: list[Draft]
    space: Space | None
    embedded: EmbeddedTexts = _FREE
    degraded: tuple[str, ...] = ()
    unknown: bool = False  # nobody knows yet how long the vectors are that these need

    def prepared(self, position: int, near: str | None = None) -> PreparedMemory:
        """Give one of the drafts with its part of what was paid; the first bears the cost."""
        embedded = self.embedded
        own = {0: embedded.paid[position]} if position in embedded.paid else {}
        usage = embedded.usage if position == 0 else Usage()
        vectors = {0: embedded.vectors[position]} if own else {}
        return PreparedMemory(self.drafts[position], self.space, near, EmbeddedTexts(vectors, own, usage))

    @property
    def waiting(self) -> bool:
        """Whether something is still missing that somebody will make: a vector, an address, the vector of a place."""
        lacking = self.space is not None and any(draft.vector is None for draft in self.drafts)
        return self.unknown or lacking or any(_is_somewhere(draft.record) for draft in self.drafts)


def _is_somewhere(record: MemoryRecord) -> bool:
    return is_somewhere(record.lat, record.address, record.place_label)


def remember(engine: Engine, scope: Scope, memory: NewMemory, *, wait: bool | None = None) -> Remembered:
    """Store one memory, unless it is already known in these or in nearly these words."""
    batch = _prepare(engine, scope, [memory], wait=wait)
    remembered = _remember_one(engine, scope, batch, 0)
    _after(engine, waiting=batch.waiting, paid=len(batch.embedded.paid))
    return remembered


def _after(engine: Engine, *, waiting: bool, paid: int) -> None:
    """See to what storing leaves to be done, when it is on the disk."""
    if waiting or engine.models.is_changing:
        engine.background.wake()
    embed_texts.trim_after(engine, paid)


def prepare_many(
    engine: Engine, scope: Scope, memories: Sequence[NewMemory]
) -> tuple[list[PreparedMemory], tuple[str, ...]]:
    """Do all that takes time before a transaction: vectors, and the search for rewordings. Says what failed."""
    batch = _prepare(engine, scope, memories)
    near, degraded = _near_duplicates(engine, scope, batch.drafts, batch.space)
    prepared = [batch.prepared(position, near.get(position)) for position in range(len(batch.drafts))]
    return prepared, (*batch.degraded, *degraded)


def _near_duplicates(
    engine: Engine, scope: Scope, drafts: Sequence[Draft], space: Space | None
) -> tuple[dict[int, str], tuple[str, ...]]:
    """Find for each draft the memory that it is a rewording of, if any; says whether looking was possible."""
    try:
        found = {position: _near_duplicate(engine, scope, draft, space) for position, draft in enumerate(drafts)}
    except StoreDamaged:  # the new memories are sound; only the comparison with the old ones is not possible
        return {}, (REWORDING,)
    return {position: near for position, near in found.items() if near is not None}, ()


def _remember_one(engine: Engine, scope: Scope, batch: _MemoryBatch, position: int) -> Remembered:
    near, failed = _near_duplicates(engine, scope, [batch.drafts[position]], batch.space)
    prepared = batch.prepared(position, near.get(0))
    degraded = (*batch.degraded, *failed)
    return engine.write(scope, lambda writer: replace(decide(writer, engine, prepared), degraded=degraded))


def remember_many(
    engine: Engine,
    scope: Scope,
    memories: Iterable[NewMemory],
    *,
    near_duplicates: bool,
    wait: bool | None = None,
) -> list[Remembered]:
    """Store many memories, one transaction a batch; the next batch is prepared while the last one is committed.

    With `near_duplicates` each memory is compared with all before it, and therefore stored by itself.
    """
    kept: list[Remembered] = []
    waiting, paid = False, 0
    pending: PendingWrite[list[Remembered]] | None = None
    source = iter(memories)
    try:
        while offered := list(islice(source, BATCH)):
            batch = _prepare(engine, scope, offered, wait=wait)
            waiting, paid = waiting or batch.waiting, paid + len(batch.embedded.paid)
            if near_duplicates:
                kept += [_remember_one(engine, scope, batch, position) for position in range(len(batch.drafts))]
                continue
            if pending is not None:
                kept += pending.result()
            with _no_collections():
                pending = engine.write_behind(scope, _batch_work(engine, batch))
    finally:
        if pending is not None:
            kept += pending.result()
        _after(engine, waiting=waiting, paid=paid)
    return kept


@contextmanager
def _no_collections() -> Iterator[None]:
    """Keep Python from looking for cycles: a batch makes a hundred thousand objects and not one cycle."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _prepare(engine: Engine, scope: Scope, memories: Sequence[NewMemory], *, wait: bool | None = None) -> _MemoryBatch:
    """Draft memories and give each its vector; what cannot be embedded now is stored without one."""
    space = _space(engine, wait=wait)
    with _no_collections():
        memories = [redaction.public(engine, memory) for memory in memories]
        given = _given_vectors(engine, space, memories)
        drafts = memory_drafts.draft_memories(memories, engine.clock.now(), given)
    lacking = [position for position, draft in enumerate(drafts) if draft.vector is None]
    if space is None or not lacking:
        unknown = bool(lacking) and engine.models.configured is not None
        return _MemoryBatch(drafts, space, degraded=(VECTOR,) if unknown and wait else (), unknown=unknown)
    texts = [memory_drafts.passage(drafts[position].record) for position in lacking]
    try:
        made = embed_texts.passages(engine, scope, space, texts, wait=wait)
    except EmbeddingError:
        return _MemoryBatch(drafts, space, degraded=(VECTOR,))
    for position, vector in made.vectors.items():
        drafts[lacking[position]] = memory_drafts.with_vector(drafts[lacking[position]], vector)
    vectors = {lacking[position]: made.vectors[position] for position in made.paid}
    paid = {lacking[position]: key for position, key in made.paid.items()}
    return _MemoryBatch(drafts, space, EmbeddedTexts(vectors, paid, made.usage), (VECTOR,) if made.failed else ())


def _space(engine: Engine, *, wait: bool | None) -> Space | None:
    """Give the space to embed for. Whoever waits also waits to learn how long the vectors are."""
    configured, space = engine.models.configured, engine.space
    if space is None and configured is not None and embed_texts.waits(engine, configured, wait=wait):
        with suppress(EmbeddingError):
            return call_embedder.probed(configured)
    return space


def _given_vectors(engine: Engine, space: Space | None, memories: Sequence[NewMemory]) -> Sequence[Vector | None]:
    """Check the vectors that came with the memories."""
    offered = [memory.vector for memory in memories if memory.vector is not None]
    if not offered:
        return [None] * len(memories)
    if space is None and engine.models.configured is not None:
        raise InvalidVector(
            "A vector was given, but nobody knows yet how long the model's vectors are. Set embedding.dimensions, or "
            "run `recollect worker --once`."
        )
    if space is None:
        raise InvalidVector("A vector was given, but vectors are switched off (embedding.provider is none).")
    units = iter(as_units(offered, space.dimensions))
    return [None if memory.vector is None else next(units) for memory in memories]


def _near_duplicate(engine: Engine, scope: Scope, draft: Draft, space: Space | None) -> str | None:
    """Find a memory of the same type that says the same in other words. A slot has its own rules, so have events."""
    threshold, vector = engine.settings.duplicates.near_threshold, draft.vector
    record = draft.record
    if threshold is None or space is None or vector is None or record.key or record.type in memory_drafts.HAPPENINGS:
        return None
    filters = Filters(now=record.created_at, types=(record.type,), min_trust=record.trust)

    def ask(reader: StoreReader) -> Sequence[MemoryRecord]:
        near, unrelated = reader.nearest(space, vector, filters, _NEAR_CANDIDATES), reader.unrelated(space)
        return reader.get([one.id for one in near if nearness(one.cosine, unrelated) >= threshold])

    found = (known.id for known in engine.store.read(scope, ask) if _says_the_same(known, record))
    return min(found, default=None)


def _says_the_same(known: MemoryRecord, record: MemoryRecord) -> bool:
    about = (known.subject, known.key, known.context) == (record.subject, record.key, record.context)
    return about and known.value == record.value and same_statement(known.content, record.content)


def _batch_work(engine: Engine, batch: _MemoryBatch) -> Callable[[StoreWriter], list[Remembered]]:
    """Write what cannot supersede anything at once; look closer at the rest, and at what the index refused."""
    drafts, degraded = batch.drafts, batch.degraded

    def work(writer: StoreWriter) -> list[Remembered]:
        plain = [draft for draft in drafts if memory_drafts.slot(draft.record) is None]
        refused = writer.insert(plain, batch.space) if plain else frozenset()
        done = {draft.record.id for draft in plain} - refused
        kept = [
            Remembered("created", draft.record.id, degraded=degraded)
            if draft.record.id in done
            else replace(_decided(writer, PreparedMemory(draft, batch.space)), degraded=degraded)
            for draft in drafts
        ]
        if batch.space is not None:
            owners = {position: one.id for position, one in enumerate(kept)}
            embed_texts.keep(writer, engine, batch.space, batch.embedded, owners)
        return kept

    return work


def decide(writer: StoreWriter, engine: Engine, prepared: PreparedMemory) -> Remembered:
    """Find out what a memory is to what is known, and write what follows from it."""
    remembered = _decided(writer, prepared)
    if prepared.space is not None:
        embed_texts.keep(writer, engine, prepared.space, prepared.paid, {0: remembered.id})
    return remembered


def _decided(writer: StoreWriter, prepared: PreparedMemory) -> Remembered:
    """A slot has one live holder at most; what has no slot can only meet its like."""
    draft, near = prepared.draft, prepared.near
    record, slot = draft.record, memory_drafts.slot(draft.record)
    old = writer.current(slot) if slot else writer.same(memory_drafts.fingerprint(draft))
    if old is not None and not lapsed(old, record.created_at):
        if slot is None or _same_value(old, draft):
            return _confirmed(writer, old, record)
        return _replaced(writer, draft, prepared.space, old)
    twin = next(iter(writer.get([near])), None) if near else None
    if twin is not None and twin.superseded_by is None:
        return _confirmed(writer, twin, record)
    if old is not None:
        writer.retire(old.id, memory_drafts.lapse(old), record.id)
    return _inserted(writer, draft, prepared.space)


def _inserted(writer: StoreWriter, draft: Draft, space: Space | None) -> Remembered:
    if writer.insert([draft], space):
        known = writer.same(memory_drafts.fingerprint(draft))
        if known is not None:
            return _confirmed(writer, known, draft.record)
    return Remembered("created", draft.record.id)


def _confirmed(writer: StoreWriter, known: MemoryRecord, record: MemoryRecord) -> Remembered:
    """It is known already. Hearing it again makes it surer, and hearing it from a better source more trusted."""
    surer = known.confidence + (1 - known.confidence) * record.confidence * _SURER
    better = record if record.trust > known.trust else known
    confirmed = known._replace(trust=better.trust, source=better.source, confidence=surer, updated_at=record.created_at)
    if confirmed._replace(updated_at=known.updated_at) != known:
        writer.confirm(confirmed)
    return Remembered("duplicate", known.id, known.id)


def _replaced(writer: StoreWriter, draft: Draft, space: Space | None, holder: MemoryRecord) -> Remembered:
    """Give the slot to the new value, unless the old one comes from a better source or the new one is over already."""
    record = draft.record
    if lapsed(record, record.created_at):
        return _outranked(writer, draft, space, holder, max(memory_drafts.lapse(record), record.valid_from))
    if record.trust < holder.trust:
        return _outranked(writer, draft, space, holder, record.valid_from)
    until = record.valid_from if record.valid_from > holder.valid_from else record.created_at
    writer.retire(holder.id, max(until, holder.valid_from), record.id)
    _inserted(writer, draft, space)
    return Remembered("superseded", record.id, holder.id)


def _outranked(
    writer: StoreWriter, draft: Draft, space: Space | None, holder: MemoryRecord, until: datetime
) -> Remembered:
    """Keep a value that does not hold now in the history, once."""
    for version in writer.chain(holder.id):
        known = version.trust <= draft.record.trust and version.id != holder.id
        if known and memory_drafts.content_hash(version) == draft.content_hash:
            return Remembered("outranked", version.id, holder.id)
    record = draft.record._replace(valid_until=until, superseded_by=holder.id)
    writer.insert([draft._replace(record=record)], space)
    return Remembered("outranked", record.id, holder.id)


def _same_value(holder: MemoryRecord, draft: Draft) -> bool:
    if memory_drafts.content_hash(holder) == draft.content_hash:
        return True
    value = fingerprint_text(draft.record.value)
    return bool(value) and fingerprint_text(holder.value) == value
