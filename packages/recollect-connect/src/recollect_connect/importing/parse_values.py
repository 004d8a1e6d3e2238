"""Makes of what others wrote something that can be kept: texts, times and names, whatever was in their place."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

from recollect.model.literals import MemoryType

LONGEST_SUBJECT: Final = 128
_LONGEST_ID: Final = 100
_MOST_METADATA: Final = 32_000  # characters of JSON; the store takes 65,536
_DEEPEST: Final = 50
_MILLISECONDS: Final = 1e11  # what is larger cannot be seconds: that would be the year 5138
_ODD: Final = re.compile(r"[^\x21-\x7e]")

# What others call the types of memories.
_TYPES: Final[Mapping[str, MemoryType]] = {
    "preference": "preference",
    "preferences": "preference",
    "user_preference": "preference",
    "like": "preference",
    "dislike": "preference",
    "decision": "decision",
    "decisions": "decision",
    "fact": "fact",
    "facts": "fact",
    "info": "fact",
    "entity": "entity",
    "person": "entity",
    "contact": "entity",
    "experience": "experience",
    "event": "event",
    "meeting": "event",
    "lesson": "lesson",
    "lessons": "lesson",
    "lesson_learned": "lesson",
    "learning": "lesson",
    "insight": "lesson",
    "gotcha": "lesson",
    "session_summary": "session_summary",
}


def type_of(name: object, otherwise: MemoryType) -> MemoryType:
    """Understand another system's word for a type of memory, where it is obvious."""
    return _TYPES.get(str(name).strip().lower().replace(" ", "_").replace("-", "_"), otherwise)


def text_of(value: object) -> str:
    """Give a text that can be kept; empty for what is none. Halves of surrogate pairs are replaced."""
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def mapping_of(value: object) -> Mapping[str, Any]:
    """Give an object's members; none for what is no object."""
    return value if isinstance(value, Mapping) else {}


def list_of(value: object) -> Sequence[Any]:
    """Give a list's elements; none for what is no list."""
    return value if isinstance(value, list) else ()


def moment_of(value: object) -> datetime | None:
    """Understand a moment: seconds or milliseconds since 1970, or ISO 8601. None for what is none."""
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if not math.isfinite(value) or value <= 0:
                return None
            return datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS else value, UTC)
        if not isinstance(value, str) or not value:
            return None
        moment = datetime.fromisoformat(value)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None


def name_of(value: object, longest: int = LONGEST_SUBJECT) -> str:
    """Give a name on one line and no longer than it may be."""
    name = " ".join(text_of(value).replace("\0", "").split())
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def id_of(value: object, otherwise: str) -> str:
    """Give an id as another system has it, if it can be one here; if not, a hash of it or of `otherwise`."""
    known = str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
    if known and len(known) <= _LONGEST_ID and not _ODD.search(known):
        return known
    return sha256((known or otherwise).encode("utf-8", "replace")).hexdigest()[:32]


def metadata_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Give what of some data can be kept beside a memory: nothing empty, no broken characters, not too much."""
    kept: dict[str, Any] = {}
    room = _MOST_METADATA
    for key, value in given.items():
        if value is None or value in ("", [], {}):
            continue
        plain = _plain(value)
        room -= len(key) + len(json.dumps(plain, ensure_ascii=False))
        if room < 0:
            return {**kept, "left_out": "there was more than is kept"}
        kept[_plain(key)] = plain
    return kept


def _plain(value: Any, room: int = _DEEPEST) -> Any:  # noqa: ANN401 - JSON
    """Give JSON that every database can keep; what is nested too deep is left out."""
    if room == 0:
        return None
    if isinstance(value, str):
        return text_of(value).replace("\0", "")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {_plain(str(key)): _plain(inner, room - 1) for key, inner in value.items()}
    return [_plain(inner, room - 1) for inner in value] if isinstance(value, (list, tuple)) else value
