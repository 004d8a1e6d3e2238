"""Everything of a user that says something, and what stays when it is forgotten: messages and file chunks without the
sentences that do, and summaries made again.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from operator import methodcaller
from typing import Any, Literal, NamedTuple

from recollect import ids
from recollect.dialogue.exchanges import fingerprints
from recollect.engine import stored_files
from recollect.engine.base.context import Engine
from recollect.engine.conversations import capture, compact, message_drafts
from recollect.engine.conversations.capture import said_at
from recollect.engine.drafts import tombstones
from recollect.engine.drafts.doubts import property_of
from recollect.engine.drafts.redaction import change_json, each_text, texts_in
from recollect.errors import LlmError, StoreError, StoreFull
from recollect.model.files import Chunk, ChunkDraft, TextPiece
from recollect.model.literals import ItemKind
from recollect.model.media import media_texts
from recollect.model.memories import Item, MemoryRecord, Scope
from recollect.model.messages import FORGOTTEN, Message, ToolCall
from recollect.model.readings import TextSpan
from recollect.storage.base import StoreWriter, UserRows
from recollect.text.chunks import index
from recollect.text.questions import property_words
from recollect.text.repetition import (
    Wording,
    joined,
    restated_in,
    said_in,
    sentence_mark,
    sentence_marks,
    sentences,
    without,
)

REWRITTEN = "forgotten_at"  # in the metadata of a message of which something was forgotten
GONE = "[forgotten]"  # what a tool gave; a call without its result would be refused by models

_PAGE = 2_000
_NEAR = 1_000  # messages of a conversation that are looked through for other words
_FEW = 20  # memories that go, up to which they are
_ALL = 2**31
_ANSWERS = frozenset({"assistant", "reasoning"})
_TURNS = frozenset({"user", "assistant", "tool", "reasoning"})


@dataclass(frozen=True, slots=True)
class Mentions:
    """The memories and versions, messages and file chunks that say something."""

    memories: tuple[MemoryRecord, ...] = ()
    messages: tuple[Message, ...] = ()
    chunks: tuple[Chunk, ...] = ()

    @property
    def live(self) -> tuple[MemoryRecord, ...]:
        """The memories that hold now."""
        return tuple(record for record in self.memories if record.superseded_by is None)


class RewrittenMessage(NamedTuple):
    """A message, what is left of it, which is None when nothing is, and the sentences that go."""

    message: Message
    left: Message | None
    removed: tuple[str, ...]


class RewrittenChunk(NamedTuple):
    """A chunk of a file, what is left of its text, and the sentences that go."""

    chunk: Chunk
    content: str
    heading: str
    removed: tuple[str, ...]


def find_mentions(rows: UserRows, wording: Wording) -> Mentions:
    """Find everything that says something, whether it holds now or not."""
    if not wording.ways:
        return Mentions()
    items = [item for kind in _KINDS for item in _saying(rows, kind, wording)]
    return Mentions(
        tuple(item for item in items if isinstance(item, MemoryRecord)),
        tuple(item for item in items if isinstance(item, Message)),
        tuple(item for item in items if isinstance(item, Chunk)),
    )


_KINDS: tuple[ItemKind, ...] = ("memory", "message", "chunk")


def _saying(rows: UserRows, kind: ItemKind, wording: Wording) -> Iterator[Item]:
    """Give the items of a kind that say something; their terms are looked at first, which are there already."""
    after: str | None = None
    while page := rows.indexed(kind, _PAGE, after):
        for item, terms in page:
            if (wording.is_said_with(terms) and _says(item, wording)) or _says_beside(item, wording):
                yield item
        after = page[-1].item.id


def _says(item: Item, wording: Wording) -> bool:
    """Tell whether words of an item that stand together say something; all of a memory does."""
    if isinstance(item, MemoryRecord):
        return True
    if isinstance(item, Chunk) and wording.is_said_in(item.heading):
        return True
    return bool(said_in(item.content, wording))


def _says_beside(item: Item, wording: Wording) -> bool:
    """Tell whether data of an item that no search looks at say something."""
    beside: tuple[Any, ...] = ()
    if isinstance(item, MemoryRecord):
        beside = (item.metadata,)
    elif isinstance(item, Message):
        beside = (item.metadata, item.blocks, [call.arguments for call in item.tool_calls], media_texts(item.media))
    return any(wording.is_said_in(text) for data in beside if data for text in texts_in(data))


def rewrite_message(
    message: Message, wording: Wording, forgotten: Sequence[MemoryRecord], others: Sequence[MemoryRecord], now: datetime
) -> RewrittenMessage | None:
    """Take out of a message what some words say, and what memories that are forgotten were captured from.

    What `others` were captured from stays. None when the message says nothing of it.
    """
    text = message.content
    origins = (span for memory in forgotten for span in _origin(message, memory))
    cut = list(joined((*said_in(text, wording), *origins)))
    kept = [
        span
        for memory in others
        if (span := _place_of(message, memory)) is not None and not wording.is_said_in(span.of(text))
    ]
    content = without(text, cut, kept).strip() if cut else text
    removed = tuple(span.of(text).strip() for span in cut)

    def change(other: str) -> str:
        if other == text:
            return content
        left = other
        for sentence in removed:
            left = left.replace(sentence, "")
        left = without(left, said_in(left, wording))
        return other if left == other else left.strip()

    calls = tuple(
        ToolCall(call.id, call.name, _changed_arguments(call.arguments, change)) for call in message.tool_calls
    )
    blocks = tuple(each_text(list(message.blocks), change))
    media = tuple(one for one in message.media if not any(map(wording.is_said_in, one.texts)))
    left = message._replace(
        content=content,
        blocks=blocks,
        tool_calls=calls,
        metadata=each_text(dict(message.metadata), change),
        media=media,
    )
    if left == message:
        return None
    removed += media_texts([one for one in message.media if one not in media])
    if message.role == "tool" and not content:
        left = left._replace(content=GONE)
    shown = left.media or any(block.get("type") not in (None, "text") for block in left.blocks)
    if not (shown or left.tool_calls or any(map(str.isalnum, left.content))):  # a model or a person would miss nothing
        return RewrittenMessage(message, None, removed or (text,))
    noted = {**_marks_left(left), REWRITTEN: now.isoformat()}
    return RewrittenMessage(message, left._replace(metadata=noted), removed or (message.content,))


def _marks_left(message: Message) -> dict[str, Any]:
    """Give the metadata of a message without the fingerprints of sentences that it no longer has."""
    marks = message.metadata.get(FORGOTTEN)
    if not isinstance(marks, Mapping):
        return dict(message.metadata)
    there = sentence_marks(message.content)
    return {**message.metadata, FORGOTTEN: {mark: at for mark, at in marks.items() if mark in there}}


def _origin(message: Message, memory: MemoryRecord) -> list[TextSpan]:
    """Give the sentences that a memory was captured from: all of a message when its words are nowhere in it."""
    text, place = message.content, _place_of(message, memory)
    if place is not None:
        return [sentence for sentence in sentences(text) if sentence.start < place.end and place.start < sentence.end]
    return said_in(text, Wording.of([memory.content])) or [TextSpan(0, len(text))]


def _place_of(message: Message, memory: MemoryRecord) -> TextSpan | None:
    """Give where a message says what a memory holds."""
    own = capture.own_text(message.content)
    span = said_at(memory, own)
    words = span.of(own).strip() if span is not None else ""
    start = message.content.find(words) if words else -1
    return TextSpan(start, start + len(words)) if start >= 0 else None


def note_forgotten(
    writer: StoreWriter, memories: Sequence[MemoryRecord], leaving: Collection[str], now: datetime
) -> None:
    """Note with messages that stay which of their sentences told memories that go: these are no present truth.

    Those that the memories were captured from, and what was said about it in the same conversations.
    """
    told = {memory.id: memory for memory in memories if memory.type != "session_summary"}
    sources = [note for note in writer.sources([*told]) if note.source_kind == "message"] if told else []
    taught: dict[str, list[MemoryRecord]] = {}
    for note in sources:
        taught.setdefault(note.source_id, []).append(told[note.made_id])
    messages = {message.id: message for message in writer.get_messages([*taught])}
    few = len(told) <= _FEW
    wording = Wording.of(memory.content for memory in told.values()) if few else Wording(())
    for talk in dict.fromkeys(message.conversation for message in messages.values()) if few else ():
        messages |= {message.id: message for message in writer.get_messages(writer.message_ids(talk)[-_NEAR:])}
    for message in messages.values():
        spans = said_in(message.content, wording)
        for memory in told.values() if few and message.role in _ANSWERS else ():
            spans += restated_in(message.content, memory.content, memory.value, property_words(property_of(memory)))
        spans += [span for memory in taught.get(message.id, ()) for span in _origin(message, memory)]
        if spans and message.id not in leaving:
            noted = message.metadata.get(FORGOTTEN)
            marks = dict.fromkeys((sentence_mark(span.of(message.content)) for span in spans), now.isoformat())
            marks |= noted if isinstance(noted, Mapping) else {}
            writer.set_feedback(message._replace(metadata={**message.metadata, FORGOTTEN: marks}))


def _changed_arguments(arguments: str, change: Callable[[str], str]) -> str:
    changed = change_json(arguments, lambda values: each_text(values, change))
    return change(arguments) if changed is None else changed


def rewrite_chunk(chunk: Chunk, wording: Wording) -> RewrittenChunk:
    """Take out of a chunk what some words say; the lines of the file stay where they are."""
    cut = said_in(chunk.content, wording)
    heading = "" if wording.is_said_in(chunk.heading) else chunk.heading
    removed = tuple(span.of(chunk.content).strip() for span in cut)
    return RewrittenChunk(chunk, without(chunk.content, cut), heading, removed)


def captured_from(rows: UserRows, message_ids: Sequence[str]) -> dict[str, list[MemoryRecord]]:
    """Give the memories that were captured from messages, by the ids of these."""
    made = [note for note in rows.made_from(message_ids) if note.made_kind == "memory"] if message_ids else []
    made_ids = list(dict.fromkeys(note.made_id for note in made))
    records = {record.id: record for record in rows.get(made_ids)} if made else {}
    captured: dict[str, list[MemoryRecord]] = {message_id: [] for message_id in message_ids}
    for note in made:
        if note.made_id in records and records[note.made_id].type != "session_summary":
            captured[note.source_id].append(records[note.made_id])
    return captured


class DroppedSummary(NamedTuple):
    """A summary that was made from something that is forgotten: of a conversation, or the memory of one that ended.

    `archived` are its sources when the conversation was over; `recent` messages were not folded into it.
    """

    id: str
    kind: Literal["message", "memory"]
    conversation: str
    text: str
    archived: bool = False
    recent: tuple[str, ...] = ()


def summaries_of(rows: UserRows, changed: Sequence[str], known: Iterable[str]) -> list[DroppedSummary]:
    """Give the summaries that were made from messages, and from such summaries; and those that are known to say it."""
    found: dict[str, DroppedSummary] = {}
    waiting = [*changed, *known]
    found |= {summary.id: summary for summary in _summaries(rows, [*known])}
    while waiting:
        made_ids = [note.made_id for note in rows.made_from(waiting) if note.made_id not in found]
        fresh = _summaries(rows, list(dict.fromkeys(made_ids)))
        found |= {summary.id: summary for summary in fresh}
        waiting = [summary.id for summary in fresh]
    return list(found.values())


def _summaries(rows: UserRows, item_ids: Sequence[str]) -> list[DroppedSummary]:
    if not item_ids:
        return []
    sources: dict[str, list[str]] = {}
    for note in rows.sources(item_ids):
        sources.setdefault(note.made_id, []).append(note.source_id)
    dropped = [
        DroppedSummary(
            message.id,
            "message",
            message.conversation,
            message.content,
            any(source.status == "archived" for source in rows.get_messages(sources.get(message.id, []))),
            tuple(recent.id for recent in rows.active_messages(message.conversation, _ALL) if recent.role in _TURNS),
        )
        for message in rows.get_messages(item_ids)
        if message.role == "summary"
    ]
    dropped += [
        DroppedSummary(record.id, "memory", record.session, record.content)
        for record in rows.get(item_ids)
        if record.type == "session_summary"
    ]
    return dropped


def write(
    writer: StoreWriter, engine: Engine, rewritten: Sequence[RewrittenMessage], chunks: Sequence[RewrittenChunk]
) -> None:
    """Write messages and chunks without what is forgotten; its sentences leave tombstones, which tell no words."""
    now = engine.clock.now()
    removed = [sentence for change in rewritten for sentence in change.removed]
    removed += [sentence for change in chunks for sentence in change.removed]
    removed += [change.chunk.heading for change in chunks if change.heading != change.chunk.heading]
    if removed:
        marks = {sentence_mark(part.of(text)) for text in removed for part in sentences(text)}
        writer.bury([tombstones.ANY_SENTENCE, *sorted(marks)], now)
    for change in rewritten:
        _replace_message(writer, engine, change)
    _replace_chunks(writer, engine, chunks)


def _replace_message(writer: StoreWriter, engine: Engine, change: RewrittenMessage) -> None:
    """Write a message again; both wordings are known as forgotten, so that no host delivers one of them anew."""
    message, left, now = change.message, change.left, engine.clock.now()
    if left is None:
        return
    unread = writer.unlearned([message.id])
    left = left._replace(status=next(iter(writer.get_messages([message.id])), left).status)  # it may be active again
    writer.forget_paid([message.id])
    writer.delete_messages([message.id])
    writer.insert_messages([message_drafts.finish(engine, left)], engine.models.latest)
    if unread:
        writer.owe_readings([message.id], now)
    else:
        writer.mark_learned([message.id])
    writer.bury([fingerprints(message)[0], fingerprints(left)[0]], now)


def _replace_chunks(writer: StoreWriter, engine: Engine, chunks: Sequence[RewrittenChunk]) -> None:
    by_file: dict[str, list[RewrittenChunk]] = {}
    for change in chunks:
        by_file.setdefault(change.chunk.file_id, []).append(change)
    for file_id, changes in by_file.items():
        record = writer.file(file_id)
        if record is None:
            continue
        stored_files.remove_chunks(writer, [change.chunk.id for change in changes])
        left = [change for change in changes if change.content.strip()]
        now = engine.clock.now()
        record = record._replace(chunks=record.chunks - len(changes) + len(left), updated_at=now)
        writer.save_file(record)
        drafts = [
            ChunkDraft(chunk_id, indexed, change.chunk.trust, change.chunk.dated_at)
            for chunk_id, change in zip(ids.new_many(now, len(left)), left, strict=True)
            for indexed in index([_left_of(change)])
        ]
        writer.insert_chunks(record, drafts, engine.models.latest)


def _left_of(change: RewrittenChunk) -> TextPiece:
    cut = change.chunk
    return TextPiece(
        change.content, change.heading, cut.start_line, cut.end_line, cut.start_column, cut.role, cut.dated_at
    )


def remake(engine: Engine, scope: Scope, dropped: Sequence[DroppedSummary]) -> None:
    """Make summaries again from what is left; one that cannot be made now is made with the next turn."""
    for summary in {summary.conversation: summary for summary in dropped if summary.kind == "message"}.values():
        with suppress(StoreFull):
            if summary.archived:
                compact.archive(engine, scope, summary.conversation)
                continue
            kept = len(engine.store.read(scope, methodcaller("get_messages", summary.recent)))
            compact.compact(engine, scope, summary.conversation, keep_recent=kept)
    for session in dict.fromkeys(summary.conversation for summary in dropped if summary.kind == "memory"):
        try:
            compact.end_session(engine, scope, session)
        except (LlmError, StoreError):
            continue
