"""Doubts: statements that contradict a current value without replacing it.

A captured one was not sure enough: both stay, and both are found. One from a less trusted source is kept in the history
only. A user who corrects or forgets one of the two settles the doubt.
"""

from collections.abc import Iterable, Iterator, Mapping

from recollect.model.memories import Doubt, MemoryRecord, Slot
from recollect.model.readings import PROPERTY, SINGLE_VALUED
from recollect.text.clean import fingerprint_text


def doubtful_slot(record: MemoryRecord) -> Slot | None:
    """Give the slot whose value a captured memory without a key may contradict."""
    name = record.metadata.get(PROPERTY)
    if record.key or not record.value or not isinstance(name, str) or name not in SINGLE_VALUED:
        return None
    return Slot(record.subject, name, record.context, preference=False)


def differ(one: MemoryRecord, other: MemoryRecord) -> bool:
    """Tell whether two values are not the same."""
    return fingerprint_text(one.value) != fingerprint_text(other.value)


def find_doubts(records: Iterable[MemoryRecord]) -> Iterator[Doubt]:
    """Give the doubts among current memories, those about the newest first."""
    rows = list(records)
    holders = {(row.subject, row.key, row.context): row for row in rows if row.key}
    for row in rows:
        slot = doubtful_slot(row)
        holder = holders.get((slot.subject, slot.key, slot.context)) if slot else None
        if holder is not None and row.created_at > holder.created_at and differ(holder, row):
            yield Doubt(holder, row)


def find_outranked(unheld: Iterable[MemoryRecord], holders: Mapping[str, MemoryRecord]) -> Iterator[Doubt]:
    """Give the doubts that less trusted sources cast on memories, unless these were corrected or confirmed since."""
    for row in unheld:
        holder = holders.get(row.superseded_by or "")
        if holder is None or holder.superseded_by is not None or row.trust >= holder.trust:
            continue
        if row.created_at >= holder.updated_at:
            yield Doubt(holder, row)
