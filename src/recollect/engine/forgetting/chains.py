"""Chains of versions stay whole when some of them go."""

from collections.abc import Mapping, Sequence

from recollect.engine.drafts import memory_drafts
from recollect.model.memories import MemoryRecord
from recollect.ports import StoreWriter


def mend_chains(writer: StoreWriter, gone: Mapping[str, MemoryRecord]) -> None:
    """Keep chains of versions whole: when the present value goes, the latest that is left holds."""
    seen: set[str] = set()
    for record in gone.values():
        if record.id not in seen:
            family = writer.chain(record.id)
            seen.update(version.id for version in family)
            left = [version for version in family if version.id not in gone]
            if left:
                _relink(writer, gone, left)


def _relink(writer: StoreWriter, gone: Mapping[str, MemoryRecord], left: Sequence[MemoryRecord]) -> None:
    """Relink what is left of a chain; its newest version holds, if nothing newer does."""
    newest = left[-1]
    headless = newest.superseded_by in gone
    twin = writer.same(memory_drafts.fingerprint_of(newest)) if headless else None
    heir = twin.id if twin else newest.id
    later = heir
    for version in reversed(left):
        if version.superseded_by in gone:
            writer.relink(version.superseded_by, later)
        later = version.id
    if headless and twin is None:
        writer.revive(newest.id)
