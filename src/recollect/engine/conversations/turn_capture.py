"""Capture of memories from a turn: what the user said about themselves, and the assistant's actions.

Only the user's own words are captured, never the assistant's or a tool's. Memories are prepared outside of the
transaction and stored inside the one that saves their messages: a turn that is delivered twice is captured once.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.engine.base.context import READER, Engine
from recollect.engine.conversations import message_reading
from recollect.engine.drafts import tombstones
from recollect.engine.memories import doubts, remember
from recollect.model.literals import Trust
from recollect.model.memories import NewMemory, Remembered, Scope
from recollect.model.messages import Message, ToolCall
from recollect.model.places import PlaceFields
from recollect.model.readings import CAPTURED_BY, PROPERTY, SPAN, STANDING, Captured, Reading, SkippedStatement
from recollect.model.scopes import AUTHOR
from recollect.settings.kinds import zone_named
from recollect.storage.base import Derivation, StoreWriter

_ENTITY = re.compile(r"[a-z0-9_]{1,60}\.[a-z0-9_]{1,60}")
_ENTITY_ARGUMENTS = ("entity_id", "entity", "device_id", "device")
_ACTION_IMPORTANCE = 0.4
_MAX_DETAILS = 1_000


@dataclass(frozen=True, slots=True)
class LearnedItem:
    """A captured memory before its transaction, and the message that it comes from."""

    message_id: str
    said_at: datetime
    prepared: remember.PreparedMemory
    event: bool = False


@dataclass(frozen=True, slots=True)
class TurnLessons:
    """The captured memories of a turn. `degraded` names the parts that failed.

    `unasked` is set when the language model of the settings could not be asked, so that it may be asked again.
    """

    findings: tuple[LearnedItem, ...] = ()
    degraded: tuple[str, ...] = ()
    unasked: bool = False


def learn(engine: Engine, scope: Scope, messages: Sequence[Message]) -> TurnLessons:
    """Capture memories from new messages."""
    if not messages:
        return TurnLessons()
    own = [message for message in messages if message.role == "user"]
    found, degraded, unasked = _read_all(engine, scope, own)
    offered = [(message, _as_memory(engine, message, captured), False) for message, captured in found]
    offered += [(message, memory, True) for message in messages for memory in _actions(message)]
    prepared, more = remember.prepare_many(engine, scope, [memory for _, memory, _ in offered])
    findings = tuple(
        LearnedItem(message.id, message.said_at, ready, event)
        for (message, _, event), ready in zip(offered, prepared, strict=True)
    )
    return TurnLessons(findings, tuple(dict.fromkeys((*degraded, *more))), unasked)


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
        remembered = _with_doubt(writer, remember.decide(writer, engine, finding.prepared), finding.prepared)
        _derive(writer, remembered, message_id, finding.prepared)
        (events if finding.event else captured).append(remembered)
    return tuple(captured), tuple(events)


def capture_text(engine: Engine, scope: Scope, message: Message) -> tuple[Remembered, ...]:
    """Capture memories from a text that is not stored itself."""
    learned = learn(engine, scope, [message])

    def work(writer: StoreWriter) -> tuple[Remembered, ...]:
        return tuple(remember.decide(writer, engine, finding.prepared) for finding in learned.findings)

    if not learned.findings:
        return ()
    remembered = engine.write(scope, work)
    engine.background.wake()
    return remembered


def _with_doubt(writer: StoreWriter, remembered: Remembered, prepared: remember.PreparedMemory) -> Remembered:
    """Say when a new memory contradicts the current value of a property that has one value at a time."""
    record = prepared.draft.record
    slot = doubts.doubtful_slot(record)
    holder = next(iter(writer.holders(slot)), None) if slot and remembered.action == "created" else None
    if holder is None or not doubts.differ(holder, record):
        return remembered
    return replace(remembered, action="doubted", existing_id=holder.id)


def _derive(writer: StoreWriter, remembered: Remembered, message_id: str, prepared: remember.PreparedMemory) -> None:
    """Record the message that a memory was derived from. One that was stored by hand depends on none."""
    if remembered.id != prepared.draft.record.id and not writer.sources([remembered.id]):
        return
    writer.derive([Derivation("memory", remembered.id, "message", message_id)], prepared.draft.record.created_at)


def _read_all(
    engine: Engine, scope: Scope, messages: Sequence[Message]
) -> tuple[list[tuple[Message, Captured]], tuple[str, ...], bool]:
    """Read messages; gives the most important findings of all, what failed, and whether to read them again later."""
    findings: list[tuple[Message, Captured]] = []
    failed = unasked = False
    for message in messages:
        read = message_reading.read(engine, scope, message.content)
        failed, unasked = failed or read.failed, unasked or read.unasked
        findings += [(message, captured) for captured in judge_message(engine, scope, read.text, read.reading)[0]]
    findings.sort(key=lambda pair: -pair[1].importance)
    return findings[: engine.settings.capture.limit], (READER,) if failed else (), unasked


def judge_message(
    engine: Engine, scope: Scope, text: str, reading: Reading | None
) -> tuple[tuple[Captured, ...], tuple[SkippedStatement, ...]]:
    """Give what a message teaches by the settings of its user, and the statements that are skipped."""
    from recollect.text.capture import CaptureRules, judge  # noqa: PLC0415 - its phrases are compiled at first use

    settings, tools = engine.settings.capture, engine.capture
    types = tools.types_by_user.get(scope.user_id, settings.types)
    rules = CaptureRules(settings.confidence, types, tools.patterns)
    return judge(text, reading, rules, limit=settings.limit)


def _as_memory(engine: Engine, message: Message, captured: Captured) -> NewMemory:
    details = {
        CAPTURED_BY: captured.rule,
        PROPERTY: captured.property,
        STANDING: captured.standing,
        SPAN: list(captured.span or ()),
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
        metadata={name: value for name, value in details.items() if value},
        **_place(message),
    )


def _occurred_at(engine: Engine, message: Message, captured: Captured) -> datetime | None:
    """Give when an event was or will be: as its words say, or when it was told."""
    if captured.type not in ("event", "experience"):
        return None
    from recollect.text.capture.values import event_time  # noqa: PLC0415 - as above

    zone = zone_named(engine.settings.timezone)
    return event_time(captured.content, message.said_at.astimezone(zone)) or message.said_at


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
                **_place(message),
            )


def _place(message: Message) -> PlaceFields:
    """Give the place of a message as that of a memory."""
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
