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
from typing import Any

from recollect import ids
from recollect.engine.base import embedders
from recollect.engine.base.context import VECTOR, Engine
from recollect.engine.base.scopes import authored_memories
from recollect.engine.drafts import kept_secrets, memory_drafts, redaction, tombstones
from recollect.engine.drafts.items import embedded_texts
from recollect.engine.drafts.media import with_checked_media
from recollect.engine.memories import repetition
from recollect.engine.memories.batch_writer import BatchWriter, DecisionWriter
from recollect.engine.vectors import embed_texts
from recollect.engine.vectors.embed_texts import EmbeddedItems
from recollect.errors import EmbeddingError, InvalidVector
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
from recollect.storage.base import PendingWrite, StoreWriter
from recollect.text.clean import fingerprint_text
from recollect.text.near_duplicates import says_more

BATCH = 10_000
_CONFIRMATION = 0.5  # a repetition takes away half of the doubt that is left
_FREE = EmbeddedItems()


@dataclass(frozen=True, slots=True)
class PreparedMemory:
    """A memory before its transaction, and the space of its vector.

    `paid` is what its vector cost, and under which key it is cached, if it was paid for. What is `imported` was said
    at another time.
    """

    draft: Draft
    space: Space | None
    paid: EmbeddedItems = _FREE
    imported: bool = False


@dataclass(frozen=True, slots=True)
class MemoryBatch:
    """Drafts whose vectors are all of one space, what these cost, and what failed."""

    drafts: list[Draft]
    space: Space | None
    embedded: EmbeddedItems = _FREE
    degraded: tuple[str, ...] = ()
    unknown: bool = False  # the length of the vectors is not known yet

    def prepared(self, position: int) -> PreparedMemory:
        """Give one of the drafts with its part of the payment; the first bears the cost."""
        return PreparedMemory(self.drafts[position], self.space, self.embedded.only(position))

    @property
    def waiting(self) -> bool:
        """Whether a worker has something left to do: a vector, an address, the vector of a place."""
        lacking = self.space is not None and any(draft.vector is None for draft in self.drafts)
        return self.unknown or lacking or any(_is_somewhere(draft.record) for draft in self.drafts)


def _is_somewhere(record: MemoryRecord) -> bool:
    return is_somewhere(record.lat, record.address, record.place_label)


def remember(engine: Engine, scope: Scope, memory: NewMemory, *, wait: bool | None = None) -> Remembered:
    """Store one memory, unless it is already known in these words."""
    batch = prepare_batch(engine, scope, [memory], wait=wait)
    prepared = batch.prepared(0)
    remembered = engine.write(scope, lambda writer: replace(decide(writer, engine, prepared), degraded=batch.degraded))
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
        decided = {}
        if len(plain) < len(batch.drafts):
            decided = _decide_rest(writer, batch, plain, forgotten, imported=imported)
        tombstones.lift(writer, plain)
        results = [
            decided.get(position) or _created(draft.record, batch.degraded)
            for position, draft in enumerate(batch.drafts)
        ]
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


def _decide_rest(
    writer: StoreWriter,
    batch: MemoryBatch,
    inserted: Sequence[Draft],
    forgotten: Container[str],
    *,
    imported: bool,
) -> dict[int, Remembered]:
    """Decide in order about the drafts that were not inserted at once; gives what became of each, by its position."""
    inserted_ids = {draft.record.id for draft in inserted}
    rest = [(position, draft) for position, draft in enumerate(batch.drafts) if draft.record.id not in inserted_ids]
    undecided = [draft for _, draft in rest if draft.record.id not in forgotten]
    decisions = BatchWriter(writer, undecided, batch.space)

    def decided(draft: Draft) -> Remembered:
        if draft.record.id in forgotten:
            return Remembered("forgotten", "")
        remembered = _store_draft(decisions, PreparedMemory(draft, batch.space, imported=imported))
        return _told(replace(remembered, degraded=batch.degraded), draft.record)

    results = {position: decided(draft) for position, draft in rest}
    decisions.flush()
    return results


def decide(writer: StoreWriter, engine: Engine, prepared: PreparedMemory) -> Remembered:
    """Decide what a memory is to the stored ones, and write it, in the running transaction."""
    remembered = _told(_store_draft(writer, prepared), prepared.draft.record)
    if prepared.space is not None:
        embed_texts.keep(writer, engine, prepared.space, prepared.paid, {0: remembered.id})
    return remembered


def _created(record: MemoryRecord, degraded: tuple[str, ...] = ()) -> Remembered:
    return Remembered("created", record.id, None, degraded, record.left_out, record.kept_secret)


def _told(remembered: Remembered, record: MemoryRecord) -> Remembered:
    """Add what became of the secrets."""
    return replace(remembered, left_out=record.left_out, kept_secret=record.kept_secret)


def _store_draft(writer: DecisionWriter, prepared: PreparedMemory) -> Remembered:
    """Insert, confirm or supersede. A slot has one live holder, or many; the same words are one memory."""
    draft, old = _opposite(writer, prepared.draft)
    record = draft.record
    with_words = [live.record for live in writer.with_words([draft.content_hash])]
    twin = repetition.find_twin((known for known in with_words if not lapsed(known, record.created_at)), record)
    if old is not None and not lapsed(old, record.created_at):
        return _meet_holder(writer, draft, prepared, old, twin)
    if old is None and twin is None and memory_drafts.slot(record) is None:
        old = repetition.find_twin(with_words, record)
    over = old if old is not None and lapsed(old, record.created_at) else None
    if over is not None:
        writer.retire(over.id, memory_drafts.lapse(over), record.id if twin is None else twin.id)
    if twin is None:
        return _insert(writer, draft, prepared.space)
    if _keeps_another(record, twin):
        return _supersede(writer, draft, prepared.space, twin)
    return _confirm(writer, twin, draft, prepared)


def _meet_holder(
    writer: DecisionWriter, draft: Draft, prepared: PreparedMemory, old: MemoryRecord, twin: MemoryRecord | None
) -> Remembered:
    """Decide what a memory is to the live holder of its slot."""
    record = draft.record
    told_more = is_many(record) and _says_more(record, old)
    if told_more and _says_more(old, record):  # each says something of its own about one value
        return _insert(writer, draft, prepared.space)
    told_more = told_more or not {*media_names(record.media)} <= {*media_names(old.media)}
    if not told_more and same_value(old, draft) and not _keeps_another(record, old):
        return _confirm(writer, old, draft, prepared)
    if twin is not None and not twin.key and not _keeps_another(record, twin):
        return _take_slot(writer, draft, prepared, old, twin)
    return _supersede(writer, draft, prepared.space, old)


def _opposite(writer: DecisionWriter, draft: Draft) -> tuple[Draft, MemoryRecord | None]:
    """Give the live memory whose slot a draft takes, if any; of many values that is the same one.

    Where a key has many values, the draft is marked as one of them.
    """
    slot = memory_drafts.slot(draft.record)
    if slot is None:
        return draft, None
    holders = writer.holders(slot)
    if not any(map(is_many, (draft.record, *holders))):
        return draft, next(iter(holders), None)
    marked = draft._replace(record=memory_drafts.one_of_many(draft.record))
    same = [holder for holder in holders if same_value(holder, draft)]
    return marked, min(same, key=lambda holder: _says_more(draft.record, holder), default=None)


def _take_slot(
    writer: DecisionWriter, draft: Draft, prepared: PreparedMemory, holder: MemoryRecord, twin: MemoryRecord
) -> Remembered:
    """Let a memory with the words of a draft supersede the holder of the slot, unless that one has a better source."""
    record = draft.record
    if record.trust < holder.trust or lapsed(record, record.created_at):
        return _confirm(writer, twin, draft, prepared, fields=False)
    until = record.valid_from if record.valid_from > holder.valid_from else record.created_at
    writer.retire(holder.id, max(until, holder.valid_from), twin.id)
    return replace(_confirm(writer, twin, draft, prepared), action="superseded", existing_id=holder.id)


def _says_more(record: MemoryRecord, other: MemoryRecord) -> bool:
    """Tell whether a memory says more about its value than another one does."""
    about = f"{record.subject} {record.key.replace('_', ' ')} {record.value}"
    return says_more(record.content, f"{other.content} {about}")


def _insert(writer: DecisionWriter, draft: Draft, space: Space | None) -> Remembered:
    if writer.insert([draft], space):
        twin = writer.same(memory_drafts.fingerprint(draft))
        if twin is not None:
            return _confirm(writer, twin, draft, PreparedMemory(draft, space))
    tombstones.lift(writer, [draft])
    return Remembered("created", draft.record.id)


def _confirm(
    writer: DecisionWriter, old: MemoryRecord, draft: Draft, prepared: PreparedMemory, *, fields: bool = True
) -> Remembered:
    """Confirm a duplicate: it raises confidence, a better source raises trust, and what it adds is taken over."""
    record = draft.record
    confidence = old.confidence + (1 - old.confidence) * record.confidence * _CONFIRMATION
    better = record if record.trust > old.trust else old
    added = repetition.take_over(old, record, fields=fields, lifts=not prepared.imported)
    new = added.record._replace(
        trust=better.trust, source=better.source, confidence=confidence, updated_at=record.created_at
    )
    if repetition.is_captured(old) and not repetition.is_captured(record):  # from now on it depends on no message
        writer.drop_derivations([old.id])
    if new._replace(updated_at=old.updated_at) == old:
        return Remembered("duplicate", old.id, old.id)
    if new._replace(**_confirmed(old)) == old:
        writer.confirm(new)
    elif new._replace(**_confirmed(old), expires_at=old.expires_at) == old:
        writer.confirm(new)
        writer.set_expiry(old.id, new.expires_at, new.updated_at)
    else:
        _revise(writer, old, new, draft, prepared.space)
    return Remembered("duplicate", old.id, old.id, taken_over=added.fields)


def _confirmed(old: MemoryRecord) -> dict[str, Any]:
    return {name: getattr(old, name) for name in ("trust", "source", "confidence", "updated_at")}


def _revise(writer: DecisionWriter, old: MemoryRecord, new: MemoryRecord, draft: Draft, space: Space | None) -> None:
    """Write what a repetition made of a memory; what it was stays as a version, as with an update."""
    if new.valid_from == old.valid_from:
        new = new._replace(valid_from=max(new.updated_at, old.valid_from))
    texts = embedded_texts(new, space)
    fresh = draft if texts == embedded_texts(draft.record, space) else draft._replace(vector=None, passages=None)
    revised = fresh._replace(
        record=new, content_hash=memory_drafts.content_hash(new), terms=memory_drafts.memory_terms(new)
    )
    until = new.valid_from if old.valid_until is None else min(new.valid_from, old.valid_until)
    keep = texts == embedded_texts(old, space)
    if keep:
        revised = revised._replace(vector=None, passages=None)
    over = writer.same(memory_drafts.fingerprint(revised))
    if over is not None and over.id != old.id:  # it has lapsed, or it would be the one that is repeated
        writer.retire(over.id, memory_drafts.lapse(over), old.id)
    version_id = ids.new(new.updated_at)
    writer.revise(version_id, revised, space, valid_until=max(until, old.valid_from), keep_vector=keep)


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
    words = memory_drafts.words_hash
    value = fingerprint_text(draft.record.value)
    if KEPT_MARK in value and _keeps_another(draft.record, holder):
        return False
    if holder.value and value:
        return fingerprint_text(holder.value) == value
    return words(memory_drafts.content_hash(holder)) == words(draft.content_hash)
