"""The fingerprints of what is forgotten: left behind by a deletion, and recognised by a repair that must not bring it
back.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import chain

from recollect.dialogue.overlap import fingerprints
from recollect.engine.drafts import tombstones
from recollect.engine.forgetting.plan import ForgetPlan
from recollect.storage.base import StoreWriter

_BATCH = 5_000


def bury(writer: StoreWriter, plan: ForgetPlan, sessions: Sequence[str], now: datetime) -> None:
    """Leave tombstones by which all this is recognised when it is imported, synced or delivered again."""
    if plan.replayed:
        return
    marks = [tombstones.of_folder(root) for root in plan.folders] if plan.partial or plan.buried else []
    if not plan.partial:
        marks += [tombstones.EVERYTHING, *([tombstones.OLDER] if plan.buried else [])]
        if not plan.buried:
            writer.delete_tombstones()
    if plan.buried:
        marks += _marks_of(writer, plan)
        marks += map(tombstones.of_session, sessions)
    for some in _batched(marks):
        writer.bury(some, now)


def _marks_of(writer: StoreWriter, plan: ForgetPlan) -> Iterator[str]:
    """Give the tombstones of items: by what they say and, while others stay, by their ids, as a summary says much."""
    if plan.partial:
        yield from map(tombstones.of_item, (*plan.ids, *(change.chunk.id for change in plan.chunks)))
    for file in plan.files:
        place, digest = tombstones.of_file(file.root, file.path, file.digest)
        yield from (place, digest) if file.size else (place,)  # an empty file is like any other
    for some in _batched(plan.memories):
        yield from chain.from_iterable(map(tombstones.of_memory, writer.get(some)))
    for some in _batched([*plan.messages]):
        said = (message for message in writer.get_messages(some) if message.role != "summary")
        yield from chain.from_iterable(map(fingerprints, said))


def _batched(items: Sequence[str]) -> Iterator[Sequence[str]]:
    """Part many ids, so that not all rows of a user are in memory at once."""
    return (items[start : start + _BATCH] for start in range(0, len(items), _BATCH))
