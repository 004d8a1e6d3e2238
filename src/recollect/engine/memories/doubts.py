"""Doubts: statements that contradict a current value without replacing it, and which of the two is right.

A captured one was not sure enough: both stay, and both are found. One from a less trusted source is in the history
only. The invariant: settling deletes nothing; what is wrong is in the history of what holds.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from recollect.engine.base.context import Engine
from recollect.engine.drafts import items, memory_drafts
from recollect.engine.drafts.doubts import find_pairs, property_of
from recollect.engine.drafts.items import embedded_texts
from recollect.engine.memories.chronology import first_told
from recollect.engine.memories.decisions import write_revision
from recollect.engine.memories.repetition import differ, doubtful_slot
from recollect.errors import InvalidMemory
from recollect.model.memories import Doubt, Draft, MemoryRecord, Scope
from recollect.storage.base import StoreWriter


def find_doubts(records: Iterable[MemoryRecord]) -> Iterator[Doubt]:
    """Give the doubts among current memories, those about the newest first."""
    rows = list(records)
    holders = {(row.subject, row.key, row.context): row for row in rows if row.key}
    found: dict[str, Doubt] = {}
    for row in rows:
        slot = doubtful_slot(row)
        holder = holders.get((slot.subject, slot.key, slot.context)) if slot else None
        if holder is not None and first_told(row) > first_told(holder) and differ(holder, row):
            found.setdefault(row.id, Doubt(holder, row))
    doubted = {doubt.memory.id for doubt in found.values()}
    held = {(subject, key) for subject, key, _ in holders}
    pairs = (
        Doubt(earlier, later)
        for earlier, later in find_pairs(rows)
        if earlier.id not in doubted and (earlier.subject, property_of(earlier)) not in held
    )
    yield from sorted((*found.values(), *pairs), key=lambda doubt: doubt.contradicted_by.id, reverse=True)


def find_outranked(unheld: Iterable[MemoryRecord], holders: Mapping[str, MemoryRecord]) -> Iterator[Doubt]:
    """Give the doubts that less trusted sources cast on memories, unless these were corrected or confirmed since."""
    for row in unheld:
        holder = holders.get(row.superseded_by or "")
        if holder is None or holder.superseded_by is not None or row.trust >= holder.trust:
            continue
        if row.created_at >= holder.updated_at:
            yield Doubt(holder, row)


def settle(engine: Engine, scope: Scope, memory_id: str, doubts: Sequence[Doubt]) -> MemoryRecord:
    """Let one of two memories that contradict each other hold; gives it. The other is in its history then."""
    now = engine.clock.now()

    def work(writer: StoreWriter) -> MemoryRecord:
        held = items.memory(writer, doubts[0].memory.id) if doubts else None
        others = {one.id: one for one in writer.get([doubt.contradicted_by.id for doubt in doubts])}
        right = held if held and memory_id == held.id else others.get(memory_id)
        if held is None or right is None or held.superseded_by is not None:
            raise InvalidMemory(f"Nothing contradicts {memory_id}, or it was settled. See which doubts there are.")
        if right.id != held.id:
            return _take(writer, engine, right, held, now)
        for wrong in others.values():
            if wrong.superseded_by is None:
                writer.retire(wrong.id, max(now, wrong.valid_from), held.id)
        writer.confirm(held._replace(updated_at=now))
        return held._replace(updated_at=now)

    return engine.write(scope, work)


def _take(writer: StoreWriter, engine: Engine, right: MemoryRecord, held: MemoryRecord, now: datetime) -> MemoryRecord:
    """Let the memory that casts doubt on another take its slot, and be trusted as much: the user says that it holds."""
    source = held.source if held.trust > right.trust else right.source
    new = right._replace(
        key=held.key, superseded_by=None, valid_until=None, trust=max(right.trust, held.trust), source=source,
        confidence=max(right.confidence, held.confidence), updated_at=now,
    )  # fmt: skip
    writer.retire(held.id, max(right.valid_from, held.valid_from), right.id)
    if right.superseded_by is not None:  # it was in the history only, with the key
        writer.revive(right.id)
        writer.confirm(new)
        return new
    keep = embedded_texts(new, engine.space) == embedded_texts(right, engine.space)
    draft = Draft(new, memory_drafts.content_hash(new), memory_drafts.memory_terms(new), None)
    write_revision(writer, right, draft, engine.space, keep_vector=keep)
    return new
