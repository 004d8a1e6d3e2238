"""Feedback: what the user thought of a memory or a message. What was rated down sinks in searches, until it is undone.

A comment that comes with two messages that were rated down becomes a lesson; it goes when fewer are left.
"""

from collections.abc import Mapping
from typing import Any, Final

from recollect.engine.base.context import Engine
from recollect.engine.drafts import redaction
from recollect.engine.memories import remember
from recollect.errors import InvalidMessage, NotFound
from recollect.model.filters import Filters
from recollect.model.memories import FEEDBACK, MemoryRecord, NewMemory, Remembered, Scope
from recollect.model.messages import Message
from recollect.storage.base import Derivation, StoreWriter
from recollect.text.clean import clean, fingerprint_text

COMMENT: Final = "feedback_comment"
LESSON_CONTEXT: Final = "feedback"
_FEWEST = 2  # messages, from which a comment is a lesson
_LONGEST = 300
_MOST_LESSONS = 1_000
_CONFIDENCE = 0.7


def rate_message(engine: Engine, scope: Scope, message_id: str, feedback: int | None, comment: str = "") -> Message:
    """Store the user's feedback on a message, and what it teaches. Raises NotFound."""
    said = _checked(engine, feedback, comment)

    comments: set[str] = set()

    def work(writer: StoreWriter) -> Message:
        found = writer.get_messages([message_id])
        if not found:
            raise NotFound(f"No message {message_id}. See what was said with `messages`.")
        metadata = {name: value for name, value in found[0].metadata.items() if name != COMMENT}
        rated = found[0]._replace(feedback=feedback, metadata=metadata | ({COMMENT: said} if said else {}))
        writer.set_feedback(rated)
        comments.update((_comment(found[0]), _comment(rated)))
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
        found = writer.get([memory_id])
        if not found:
            raise NotFound(f"No memory {memory_id}. See what there is with `list`.")
        metadata = {name: value for name, value in found[0].metadata.items() if name not in (FEEDBACK, COMMENT)}
        writer.set_metadata(memory_id, metadata | noted)
        return found[0]._replace(metadata=metadata | noted)

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
        kept = remember.decide(writer, engine, prepared)
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
