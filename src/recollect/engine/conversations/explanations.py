"""Why something is remembered: what a message would teach, and which messages a memory was captured from."""

from dataclasses import replace

from recollect.engine.base.context import Engine
from recollect.engine.conversations import message_drafts, message_reading, turn_capture
from recollect.errors import NotFound
from recollect.model.filters import Filters
from recollect.model.memories import MemoryRecord, Scope
from recollect.model.readings import SPAN, Captured, ExplainedReading, MemoryOrigin, TextSpan
from recollect.storage.base import StoreReader
from recollect.text.clean import fingerprint_text

_OFFSETS = 2
_SLOTS = 2  # what is the case, and what is preferred


def preview(engine: Engine, scope: Scope, content: str) -> tuple[Captured, ...]:
    """Give what a user's message would teach, and store nothing."""
    read = message_reading.read(engine, scope, message_drafts.clean_text(engine, content))
    captured, _ = turn_capture.judge_message(engine, scope, read.text, read.reading)
    return _with_replaced(engine, scope, captured)


def explain(engine: Engine, scope: Scope, content: str) -> ExplainedReading:
    """Give a message with its reading and what capture makes of it. Raises InvalidInput without a reader, ReaderError.

    The text is the one that capture reads, without secrets and private parts.
    """
    from recollect.text.capture.own_words import OwnWords  # noqa: PLC0415 - its expressions are compiled at first use

    text = message_reading.own_text(message_drafts.clean_text(engine, content))
    reading = message_reading.read_strictly(engine, scope, text)
    captured, skipped = turn_capture.judge_message(engine, scope, text, reading)
    foreign = OwnWords.of(text, reading.handed_over).foreign
    return ExplainedReading(text, reading, _with_replaced(engine, scope, captured), skipped, foreign)


def origins(engine: Engine, scope: Scope, memory_id: str) -> tuple[MemoryOrigin, ...]:
    """Give the messages that a memory was captured from, oldest first; those that were forgotten are not among them.

    Raises NotFound.
    """

    def look(reader: StoreReader) -> tuple[MemoryOrigin, ...]:
        memory = next(iter(reader.get([memory_id])), None)
        if memory is None:
            raise NotFound(f"No memory {memory_id}.")
        ids = [source.source_id for source in reader.sources([memory_id]) if source.source_kind == "message"]
        messages = sorted(reader.get_messages(ids), key=lambda message: message.id)
        read = ((message, message_reading.own_text(message.content)) for message in messages)
        return tuple(MemoryOrigin(message, text, said_at(memory, text)) for message, text in read)

    return engine.store.read(scope, look)


def said_at(memory: MemoryRecord, text: str) -> TextSpan | None:
    """Give where a message says what a memory holds: where it was captured, or where another has the same words."""
    span = memory.metadata.get(SPAN)
    if isinstance(span, list) and len(span) == _OFFSETS and all(isinstance(place, int) for place in span):
        found = TextSpan(*span)
        said, held = (set(fingerprint_text(words).split()) for words in (found.of(text), memory.content))
        if said and (said <= held or held <= said):
            return found
    place = text.find(memory.content)
    return TextSpan(place, place + len(memory.content)) if place >= 0 else None


def _with_replaced(engine: Engine, scope: Scope, captured: tuple[Captured, ...]) -> tuple[Captured, ...]:
    """Name the memories whose values would go to the history."""
    if not any(one.key for one in captured):
        return captured
    now = engine.clock.now()

    def holder(reader: StoreReader, one: Captured) -> str:
        filters = Filters(now, subject=one.subject, key=one.key, context=one.context)
        held = reader.select(filters, _SLOTS) if one.key and not one.many else ()
        return next((record.id for record in held if not _is_same(record, one)), "")

    return engine.store.read(
        scope, lambda reader: tuple(replace(one, replaces=holder(reader, one)) for one in captured)
    )


def _is_same(record: MemoryRecord, captured: Captured) -> bool:
    preference = record.type == "preference"  # another slot
    return preference or fingerprint_text(record.value or record.content) == fingerprint_text(
        captured.value if record.value else captured.content
    )
