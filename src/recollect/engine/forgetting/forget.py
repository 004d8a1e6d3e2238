"""Deletion for good: the chosen items with everything that was derived from them, gone from the files too.

An item that was derived from several sources stays while one of them does, except a summary, because no sentence can be
taken out of it: its other messages become active again. A value that had superseded another gives its slot back.
Tombstones are left behind, by which what was forgotten is recognised when it is imported, synced or delivered again.

What is forgotten by its words goes wherever it is said: of a message the other sentences stay, summaries are remade.

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
from typing import NamedTuple, TypeVar

from recollect.dialogue.exchanges import fingerprints
from recollect.engine import stored_files
from recollect.engine.base.context import Engine
from recollect.engine.drafts import memory_drafts, tombstones
from recollect.engine.drafts.items import batched
from recollect.engine.forgetting import rewriting
from recollect.engine.forgetting.plan import ForgetPlan, plan_items, plan_said, with_versions
from recollect.engine.forgetting.receipt import ReceiptDraft, settled
from recollect.engine.forgetting.rewriting import DroppedSummary
from recollect.errors import StoreFull
from recollect.model.files import ChunkMark
from recollect.model.media import original_name
from recollect.model.memories import MemoryRecord, Scope
from recollect.model.search import Forgotten, ForgottenAction, ForgottenItem
from recollect.model.stats import Erasure
from recollect.storage.base import StoreReader, StoreWriter, UserRows
from recollect.text.repetition import Wording

_MOST_EXPIRED = 500  # in a transaction, which has to fit on a full disk
_BATCH = 5_000
_MOST = 256  # of a part: items, chunks or rewritten messages

T = TypeVar("T")


def forget_chosen(engine: Engine, scope: Scope, choose: Callable[[UserRows], Sequence[str]]) -> Forgotten:
    """Forget the memories and messages that are chosen inside the transaction, as if each had been named by its id."""
    now = engine.clock.now()
    return forget(engine, scope, lambda rows: plan_said(rows, choose(rows), Wording(()), now, sources=False))


def expire(engine: Engine, scope: Scope) -> int:
    """Forget expired memories, some at a time; their traces go when the store is tuned."""
    now = engine.clock.now()

    def choose(rows: UserRows) -> ForgetPlan:
        return plan_items(rows, with_versions(rows, rows.expired(now)[:_MOST_EXPIRED], edits=True))._replace(
            buried=False
        )

    expired = 0
    while some := len(forget(engine, scope, choose, scrub=False).ids):
        expired += some
    return expired


def forget(
    engine: Engine,
    scope: Scope,
    choose: Callable[[UserRows], ForgetPlan],
    *,
    dry_run: bool = False,
    conversations: Sequence[str] | None = (),
    scrub: bool = True,
    receipt: ReceiptDraft | None = None,
) -> Forgotten:
    """Delete what `choose` finds inside the transaction; `conversations` go too, all of them when it is None.

    A `receipt` is drawn up in the transaction, and signed again when the files are erased.
    """
    afterwards = _Afterwards([], [], [], [])

    def begin(writer: StoreWriter) -> ForgetPlan:
        plan = choose(writer)
        names = _existing(writer, conversations)
        afterwards.note(writer, scope, plan)
        if receipt is not None and (names or not plan.empty):
            receipt.collect(writer, plan, names)
        if engine.forgetting:
            writer.note_forgetting(engine.forgetting)
        return plan

    def work(writer: StoreWriter) -> Forgotten:
        plan = begin(writer) if begun is None else choose(writer)
        names = _existing(writer, conversations)
        found = names or not plan.empty or begun is not None
        if found:
            writer.forget_traces([*afterwards.traces, *_with_chunks(writer, plan)] if plan.partial else None)
        sessions = names if conversations is None else conversations
        bury_and_delete(writer, plan, engine.clock.now(), sessions if found else ())
        _end_conversations(writer, names, everything=conversations is None)
        rewriting.write(writer, engine, plan.rewritten, plan.chunks)
        if engine.forgetting:
            writer.drop_forgetting(engine.forgetting)
        whole = plan if begun is None else begun.with_rest(plan)
        outcome = _outcome(whole, afterwards.items, names, dry_run=False)
        return replace(outcome, receipt=receipt.draw_up(writer)) if receipt is not None and found else outcome

    def look(reader: StoreReader) -> Forgotten:
        plan = choose(reader)
        return _outcome(plan, plan.items(reader, gone=False), _existing(reader, conversations), dry_run=True)

    if dry_run:
        return engine.store.read(scope, look)
    begun: ForgetPlan | None = None
    if engine.forgetting:
        begun = forget_in_parts(engine, scope, begin)
    return _finished(engine, scope, engine.write_deletion(scope, work), afterwards, scrub=scrub)


class _Afterwards(NamedTuple):
    """What is left to do after the transaction, and noted before what it is about goes.

    Originals to discard, summaries to make again, what went in words, and the ids by which logs name it.
    """

    originals: list[str]
    dropped: list[DroppedSummary]
    items: list[ForgottenItem]
    traces: list[str]

    def note(self, writer: StoreWriter, scope: Scope, plan: ForgetPlan) -> None:
        """Note it, in place of what an earlier try has noted that a full disk has ended."""
        self.originals[:] = [file.original for file in plan.files if file.original]
        self.originals.extend(original_name(scope.user_id, digest) for digest in plan.own_originals(writer))
        self.dropped[:] = plan.remade
        self.items[:] = plan.items(writer, gone=True)
        self.traces[:] = _with_chunks(writer, plan) if plan.partial else ()


def _existing(rows: UserRows, conversations: Sequence[str] | None) -> Sequence[str]:
    names = rows.conversation_ids() if conversations is None else conversations
    return [name for name in names if rows.conversation(name)]


def _end_conversations(writer: StoreWriter, names: Sequence[str], *, everything: bool) -> None:
    for name in names:
        writer.delete_conversation(name)
    if everything:
        writer.end_memberships()


def _finished(engine: Engine, scope: Scope, outcome: Forgotten, afterwards: _Afterwards, *, scrub: bool) -> Forgotten:
    """Erase what was deleted, and make again what stays without it."""
    stored_files.discard(engine, afterwards.originals)
    engine.forget_cached(scope)
    left = engine.erase() if scrub and outcome.action == "deleted" else Erasure()
    rewriting.remake(engine, scope, afterwards.dropped)
    if outcome.items:  # what was rewritten waits for its vectors
        engine.background.wake()
    if outcome.receipt is not None:
        outcome = replace(outcome, receipt=settled(engine, outcome.receipt, left.reason))
    return replace(outcome, pending=left.reason)


def _with_chunks(writer: StoreWriter, plan: ForgetPlan) -> list[str]:
    """Give the ids of all that goes, those of passages too."""
    chunks = [mark.id for file in plan.files for mark in writer.chunk_marks(file.id)]
    return [*plan.ids, *chunks, *(change.chunk.id for change in plan.chunks)]


def _outcome(
    plan: ForgetPlan, items: Sequence[ForgottenItem], conversations: Sequence[str], *, dry_run: bool
) -> Forgotten:
    action: ForgottenAction = "not_found"
    if conversations or not plan.empty:
        action = "would_delete" if dry_run else "deleted"
    return Forgotten(
        action,
        plan.ids,
        dry_run=dry_run,
        messages=len(plan.messages),
        files=len(plan.files),
        rewritten=tuple(rewritten.message.id for rewritten in plan.rewritten if rewritten.left is not None),
        items=tuple(items),
        sources=plan.sources,
    )


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
        if plan.buried:
            leaving = {*plan.messages, *(change.message.id for change in plan.rewritten)}
            rewriting.note_forgotten(writer, writer.get(memory_ids), leaving, now)
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
