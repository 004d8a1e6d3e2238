"""Chains of versions stay whole when some of them go."""

from collections.abc import Mapping, Sequence

from recollect.engine.drafts import memory_drafts
from recollect.model.memories import MemoryRecord
from recollect.storage.base import StoreWriter


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
    """Relink what is left of a chain; of what has nothing newer any more the newest holds.

    What follows what is told by the links alone: several versions may hold from the same moment.
    """
    loose = [version for version in left if version.superseded_by in gone]
    headless = [version for version in loose if _later(gone, version) is None]
    heir = headless[-1] if headless else None
    twin = writer.same(memory_drafts.fingerprint_of(heir)) if heir else None
    holder = twin or heir
    for version in loose:
        writer.relink(version.superseded_by or "", _later(gone, version) or (holder.id if holder else ""))
    if heir is not None and twin is None:
        writer.revive(heir.id)


def _later(gone: Mapping[str, MemoryRecord], version: MemoryRecord) -> str | None:
    """Give what is left of what superseded a version, if anything is."""
    later = version.superseded_by
    for _ in gone:
        if later is None or later not in gone:
            break
        later = gone[later].superseded_by
    return later
