"""Deletion for good: the chosen items with everything that was derived from them, gone from the files too.

An item that was derived from several sources stays while one of them does, except a summary, because no sentence can be
taken out of it: its other messages become active again. A value that had superseded another gives its slot back.

What is forgotten by its words goes wherever it is said: of a message the other sentences stay, summaries are remade.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from recollect.engine import stored_files
from recollect.engine.base.context import Engine
from recollect.engine.forgetting import deletion, rewriting
from recollect.engine.forgetting.plan import ForgetPlan, plan_items, plan_said, with_edits
from recollect.engine.forgetting.receipt import ReceiptDraft, settled
from recollect.engine.forgetting.rewriting import (
    DroppedSummary,
    RewrittenChunk,
    RewrittenMessage,
)
from recollect.errors import InvalidInput
from recollect.model.files import FileRecord
from recollect.model.media import original_name
from recollect.model.memories import Scope
from recollect.model.search import Forgotten, ForgottenAction, ForgottenItem
from recollect.model.stats import Erasure
from recollect.storage.base import StoreReader, StoreWriter, UserRows
from recollect.text.repetition import Wording

_MOST_EXPIRED = 500  # in a transaction, which has to fit on a full disk


def forget_id(
    engine: Engine,
    scope: Scope,
    item_id: str,
    *,
    sources: bool,
    dry_run: bool,
    receipt: ReceiptDraft | None = None,
) -> Forgotten:
    """Forget a memory with its history, an old version alone, a message, or a file with all its chunks.

    With `sources` the messages that a memory was captured from lose the sentences that say it.
    """

    def choose(rows: UserRows) -> ForgetPlan:
        file = rows.file(item_id)
        for chunk in rows.get_chunks([item_id]) if file is None else ():
            raise InvalidInput(
                f"{item_id} is a part of {chunk.path}. A file is forgotten whole, by its id: {chunk.file_id}."
            )
        if file is not None:
            return _plan_files([file])
        return plan_said(rows, [item_id], Wording(()), engine.clock.now(), sources=sources)

    return _forget(engine, scope, choose, dry_run=dry_run, receipt=receipt)


def forget_chosen(
    engine: Engine, scope: Scope, choose: Callable[[UserRows], Sequence[str]], *, dry_run: bool = False
) -> Forgotten:
    """Forget the memories and messages that are chosen inside the transaction, as `forget_id` does one."""
    now = engine.clock.now()

    def plan(rows: UserRows) -> ForgetPlan:
        return plan_said(rows, choose(rows), Wording(()), now, sources=False)

    return _forget(engine, scope, plan, dry_run=dry_run)


def forget_said(
    engine: Engine,
    scope: Scope,
    memory_ids: Sequence[str],
    wording: Wording,
    *,
    dry_run: bool,
    whole_documents: bool = False,
    receipt: ReceiptDraft | None = None,
) -> Forgotten:
    """Forget memories, and whatever else says the same."""
    now = engine.clock.now()

    def choose(rows: UserRows) -> ForgetPlan:
        return plan_said(rows, memory_ids, wording, now, sources=True, whole_documents=whole_documents)

    return _forget(engine, scope, choose, dry_run=dry_run, receipt=receipt)


def forget_folder(
    engine: Engine, scope: Scope, path: str, *, dry_run: bool, receipt: ReceiptDraft | None = None
) -> Forgotten:
    """Forget a synced folder: its files, and that it was ever synced. It may be synced again.

    It is named as it was synced, even if that is a link by now, or by where a path leads.
    """
    known = engine.store.read(scope, lambda reader: reader.folders())
    root = path if any(path == folder.root for folder in known) else os.path.realpath(os.path.expanduser(path))  # noqa: PTH111

    def choose(rows: UserRows) -> ForgetPlan:
        files = [rows.file(known.id) for known in rows.known_files(root)]
        folders = [folder.root for folder in rows.folders() if folder.root == root]
        return _plan_files([file for file in files if file is not None], folders=folders, buried=False)

    return _forget(engine, scope, choose, dry_run=dry_run, receipt=receipt)


def _plan_files(files: Sequence[FileRecord], *, folders: Sequence[str] = (), buried: bool = True) -> ForgetPlan:
    ids = (file.id for file in files)
    return ForgetPlan(tuple(ids), frozenset(), files=tuple(files), folders=tuple(folders), buried=buried)


def forget_session(
    engine: Engine, scope: Scope, session: str, *, dry_run: bool, receipt: ReceiptDraft | None = None
) -> Forgotten:
    """Forget a conversation: its messages, what was learned in it, and what was stored under its name."""

    def choose(rows: UserRows) -> ForgetPlan:
        message_ids, memory_ids = rows.message_ids(session), rows.of_session(session)
        own_ids = frozenset(message_ids)
        elsewhere = {source.made_id for source in rows.sources(memory_ids) if source.source_id not in own_ids}
        return plan_items(rows, (*message_ids, *(memory_id for memory_id in memory_ids if memory_id not in elsewhere)))

    return _forget(engine, scope, choose, dry_run=dry_run, conversations=[session], receipt=receipt)


def forget_source(
    engine: Engine, scope: Scope, source: str, *, dry_run: bool, receipt: ReceiptDraft | None = None
) -> Forgotten:
    """Forget all memories that came from one source."""
    return _forget(
        engine, scope, lambda rows: plan_items(rows, rows.of_source(source)), dry_run=dry_run, receipt=receipt
    )


def forget_everything(
    engine: Engine,
    scope: Scope,
    *,
    allow_again: bool = False,
    dry_run: bool,
    receipt: ReceiptDraft | None = None,
) -> Forgotten:
    """Forget all that a user has; with `allow_again` also what was forgotten before, so that it may come again."""

    def choose(rows: UserRows) -> ForgetPlan:
        message_ids = [message_id for name in rows.conversation_ids() for message_id in rows.message_ids(name)]
        files = tuple(file for file_id in rows.file_ids() if (file := rows.file(file_id)) is not None)
        folders = tuple(folder.root for folder in rows.folders())
        ids = (*rows.everything(), *message_ids, *(file.id for file in files))
        return ForgetPlan(
            ids, frozenset(message_ids), partial=False, files=files, folders=folders, buried=not allow_again
        )

    return _forget(engine, scope, choose, dry_run=dry_run, conversations=None, receipt=receipt)


class ReplayedChanges(NamedTuple):
    """What was forgotten elsewhere: memories and messages that go, files that go, messages and chunks to rewrite."""

    items: tuple[str, ...]
    files: tuple[str, ...]
    rewritten: tuple[RewrittenMessage, ...]
    chunks: tuple[RewrittenChunk, ...]


def forget_again(engine: Engine, scope: Scope, changes: ReplayedChanges) -> Forgotten:
    """Forget what was forgotten in another copy of this store, with the summaries that were made from it."""

    def choose(rows: UserRows) -> ForgetPlan:
        plan = plan_items(rows, changes.items)
        files = tuple(file for file_id in changes.files if (file := rows.file(file_id)) is not None)
        dropped = rewriting.summaries_of(rows, [change.message.id for change in changes.rewritten], ())
        dropped = [summary for summary in dropped if summary.id not in plan.ids]
        messages = {summary.id for summary in dropped if summary.kind == "message"}
        ids = (*plan.ids, *(summary.id for summary in dropped), *(file.id for file in files))
        return ForgetPlan(
            ids,
            plan.messages | messages,
            files=files,
            rewritten=changes.rewritten,
            chunks=changes.chunks,
            remade=tuple(dropped),
            replayed=True,
        )

    return _forget(engine, scope, choose, dry_run=False)


def expire(engine: Engine, scope: Scope) -> int:
    """Forget expired memories, some at a time; their traces go when the store is tuned."""
    now = engine.clock.now()

    def choose(rows: UserRows) -> ForgetPlan:
        return plan_items(rows, with_edits(rows, rows.expired(now)[:_MOST_EXPIRED]))._replace(buried=False)

    expired = 0
    while some := len(_forget(engine, scope, choose, dry_run=False, scrub=False).ids):
        expired += some
    return expired


def _forget(
    engine: Engine,
    scope: Scope,
    choose: Callable[[UserRows], ForgetPlan],
    *,
    dry_run: bool,
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
        deletion.bury_and_delete(writer, plan, engine.clock.now(), sessions if found else ())
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
        begun = deletion.forget_in_parts(engine, scope, begin)
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
