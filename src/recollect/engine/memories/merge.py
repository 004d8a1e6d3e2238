"""Merging duplicates: one memory stays as it is, the other becomes a part of its history."""

from datetime import datetime

from recollect.engine.base.context import Engine
from recollect.engine.drafts import memory_drafts
from recollect.errors import InvalidMemory, NotFound
from recollect.model.memories import MemoryRecord, Scope, lapsed
from recollect.storage.base import StoreWriter
from recollect.text.near_duplicates import same_statement, says_more


def merge(engine: Engine, scope: Scope, memory_id: str, into: str) -> MemoryRecord:
    """Let a memory be superseded by another that says the same; gives the one that is kept. Nothing is deleted."""
    now = engine.clock.now()

    def work(writer: StoreWriter) -> MemoryRecord:
        records = {record.id: record for record in writer.get([memory_id, into])}
        for wanted in (memory_id, into):
            if wanted not in records:
                raise NotFound(f"No memory {wanted}. See what there is with `list`.")
        repeat, kept = records[memory_id], records[into]
        if repeat.superseded_by == kept.id:
            return kept
        problem = _problem(repeat, kept) or next(
            (f"{record.id} is no longer current." for record in (repeat, kept) if _is_over(record, now)), ""
        )
        if problem:
            raise InvalidMemory(problem)
        writer.retire(repeat.id, max(now, repeat.valid_from), kept.id)
        return kept

    return engine.write(scope, work)


def merge_order(one: MemoryRecord, other: MemoryRecord) -> tuple[MemoryRecord, MemoryRecord] | None:
    """Say which of two memories to keep and which to merge into it; None when they do not say the same.

    The more trusted one is kept; of equals the one that holds a property, that says more, that is older.
    """
    if {one.type, other.type} & {*memory_drafts.HAPPENINGS} or not same_statement(one.content, other.content):
        return None  # what happened twice is told twice
    if one.kept_secret or other.kept_secret:
        return None  # whether they say the same cannot be seen
    ranked = sorted((one, other), key=lambda record: record.id)
    ranked.sort(key=lambda record: (record.trust, bool(record.key)), reverse=True)
    kept, repeat = ranked
    if (kept.trust, bool(kept.key)) == (repeat.trust, bool(repeat.key)) and says_more(repeat.content, kept.content):
        kept, repeat = repeat, kept
    return None if _problem(repeat, kept) else (kept, repeat)


def _is_over(record: MemoryRecord, now: datetime) -> bool:
    return record.superseded_by is not None or lapsed(record, now)


def _problem(repeat: MemoryRecord, kept: MemoryRecord) -> str:
    """Say why a memory cannot be merged into another."""
    if repeat.id == kept.id:
        return "A memory cannot be merged into itself."
    if repeat.trust > kept.trust:
        return f"{repeat.id} is trusted more than {kept.id}. Merge them the other way around."
    slot = memory_drafts.slot(repeat)
    if slot is not None and slot != memory_drafts.slot(kept):
        return f"{repeat.id} has the key {repeat.key!r}, and {kept.id} has not. Merge them the other way around."
    return ""
