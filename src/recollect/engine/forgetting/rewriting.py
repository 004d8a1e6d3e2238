"""What stays when a sentence is forgotten: messages and file chunks without it, and summaries made again."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Literal, NamedTuple

from recollect import ids
from recollect.dialogue.overlap import fingerprints
from recollect.engine import stored_files
from recollect.engine.base.context import Engine
from recollect.engine.conversations import compact, message_drafts, sessions
from recollect.engine.drafts import tombstones
from recollect.engine.forgetting.mentions import RewrittenChunk, RewrittenMessage
from recollect.errors import LlmError, StoreError, StoreFull
from recollect.model.files import Chunk, ChunkDraft, TextPiece
from recollect.model.memories import Scope
from recollect.storage.base import StoreReader, StoreWriter
from recollect.text.chunks import index
from recollect.text.mentions import sentence_mark, sentences

_ALL = 2**31
_TURNS = frozenset({"user", "assistant", "tool", "reasoning"})


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


def summaries_of(rows: StoreReader | StoreWriter, changed: Sequence[str], known: Iterable[str]) -> list[DroppedSummary]:
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


def _summaries(rows: StoreReader | StoreWriter, item_ids: Sequence[str]) -> list[DroppedSummary]:
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
        if change.left is not None:
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
            for indexed in index([_piece(change.chunk, change.content, change.heading)])
        ]
        writer.insert_chunks(record, drafts, engine.models.latest)


def _piece(chunk: Chunk, content: str, heading: str) -> TextPiece:
    return TextPiece(content, heading, chunk.start_line, chunk.end_line, chunk.start_column, chunk.role, chunk.dated_at)


def remake(engine: Engine, scope: Scope, dropped: Sequence[DroppedSummary]) -> None:
    """Make summaries again from what is left; one that cannot be made now is made with the next turn."""
    for summary in {summary.conversation: summary for summary in dropped if summary.kind == "message"}.values():
        with suppress(StoreFull):
            if summary.archived:
                compact.archive(engine, scope, summary.conversation)
                continue
            kept = engine.store.read(scope, partial(_count, message_ids=summary.recent))
            compact.compact(engine, scope, summary.conversation, keep_recent=kept)
    for session in dict.fromkeys(summary.conversation for summary in dropped if summary.kind == "memory"):
        try:
            sessions.end(engine, scope, session)
        except (LlmError, StoreError):
            continue


def _count(reader: StoreReader, message_ids: Sequence[str]) -> int:
    return len(reader.get_messages(message_ids))
