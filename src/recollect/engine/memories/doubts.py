"""Doubts: captured statements that contradict a current value without being sure enough to replace it.

Both stay, and both are found. A user who corrects or forgets one of them settles the doubt.
"""

from collections.abc import Iterable, Iterator

from recollect.model.memories import Doubt, MemoryRecord
from recollect.model.readings import PROPERTY, SINGLE_VALUED
from recollect.ports import Slot
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
