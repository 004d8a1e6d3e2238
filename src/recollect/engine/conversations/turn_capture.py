"""Capture of memories from a turn: what the user said about themselves, and the assistant's actions.

Only the user's own words are captured, never the assistant's or a tool's. Memories are prepared outside of the
transaction and stored inside the one that saves their messages: a turn that is delivered twice is captured once.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from recollect.engine.base import token_usage
from recollect.engine.base.context import EXTRACTOR, Engine
from recollect.engine.memories import remember
from recollect.errors import LlmError
from recollect.model.literals import Trust
from recollect.model.memories import NewMemory, Remembered, Scope
from recollect.model.messages import Captured, Message, ToolCall
from recollect.model.places import PlaceFields
from recollect.ports import Derivation, Extractor, StoreWriter
from recollect.text.fence import is_only_wrappers, without_fences

_PURPOSE = "capture"
_FROM_MODEL = "llm"
_ENTITY = re.compile(r"[a-z0-9_]{1,60}\.[a-z0-9_]{1,60}")
_ENTITY_ARGUMENTS = ("entity_id", "entity", "device_id", "device")
_ACTION_IMPORTANCE = 0.4
_MAX_DETAILS = 1_000


@dataclass(frozen=True, slots=True)
class LearnedItem:
    """A captured memory before its transaction, and the message that it comes from."""

    message_id: str
    prepared: remember.PreparedMemory
    event: bool = False


@dataclass(frozen=True, slots=True)
class TurnLessons:
    """The captured memories of a turn. `degraded` names the parts that failed."""

    findings: tuple[LearnedItem, ...] = ()
    degraded: tuple[str, ...] = ()


def learn(engine: Engine, scope: Scope, messages: Sequence[Message]) -> TurnLessons:
    """Capture memories from new messages."""
    if not messages:
        return TurnLessons()
    extracted, degraded = _extract(engine, scope, [message for message in messages if message.role == "user"])
    offered = [(message.id, _as_memory(message, captured), False) for message, captured in extracted]
    offered += [(message.id, memory, True) for message in messages for memory in _actions(message)]
    prepared, more = remember.prepare_many(engine, scope, [memory for _, memory, _ in offered])
    findings = tuple(
        LearnedItem(message_id, ready, event) for (message_id, _, event), ready in zip(offered, prepared, strict=True)
    )
    return TurnLessons(findings, tuple(dict.fromkeys((*degraded, *more))))


def keep(
    writer: StoreWriter, engine: Engine, learned: TurnLessons, stored_ids: Mapping[str, str], unlearned: Sequence[str]
) -> tuple[tuple[Remembered, ...], tuple[Remembered, ...]]:
    """Store the findings of messages from which nothing was captured yet; gives captured memories and events.

    `stored_ids` maps drafts to the messages that were stored: another process may have saved them first.
    """
    new = frozenset(unlearned)
    captured: list[Remembered] = []
    events: list[Remembered] = []
    for finding in learned.findings:
        message_id = stored_ids.get(finding.message_id)
        if message_id not in new or message_id is None:
            continue
        remembered = remember.decide(writer, engine, finding.prepared)
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


def _derive(writer: StoreWriter, remembered: Remembered, message_id: str, prepared: remember.PreparedMemory) -> None:
    """Record the message that a memory was derived from. One that was stored by hand depends on none."""
    if remembered.action == "duplicate" and not writer.sources([remembered.id]):
        return
    writer.derive([Derivation("memory", remembered.id, "message", message_id)], prepared.draft.record.created_at)


def _extract(
    engine: Engine, scope: Scope, messages: Sequence[Message]
) -> tuple[list[tuple[Message, Captured]], tuple[str, ...]]:
    """Apply the rules, then the language model if there is one; gives the most important findings of all messages."""
    from recollect.text.capture import capture  # noqa: PLC0415 - its rules are compiled when it is imported

    limit, tools = engine.settings.capture.limit, engine.capture
    texts = [
        (message, without_fences(message.content)) for message in messages if not is_only_wrappers(message.content)
    ]
    findings: list[tuple[Message, Captured]] = []
    for message, text in texts:
        findings += [(message, finding) for finding in capture(text, limit=limit, patterns=tools.patterns)]
    degraded: tuple[str, ...] = ()
    if tools.extractor is not None and len(findings) < limit:
        try:
            findings += _extract_by_model(engine, scope, tools.extractor, texts, limit - len(findings))
        except LlmError as error:
            token_usage.record_tokens(engine, scope, _PURPOSE, engine.settings.llm.model, error.usage_tokens)
            degraded = (EXTRACTOR,)
    findings.sort(key=lambda pair: -pair[1].importance)
    return findings[:limit], degraded


def _extract_by_model(
    engine: Engine, scope: Scope, extractor: Extractor, texts: Iterable[tuple[Message, str]], limit: int
) -> list[tuple[Message, Captured]]:
    findings: list[tuple[Message, Captured]] = []
    for message, text in texts:
        if len(findings) >= limit or not text.strip() or not token_usage.affordable(engine):
            break
        extracted, usage = extractor.extract(text, limit - len(findings))
        token_usage.record(engine, scope, _PURPOSE, engine.settings.llm.model, usage)
        findings += [(message, replace(finding, rule=_FROM_MODEL)) for finding in extracted]
    return findings[:limit]


def _as_memory(message: Message, captured: Captured) -> NewMemory:
    stated = captured.rule != _FROM_MODEL
    return NewMemory(
        captured.content,
        type=captured.type,
        importance=captured.importance,
        confidence=captured.confidence,
        subject=captured.subject,
        key=captured.key,
        value=captured.value,
        context=captured.context,
        source="user_stated" if stated else "inferred",
        trust=Trust.STATED if stated else Trust.INFERRED,
        session=message.conversation,
        occurred_at=message.said_at if captured.type in ("event", "experience") else None,
        metadata={"captured_by": captured.rule or "rules"},
        **_place(message),
    )


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
