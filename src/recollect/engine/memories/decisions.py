"""What a new memory is to the stored ones: another one, a repetition, or a value that supersedes an older one.

All decisions are taken inside one transaction, the only one that writes for the user; the unique index has the last
word. About many memories, what they may repeat or replace is looked up in one step, and what was decided is written in
another.

Invariant: each decision sees those before it, and the rows are the same as if each had been written by itself.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeAlias

from recollect import ids
from recollect.engine.base.context import Engine
from recollect.engine.drafts import memory_drafts, tombstones
from recollect.engine.drafts.items import embedded_texts
from recollect.engine.drafts.memory_drafts import words_hash
from recollect.engine.memories import chronology, repetition
from recollect.engine.vectors import embed_texts
from recollect.engine.vectors.embed_texts import EmbeddedItems
from recollect.errors import StoreDamaged
from recollect.model.literals import KEPT_MARK, SEALED
from recollect.model.media import media_names
from recollect.model.memories import Draft, Fingerprint, MemoryRecord, Remembered, Slot, Space, is_many, lapsed
from recollect.storage.base import WITH_SAME_WORDS, LiveMemory, Retirement, StoreWriter
from recollect.text.clean import fingerprint_text
from recollect.text.repetition import says_more

_CONFIRMATION = 0.5  # a repetition takes away half of the doubt that is left


class BatchWriter:
    """Answers decisions about some drafts from memory, and keeps their changes until `flush`."""

    def __init__(self, writer: StoreWriter, drafts: Sequence[Draft], space: Space | None) -> None:
        self._writer = writer
        self._space = space
        self._live: dict[str, MemoryRecord] = {}
        self._ids: dict[Fingerprint, str] = {}
        self._with_words = defaultdict[str, list[str]](list)
        self._with_hash = defaultdict[str, list[str]](list)
        self._fingerprints: dict[str, Fingerprint] = {}
        self._held = defaultdict[Slot, list[str]](list)
        self._new: dict[str, Draft] = {}
        self._retired: dict[str, Retirement] = {}
        self._confirmed: dict[str, MemoryRecord] = {}
        self._has_tombstones: bool | None = None
        slots = dict.fromkeys(slot for draft in drafts if (slot := memory_drafts.slot(draft.record)))
        for live in writer.holders_of([*slots]) if slots else ():
            self._add(live)
        hashes = dict.fromkeys(draft.content_hash for draft in drafts)
        for live in writer.with_words([*hashes]) if hashes else ():
            self._add(live)

    def _add(self, live: LiveMemory) -> None:
        record = live.record
        if record.id in self._live:
            return
        made = Fingerprint(record.type, record.subject, record.key, record.context, live.content_hash)
        self._live[record.id] = record
        self._fingerprints[record.id] = made
        self._ids[made] = record.id
        self._with_words[words_hash(live.content_hash)].append(record.id)
        self._with_hash[live.content_hash].append(record.id)
        slot = memory_drafts.slot(record)
        if slot is not None:
            self._held[slot].append(record.id)

    def _remove(self, memory_id: str) -> MemoryRecord:
        """Take a row out of what is live."""
        record, made = self._live.pop(memory_id), self._fingerprints.pop(memory_id)
        del self._ids[made]
        self._with_words[words_hash(made.content_hash)].remove(memory_id)
        self._with_hash[made.content_hash].remove(memory_id)
        slot = memory_drafts.slot(record)
        if slot is not None:
            self._held[slot].remove(memory_id)
        return record

    def get(self, ids: Sequence[str]) -> Sequence[MemoryRecord]:
        """Give rows, as they are after all decisions so far."""
        self.flush()
        return self._writer.get(ids)

    def chain(self, memory_id: str) -> Sequence[MemoryRecord]:
        """Give the versions of a memory, as they are after all decisions so far."""
        self.flush()
        return self._writer.chain(memory_id)

    def same(self, fingerprint: Fingerprint) -> MemoryRecord | None:
        """Find the live memory with the fingerprint of a draft."""
        memory_id = self._ids.get(fingerprint)
        return None if memory_id is None else self._live[memory_id]

    def with_words(self, hashes: Sequence[str]) -> Sequence[LiveMemory]:
        """Find the live memories with the words of a draft."""
        ids = [one for whole in hashes for one in self._with_words[words_hash(whole)][:WITH_SAME_WORDS]]
        ids += [one for whole in hashes for one in self._with_hash[whole]]
        return [LiveMemory(self._live[one], self._fingerprints[one].content_hash) for one in dict.fromkeys(ids)]

    def holders(self, slot: Slot) -> Sequence[MemoryRecord]:
        """Find the live memories that hold the slot of a draft, the newest first."""
        return [self._live[memory_id] for memory_id in sorted(self._held.get(slot, ()), reverse=True)]

    def insert(self, drafts: Sequence[Draft], space: Space | None) -> frozenset[str]:
        """Keep new rows; gives the ids of those whose fingerprint a live row has."""
        if space != self._space:
            raise ValueError("The vectors of a batch are of one space.")
        refused = set()
        for draft in drafts:
            if draft.record.superseded_by is None:
                if memory_drafts.fingerprint(draft) in self._ids:
                    refused.add(draft.record.id)
                    continue
                self._add(LiveMemory(draft.record, draft.content_hash))
            self._new[draft.record.id] = draft
        return frozenset(refused)

    def retire(self, memory_id: str, valid_until: datetime, superseded_by: str) -> None:
        """Let a live row be one no more."""
        record = self._remove(memory_id)
        if memory_id in self._new:
            ended = record._replace(valid_until=valid_until, superseded_by=superseded_by)
            self._new[memory_id] = self._new[memory_id]._replace(record=ended)
        else:
            self._retired[memory_id] = Retirement(memory_id, valid_until, superseded_by)

    def confirm(self, confirmed: MemoryRecord) -> None:
        """Change a live row."""
        self._live[confirmed.id] = confirmed
        if confirmed.id in self._new:
            self._new[confirmed.id] = self._new[confirmed.id]._replace(record=confirmed)
        else:
            self._confirmed[confirmed.id] = confirmed

    def set_expiry(self, memory_id: str, expires_at: datetime | None, now: datetime) -> None:
        """Write when a row expires."""
        self.flush()
        self._writer.set_expiry(memory_id, expires_at, now)
        self._live[memory_id] = self._live[memory_id]._replace(expires_at=expires_at, updated_at=now)

    def drop_derivations(self, ids: Sequence[str]) -> None:
        """Remove the notes about memories."""
        self.flush()
        self._writer.drop_derivations(ids)

    def revise(
        self, version_id: str, draft: Draft, space: Space | None, *, valid_until: datetime, keep_vector: bool
    ) -> None:
        """Replace a live row, which becomes a version."""
        self.flush()
        self._writer.revise(version_id, draft, space, valid_until=valid_until, keep_vector=keep_vector)
        self._remove(draft.record.id)
        self._add(LiveMemory(draft.record, draft.content_hash))

    def has_tombstones(self) -> bool:
        """Say whether there is any."""
        if self._has_tombstones is None:
            self._has_tombstones = self._writer.has_tombstones()
        return self._has_tombstones

    def exhume(self, fingerprints: Sequence[str]) -> None:
        """Remove tombstones."""
        self._has_tombstones = None
        self._writer.exhume(fingerprints)

    def flush(self) -> None:
        """Write all changes. Old rows make room first: of one fingerprint only one row may be live."""
        new, self._new = self._new, {}
        retired, self._retired = self._retired, {}
        confirmed, self._confirmed = self._confirmed, {}
        if confirmed:
            self._writer.confirm_many([*confirmed.values()])
        if retired:
            self._writer.retire_many([*retired.values()])
        if new and self._writer.insert([*new.values()], self._space):
            raise StoreDamaged("The index of memories knows a row that a search for it does not find. See `doctor`.")


DecisionWriter: TypeAlias = StoreWriter | BatchWriter


@dataclass(frozen=True, slots=True)
class PreparedMemory:
    """A memory before its transaction, and the space of its vector.

    `paid` is what its vector cost, and under which key it is cached, if it was paid for. What is `imported` was said
    at another time. What was captured was said when it was `told_at`.
    """

    draft: Draft
    space: Space | None
    paid: EmbeddedItems = field(default_factory=EmbeddedItems)
    imported: bool = False
    told_at: datetime | None = None


def decide(writer: StoreWriter, engine: Engine, prepared: PreparedMemory) -> Remembered:
    """Decide what a memory is to the stored ones, and write it, in the running transaction."""
    stored = _keep_past(writer, prepared) or _store_draft(writer, prepared)
    remembered = _told(stored, prepared.draft.record)
    if prepared.space is not None:
        embed_texts.keep(writer, engine, prepared.space, prepared.paid, {0: remembered.id})
    return remembered


def _told(remembered: Remembered, record: MemoryRecord) -> Remembered:
    """Add what became of the secrets."""
    return replace(remembered, left_out=record.left_out, kept_secret=record.kept_secret)


def decide_batch(
    writer: StoreWriter, drafts: Mapping[int, Draft], space: Space | None, *, imported: bool
) -> dict[int, Remembered]:
    """Decide about drafts in their order; gives what became of each, by its position."""
    batch = BatchWriter(writer, [*drafts.values()], space)
    decided = {
        position: _told(_store_draft(batch, PreparedMemory(draft, space, imported=imported)), draft.record)
        for position, draft in drafts.items()
    }
    batch.flush()
    return decided


def lift(writer: DecisionWriter, drafts: Sequence[Draft]) -> None:
    """Remove the tombstones of what is stored anew."""
    if drafts and writer.has_tombstones():
        writer.exhume([mark for draft in drafts for mark in tombstones.of_memory(draft.record)])


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


def _keep_past(writer: StoreWriter, prepared: PreparedMemory) -> Remembered | None:
    """Keep in the history what was told before the current value of its slot; None when it is anything else."""
    draft, old = _opposite(writer, prepared.draft)
    record, moment = draft.record, prepared.told_at
    if moment is None or old is None or lapsed(old, record.created_at) or is_many(record):
        return None
    consistent = same_value(old, draft) or (record.value and old.value and not repetition.differ(record, old))
    if record.trust != old.trust or consistent or not chronology.is_older(writer, moment, old):
        return None
    return _keep_outranked(writer, draft, prepared.space, old, chronology.make_room(writer, moment, old))


def _meet_holder(
    writer: DecisionWriter, draft: Draft, prepared: PreparedMemory, old: MemoryRecord, twin: MemoryRecord | None
) -> Remembered:
    """Decide what a memory is to the live holder of its slot."""
    record = draft.record
    told_more = is_many(record) and _says_more(record, old)
    if told_more and _says_more(old, record):  # each says something of its own about one value
        return _insert(writer, draft, prepared.space)
    told_more = told_more or not {*media_names(record.media)} <= {*media_names(old.media)}
    same = same_value(old, draft) or (
        record.trust <= old.trust and repetition.is_short_for(record.key, record.value, old.value)
    )
    if not told_more and same and not _keeps_another(record, old):
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
    _retire(writer, holder, record, twin.id)
    return replace(_confirm(writer, twin, draft, prepared), action="superseded", existing_id=holder.id)


def _retire(writer: DecisionWriter, holder: MemoryRecord, told: MemoryRecord, by: str) -> None:
    """Let the holder of a slot be superseded from the moment on at which something else was told."""
    until = told.valid_from if told.valid_from > holder.valid_from else told.created_at
    writer.retire(holder.id, max(until, holder.valid_from), by)


def _says_more(record: MemoryRecord, other: MemoryRecord) -> bool:
    """Tell whether a memory says more about its value than another one does."""
    about = f"{record.subject} {record.key.replace('_', ' ')} {record.value}"
    return says_more(record.content, f"{other.content} {about}")


def _insert(writer: DecisionWriter, draft: Draft, space: Space | None) -> Remembered:
    if writer.insert([draft], space):
        twin = writer.same(memory_drafts.fingerprint(draft))
        if twin is not None:
            return _confirm(writer, twin, draft, PreparedMemory(draft, space))
    lift(writer, [draft])
    return Remembered("created", draft.record.id)


def _confirm(
    writer: DecisionWriter, old: MemoryRecord, draft: Draft, prepared: PreparedMemory, *, fields: bool = True
) -> Remembered:
    """Confirm a duplicate: it raises confidence, a better source raises trust, and what it adds is taken over."""
    record = draft.record
    confidence = old.confidence + (1 - old.confidence) * record.confidence * _CONFIRMATION
    better = record if record.trust > old.trust else old
    if prepared.told_at and record.valid_from < old.valid_from and chronology.has_held_otherwise(writer.chain(old.id)):
        record = record._replace(valid_from=record.created_at)
    told_too, names = repetition.take_over(old, record, fields=fields, lifts=not prepared.imported)
    new = told_too._replace(
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
    return Remembered("duplicate", old.id, old.id, taken_over=names)


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
    keep = texts == embedded_texts(old, space)
    if keep:
        revised = revised._replace(vector=None, passages=None)
    over = writer.same(memory_drafts.fingerprint(revised))
    if over is not None and over.id != old.id:  # it has lapsed, or it would be the one that is repeated
        writer.retire(over.id, memory_drafts.lapse(over), old.id)
    write_revision(writer, old, revised, space, keep_vector=keep)


def write_revision(
    writer: DecisionWriter, old: MemoryRecord, draft: Draft, space: Space | None, *, keep_vector: bool
) -> None:
    """Write the new row; the old one was valid until then, or until its own end."""
    record = draft.record
    until = record.valid_from if old.valid_until is None else min(record.valid_from, old.valid_until)
    version_id = ids.new(record.updated_at)
    writer.revise(version_id, draft, space, valid_until=max(until, old.valid_from), keep_vector=keep_vector)


def _supersede(writer: DecisionWriter, draft: Draft, space: Space | None, holder: MemoryRecord) -> Remembered:
    """Give the slot to the new value, unless the old one has a better source or the new one has lapsed."""
    record = draft.record
    if lapsed(record, record.created_at):
        return _keep_outranked(writer, draft, space, holder, max(memory_drafts.lapse(record), record.valid_from))
    if record.trust < holder.trust:
        return _keep_outranked(writer, draft, space, holder, record.valid_from)
    _retire(writer, holder, record, record.id)
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
