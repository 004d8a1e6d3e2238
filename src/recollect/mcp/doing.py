"""What stands behind the names: the work of the tools, of the resources and of the prompt, on the façade.

A memory that a model stores was concluded from the user, not said by them: its source is `agent` and its trust tier is
2 of 3. So a model that was steered by what it read can neither outrank nor replace what the user said, and everything
that agents stored can be taken back with `forget(source="agent")`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from secrets import token_hex
from typing import Any, Final, NamedTuple, TypeAlias, TypedDict
from zoneinfo import ZoneInfo

from recollect.api.memory import UserMemory
from recollect.errors import InvalidInput
from recollect.mcp import prompts, wording
from recollect.mcp.schemas import LOCATION_WEIGHT
from recollect.mcp.wording import Answer
from recollect.model.literals import Trust
from recollect.model.places import Location, LocationMode
from recollect.model.search import Hit
from recollect.settings import Settings
from recollect.text.fence import Quoted, fenced, harmless

AGENT: Final = "agent"
_RECENT = 20
_MOST = 100
_SHOWN = 10


class Admitted(NamedTuple):
    """What a call works with: the memories of the user it is for, and the settings of the store."""

    me: UserMemory
    settings: Settings


ToolWork: TypeAlias = Callable[[Admitted, Mapping[str, Any]], Answer]
Reading: TypeAlias = Callable[[Admitted, str], str]


def _recall(admitted: Admitted, asked: Mapping[str, Any]) -> Answer:
    since, until = (_moment(admitted, asked, name) for name in ("since", "until"))
    found = admitted.me.recall(
        asked["query"], limit=asked["limit"], type=asked.get("type"), since=since, until=until, **_here(asked)
    )
    return wording.recalled(found)


class _Here(TypedDict):
    location: Location | None
    radius_km: float | None
    location_weight: float | None
    location_mode: LocationMode


def _here(asked: Mapping[str, Any]) -> _Here:
    """Say where the user is. The weight that stands in the schema is the one that the settings may have changed."""
    weight: float = asked["location_weight"]
    return {
        "location": Location(**asked["location"]) if "location" in asked else None,
        "radius_km": asked.get("location_radius_km"),
        "location_weight": None if weight == LOCATION_WEIGHT else weight,
        "location_mode": asked["location_mode"],
    }


def _store(admitted: Admitted, asked: Mapping[str, Any]) -> Answer:
    place = asked.get("location", {})
    kept = admitted.me.remember(
        asked["content"],
        type=asked["type"],
        importance=asked["importance"],
        source=AGENT,
        trust=Trust.INFERRED,
        lat=place.get("lat"),
        lng=place.get("lng"),
        address=place.get("address", ""),
        place_label=place.get("place_label", ""),
    )
    return wording.stored(kept)


def _forget(admitted: Admitted, asked: Mapping[str, Any]) -> Answer:
    if len(asked) != 1:
        raise InvalidInput(
            "memory_forget needs exactly one of query and memoryId. Use memoryId when you know the id, query otherwise."
        )
    return wording.forgotten(admitted.me.forget(asked.get("memoryId"), query=asked.get("query")))


def _search(admitted: Admitted, asked: Mapping[str, Any]) -> Answer:
    return wording.searched(admitted.me.search_context(asked["query"], limit=asked["limit"], **_here(asked)))


def _about(admitted: Admitted, asked: Mapping[str, Any]) -> Answer:
    return wording.known(admitted.me.about(asked["topic"]))


def _places(admitted: Admitted, asked: Mapping[str, Any]) -> Answer:
    return wording.visited(admitted.me.places.list(limit=asked["limit"]))


def _moment(admitted: Admitted, asked: Mapping[str, Any], name: str) -> datetime | None:
    """Read a time; without an offset it is on the user's clock."""
    if name not in asked:
        return None
    try:
        told = datetime.fromisoformat(asked[name].strip())
        zone = admitted.settings.timezone
        return told if told.tzinfo else told.replace(tzinfo=ZoneInfo(zone)) if zone else told.astimezone()
    except (ValueError, OverflowError, OSError):
        raise InvalidInput(
            f"{name} is {asked[name]!r}; it must be a date or time such as 2026-12-03 or 2026-12-03T12:00:00+01:00."
        ) from None


def _read_about(admitted: Admitted, topic: str) -> str:
    return wording.known(admitted.me.about(topic)).text


def _read_memory(admitted: Admitted, memory_id: str) -> str:
    return _document(admitted.me.get(memory_id)._asdict())


def _read_recent(admitted: Admitted, _: str) -> str:
    return wording.described("The latest memories, newest first:", admitted.me.list(limit=_RECENT).items)


def _read_preferences(admitted: Admitted, _: str) -> str:
    return wording.described("What the user prefers, the surest first:", admitted.me.preferences(limit=_MOST))


def _read_facts(admitted: Admitted, _: str) -> str:
    return wording.described("What is known for a fact, newest first:", admitted.me.facts(limit=_MOST))


def _read_files(admitted: Admitted, _: str) -> str:
    return wording.listed_files(
        "The files, the one that was added last first:", admitted.me.files.list(limit=_MOST).items
    )


def _read_file(admitted: Admitted, file_id: str) -> str:
    me = admitted.me
    return wording.file_text(me.files.read(me.files.get(file_id).id))  # by its id and in no other way


def _read_stats(admitted: Admitted, _: str) -> str:
    return _document(asdict(admitted.me.stats()))


def _document(value: dict[str, Any]) -> str:
    return json.dumps(_cleaned(value), ensure_ascii=False, indent=2)


def _cleaned(value: object) -> object:
    match value:
        case str():
            return harmless(value)
        case datetime():
            return wording.moment(value)
        case dict():
            return {harmless(str(name)): _cleaned(part) for name, part in value.items()}
        case list():
            return [_cleaned(part) for part in value]
        case _:
            return value


def explain(admitted: Admitted, asked: Mapping[str, Any]) -> str:
    """Give the text of the prompt."""
    question = asked.get("question", "").strip()
    if not question:
        return prompts.INSTRUCTIONS
    # Like the block before a turn: only what is clearly related, and what came from outside only to those who search.
    found = admitted.me.recall(question, limit=_SHOWN, min_score=admitted.settings.hooks.min_score, diverse=True)
    hits = [hit for hit in found.hits if hit.trust > Trust.EXTERNAL]
    known = fenced([_quoted(hit) for hit in hits], token_hex(8)) if hits else "Nothing related is remembered."
    return f"{prompts.INSTRUCTIONS}\n\n{known}\n\nThe question: {harmless(question)}"


def _quoted(hit: Hit) -> Quoted:
    day = (hit.occurred_at or hit.created_at).date().isoformat()
    return Quoted(f"memory · {hit.type} · {day}", hit.content)


TOOL_WORK: Final[Mapping[str, ToolWork]] = {
    "memory_recall": _recall,
    "memory_store": _store,
    "memory_forget": _forget,
    "search_context": _search,
    "memory_about": _about,
    "memory_places": _places,
}
READINGS: Final[Mapping[str, Reading]] = {
    "memory://recent": _read_recent,
    "memory://preferences": _read_preferences,
    "memory://facts": _read_facts,
    "memory://stats": _read_stats,
    "memory://files": _read_files,
    "memory://about/{topic}": _read_about,
    "memory://memories/{id}": _read_memory,
    "memory://files/{id}": _read_file,
}
