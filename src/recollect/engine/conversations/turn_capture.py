"""Learning from a turn: what the user said about themselves, and what was done.

Only the user's own words teach, never the assistant's or a tool's. What is learned is prepared outside of the
transaction, and kept inside the one that saves the messages it comes from: a turn that is delivered twice teaches once.
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
_LONGEST_DETAILS = 1_000


@dataclass(frozen=True, slots=True)
class LearnedItem:
    """Something to keep, ready to be decided about, and the message it comes from."""

    message_id: str
    prepared: remember.PreparedMemory
    event: bool = False


@dataclass(frozen=True, slots=True)
class TurnLessons:
    """What a turn teaches. `degraded` names what could not be done."""

    findings: tuple[LearnedItem, ...] = ()
    degraded: tuple[str, ...] = ()


def learn(engine: Engine, scope: Scope, said: Sequence[Message]) -> TurnLessons:
    """Find what is worth keeping in messages that are new."""
    if not said:
        return TurnLessons()
    extracted, degraded = _extract(engine, scope, [message for message in said if message.role == "user"])
    offered = [(message.id, _as_memory(message, found), False) for message, found in extracted]
    offered += [(message.id, memory, True) for message in said for memory in _actions(message)]
    prepared, more = remember.prepare_many(engine, scope, [memory for _, memory, _ in offered])
    findings = tuple(
        LearnedItem(message_id, ready, event) for (message_id, _, event), ready in zip(offered, prepared, strict=True)
    )
    return TurnLessons(findings, tuple(dict.fromkeys((*degraded, *more))))


def keep(
    writer: StoreWriter, engine: Engine, learned: TurnLessons, kept_as: Mapping[str, str], unlearned: Sequence[str]
) -> tuple[tuple[Remembered, ...], tuple[Remembered, ...]]:
    """Keep what comes from messages that nobody has learned from; gives what was captured, and what happened.

    `kept_as` says under which id a message is kept: another process may have saved it since this one looked.
    """
    new = frozenset(unlearned)
    captured: list[Remembered] = []
    events: list[Remembered] = []
    for finding in learned.findings:
        message_id = kept_as.get(finding.message_id)
        if message_id not in new or message_id is None:
            continue
        kept = remember.decide(writer, engine, finding.prepared)
        _trace(writer, kept, message_id, finding.prepared)
        (events if finding.event else captured).append(kept)
    return tuple(captured), tuple(events)


def capture_text(engine: Engine, scope: Scope, message: Message) -> tuple[Remembered, ...]:
    """Learn from a text that is not kept itself."""
    learned = learn(engine, scope, [message])

    def work(writer: StoreWriter) -> tuple[Remembered, ...]:
        return tuple(remember.decide(writer, engine, finding.prepared) for finding in learned.findings)

    if not learned.findings:
        return ()
    kept = engine.write(scope, work)
    engine.background.wake()
    return kept


def _trace(writer: StoreWriter, kept: Remembered, message_id: str, prepared: remember.PreparedMemory) -> None:
    """Note where a memory comes from. One that was stored by hand does not depend on any message."""
    if kept.action == "duplicate" and not writer.sources([kept.id]):
        return
    writer.derive([Derivation("memory", kept.id, "message", message_id)], prepared.draft.record.created_at)


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


def _as_memory(message: Message, found: Captured) -> NewMemory:
    stated = found.rule != _FROM_MODEL
    return NewMemory(
        found.content,
        type=found.type,
        importance=found.importance,
        confidence=found.confidence,
        subject=found.subject,
        key=found.key,
        value=found.value,
        context=found.context,
        source="user_stated" if stated else "inferred",
        trust=Trust.STATED if stated else Trust.INFERRED,
        session=message.conversation,
        occurred_at=message.said_at if found.type in ("event", "experience") else None,
        metadata={"captured_by": found.rule or "rules"},
        **_place(message),
    )


def _actions(message: Message) -> Iterator[NewMemory]:
    """Give the events in which the assistant did something to a thing: tool calls that name an entity."""
    for call in message.tool_calls:
        for entity in _entities(call):
            yield NewMemory(
                f"{call.name} {entity}",
                type="event",
                subject=entity,
                key="action",
                value=call.arguments[:_LONGEST_DETAILS],
                importance=_ACTION_IMPORTANCE,
                source="learned",
                trust=Trust.INFERRED,
                session=message.conversation,
                occurred_at=message.said_at,
                **_place(message),
            )


def _place(message: Message) -> PlaceFields:
    """What is learned from a message was learned where it was said."""
    return {"lat": message.lat, "lng": message.lng, "address": message.address, "place_label": message.place_label}


def _entities(call: ToolCall) -> list[str]:
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return []
    if not isinstance(arguments, dict):
        return []
    named: list[object] = []
    for name in _ENTITY_ARGUMENTS:
        given = arguments.get(name)
        named += given if isinstance(given, list) else [given]
    return [one for one in dict.fromkeys(map(str, named)) if _ENTITY.fullmatch(one)]
