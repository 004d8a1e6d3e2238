"""Changes to what is stored: updates with optimistic concurrency, and what the user thought of a memory or a message.

An updated memory keeps its id, what it was stays as a version. The new vector is made before the transaction, which
must not wait; everything else is decided inside it, from the memory as it is then, so that concurrent writers of
different fields do not undo each other.

What was rated down sinks in searches, until it is undone. A comment that comes with two messages that were rated down
becomes a lesson; it goes when fewer are left.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any, Final

from recollect.engine.base.context import Engine
from recollect.engine.base.scopes import authored
from recollect.engine.drafts import items, kept_secrets, memory_drafts, redaction
from recollect.engine.drafts.items import embedded_texts
from recollect.engine.drafts.media import check_media
from recollect.engine.memories import decisions, remember
from recollect.engine.vectors import embed_texts
from recollect.engine.vectors.embed_texts import EmbeddedItems
from recollect.errors import EmbeddingError, InvalidMemory, InvalidMessage
from recollect.model.filters import Filters
from recollect.model.memories import FEEDBACK, Draft, MemoryRecord, NewMemory, Remembered, Scope, Space, is_many, lapsed
from recollect.model.messages import Message
from recollect.model.places import is_somewhere
from recollect.model.vectors import as_unit
from recollect.storage.base import Derivation, StoreWriter, UserRows
from recollect.text.clean import clean, fingerprint_text

_FIELDS = tuple(field.name for field in fields(NewMemory) if field.name not in ("vector", "many", "keep_secret"))
_MAX_TRIES = 5
COMMENT: Final = "feedback_comment"
LESSON_CONTEXT: Final = "feedback"
_FEWEST = 2  # messages, from which a comment is a lesson
_LONGEST = 300
_MOST_LESSONS = 1_000
_CONFIDENCE = 0.7


class _ConcurrentUpdateError(Exception):
    """Another writer changed the text that was embedded."""


def update(engine: Engine, scope: Scope, memory_id: str, changes: dict[str, Any]) -> MemoryRecord:
    """Change fields of a live memory; gives it as it is now."""
    for _ in range(_MAX_TRIES):
        try:
            return _update_once(engine, scope, memory_id, changes)
        except _ConcurrentUpdateError:
            continue
    raise InvalidMemory(f"Memory {memory_id} is being changed by other writers all the time. Try again.")


def _update_once(engine: Engine, scope: Scope, memory_id: str, changes: dict[str, Any]) -> MemoryRecord:
    old = engine.store.read(scope, lambda reader: _live(reader, memory_id))
    if "media" in changes:
        changes = {**changes, "media": check_media(engine, scope, changes["media"], InvalidMemory)}
    planned = _revise_draft(engine, scope, old, changes)
    if _unchanged(old, planned.record, changes):
        return old
    space = engine.space
    texts = embedded_texts(planned.record, space)
    fresh = "vector" in changes or texts != embedded_texts(old, space)
    embedded = _embed(engine, scope, space, texts, changes) if fresh else EmbeddedItems()

    def work(writer: StoreWriter) -> MemoryRecord:
        current = _live(writer, memory_id)
        draft = _revise_draft(engine, scope, current, changes)
        if _unchanged(current, draft.record, changes):
            return current
        if changes.keys() == {"expires_at"}:  # it says what it said: a lease that is renewed often makes no history
            writer.set_expiry(memory_id, draft.record.expires_at, draft.record.updated_at)
            return current._replace(expires_at=draft.record.expires_at, updated_at=draft.record.updated_at)
        if embedded_texts(draft.record, space) != texts:
            raise _ConcurrentUpdateError
        keep_vector = "vector" not in changes and embedded_texts(current, space) == texts
        _make_room(writer, draft)
        revised = memory_drafts.with_vectors(draft, embedded.vectors[0]) if 0 in embedded.vectors else draft
        decisions.write_revision(writer, current, revised, space, keep_vector=keep_vector)
        if space is not None:
            embed_texts.keep(writer, engine, space, embedded, {0: memory_id})
        return draft.record

    record = engine.write(scope, work)
    waits = engine.models.configured is not None and fresh and not embedded.vectors
    if waits or is_somewhere(record.lat, record.address, record.place_label):
        engine.background.wake()
    return record


def _live(rows: UserRows, memory_id: str) -> MemoryRecord:
    record = items.memory(rows, memory_id)
    if record.superseded_by is not None:
        raise InvalidMemory(
            f"Memory {memory_id} is an old version, replaced by {record.superseded_by}. Update that one."
        )
    return record


def _revise_draft(engine: Engine, scope: Scope, old: MemoryRecord, changes: dict[str, Any]) -> Draft:
    """Check the changed memory like a new one, and give it the old id and `created_at`."""
    now = engine.clock.now()
    fields_before = {name: getattr(old, name) for name in _FIELDS if name != "trust" or "source" not in changes}
    held = {"valid_from": _start(old, changes, now), "many": is_many(old), "value": _value(old, changes)}
    offered = NewMemory(**{**fields_before, **_clear_address(old, changes), **held, **changes})
    offered = kept_secrets.revised(engine, scope, old, changes, replace(offered, vector=None))
    offered = authored(engine, redaction.public(engine, offered))
    (draft,) = memory_drafts.draft_memories([offered], now)
    record = draft.record._replace(id=old.id, created_at=old.created_at)
    if record.trust < old.trust and draft.content_hash != memory_drafts.content_hash(old):
        raise InvalidMemory(
            f"{record.source or 'This'} is trusted less than {old.source}, which said this, and may not correct it. "
            "Store what it says as a memory of its own."
        )
    if not changes.keys() & {"lat", "lng", "address"}:  # whatever the precision of places is by now
        record = record._replace(lat=old.lat, lng=old.lng, address=old.address)
    return draft._replace(record=record, content_hash=memory_drafts.content_hash(record))


def _value(old: MemoryRecord, changes: dict[str, Any]) -> str:
    """Give the value of a memory after its content changed: what stands in its place, none where that is not known."""
    said = changes.get("content")
    if not old.value or not isinstance(said, str) or old.value in said or old.value not in old.content:
        return old.value
    before, _, after = old.content.partition(old.value)
    told = clean(said)
    kept = len(told) > len(before) + len(after) and told.startswith(before) and told.endswith(after)
    return told[len(before) : len(told) - len(after)] if kept and before.strip() else ""


def _clear_address(old: MemoryRecord, changes: dict[str, Any]) -> dict[str, Any]:
    """Clear the address when the coordinates change: it is geocoded anew."""
    where = {name: changes[name] for name in ("lat", "lng") if name in changes}
    return {"address": ""} if any(getattr(old, name) != value for name, value in where.items()) else {}


def _start(old: MemoryRecord, changes: dict[str, Any], now: datetime) -> datetime:
    """A change holds from now on. A memory that is over, or begins only later, is corrected as a whole."""
    until = changes.get("valid_until", old.valid_until)
    over = until is not None and memory_drafts.utc(until, "valid_until") <= now
    return old.valid_from if over else max(now, old.valid_from)


def _unchanged(old: MemoryRecord, new: MemoryRecord, changes: dict[str, Any]) -> bool:
    since = new.valid_from if "valid_from" in changes else old.valid_from
    return "vector" not in changes and new._replace(valid_from=since, updated_at=old.updated_at) == old


def _embed(
    engine: Engine, scope: Scope, space: Space | None, texts: Sequence[str], changes: dict[str, Any]
) -> EmbeddedItems:
    """Embed the new text; when that fails, a job does it later."""
    if space is None:
        return EmbeddedItems()
    if changes.get("vector") is not None:
        return EmbeddedItems({0: as_unit(changes["vector"], space.dimensions)[None]})
    try:
        return embed_texts.embed_items(engine, scope, space, [texts], wait=None)
    except EmbeddingError:
        return EmbeddedItems()


def _make_room(writer: StoreWriter, draft: Draft) -> None:
    """Refuse a duplicate of another memory, unless that one has lapsed: then it becomes a version of this one."""
    record, slot = draft.record, memory_drafts.slot(draft.record)
    others = [holder for holder in (writer.holders(slot) if slot else ()) if holder.id != record.id]
    if any(map(is_many, (record, *others))):
        others = [holder for holder in others if decisions.same_value(holder, draft)]
    twin_said = writer.same(memory_drafts.fingerprint(draft))
    if twin_said is not None and twin_said.id != record.id and twin_said not in others:
        others.append(twin_said)
    for twin in others:
        if not lapsed(twin, record.updated_at):
            raise InvalidMemory(f"Memory {twin.id} already says this. Forget one of the two instead.")
        writer.retire(twin.id, memory_drafts.lapse(twin), record.id)


def rate_message(engine: Engine, scope: Scope, message_id: str, feedback: int | None, comment: str = "") -> Message:
    """Store the user's feedback on a message, and what it teaches. Raises NotFound."""
    said = _checked(engine, feedback, comment)

    comments: set[str] = set()

    def work(writer: StoreWriter) -> Message:
        found = items.message(writer, message_id)
        metadata = {name: value for name, value in found.metadata.items() if name != COMMENT}
        rated = found._replace(feedback=feedback, metadata=metadata | ({COMMENT: said} if said else {}))
        writer.set_feedback(rated)
        comments.update((_comment(found), _comment(rated)))
        return rated

    rated = engine.write(scope, work)
    for one in sorted(comments - {""}):
        _learn(engine, scope, one)
    return rated


def rate_memory(engine: Engine, scope: Scope, memory_id: str, feedback: int | None, comment: str = "") -> MemoryRecord:
    """Store the user's feedback on a memory. Raises NotFound."""
    said = _checked(engine, feedback, comment)
    noted: dict[str, Any] = {name: value for name, value in ((FEEDBACK, feedback), (COMMENT, said)) if value}

    def work(writer: StoreWriter) -> MemoryRecord:
        found = items.memory(writer, memory_id)
        kept = {name: value for name, value in found.metadata.items() if name not in (FEEDBACK, COMMENT)}
        writer.set_metadata(memory_id, kept | noted)
        return found._replace(metadata=kept | noted)

    return engine.write(scope, work)


def _checked(engine: Engine, feedback: int | None, comment: str) -> str:
    """Check a rating; gives its comment, which a rating that is taken back has not."""
    if feedback not in (None, 1, -1) or isinstance(feedback, bool):
        raise InvalidMessage(f"feedback is {feedback!r}; it must be 1, -1 or None.")
    said = redaction.public_text(engine, clean(comment))
    if len(said) > _LONGEST:
        raise InvalidMessage(f"The comment has {len(said)} characters; at most {_LONGEST} are kept.")
    return said if feedback else ""


def _comment(message: Message) -> str:
    return _text(message.metadata) if message.feedback == -1 else ""


def _text(metadata: Mapping[str, Any]) -> str:
    return fingerprint_text(str(metadata.get(COMMENT, "")))


def _learn(engine: Engine, scope: Scope, said: str) -> None:
    """Make a comment a lesson, or remove the lesson that it was."""
    filters = Filters(engine.clock.now(), types=("lesson",), context=LESSON_CONTEXT)
    lessons = engine.store.read(scope, lambda reader: reader.select(filters, _MOST_LESSONS))
    lesson = next((one for one in lessons if fingerprint_text(one.value) == said), None)

    def disliked(writer: StoreWriter) -> list[Message]:
        return [message for message in writer.disliked_messages() if _text(message.metadata) == said]

    messages = engine.write(scope, disliked)
    if len(messages) < _FEWEST:
        if lesson is not None:
            _unlearn(engine, scope, lesson.id)
        return
    comment = str(messages[0].metadata[COMMENT])
    text = f"Rated down more than once: {comment}"
    new = NewMemory(
        text, type="lesson", context=LESSON_CONTEXT, value=comment, source="learned", confidence=_CONFIDENCE
    )
    (prepared,), _ = remember.prepare_many(engine, scope, [new])

    def keep(writer: StoreWriter) -> Remembered:
        kept = decisions.decide(writer, engine, prepared)
        sources = [Derivation("memory", kept.id, "message", message.id) for message in disliked(writer)]
        writer.derive(sources, prepared.draft.record.created_at)
        return kept

    engine.write(scope, keep)
    engine.background.wake()


def _unlearn(engine: Engine, scope: Scope, lesson_id: str) -> None:
    """Remove a lesson with its history; it may be learned again."""

    def work(writer: StoreWriter) -> None:
        writer.delete([version.id for version in writer.chain(lesson_id)])

    engine.write(scope, work)
