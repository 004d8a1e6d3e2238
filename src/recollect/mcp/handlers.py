"""The handlers of the tools, of the resources and of the prompt.

A memory that a model stores was inferred, not stated by the user: its source is `agent` and its trust tier 2 of 3. So a
model that was steered by what it read can neither outrank nor replace what the user said, and everything that agents
stored can be taken back with `forget(source="agent")`. It may change what it or another program concluded, never what
the user said: a memory of a higher trust tier is left as it is. A change never raises the tier, and new words have the
source `agent`.
"""

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime, timedelta
from secrets import token_hex
from typing import Any, Final

from recollect import plugins
from recollect.api.facts import UserFacts, UserPreferences
from recollect.api.memory import UserMemory
from recollect.embedding.local import LocalTokenizer
from recollect.errors import InvalidInput, InvalidMemory, NotFound, NotPermitted
from recollect.mcp import prompts, render, render_records
from recollect.mcp.context import AGENT, ResourceReader, ToolContext, ToolHandler
from recollect.mcp.render import ToolAnswer
from recollect.model.literals import Trust
from recollect.model.media import Media
from recollect.model.memories import MemoryRecord, Remembered
from recollect.settings.kinds import zone_named
from recollect.text.fence import Quoted, fenced, spoken_day
from recollect.text.harmless import harmless

_SAYING: Final = frozenset(("content", "type", "subject", "key", "value", "context"))
_RECENT = 20
_MOST = 100
_SHOWN = 10
_LONGEST_TURN: Final = timedelta(hours=1)
_QUESTION_MARKS: Final = ("?", "\uff1f")
_TOKENIZER: Final = LocalTokenizer()
NOTHING_RELATED: Final = "Nothing related is remembered."


def _related(taken: Mapping[str, Any]) -> dict[str, Any]:
    """Ask for what has to do with the query, unless the model says which score it wants."""
    return {"min_score": 0.0, "only_related": "min_score" not in taken, **taken}


def _store(context: ToolContext, taken: Mapping[str, Any]) -> ToolAnswer:
    fields = {**taken, "media": [_media(context, given) for given in taken.get("media", ())]}
    if participants := fields.pop("participants", ()):
        fields["metadata"] = {"participants": participants}
    return render.render_stored(context.me.remember(**fields, source=AGENT))


def _media(context: ToolContext, given: Mapping[str, Any]) -> dict[str, Any]:
    """Give a medium that a model names by its URL, or hands over as base64."""
    described = {name: value for name, value in given.items() if name != "data"}
    if "data" not in given:
        return described
    if "url" in given:
        raise InvalidInput("A medium has a url or data, and not both.")
    try:
        data = base64.b64decode(given["data"], validate=True)
    except binascii.Error as error:
        raise InvalidInput("data is no base64. Give the bytes of the picture in base64, or a url.") from error
    return {**context.me.media.add(data).stored(), **described}


def _forget(context: ToolContext, taken: Mapping[str, Any]) -> ToolAnswer:
    given = {"id" if name == "memoryId" else name: value for name, value in taken.items()}
    if ("query" in given) == ("id" in given):
        raise InvalidInput(
            "memory_forget needs exactly one of query and memoryId. Use memoryId when you know the id, query otherwise."
        )
    del given["all" if "id" in given else "sources"]  # it belongs to the other
    return render.render_forgotten(context.me.forget(**given))


def unanswered(context: ToolContext) -> str | None:
    """Give the conversation whose last word is a question of late: hooks saved it before the agent searches for it."""
    with suppress(NotPermitted):  # to list the conversations of a shared scope
        for conversation in context.me.conversations(limit=1):
            for message in context.me.conversation(conversation.id).messages(limit=1):
                asks = message.role == "user" and message.content.rstrip().endswith(_QUESTION_MARKS)
                is_late = context.memory.operations.now() - message.said_at < _LONGEST_TURN
                return conversation.id if asks and is_late else None
    return None


def _search_federated(context: ToolContext, arguments: Mapping[str, Any]) -> ToolAnswer:
    handler: ToolHandler = plugins.find("tools", "search_federated", "recollect-connect")
    return handler(context, arguments)


def _rate(context: ToolContext, arguments: Mapping[str, Any]) -> ToolAnswer:
    item_id, feedback = arguments["id"], arguments["feedback"] or None
    try:
        context.me.rate(item_id, feedback, comment=arguments["comment"])
    except NotFound:
        try:
            context.me.messages.rate(item_id, feedback, comment=arguments["comment"])
        except NotFound:
            return render.render_rated(item_id, None)
    return render.render_rated(item_id, arguments["feedback"])


def _of_one(handler: ToolHandler) -> ToolHandler:
    """Let a handler that is asked about a memory say that there is none."""

    def answer(context: ToolContext, taken: Mapping[str, Any]) -> ToolAnswer:
        try:
            return handler(context, taken)
        except NotFound:
            return render_records.not_found()

    return answer


def _update(context: ToolContext, taken: Mapping[str, Any]) -> ToolAnswer:
    changes = {**taken}
    record_id = changes.pop("id")
    if not changes:
        raise InvalidInput("memory_update changes nothing without a field to change, such as content.")
    record = context.me.get(record_id)
    if record.trust > Trust.INFERRED:
        raise InvalidMemory(
            "The user said this, so only the user changes it. Store what is new with memory_store, or ask the user "
            "to correct it."
        )
    if changes.keys() & _SAYING:
        changes |= {"source": AGENT, "trust": record.trust}
    changed = context.me.update(record.id, **changes)
    return render_records.render_updated(record.id, changed.left_out if changes.keys() & _SAYING else ())


def _facts(context: ToolContext, arguments: Mapping[str, Any]) -> ToolAnswer:
    kind = arguments["kind"]
    if kind == "doubt":
        return render_records.render_doubts(context.me.facts.doubts(arguments.get("subject"))[: arguments["limit"]])
    if "value" not in arguments and "content" not in arguments:
        return render_records.render_typed(_ASKED[kind](context.me, arguments))
    needed = _NEEDED[kind]
    missing = [name for name in needed if name not in arguments]
    if missing:
        raise InvalidInput(f"To store a {kind}, memory_facts needs {', '.join(needed)}; {missing[0]} is missing.")
    common = ("importance", "confidence", "context", "valid_until", *(("many",) if "value" in needed else ()))
    given = {name: arguments[name] for name in common if name in arguments}
    return render.render_stored(_STATED[kind](context.me, arguments, {**given, "source": AGENT}))


def _ask_events(me: UserMemory, arguments: Mapping[str, Any]) -> tuple[MemoryRecord, ...]:
    named = {"entity": arguments.get("subject"), "kind": arguments.get("key")}
    times = {name: arguments.get(name) for name in ("since", "until", "when")}
    return me.events(**named, **times, limit=arguments["limit"])


def _state(of: UserFacts | UserPreferences, arguments: Mapping[str, Any], given: dict[str, Any]) -> Remembered:
    slot = (arguments["subject"], arguments["key"], arguments["value"])
    return of.set(*slot, content=arguments.get("content", ""), **given)


def _state_event(me: UserMemory, arguments: Mapping[str, Any], given: dict[str, Any]) -> Remembered:
    named = {"entity": "subject", "kind": "key", "details": "value"}
    told = {name: arguments[argument] for name, argument in named.items() if argument in arguments}
    return me.events.log(arguments["content"], **told, occurred_at=arguments.get("occurred_at"), **given)


_NEEDED: Final = {
    "fact": ("subject", "key", "value"),
    "preference": ("subject", "key", "value"),
    "event": ("content",),
    "lesson": ("content",),
}
_ASKED: Final[Mapping[str, Callable[[UserMemory, Mapping[str, Any]], tuple[MemoryRecord, ...]]]] = {
    "fact": lambda me, asked: me.facts(asked.get("subject"), key=asked.get("key"), limit=asked["limit"]),
    "preference": lambda me, asked: me.preferences(asked.get("subject"), key=asked.get("key"), limit=asked["limit"]),
    "event": _ask_events,
    "lesson": lambda me, asked: me.lessons(context=asked.get("context"), limit=asked["limit"]),
}
_STATED: Final[Mapping[str, Callable[..., Remembered]]] = {
    "fact": lambda me, arguments, given: _state(me.facts, arguments, given),
    "preference": lambda me, arguments, given: _state(me.preferences, arguments, given),
    "event": _state_event,
    "lesson": lambda me, arguments, given: me.lessons.add(arguments["content"], **given),
}


def _document(value: dict[str, Any]) -> str:
    return json.dumps(_harmless_json(value), ensure_ascii=False, indent=2)


def _harmless_json(value: object) -> object:
    match value:
        case str():
            return harmless(value)
        case datetime():
            return render.iso_utc(value)
        case dict():
            return {harmless(str(name)): _harmless_json(part) for name, part in value.items()}
        case list() | tuple():
            return [_harmless_json(part) for part in value]
        case Media():
            return _harmless_json(value.stored())
        case _:
            return value


def explain_memory(context: ToolContext, arguments: Mapping[str, Any]) -> str:
    """Give the text of the prompt."""
    question = arguments.get("question", "").strip()
    if not question:
        return prompts.INSTRUCTIONS
    # like the block before a turn: only what is clearly related, and nothing from outside
    hooks = context.settings.hooks
    result = context.me.recall(question, limit=_SHOWN, min_score=hooks.min_score, diverse=True, only_related=True)
    hits = [hit for hit in result.hits if hit.trust > Trust.EXTERNAL]
    zone = zone_named(context.me.zone)
    quotes = [Quoted(spoken_day(hit.occurred_at or hit.created_at, zone), hit.content) for hit in hits]
    block = fenced(quotes, token_hex(8), most=hooks.max_tokens, count=_TOKENIZER.count)
    return f"{prompts.INSTRUCTIONS}\n\n{block.text or NOTHING_RELATED}\n\nThe question: {harmless(question)}"


TOOL_HANDLERS: Final[Mapping[str, ToolHandler]] = {
    "memory_recall": lambda context, taken: render.render_recall(context.me.recall(**_related(taken))),
    "memory_store": _store,
    "memory_forget": _forget,
    "search_context": lambda context, taken: render.render_search(
        context.me.search_context(**_related(taken), current=unanswered(context))
    ),
    "search_federated": _search_federated,
    "memory_about": lambda context, taken: render.render_about(context.me.about(**taken)),
    "memory_places": lambda context, taken: render.render_places(context.me.places.list(**taken)),
    "memory_rate": _rate,
    "memory_get": _of_one(lambda context, taken: render_records.render_record(context.me.get(**taken))),
    "memory_list": lambda context, taken: render_records.render_page(context.me.list(**taken)),
    "memory_update": _of_one(_update),
    "memory_facts": _facts,
    "memory_similar": _of_one(lambda context, taken: render_records.render_similar(context.me.similar(**taken))),
    "memory_clusters": lambda context, taken: render_records.render_clusters(context.me.clusters(**taken, examples=1)),
}
RESOURCE_READERS: Final[Mapping[str, ResourceReader]] = {
    "memory://recent": lambda context, _: render.render_memories(
        "The latest memories, newest first:", context.me.list(limit=_RECENT).items
    ),
    "memory://preferences": lambda context, _: render.render_memories(
        "What the user prefers, the surest first:", context.me.preferences(limit=_MOST)
    ),
    "memory://facts": lambda context, _: render.render_memories(
        "What is known for a fact, newest first:", context.me.facts(limit=_MOST)
    ),
    "memory://stats": lambda context, _: _document(asdict(context.me.stats())),
    "memory://files": lambda context, _: render.render_files(
        "The files, the one that was added last first:", context.me.files.list(limit=_MOST).items
    ),
    "memory://about/{topic}": lambda context, topic: render.render_about(context.me.about(topic)).text,
    "memory://memories/{id}": lambda context, memory_id: _document(context.me.get(memory_id)._asdict()),
    "memory://files/{id}": lambda context, file_id: render.render_file(  # by its id only
        context.me.files.read(context.me.files.get(file_id).id)
    ),
}
