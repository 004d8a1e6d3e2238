"""Forgetting that a full disk does not let happen at once: in parts, after a note by which it is finished in any case.

Each part is a transaction that fits into the room that the store's reserve gives back, and the log is emptied after
it. The request is noted before the first and the note removed with the last, so whichever process opens the store after
a crash forgets the rest. Old versions go before the present one, so that none of them is ever taken for it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from recollect.engine import stored_files
from recollect.engine.base.context import Engine
from recollect.engine.forgetting import rewriting
from recollect.engine.forgetting.plan import ForgetPlan
from recollect.errors import StoreFull
from recollect.model.files import ChunkMark
from recollect.model.memories import Scope
from recollect.storage.base import StoreReader, StoreWriter

_MOST = 256  # of a part: items, chunks or rewritten messages

Delete = Callable[[StoreWriter, ForgetPlan], None]


def begin(engine: Engine, scope: Scope, plan: Callable[[StoreWriter], ForgetPlan]) -> ForgetPlan:
    """Plan what is to be forgotten, and note that it is."""
    with engine.store.released_reserve():
        return replace(engine, audit=None).write(scope, plan)


def forget_in_parts(engine: Engine, scope: Scope, plan: ForgetPlan, delete: Delete) -> None:
    """Delete all that is large: rewrite, then forget items, then files. Raises StoreFull when not even one fits."""
    unaudited = replace(engine, audit=None)  # the last transaction has the entry of all

    def run(part: ForgetPlan) -> None:
        def work(writer: StoreWriter) -> None:
            rewriting.write(writer, engine, part.rewritten, part.chunks)
            delete(writer, part)

        with engine.store.released_reserve():
            unaudited.write(scope, work)

    def forget_chunks(chunk_ids: Sequence[str]) -> None:
        with engine.store.released_reserve():
            unaudited.write(scope, lambda writer: stored_files.remove_chunks(writer, chunk_ids))

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
        marks = engine.store.read(scope, partial(_marks_of, file.id))
        _all_of([mark.id for mark in marks], forget_chunks)
        run(none._replace(ids=(file.id,), files=(file,)))


def _marks_of(file_id: str, reader: StoreReader) -> Sequence[ChunkMark]:
    return reader.chunk_marks(file_id)


def _old_versions_first(engine: Engine, scope: Scope, ids: Sequence[str]) -> Sequence[str]:
    def old_of(position: int) -> Sequence[str]:
        some = ids[position : position + _MOST]
        records = engine.store.read(scope, lambda reader: reader.get(some))
        return [record.id for record in records if record.superseded_by is not None]

    old = dict.fromkeys(old_id for start in range(0, len(ids), _MOST) for old_id in old_of(start))
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
