"""The handlers of the tools for single memories and for typed ones: get, list, update, facts, similar, clusters.

A model may change what it or another program concluded, never what the user said: a memory of a higher trust tier is
left as it is. A change never raises the tier, and new words have the source `agent`.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from recollect.api.memory import UserMemory
from recollect.errors import InvalidInput, InvalidMemory, NotFound
from recollect.mcp import render, render_records
from recollect.mcp.context import AGENT, ToolContext, ToolHandler
from recollect.mcp.render import ToolAnswer
from recollect.model.literals import Trust
from recollect.model.memories import MemoryRecord, Remembered

_SAYING: Final = frozenset(("content", "type", "subject", "key", "value", "context"))


def _get(context: ToolContext, taken: Mapping[str, Any]) -> ToolAnswer:
    try:
        return render_records.render_record(context.me.get(**taken))
    except NotFound:
        return render_records.not_found()


def _similar(context: ToolContext, taken: Mapping[str, Any]) -> ToolAnswer:
    try:
        return render_records.render_similar(context.me.similar(**taken))
    except NotFound:
        return render_records.not_found()


def _update(context: ToolContext, taken: Mapping[str, Any]) -> ToolAnswer:
    changes = {**taken}
    record_id = changes.pop("id")
    if not changes:
        raise InvalidInput("memory_update changes nothing without a field to change, such as content.")
    try:
        record = context.me.get(record_id)
        if record.trust > Trust.INFERRED:
            raise InvalidMemory(
                "The user said this, so only the user changes it. Store what is new with memory_store, or ask the user "
                "to correct it."
            )
        if changes.keys() & _SAYING:
            changes |= {"source": AGENT, "trust": record.trust}
        changed = context.me.update(record.id, **changes)
    except NotFound:
        return render_records.not_found()
    return render_records.render_updated(record.id, changed.left_out if changes.keys() & _SAYING else ())


def _facts(context: ToolContext, arguments: Mapping[str, Any]) -> ToolAnswer:
    kind = arguments["kind"]
    if kind == "doubt":
        return render_records.render_doubts(context.me.facts.doubts(arguments.get("subject"))[: arguments["limit"]])
    if "value" not in arguments and "content" not in arguments:
        return render_records.render_typed(_ASKED[kind](context, arguments))
    needed = _NEEDED[kind]
    missing = [name for name in needed if name not in arguments]
    if missing:
        raise InvalidInput(f"To store a {kind}, memory_facts needs {', '.join(needed)}; {missing[0]} is missing.")
    common = ("importance", "confidence", "context", "valid_until", *(("many",) if "value" in needed else ()))
    given = {name: arguments[name] for name in common if name in arguments}
    return render.render_stored(_STATED[kind](context, arguments, {**given, "source": AGENT}))


def _ask_facts(context: ToolContext, arguments: Mapping[str, Any]) -> tuple[MemoryRecord, ...]:
    return context.me.facts(arguments.get("subject"), key=arguments.get("key"), limit=arguments["limit"])


def _ask_preferences(context: ToolContext, arguments: Mapping[str, Any]) -> tuple[MemoryRecord, ...]:
    return context.me.preferences(arguments.get("subject"), key=arguments.get("key"), limit=arguments["limit"])


def _ask_events(context: ToolContext, arguments: Mapping[str, Any]) -> tuple[MemoryRecord, ...]:
    named = {"entity": arguments.get("subject"), "kind": arguments.get("key")}
    times = {"since": arguments.get("since"), "until": arguments.get("until")}
    return context.me.events(**named, **times, limit=arguments["limit"])


def _ask_lessons(context: ToolContext, arguments: Mapping[str, Any]) -> tuple[MemoryRecord, ...]:
    return context.me.lessons(context=arguments.get("context"), limit=arguments["limit"])


def _state_property(
    context: ToolContext, arguments: Mapping[str, Any], given: dict[str, Any], *, of: Callable[[UserMemory], Any]
) -> Remembered:
    slot = (arguments["subject"], arguments["key"], arguments["value"])
    stored: Remembered = of(context.me).set(*slot, content=arguments.get("content", ""), **given)
    return stored


def _state_event(context: ToolContext, arguments: Mapping[str, Any], given: dict[str, Any]) -> Remembered:
    named = {"entity": "subject", "kind": "key", "details": "value"}
    told = {name: arguments[argument] for name, argument in named.items() if argument in arguments}
    return context.me.events.log(arguments["content"], **told, occurred_at=arguments.get("occurred_at"), **given)


def _state_lesson(context: ToolContext, arguments: Mapping[str, Any], given: dict[str, Any]) -> Remembered:
    return context.me.lessons.add(arguments["content"], **given)


_NEEDED: Final = {
    "fact": ("subject", "key", "value"),
    "preference": ("subject", "key", "value"),
    "event": ("content",),
    "lesson": ("content",),
}
_ASKED: Final = {
    "fact": _ask_facts,
    "preference": _ask_preferences,
    "event": _ask_events,
    "lesson": _ask_lessons,
}
_STATED: Final[Mapping[str, Callable[..., Remembered]]] = {
    "fact": partial(_state_property, of=lambda me: me.facts),
    "preference": partial(_state_property, of=lambda me: me.preferences),
    "event": _state_event,
    "lesson": _state_lesson,
}
RECORD_HANDLERS: Final[Mapping[str, ToolHandler]] = {
    "memory_get": _get,
    "memory_list": lambda context, taken: render_records.render_page(context.me.list(**taken)),
    "memory_update": _update,
    "memory_facts": _facts,
    "memory_similar": _similar,
    "memory_clusters": lambda context, taken: render_records.render_clusters(context.me.clusters(**taken, examples=1)),
}
