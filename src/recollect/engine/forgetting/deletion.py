"""The deletion of what is planned: tombstones left behind, rows removed, chains of versions kept whole.

What a full disk does not let happen at once happens in parts, after a note by which it is finished in any case. Each
part is a transaction that fits into the room that the store's reserve gives back, and the log is emptied after it. The
request is noted before the first and the note removed with the last, so whichever process opens the store after a crash
forgets the rest. Old versions go before the present one, so that none of them is ever taken for it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import chain
from operator import methodcaller
from typing import TypeVar

from recollect.dialogue.exchanges import fingerprints
from recollect.engine import stored_files
from recollect.engine.base.context import Engine
from recollect.engine.drafts import memory_drafts, tombstones
from recollect.engine.drafts.items import batched
from recollect.engine.forgetting import rewriting
from recollect.engine.forgetting.plan import ForgetPlan
from recollect.errors import StoreFull
from recollect.model.files import ChunkMark
from recollect.model.memories import MemoryRecord, Scope
from recollect.storage.base import StoreWriter

_BATCH = 5_000
_MOST = 256  # of a part: items, chunks or rewritten messages

T = TypeVar("T")


def bury_and_delete(writer: StoreWriter, plan: ForgetPlan, now: datetime, sessions: Sequence[str] = ()) -> None:
    """Delete what is planned, and leave tombstones."""
    _bury(writer, plan, sessions, now)
    memory_ids, message_ids = plan.memories, [*plan.messages]
    for file in plan.files:
        writer.forget_paid([mark.id for mark in writer.chunk_marks(file.id)])
    stored_files.remove(writer, [file.id for file in plan.files])
    for root in plan.folders:
        writer.delete_folder(root)
    if plan.partial:  # with the cached vectors of earlier versions
        version_ids = [version.id for memory_id in memory_ids for version in writer.chain(memory_id)]
        writer.forget_paid([*plan.ids, *version_ids])
    else:
        writer.forget_paid(None)
    reopened = {derivation.source_id for derivation in writer.sources(message_ids)} - set(plan.ids)
    if plan.partial:
        _mend_chains(writer, {record.id: record for record in writer.get(memory_ids)})
    else:
        writer.delete_named_places()
    if memory_ids:
        writer.delete(memory_ids)
    if message_ids:
        writer.delete_messages(message_ids)
    writer.drop_derivations(plan.ids)
    if reopened:
        writer.set_status([*reopened], "active")


def _bury(writer: StoreWriter, plan: ForgetPlan, sessions: Sequence[str], now: datetime) -> None:
    """Leave tombstones by which all this is recognised when it is imported, synced or delivered again."""
    if plan.replayed:
        return
    marks = [tombstones.of_folder(root) for root in plan.folders] if plan.partial or plan.buried else []
    if not plan.partial:
        marks += [tombstones.EVERYTHING, *([tombstones.OLDER] if plan.buried else [])]
        if not plan.buried:
            writer.delete_tombstones()
    if plan.buried:
        marks += _tombstones_of(writer, plan)
        marks += map(tombstones.of_session, sessions)
    for some in batched(marks, _BATCH):
        writer.bury(some, now)


def _tombstones_of(writer: StoreWriter, plan: ForgetPlan) -> Iterator[str]:
    """Give the tombstones of items: by what they say and, while others stay, by their ids, as a summary says much."""
    if plan.partial:
        yield from map(tombstones.of_item, (*plan.ids, *(change.chunk.id for change in plan.chunks)))
    for file in plan.files:
        place, digest = tombstones.of_file(file.root, file.path, file.digest)
        yield from (place, digest) if file.size else (place,)  # an empty file is like any other
    for some in batched(plan.memories, _BATCH):
        yield from chain.from_iterable(map(tombstones.of_memory, writer.get(some)))
    for some in batched([*plan.messages], _BATCH):
        said = (message for message in writer.get_messages(some) if message.role != "summary")
        yield from chain.from_iterable(map(fingerprints, said))


def _mend_chains(writer: StoreWriter, gone: Mapping[str, MemoryRecord]) -> None:
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


def forget_in_parts(engine: Engine, scope: Scope, begin: Callable[[StoreWriter], ForgetPlan]) -> ForgetPlan:
    """Plan what is to be forgotten, note that it is, and delete all that is large: rewrite, forget items, then files.

    Raises StoreFull when not even one fits.
    """
    unaudited = replace(engine, audit=None)  # the last transaction has the entry of all

    def write(work: Callable[[StoreWriter], T]) -> T:
        with engine.store.released_reserve():
            return unaudited.write(scope, work)

    def run(part: ForgetPlan) -> None:
        def work(writer: StoreWriter) -> None:
            rewriting.write(writer, engine, part.rewritten, part.chunks)
            bury_and_delete(writer, part, engine.clock.now())

        write(work)

    plan = write(begin)
    none = ForgetPlan((), frozenset(), buried=plan.buried, replayed=plan.replayed)
    _all_of(plan.rewritten, lambda some: run(none._replace(rewritten=tuple(some))))
    _all_of(plan.chunks, lambda some: run(none._replace(chunks=tuple(some))))
    files = {file.id for file in plan.files}
    items = [item_id for item_id in plan.ids if item_id not in files]
    _all_of(
        _old_versions_first(engine, scope, items),
        lambda some: run(none._replace(ids=tuple(some), messages=plan.messages.intersection(some))),
    )
    for file in plan.files:
        marks: Sequence[ChunkMark] = engine.store.read(scope, methodcaller("chunk_marks", file.id))
        _all_of([mark.id for mark in marks], lambda some: write(partial(stored_files.remove_chunks, chunk_ids=some)))
        run(none._replace(ids=(file.id,), files=(file,)))
    return plan


def _old_versions_first(engine: Engine, scope: Scope, ids: Sequence[str]) -> Sequence[str]:
    old: dict[str, None] = {}
    for some in batched(ids, _MOST):
        records: Sequence[MemoryRecord] = engine.store.read(scope, methodcaller("get", some))
        old.update((record.id, None) for record in records if record.superseded_by is not None)
    return [*old, *(item_id for item_id in ids if item_id not in old)]


def _all_of(several: Sequence[object], forget: Callable[..., None]) -> None:
    """Take as many at a time as fit."""
    most, start = _MOST, 0
    while start < len(several):
        try:
            forget(several[start : start + most])
            start += most
        except StoreFull:
            if most == 1:
                raise
            most = max(1, most // 4)
