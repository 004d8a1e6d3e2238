"""Storing memories: new ones, duplicates, and values that supersede older ones.

All decisions are taken inside one transaction, the only one that writes for the user; the unique index has the last
word. Vectors are made before the transaction starts, which must not wait.
"""

import gc
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from recollect.engine.base import call_embedder
from recollect.engine.base.context import REWORDING, VECTOR, Engine
from recollect.engine.drafts import kept_secrets, memory_drafts, redaction, tombstones
from recollect.engine.drafts.authors import authored_memories
from recollect.engine.drafts.media import with_checked_media
from recollect.engine.drafts.searchable_text import embedded_texts
from recollect.engine.memories.batch_writer import BatchWriter, DecisionWriter
from recollect.engine.vectors import embed_texts
from recollect.engine.vectors.embed_texts import EmbeddedItems
from recollect.errors import EmbeddingError, InvalidVector, StoreDamaged
from recollect.model.filters import Filters
from recollect.model.literals import KEPT_MARK, SEALED
from recollect.model.media import media_names
from recollect.model.memories import (
    Draft,
    MemoryRecord,
    NewMemory,
    OfferedMemory,
    Remembered,
    Scope,
    Space,
    Vector,
    is_many,
    lapsed,
)
from recollect.model.places import is_somewhere
from recollect.model.vectors import as_units
from recollect.ports import PendingWrite, StoreReader, StoreWriter
from recollect.ranking.fusion import nearness
from recollect.text.clean import fingerprint_text
from recollect.text.near_duplicates import same_statement, says_more

BATCH = 10_000
_NEAR_CANDIDATES = 5
_CONFIRMATION = 0.5  # a repetition takes away half of the doubt that is left
_FREE = EmbeddedItems()


@dataclass(frozen=True, slots=True)
class PreparedMemory:
    """A memory before its transaction: the space of its vector, and the memory that it may be a rewording of.

    `paid` is what its vector cost, and under which key it is cached, if it was paid for.
    """

    draft: Draft
    space: Space | None
    near: str | None = None
    paid: EmbeddedItems = _FREE


@dataclass(frozen=True, slots=True)
class MemoryBatch:
    """Drafts whose vectors are all of one space, what these cost, and what failed."""

    drafts: list[Draft]
    space: Space | None
    embedded: EmbeddedItems = _FREE
    degraded: tuple[str, ...] = ()
    unknown: bool = False  # the length of the vectors is not known yet

    def prepared(self, position: int, near: str | None = None) -> PreparedMemory:
        """Give one of the drafts with its part of the payment; the first bears the cost."""
        return PreparedMemory(self.drafts[position], self.space, near, self.embedded.only(position))

    @property
    def waiting(self) -> bool:
        """Whether a worker has something left to do: a vector, an address, the vector of a place."""
        lacking = self.space is not None and any(draft.vector is None for draft in self.drafts)
        return self.unknown or lacking or any(_is_somewhere(draft.record) for draft in self.drafts)


def _is_somewhere(record: MemoryRecord) -> bool:
    return is_somewhere(record.lat, record.address, record.place_label)


def remember(engine: Engine, scope: Scope, memory: NewMemory, *, wait: bool | None = None) -> Remembered:
    """Store one memory, unless it is already known in these or in nearly these words."""
    batch = prepare_batch(engine, scope, [memory], wait=wait)
    remembered = _remember_one(engine, scope, batch, 0)
    after_commit(engine, waiting=batch.waiting, paid=batch.embedded.entries)
    return remembered


def after_commit(engine: Engine, *, waiting: bool, paid: int) -> None:
    """Wake the worker and trim the cache, after the commit."""
    if waiting or engine.models.is_changing:
        engine.background.wake()
    embed_texts.trim_after(engine, paid)


def prepare_many(
    engine: Engine, scope: Scope, memories: Sequence[NewMemory]
) -> tuple[list[PreparedMemory], tuple[str, ...]]:
    """Do what takes time before a transaction: vectors, and the search for rewordings; names what failed."""
    batch = prepare_batch(engine, scope, memories)
    near, degraded = _near_duplicates(engine, scope, batch.drafts, batch.space)
    prepared = [batch.prepared(position, near.get(position)) for position in range(len(batch.drafts))]
    return prepared, (*batch.degraded, *degraded)


def _near_duplicates(
    engine: Engine, scope: Scope, drafts: Sequence[Draft], space: Space | None
) -> tuple[dict[int, str], tuple[str, ...]]:
    """Find for each draft the memory that it is a rewording of, if any; names what failed."""
    try:
        near_ids = {position: _near_duplicate(engine, scope, draft, space) for position, draft in enumerate(drafts)}
    except StoreDamaged:  # the new memories are sound; only their comparison with the old ones fails
        return {}, (REWORDING,)
    return {position: near for position, near in near_ids.items() if near is not None}, ()


def _remember_one(engine: Engine, scope: Scope, batch: MemoryBatch, position: int) -> Remembered:
    near, failed = _near_duplicates(engine, scope, [batch.drafts[position]], batch.space)
    prepared = batch.prepared(position, near.get(0))
    degraded = (*batch.degraded, *failed)
    return engine.write(scope, lambda writer: replace(decide(writer, engine, prepared), degraded=degraded))


def remember_many(
    engine: Engine,
    scope: Scope,
    memories: Iterable[OfferedMemory],
    *,
    near_duplicates: bool = False,
    wait: bool | None = None,
    imported: bool = False,
) -> list[Remembered]:
    """Store many memories, one transaction a batch; the next batch is prepared while the last one is committed.

    With `near_duplicates` each memory is compared with all before it, and therefore stored by itself. `imported` ones
    that were forgotten are left out.
    """
    results: list[Remembered] = []
    waiting, paid = False, 0
    pending: PendingWrite[list[Remembered]] | None = None
    source = iter(memories)
    try:
        while offered := list(islice(source, BATCH)):
            batch = prepare_batch(engine, scope, offered, wait=wait)
            waiting, paid = waiting or batch.waiting, paid + batch.embedded.entries
            if near_duplicates:
                results += [_remember_one(engine, scope, batch, position) for position in range(len(batch.drafts))]
                continue
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
            return call_embedder.probe(configured)
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


def _near_duplicate(engine: Engine, scope: Scope, draft: Draft, space: Space | None) -> str | None:
    """Find a memory of the same type that says the same in other words; slots and events have rules of their own."""
    threshold, vector = engine.settings.duplicates.near_threshold, draft.vector
    record = draft.record
    if threshold is None or space is None or vector is None or record.key or record.type in memory_drafts.HAPPENINGS:
        return None
    if record.kept_secret:  # what tells it apart from others cannot be seen
        return None
    filters = Filters(now=record.created_at, types=(record.type,), min_trust=record.trust)

    def similar(reader: StoreReader) -> Sequence[MemoryRecord]:
        near, unrelated = reader.nearest(space, vector, filters, _NEAR_CANDIDATES), reader.unrelated(space)
        return reader.get([row.id for row in near if nearness(row.cosine, unrelated) >= threshold])

    twins = (other.id for other in engine.store.read(scope, similar) if _says_the_same(other, record))
    return min(twins, default=None)


def _says_the_same(other: MemoryRecord, record: MemoryRecord) -> bool:
    slots = [(memory.subject, memory.key, memory.context, memory.value) for memory in (other, record)]
    pictured = {*media_names(record.media)} <= {*media_names(other.media)}
    return pictured and slots[0] == slots[1] and same_statement(other.content, record.content)


def batch_work(engine: Engine, batch: MemoryBatch, *, imported: bool) -> Callable[[StoreWriter], list[Remembered]]:
    """Insert what cannot supersede anything at once; decide in order about the rest and what the index refused."""

    def work(writer: StoreWriter) -> list[Remembered]:
        forgotten = tombstones.find_forgotten(writer, batch.drafts) if imported else {}
        plain = [draft for draft in batch.drafts if not draft.record.key or memory_drafts.slot(draft.record) is None]
        if forgotten:
            plain = [draft for draft in plain if draft.record.id not in forgotten]
        refused = writer.insert(plain, batch.space) if plain else frozenset()
        if refused:
            plain = [draft for draft in plain if draft.record.id not in refused]
        decided = _decide_rest(writer, batch, plain, forgotten) if len(plain) < len(batch.drafts) else {}
        tombstones.lift(writer, plain)
        results = [
            decided.get(position)
            or _told(Remembered("created", draft.record.id, degraded=batch.degraded), draft.record)
            for position, draft in enumerate(batch.drafts)
        ]
        if batch.space is not None and (batch.embedded.paid or batch.embedded.usage.tokens):
            owners = {position: remembered.id for position, remembered in enumerate(results) if remembered.id}
            embed_texts.keep(writer, engine, batch.space, batch.embedded, owners)
        return results

    return work


def _decide_rest(
    writer: StoreWriter, batch: MemoryBatch, inserted: Sequence[Draft], forgotten: Container[str]
) -> dict[int, Remembered]:
    """Decide in order about the drafts that were not inserted at once; gives what became of each, by its position."""
    inserted_ids = {draft.record.id for draft in inserted}
    rest = [(position, draft) for position, draft in enumerate(batch.drafts) if draft.record.id not in inserted_ids]
    undecided = [draft for _, draft in rest if draft.record.id not in forgotten]
    decisions = BatchWriter(writer, undecided, batch.space)
    decided = {
        position: Remembered("forgotten", "")
        if draft.record.id in forgotten
        else _told(
            replace(_store_draft(decisions, PreparedMemory(draft, batch.space)), degraded=batch.degraded), draft.record
        )
        for position, draft in rest
    }
    decisions.flush()
    return decided


def decide(writer: StoreWriter, engine: Engine, prepared: PreparedMemory) -> Remembered:
    """Decide what a memory is to the stored ones, and write it, in the running transaction."""
    remembered = _told(_store_draft(writer, prepared), prepared.draft.record)
    if prepared.space is not None:
        embed_texts.keep(writer, engine, prepared.space, prepared.paid, {0: remembered.id})
    return remembered


def _told(remembered: Remembered, record: MemoryRecord) -> Remembered:
    """Add what became of the secrets."""
    return replace(remembered, left_out=record.left_out, kept_secret=record.kept_secret)


def _store_draft(writer: DecisionWriter, prepared: PreparedMemory) -> Remembered:
    """Insert, confirm or supersede. A slot has one live holder, or many; without a slot there are only duplicates."""
    near = prepared.near
    draft, old = _opposite(writer, prepared.draft)
    record = draft.record
    if old is not None and not lapsed(old, record.created_at):
        told_more = is_many(record) and _says_more(record, old)
        if told_more and _says_more(old, record):  # each says something of its own about one value
            return _insert(writer, draft, prepared.space)
        told_more = told_more or not {*media_names(record.media)} <= {*media_names(old.media)}
        if _keeps_another(record, old):
            return _supersede(writer, draft, prepared.space, old)
        if memory_drafts.slot(record) is None or (same_value(old, draft) and not told_more):
            return _confirm(writer, old, record)
        return _supersede(writer, draft, prepared.space, old)
    twin = next(iter(writer.get([near])), None) if near else None
    if twin is not None and twin.superseded_by is None:
        return _confirm(writer, twin, record)
    if old is not None:
        writer.retire(old.id, memory_drafts.lapse(old), record.id)
    return _insert(writer, draft, prepared.space)


def _opposite(writer: DecisionWriter, draft: Draft) -> tuple[Draft, MemoryRecord | None]:
    """Give the live memory that a draft repeats or replaces, if any; of many values that is the same one.

    Where a key has many values, the draft is marked as one of them.
    """
    slot = memory_drafts.slot(draft.record)
    if slot is None:
        return draft, writer.same(memory_drafts.fingerprint(draft))
    holders = writer.holders(slot)
    if not any(map(is_many, (draft.record, *holders))):
        return draft, next(iter(holders), None)
    marked = draft._replace(record=memory_drafts.one_of_many(draft.record))
    same = [holder for holder in holders if same_value(holder, draft)]
    return marked, min(same, key=lambda holder: _says_more(draft.record, holder), default=None)


def _says_more(record: MemoryRecord, other: MemoryRecord) -> bool:
    """Tell whether a memory says more about its value than another one does."""
    about = f"{record.subject} {record.key.replace('_', ' ')} {record.value}"
    return says_more(record.content, f"{other.content} {about}")


def _insert(writer: DecisionWriter, draft: Draft, space: Space | None) -> Remembered:
    if writer.insert([draft], space):
        twin = writer.same(memory_drafts.fingerprint(draft))
        if twin is not None:
            return _confirm(writer, twin, draft.record)
    tombstones.lift(writer, [draft])
    return Remembered("created", draft.record.id)


def _confirm(writer: DecisionWriter, old: MemoryRecord, record: MemoryRecord) -> Remembered:
    """Confirm a duplicate: a repetition raises its confidence, a better source its trust."""
    confidence = old.confidence + (1 - old.confidence) * record.confidence * _CONFIRMATION
    better = record if record.trust > old.trust else old
    new = old._replace(trust=better.trust, source=better.source, confidence=confidence, updated_at=record.created_at)
    if new._replace(updated_at=old.updated_at) != old:
        writer.confirm(new)
    return Remembered("duplicate", old.id, old.id)


def _supersede(writer: DecisionWriter, draft: Draft, space: Space | None, holder: MemoryRecord) -> Remembered:
    """Give the slot to the new value, unless the old one has a better source or the new one has lapsed."""
    record = draft.record
    if lapsed(record, record.created_at):
        return _keep_outranked(writer, draft, space, holder, max(memory_drafts.lapse(record), record.valid_from))
    if record.trust < holder.trust:
        return _keep_outranked(writer, draft, space, holder, record.valid_from)
    until = record.valid_from if record.valid_from > holder.valid_from else record.created_at
    writer.retire(holder.id, max(until, holder.valid_from), record.id)
    _insert(writer, draft, space)
    return Remembered("superseded", record.id, holder.id)


def _keep_outranked(
    writer: DecisionWriter, draft: Draft, space: Space | None, holder: MemoryRecord, until: datetime
) -> Remembered:
    """Keep a value that does not hold now in the history, once."""
    for version in writer.chain(holder.id):
        comparable = version.trust <= draft.record.trust and version.id != holder.id
        same = memory_drafts.content_hash(version) == draft.content_hash and not _keeps_another(draft.record, version)
        if comparable and same:
            return Remembered("outranked", version.id, holder.id)
    record = draft.record._replace(valid_until=until, superseded_by=holder.id)
    writer.insert([draft._replace(record=record)], space)
    return Remembered("outranked", record.id, holder.id)


def _keeps_another(record: MemoryRecord, old: MemoryRecord) -> bool:
    """Tell whether a memory keeps a secret, and another one in nearly the same words does not keep the same."""
    kept, before = (str(one.metadata.get(SEALED, "")).partition(":")[0] for one in (record, old))
    return bool(kept) and kept != before


def same_value(holder: MemoryRecord, draft: Draft) -> bool:
    """Tell whether a memory has the value of a draft, or says the same."""
    if memory_drafts.content_hash(holder) == draft.content_hash:
        return True
    value = fingerprint_text(draft.record.value)
    if KEPT_MARK in value and _keeps_another(draft.record, holder):
        return False
    return bool(value) and fingerprint_text(holder.value) == value
