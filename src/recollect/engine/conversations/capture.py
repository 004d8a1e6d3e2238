"""Capture of memories from a turn: what the user said about themselves, and the assistant's actions; and why something
is remembered: what a message would teach, and which messages a memory was captured from.

Only the user's own words are captured, never the assistant's or a tool's. They are read once a turn: what the hook
before a prompt has read, capture does not read again. Memories are prepared outside of the transaction and stored
inside the one that saves their messages: a turn that is delivered twice is captured once.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from types import MappingProxyType
from typing import NamedTuple

from recollect.dialogue import exchanges
from recollect.engine.base.context import READER, Engine
from recollect.engine.conversations import denials, message_drafts
from recollect.engine.drafts import tombstones
from recollect.engine.memories import chronology, decisions, remember, repetition
from recollect.errors import InvalidInput, InvalidMemory, NotFound, ReaderError
from recollect.model.filters import Filters
from recollect.model.literals import Trust
from recollect.model.memories import MemoryRecord, NewMemory, Remembered, Scope
from recollect.model.messages import Message, NewMessage, ToolCall, Usage
from recollect.model.places import PlaceFields
from recollect.model.readings import (
    CAPTURED_BY,
    PROPERTY,
    QUESTION,
    SPAN,
    STANDING,
    Captured,
    ExplainedReading,
    MemoryOrigin,
    Reading,
    SkippedStatement,
    TextSpan,
)
from recollect.model.scopes import AUTHOR
from recollect.ports import Reader
from recollect.storage.base import Derivation, StoreReader, StoreWriter
from recollect.text.clean import clean, fingerprint_text
from recollect.text.fence import is_only_wrappers, without_fences
from recollect.text.secrets import REDACTION_MARK

_PURPOSE = "capture"
# A colon announces text of another person; that of our own mark does not. Offsets stay.
_UNANNOUNCED = REDACTION_MARK.replace(":", " ")
_ENTITY = re.compile(r"[a-z0-9_]{1,60}\.[a-z0-9_]{1,60}")
_ENTITY_ARGUMENTS = ("entity_id", "entity", "device_id", "device")
_ACTION_IMPORTANCE = 0.4
_MAX_DETAILS = 1_000
_OFFSETS = 2
LOOKED_BACK = 8  # messages, of which some are of tools
_SLOTS = 2  # what is the case, and what is preferred


class ReadMessage(NamedTuple):
    """The user's words in a message, those of the turn before it, and their reading; None without a reader.

    `failed` is set when a reader could not read it, `unasked` when that was the language model of the settings.
    """

    text: str
    before: str = ""
    reading: Reading | None = None
    failed: bool = False
    unasked: bool = False


class TurnBefore(NamedTuple):
    """What another said last before a message, and the id of that message, if it is stored."""

    text: str
    id: str | None = None


def own_text(content: str) -> str:
    """Give what a user wrote, without what hosts and this package wrap around it; empty for half a character."""
    try:
        return "" if is_only_wrappers(content) else clean(without_fences(content)).strip()
    except InvalidMemory:
        return ""


def read_message(engine: Engine, scope: Scope, content: str, before: str = "") -> ReadMessage:
    """Read a message after the turn before it, for capture, with the reader of the settings.

    The bundled one stands in for a language model.
    """
    text, asked = own_text(content), own_text(before)
    reader = engine.capture.reader
    if not text or reader is None:
        return ReadMessage(text, asked)
    if reader.costs and engine.has_tokens_left():
        try:
            return ReadMessage(text, asked, _cached(engine, scope, reader, text, asked))
        except ReaderError as error:
            engine.record_usage(scope, _PURPOSE, reader.name, Usage(output_tokens=error.usage_tokens))
            return read_locally(engine, scope, content, before)._replace(failed=True, unasked=True)
    return read_locally(engine, scope, content, before)


def read_locally(engine: Engine, scope: Scope, content: str, before: str = "") -> ReadMessage:
    """Read a message after the turn before it with the bundled reader, which costs nothing."""
    text, asked = own_text(content), own_text(before)
    reader = engine.capture.local
    if not text or reader is None:
        return ReadMessage(text, asked)
    try:
        return ReadMessage(text, asked, _cached(engine, scope, reader, text, asked))
    except ReaderError:
        return ReadMessage(text, asked, failed=True)


def read_strictly(engine: Engine, scope: Scope, text: str, before: str = "") -> Reading:
    """Read a text as it is, for a caller who wants to see it. Raises InvalidInput without a reader, or ReaderError."""
    reader = engine.capture.reader
    if reader is None:
        raise InvalidInput("No reader is set (capture.reader is none). Set it to local to read messages.")
    if reader.costs and not engine.has_tokens_left():
        raise InvalidInput("The tokens of the day (llm.tokens_per_day) are spent. Try again tomorrow, or raise it.")
    return _cached(engine, scope, reader, clean(text), clean(before))


def _cached(engine: Engine, scope: Scope, reader: Reader, text: str, before: str) -> Reading:
    from recollect.text.capture.replies import asked_in  # noqa: PLC0415 - its phrases are compiled at first use

    asked = asked_in(before) if before else ""
    both = f"{asked}\x1f{text}".encode("utf-8", "surrogatepass")
    key = (reader.name, blake2b(both, digest_size=16).digest())  # not the text
    reading = engine.capture.readings.find(scope, key)
    if reading is None:
        reading = reader.read(text.replace(REDACTION_MARK, _UNANNOUNCED), asked)
        engine.capture.readings.keep(scope, key, reading)
        if reader.costs:
            engine.record_usage(scope, _PURPOSE, reader.name, reading.usage)
    return reading


@dataclass(frozen=True, slots=True)
class LearnedItem:
    """A captured memory before its transaction, and the message that it comes from.

    `question_id` is the turn before, where only that says what is meant; `replaced` are memories that it corrects.
    """

    message_id: str
    question_id: str | None
    said_at: datetime
    prepared: decisions.PreparedMemory
    event: bool = False
    replaced: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnLessons:
    """The captured memories of a turn. `degraded` names the parts that failed.

    `unasked` is set when the language model of the settings could not be asked, so that it may be asked again.
    """

    findings: tuple[LearnedItem, ...] = ()
    degraded: tuple[str, ...] = ()
    unasked: bool = False


def learn(
    engine: Engine,
    scope: Scope,
    messages: Sequence[Message],
    turns_before: Mapping[str, TurnBefore] = MappingProxyType({}),
) -> TurnLessons:
    """Capture memories from new messages; `turns_before` has what another said before each of them, by its id."""
    if not messages:
        return TurnLessons()
    own = [message for message in messages if message.role == "user"]
    found, degraded, unasked = _read_all(engine, scope, own, turns_before)
    offered = [
        (
            message,
            turns_before[message.id].id if lesson.captured.question else None,
            _as_memory(engine, message, lesson.captured),
            lesson.replaced,
        )
        for message, lesson in found
    ]
    actions = [(message, memory) for message in messages for memory in _actions(message)]
    memories = [*(memory for _, _, memory, _ in offered), *(memory for _, memory in actions)]
    prepared, more = remember.prepare_many(engine, scope, memories)
    findings = tuple(
        LearnedItem(message.id, question_id, message.said_at, _told(ready, message), replaced=replaced)
        for (message, question_id, _, replaced), ready in zip(offered, prepared, strict=False)
    )
    findings += tuple(
        LearnedItem(message.id, None, message.said_at, _told(ready, message), event=True)
        for (message, _), ready in zip(actions, prepared[len(offered) :], strict=True)
    )
    return TurnLessons(findings, tuple(dict.fromkeys((*degraded, *more))), unasked)


def _told(prepared: decisions.PreparedMemory, message: Message) -> decisions.PreparedMemory:
    return replace(prepared, told_at=chronology.told_at(message))


def keep(
    writer: StoreWriter, engine: Engine, learned: TurnLessons, stored_ids: Mapping[str, str], unlearned: Sequence[str]
) -> tuple[tuple[Remembered, ...], tuple[Remembered, ...]]:
    """Store the findings of messages from which nothing was captured yet; gives captured memories and events.

    `stored_ids` maps drafts to the messages that were stored: another process may have saved them first. What was
    forgotten after it was said does not come back.
    """
    new = frozenset(unlearned)
    forgotten = tombstones.find_forgotten(writer, [finding.prepared.draft for finding in learned.findings])
    captured: list[Remembered] = []
    events: list[Remembered] = []
    for finding in learned.findings:
        message_id = stored_ids.get(finding.message_id)
        since = forgotten.get(finding.prepared.draft.record.id)
        if message_id not in new or message_id is None or (since and finding.said_at < since):
            continue
        question_id = finding.question_id and stored_ids.get(finding.question_id, finding.question_id)
        if question_id and not writer.get_messages([question_id]):
            continue  # the question was forgotten meanwhile
        remembered = _with_doubt(writer, decisions.decide(writer, engine, finding.prepared), finding.prepared)
        if remembered.action in ("created", "superseded"):
            denials.retire(writer, finding.prepared.draft.record, finding.replaced)
        _derive(writer, remembered, finding.prepared, message_id, question_id)
        (events if finding.event else captured).append(remembered)
    return tuple(captured), tuple(events)


def capture_text(engine: Engine, scope: Scope, text: str, session: str, before: str) -> tuple[Remembered, ...]:
    """Capture memories from a text of the user that is not stored itself, after what was said `before` it."""
    drafted = message_drafts.draft_message(engine, scope, session, NewMessage("user", text), engine.clock.now())
    if drafted.draft is None:
        return ()
    message = drafted.draft.message

    def look(reader: StoreReader) -> tuple[bool, TurnBefore | None]:
        conversation = reader.conversation(session)
        return conversation is not None and conversation.private, last_turn(reader, message)

    private, turn = engine.store.read(scope, look)
    turn = TurnBefore(message_drafts.clean_text(engine, before)) if before else turn
    learned = TurnLessons() if private else learn(engine, scope, [message], {message.id: turn} if turn else {})
    if not learned.findings:
        return ()

    def work(writer: StoreWriter) -> tuple[Remembered, ...]:
        done: list[Remembered] = []
        for finding in learned.findings:
            if finding.question_id is None or writer.get_messages([finding.question_id]):
                done.append(decisions.decide(writer, engine, finding.prepared))
                _derive(writer, done[-1], finding.prepared, None, finding.question_id)
        return tuple(done)

    remembered = engine.write(scope, work)
    engine.background.wake()
    return remembered


def last_turn(reader: StoreReader, message: Message, before: int | None = None) -> TurnBefore | None:
    """Give what another said last in the conversation of a message, `before` a place in it."""
    return turn_before(message, reader.last_messages(message.conversation, LOOKED_BACK, before))


def turn_before(message: Message, said: Sequence[Message]) -> TurnBefore | None:
    """Give what another said last of what was said before a message."""
    turn = exchanges.turn_before(message.role, message.speaker, said)
    return TurnBefore(turn.content, turn.id) if turn else None


def _with_doubt(writer: StoreWriter, remembered: Remembered, prepared: decisions.PreparedMemory) -> Remembered:
    """Say when a new memory contradicts the current value of a property that has one value at a time."""
    record = prepared.draft.record
    slot = repetition.doubtful_slot(record)
    holder = next(iter(writer.holders(slot)), None) if slot and remembered.action == "created" else None
    if holder is None or not repetition.differ(holder, record):
        return remembered
    if prepared.told_at is not None and chronology.is_older(writer, prepared.told_at, holder):
        return remembered
    return replace(remembered, action="doubted", existing_id=holder.id)


def _derive(
    writer: StoreWriter,
    remembered: Remembered,
    prepared: decisions.PreparedMemory,
    message_id: str | None,
    question_id: str | None,
) -> None:
    """Record the messages that a memory was derived from. One that was stored by hand depends on none.

    What was known already is understood without the question.
    """
    is_new = remembered.id == prepared.draft.record.id
    if not is_new and not writer.sources([remembered.id]):
        return
    ids = [message_id, question_id if is_new else None]
    derived = [Derivation("memory", remembered.id, "message", source_id) for source_id in ids if source_id]
    writer.derive(derived, prepared.draft.record.created_at)


def _read_all(
    engine: Engine, scope: Scope, messages: Sequence[Message], turns_before: Mapping[str, TurnBefore]
) -> tuple[list[tuple[Message, denials.Lesson]], tuple[str, ...], bool]:
    """Read messages; gives the most important findings of all, what failed, and whether to read them again later."""
    findings: list[tuple[Message, denials.Lesson]] = []
    failed = unasked = False
    for message in messages:
        before = turns_before.get(message.id)
        read = read_message(engine, scope, message.content, before.text if before else "")
        failed, unasked = failed or read.failed, unasked or read.unasked
        lessons = denials.find(engine, scope, read.text, read.before, judge_message(engine, scope, read)[0])
        findings += [(message, lesson) for lesson in lessons]
    findings.sort(key=lambda pair: -pair[1].captured.importance)
    return findings[: engine.settings.capture.limit], (READER,) if failed else (), unasked


def judge_message(
    engine: Engine, scope: Scope, read: ReadMessage
) -> tuple[tuple[Captured, ...], tuple[SkippedStatement, ...]]:
    """Give what a message teaches by the settings of its user, and the statements that are skipped."""
    from recollect.text.capture import CaptureRules, judge  # noqa: PLC0415 - its phrases are compiled at first use

    settings, tools = engine.settings.capture, engine.capture
    types = tools.types_by_user.get(scope.user_id, settings.types)
    rules = CaptureRules(settings.confidence, types, tools.patterns)
    return judge(read.text, read.reading, rules, read.before, limit=settings.limit)


def _as_memory(engine: Engine, message: Message, captured: Captured) -> NewMemory:
    details = {
        CAPTURED_BY: captured.rule,
        PROPERTY: captured.property,
        STANDING: captured.standing,
        SPAN: list(captured.span or ()),
        QUESTION: list(captured.question or ()),
        AUTHOR: message.metadata.get(AUTHOR),
    }
    return NewMemory(
        captured.content,
        type=captured.type,
        importance=captured.importance,
        confidence=captured.confidence,
        subject=captured.subject,
        key=captured.key,
        value=captured.value,
        many=captured.many,
        context=captured.context,
        source="user_stated",
        trust=Trust.STATED,
        session=message.conversation,
        occurred_at=_occurred_at(engine, message, captured),
        valid_from=chronology.told_at(message),
        metadata={name: value for name, value in details.items() if value},
        **_place(message),
    )


def _occurred_at(engine: Engine, message: Message, captured: Captured) -> datetime | None:
    """Give when an event was or will be: as its words say, or when it was told; of others that came late the latter."""
    if captured.type not in ("event", "experience"):
        told_at = chronology.told_at(message)
        return told_at if told_at < message.created_at else None
    from recollect.text.capture.values import event_time  # noqa: PLC0415 - as above

    return event_time(captured.content, message.said_at.astimezone(engine.timezone)) or message.said_at


def _actions(message: Message) -> Iterator[NewMemory]:
    """Give events for the assistant's actions: tool calls that name an entity."""
    for call in message.tool_calls:
        for entity in _entities(call):
            yield NewMemory(
                f"{call.name} {entity}",
                type="event",
                subject=entity,
                key="action",
                value=call.arguments[:_MAX_DETAILS],
                importance=_ACTION_IMPORTANCE,
                source="learned",
                trust=Trust.INFERRED,
                session=message.conversation,
                occurred_at=message.said_at,
                valid_from=chronology.told_at(message),
                **_place(message),
            )


def _place(message: Message) -> PlaceFields:
    return {"lat": message.lat, "lng": message.lng, "address": message.address, "place_label": message.place_label}


def _entities(call: ToolCall) -> list[str]:
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return []
    if not isinstance(arguments, dict):
        return []
    values: list[object] = []
    for name in _ENTITY_ARGUMENTS:
        value = arguments.get(name)
        values += value if isinstance(value, list) else [value]
    return [entity for entity in dict.fromkeys(map(str, values)) if _ENTITY.fullmatch(entity)]


def preview(engine: Engine, scope: Scope, content: str, before: str = "") -> tuple[Captured, ...]:
    """Give what a user's message would teach after the turn before it, and store nothing."""
    text, asked = message_drafts.clean_text(engine, content), message_drafts.clean_text(engine, before)
    captured, _ = judge_message(engine, scope, read_message(engine, scope, text, asked))
    return _with_replaced(engine, scope, captured)


def explain(engine: Engine, scope: Scope, content: str, before: str = "") -> ExplainedReading:
    """Give a message with its reading after the turn before it, and what capture makes of it.

    Raises InvalidInput without a reader, or ReaderError.

    The text is the one that capture reads, without secrets and private parts.
    """
    from recollect.text.capture.own_words import OwnWords  # noqa: PLC0415 - its expressions are compiled at first use

    text, asked = (own_text(message_drafts.clean_text(engine, said)) for said in (content, before))
    reading = read_strictly(engine, scope, text, asked)
    captured, skipped = judge_message(engine, scope, ReadMessage(text, asked, reading))
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
        read = ((message, own_text(message.content)) for message in messages)
        return tuple(MemoryOrigin(message, text, said_at(memory, text)) for message, text in read)

    return engine.store.read(scope, look)


def said_at(memory: MemoryRecord, text: str) -> TextSpan | None:
    """Give where a message says or asks what a memory holds: where it was captured, or where the same words are."""
    question = _span_in(memory, QUESTION)
    if question and (asked := " ".join(question.of(text).split())) and memory.content.startswith(asked):
        return question
    if found := _span_in(memory, SPAN):
        said, held = (set(fingerprint_text(words).split()) for words in (found.of(text), memory.content))
        if said and (said <= held or held <= said):
            return found
    place = text.find(memory.content)
    return TextSpan(place, place + len(memory.content)) if place >= 0 else None


def _span_in(memory: MemoryRecord, name: str) -> TextSpan | None:
    span = memory.metadata.get(name)
    if not isinstance(span, list) or len(span) != _OFFSETS or not all(isinstance(place, int) for place in span):
        return None
    return TextSpan(*span)


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
    if record.type == "preference" or repetition.is_short_for(record.key, captured.value, record.value):
        return True  # another slot, or nothing new
    return fingerprint_text(record.value or record.content) == fingerprint_text(
        captured.value if record.value else captured.content
    )
