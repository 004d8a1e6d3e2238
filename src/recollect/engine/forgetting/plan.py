"""What a forgetting will do, decided before anything is deleted, and how that is said in words."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from recollect.engine.forgetting import rewriting
from recollect.engine.forgetting.rewriting import DroppedSummary, RewrittenChunk, RewrittenMessage
from recollect.errors import InvalidInput
from recollect.model.files import FileRecord
from recollect.model.memories import MemoryRecord
from recollect.model.messages import Message
from recollect.model.readings import QUESTION
from recollect.model.search import ForgottenItem
from recollect.storage.base import UserRows
from recollect.text.repetition import Wording

_MOST_NAMED = 50  # items of a whole conversation, source or folder
_LONGEST = 500  # characters of what is gone; so many are enough to see what it was


class ForgetPlan(NamedTuple):
    """What to delete, the chosen items first, and which of it are messages and files.

    `partial`: other items of the user stay. `folders` are synced folders that go with all their files. What is `buried`
    leaves tombstones, so that no import, sync or redelivery brings it back. `rewritten` messages and chunks lose
    sentences; a message of which nothing is left is among `messages`. `remade` are the summaries to make again,
    `sources` messages that still say what goes. `documents` lose sentences, and are kept whole as originals.
    `replayed`: another copy of this store has forgotten it, and has the tombstones.
    """

    ids: tuple[str, ...]
    messages: frozenset[str]
    partial: bool = True
    files: tuple[FileRecord, ...] = ()
    folders: tuple[str, ...] = ()
    buried: bool = True
    replayed: bool = False
    rewritten: tuple[RewrittenMessage, ...] = ()
    chunks: tuple[RewrittenChunk, ...] = ()
    remade: tuple[DroppedSummary, ...] = ()
    sources: tuple[str, ...] = ()
    documents: tuple[FileRecord, ...] = ()
    said: bool = False

    def with_rest(self, rest: "ForgetPlan") -> "ForgetPlan":
        """Add what came after this plan was made, and was forgotten with it."""
        return self._replace(ids=tuple(dict.fromkeys((*self.ids, *rest.ids))), messages=self.messages | rest.messages)

    @property
    def memories(self) -> list[str]:
        """The ids of memories."""
        others = self.messages | {file.id for file in self.files}
        return [item_id for item_id in self.ids if item_id not in others]

    def own_originals(self, rows: UserRows) -> list[str]:
        """Give the digests of originals that only what goes has."""
        left = {change.message.id: change.left.media for change in self.rewritten if change.left is not None}
        kept = {media.original for several in left.values() for media in several}
        return [digest for digest in rows.own_originals([*self.ids, *left]) if digest not in kept]

    def items(self, rows: UserRows, *, gone: bool) -> tuple[ForgottenItem, ...]:
        """Say in words what goes: all of what was looked up by its words or id, the first of what goes as a whole."""
        dropped = {summary.id for summary in self.remade}
        ids = [item_id for item_id in self.ids if item_id not in dropped]
        ids = ids if self.said else ids[:_MOST_NAMED]
        place = {item_id: position for position, item_id in enumerate(ids)}  # a store gives rows in any order
        erased = {change.message.id for change in self.rewritten if change.left is None}
        messages = sorted(rows.get_messages(ids), key=lambda message: place[message.id])
        items = [
            *map(_of_memory, sorted(rows.get(ids), key=lambda record: place[record.id])),
            *(_of_message(message) for message in messages if message.id not in erased),
            *(_of_file(file) for file in self.files[: None if self.said else _MOST_NAMED]),
            *_of_changes(self.rewritten, self.remade, self.chunks),
            *(ForgottenItem("document", file.id, "kept", "", file.path, file.created_at) for file in self.documents),
        ]
        return tuple(item._replace(text=_shortened(item.text)) for item in items) if gone else tuple(items)

    @property
    def empty(self) -> bool:
        """Whether nothing is to be done."""
        return not (self.ids or self.folders or self.rewritten or self.chunks)


def _of_memory(record: MemoryRecord) -> ForgottenItem:
    kind: Literal["memory", "version"] = "version" if record.superseded_by else "memory"
    return ForgottenItem(kind, record.id, "deleted", record.content, "", record.created_at)


def _of_message(message: Message) -> ForgottenItem:
    kind: Literal["summary", "message"] = "summary" if message.role == "summary" else "message"
    return ForgottenItem(kind, message.id, "deleted", message.content, "", message.created_at)


def _of_file(file: FileRecord) -> ForgottenItem:
    kind: Literal["file", "document"] = "file" if file.root else "document"
    return ForgottenItem(kind, file.id, "deleted", "", file.path, file.created_at)


def _of_changes(
    rewritten: Sequence[RewrittenMessage], remade: Sequence[DroppedSummary], chunks: Sequence[RewrittenChunk]
) -> Iterator[ForgottenItem]:
    for change in rewritten:
        said = change.message
        fate: Literal["deleted", "rewritten"] = "deleted" if change.left is None else "rewritten"
        yield ForgottenItem("message", said.id, fate, " ".join(change.removed), "", said.created_at)
    for summary in remade:
        yield ForgottenItem("summary", summary.id, "remade", summary.text)
    for cut in chunks:
        chunk, words = cut.chunk, " ".join(cut.removed) or cut.chunk.heading
        kind: Literal["file", "document"] = "file" if chunk.root else "document"
        yield ForgottenItem(kind, chunk.file_id, "rewritten", words, chunk.place, chunk.created_at)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\N{HORIZONTAL ELLIPSIS}"


def plan_items(rows: UserRows, item_ids: Sequence[str], *, family: bool = False) -> ForgetPlan:
    """Plan the deletion of items, as a `family` with their versions, and of what was derived from nothing else."""
    planned: dict[str, None] = {}
    messages: set[str] = set()
    waiting = with_versions(rows, item_ids) if family else list(item_ids)
    while waiting:
        message_ids = {message.id for message in rows.get_messages(waiting)}
        existing = message_ids | {record.id for record in rows.get(waiting)}
        fresh = [item_id for item_id in waiting if item_id in existing and item_id not in planned]
        planned.update(dict.fromkeys(fresh))
        messages |= message_ids
        waiting = with_versions(rows, _derived(rows, fresh, planned), edits=True)
    return ForgetPlan(tuple(planned), frozenset(messages))


def with_versions(rows: UserRows, ids: Sequence[str], *, edits: bool = False) -> list[str]:
    """Add the versions of live memories, with `edits` only those from before an edit, which leaves `created_at` alone.

    A version goes alone, and so does a message.
    """
    found = list(ids)
    for record in rows.get(ids):
        if record.superseded_by is None:
            family = (version for version in rows.chain(record.id) if version.id != record.id)
            found += [version.id for version in family if not edits or version.created_at == record.created_at]
    return found


def _derived(rows: UserRows, fresh: Sequence[str], planned: Iterable[str]) -> list[str]:
    """Give what was derived from these: summaries and answers always, others when no other source of theirs stays.

    An answer is kept in the words of two messages, and goes with either.
    """
    gone = set(planned)
    kinds = {made.made_id: made.made_kind for made in rows.made_from(fresh) if made.made_id not in gone}
    sourced = {source.made_id for source in rows.sources([*kinds]) if source.source_id not in gone}
    whole = {
        record.id for record in rows.get([*kinds]) if record.type == "session_summary" or QUESTION in record.metadata
    }
    return [
        item_id for item_id, kind in kinds.items() if kind == "message" or item_id in whole or item_id not in sourced
    ]


def plan_said(
    rows: UserRows,
    memory_ids: Sequence[str],
    wording: Wording,
    now: datetime,
    *,
    sources: bool,
    whole_documents: bool = False,
) -> ForgetPlan:
    """Plan to forget memories, or a message, by id, and everything that says something.

    With `sources`, the messages that the memories were captured from are rewritten; otherwise they are named. With
    `whole_documents`, added documents go with their originals; otherwise they lose the sentences that are searched.
    """
    found = rewriting.find_mentions(rows, wording)
    plan = plan_items(rows, [*memory_ids, *(record.id for record in found.memories)], family=True)
    gone = {record.id: record for record in rows.get(plan.ids)}
    origin_ids = [note.source_id for note in rows.sources([*gone]) if note.source_kind == "message"]
    messages = {message.id: message for message in rows.get_messages([*dict.fromkeys(origin_ids)])}
    told = {message.id: message for message in messages.values() if message.role != "summary"} if sources else {}
    told |= {message.id: message for message in found.messages if message.role != "summary"}
    left_sources = tuple(message_id for message_id in messages if message_id not in told and message_id not in plan.ids)
    captured = rewriting.captured_from(rows, [*told])
    rewritten = []
    for message in told.values():
        forgotten = [memory for memory in captured[message.id] if memory.id in gone]
        others = [memory for memory in captured[message.id] if memory.id not in gone]
        changed = rewriting.rewrite_message(message, wording, forgotten if sources else [], others, now)
        rewritten += [changed] if changed is not None and message.id not in plan.messages else []
    summaries = {message.id for message in found.messages if message.role == "summary"}
    dropped = rewriting.summaries_of(rows, [change.message.id for change in rewritten], summaries)
    erased = {change.message.id for change in rewritten if change.left is None} | {
        summary.id for summary in dropped if summary.kind == "message"
    }
    erased_memories = [summary.id for summary in dropped if summary.kind == "memory" and summary.id not in gone]
    ids = dict.fromkeys((*plan.ids, *sorted(erased), *erased_memories))
    files = files_of(rows, dict.fromkeys(chunk.file_id for chunk in found.chunks))
    documents = tuple(file for file in files if file.original and not file.root)
    going = {file.id for file in documents} if whole_documents else set()
    return ForgetPlan(
        (*ids, *going),
        plan.messages | erased,
        files=tuple(file for file in documents if file.id in going),
        rewritten=tuple(rewritten),
        chunks=tuple(rewriting.rewrite_chunk(chunk, wording) for chunk in found.chunks if chunk.file_id not in going),
        remade=tuple(dropped),
        sources=left_sources,
        documents=tuple(file for file in documents if file.id not in going),
        said=True,
    )


def plan_id(rows: UserRows, item_id: str, now: datetime, *, sources: bool) -> ForgetPlan:
    """Plan to forget a memory with its history, an old version alone, a message, or a file with all its chunks.

    With `sources` the messages that a memory was captured from lose the sentences that say it.
    """
    file = rows.file(item_id)
    if file is not None:
        return _plan_files([file])
    for chunk in rows.get_chunks([item_id]):
        raise InvalidInput(
            f"{item_id} is a part of {chunk.path}. A file is forgotten whole, by its id: {chunk.file_id}."
        )
    return plan_said(rows, [item_id], Wording(()), now, sources=sources)


def plan_folder(rows: UserRows, root: str) -> ForgetPlan:
    """Plan to forget a synced folder: its files, and that it was ever synced. It may be synced again."""
    folders = [folder.root for folder in rows.folders() if folder.root == root]
    return _plan_files(files_of(rows, [file.id for file in rows.known_files(root)]), folders=folders, buried=False)


def files_of(rows: UserRows, file_ids: Iterable[str]) -> tuple[FileRecord, ...]:
    """Give the files with these ids that are there."""
    return tuple(file for file_id in file_ids if (file := rows.file(file_id)) is not None)


def _plan_files(files: Sequence[FileRecord], *, folders: Sequence[str] = (), buried: bool = True) -> ForgetPlan:
    ids = (file.id for file in files)
    return ForgetPlan(tuple(ids), frozenset(), files=tuple(files), folders=tuple(folders), buried=buried)


def plan_session(rows: UserRows, session: str) -> ForgetPlan:
    """Plan to forget a conversation: its messages, what was learned in it, and what was stored under its name."""
    message_ids, memory_ids = rows.message_ids(session), rows.of_session(session)
    own_ids = frozenset(message_ids)
    elsewhere = {source.made_id for source in rows.sources(memory_ids) if source.source_id not in own_ids}
    return plan_items(rows, (*message_ids, *(memory_id for memory_id in memory_ids if memory_id not in elsewhere)))


def plan_source(rows: UserRows, source: str) -> ForgetPlan:
    """Plan to forget all memories that came from one source."""
    return plan_items(rows, rows.of_source(source))


def plan_everything(rows: UserRows, *, buried: bool = True) -> ForgetPlan:
    """Plan to forget all that a user has."""
    message_ids = [message_id for name in rows.conversation_ids() for message_id in rows.message_ids(name)]
    files = files_of(rows, rows.file_ids())
    folders = tuple(folder.root for folder in rows.folders())
    ids = (*rows.everything(), *message_ids, *(file.id for file in files))
    return ForgetPlan(ids, frozenset(message_ids), partial=False, files=files, folders=folders, buried=buried)


def plan_again(
    rows: UserRows,
    item_ids: Sequence[str],
    file_ids: Sequence[str],
    rewritten: Sequence[RewrittenMessage],
    chunks: Sequence[RewrittenChunk],
) -> ForgetPlan:
    """Plan to forget what was forgotten in another copy of this store, with the summaries that were made from it."""
    plan = plan_items(rows, item_ids)
    files = files_of(rows, file_ids)
    dropped = rewriting.summaries_of(rows, [change.message.id for change in rewritten], ())
    dropped = [summary for summary in dropped if summary.id not in plan.ids]
    messages = {summary.id for summary in dropped if summary.kind == "message"}
    return ForgetPlan(
        (*plan.ids, *(summary.id for summary in dropped), *(file.id for file in files)),
        plan.messages | messages,
        files=files,
        rewritten=tuple(rewritten),
        chunks=tuple(chunks),
        remade=tuple(dropped),
        replayed=True,
    )
