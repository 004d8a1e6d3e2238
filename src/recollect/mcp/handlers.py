"""The handlers of the tools, of the resources and of the prompt.

A memory that a model stores was inferred, not stated by the user: its source is `agent` and its trust tier 2 of 3. So a
model that was steered by what it read can neither outrank nor replace what the user said, and everything that agents
stored can be taken back with `forget(source="agent")`.
"""

import base64
import binascii
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime, timedelta
from secrets import token_hex
from typing import Any, Final

from recollect import plugins
from recollect.embedding.local import LocalTokenizer
from recollect.errors import InvalidInput, NotFound, NotPermitted
from recollect.mcp import prompts, render
from recollect.mcp.context import AGENT, ResourceReader, ToolContext, ToolHandler
from recollect.mcp.record_handlers import RECORD_HANDLERS
from recollect.mcp.render import ToolAnswer
from recollect.model.literals import Trust
from recollect.model.media import Media
from recollect.model.search import Hit
from recollect.text.fence import Quoted, fenced
from recollect.text.harmless import harmless

_RECENT = 20
_MOST = 100
_SHOWN = 10
_LONGEST_TURN: Final = timedelta(hours=1)
_QUESTION_MARKS: Final = ("?", "\uff1f")
_TOKENIZER: Final = LocalTokenizer()
NOTHING_RELATED: Final = "Nothing related is remembered."


def _recall(context: ToolContext, taken: Mapping[str, Any]) -> ToolAnswer:
    return render.render_recall(context.me.recall(**_related(taken)))


def _search(context: ToolContext, taken: Mapping[str, Any]) -> ToolAnswer:
    return render.render_search(context.me.search_context(**_related(taken), current=unanswered(context)))


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


def _resource_about(context: ToolContext, topic: str) -> str:
    return render.render_about(context.me.about(topic)).text


def _resource_memory(context: ToolContext, memory_id: str) -> str:
    return _document(context.me.get(memory_id)._asdict())


def _resource_recent(context: ToolContext, _: str) -> str:
    return render.render_memories("The latest memories, newest first:", context.me.list(limit=_RECENT).items)


def _resource_preferences(context: ToolContext, _: str) -> str:
    return render.render_memories("What the user prefers, the surest first:", context.me.preferences(limit=_MOST))


def _resource_facts(context: ToolContext, _: str) -> str:
    return render.render_memories("What is known for a fact, newest first:", context.me.facts(limit=_MOST))


def _resource_files(context: ToolContext, _: str) -> str:
    return render.render_files(
        "The files, the one that was added last first:", context.me.files.list(limit=_MOST).items
    )


def _resource_file(context: ToolContext, file_id: str) -> str:
    me = context.me
    return render.render_file(me.files.read(me.files.get(file_id).id))  # by its id only


def _resource_stats(context: ToolContext, _: str) -> str:
    return _document(asdict(context.me.stats()))


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
    quotes = [_quoted(hit) for hit in hits]
    block = fenced(quotes, token_hex(8), fits=lambda text: _TOKENIZER.count(text) <= hooks.max_tokens)
    return f"{prompts.INSTRUCTIONS}\n\n{block.text or NOTHING_RELATED}\n\nThe question: {harmless(question)}"


def _quoted(hit: Hit) -> Quoted:
    day = (hit.occurred_at or hit.created_at).date().isoformat()
    return Quoted(f"memory · {hit.type} · {day}", hit.content)


TOOL_HANDLERS: Final[Mapping[str, ToolHandler]] = {
    "memory_recall": _recall,
    "memory_store": _store,
    "memory_forget": _forget,
    "search_context": _search,
    "search_federated": _search_federated,
    "memory_about": lambda context, taken: render.render_about(context.me.about(**taken)),
    "memory_places": lambda context, taken: render.render_places(context.me.places.list(**taken)),
    "memory_rate": _rate,
    **RECORD_HANDLERS,
}
RESOURCE_READERS: Final[Mapping[str, ResourceReader]] = {
    "memory://recent": _resource_recent,
    "memory://preferences": _resource_preferences,
    "memory://facts": _resource_facts,
    "memory://stats": _resource_stats,
    "memory://files": _resource_files,
    "memory://about/{topic}": _resource_about,
    "memory://memories/{id}": _resource_memory,
    "memory://files/{id}": _resource_file,
}
