"""What a forgetting will do, decided before anything is deleted, and how that is said in words."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from recollect.engine.forgetting.mentions import RewrittenChunk, RewrittenMessage
from recollect.engine.forgetting.rewriting import DroppedSummary
from recollect.model.files import FileRecord
from recollect.model.memories import MemoryRecord
from recollect.model.messages import Message
from recollect.model.search import ForgottenItem
from recollect.storage.base import StoreReader, StoreWriter

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

    def own_originals(self, rows: StoreReader | StoreWriter) -> list[str]:
        """Give the digests of originals that only what goes has."""
        left = {change.message.id: change.left.media for change in self.rewritten if change.left is not None}
        kept = {media.original for several in left.values() for media in several}
        return [digest for digest in rows.own_originals([*self.ids, *left]) if digest not in kept]

    def items(self, rows: StoreReader | StoreWriter, *, gone: bool) -> tuple[ForgottenItem, ...]:
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
        fate: Literal["deleted", "rewritten"] = "deleted" if change.left is None else "rewritten"
        said = change.message
        yield ForgottenItem("message", said.id, fate, " ".join(change.removed), "", said.created_at)
    for summary in remade:
        yield ForgottenItem("summary", summary.id, "remade", summary.text)
    for cut in chunks:
        chunk, words = cut.chunk, " ".join(cut.removed) or cut.chunk.heading
        kind: Literal["file", "document"] = "file" if chunk.root else "document"
        yield ForgottenItem(kind, chunk.file_id, "rewritten", words, chunk.place, chunk.created_at)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\N{HORIZONTAL ELLIPSIS}"
