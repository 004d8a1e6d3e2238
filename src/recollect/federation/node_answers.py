"""What a node answers, believed as far as it can be checked.

Another node may be older, newer, broken or hostile. Members that nobody here knows are passed over; but what is known
must be of its type and within its bounds, or the whole answer is refused: who lies once is not read on. The invariant:
what leaves here is text that can be stored and shown, numbers that can be printed, and trusted as far as a stranger.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, NoReturn

from recollect.errors import InvalidInput, InvalidMemory
from recollect.federation.results import FederatedHit
from recollect.model.literals import Trust
from recollect.model.memories import Place
from recollect.model.places import LONGEST_ADDRESS, LONGEST_LABEL, check_coordinates
from recollect.text.clean import MAX_CHARACTERS, clean

_LONGEST_ID: Final = 128
_LONGEST_TIME: Final = 40
_MOST_DEGRADED: Final = 20
_LONGEST_PATH: Final = 1_000
_MOST_LINES: Final = 10**9
_WORD: Final = re.compile(r"[a-z][a-z0-9_:.-]{0,63}")


class InvalidAnswer(Exception):
    """An answer is not what it should be. The text says which member, and never what was in it."""


class ParsedAnswer(NamedTuple):
    """What a node said, checked."""

    hits: tuple[FederatedHit, ...]
    degraded: tuple[str, ...]


def parse_answer(body: Mapping[str, Any], node: str, limit: int) -> ParsedAnswer:
    """Read the answer of a node that was asked for so many hits. Raises Lie."""
    found = body.get("hits")
    if not isinstance(found, list):
        _lie("hits", "a list")
    if len(found) > limit:
        _lie("hits", f"at most the {limit} that were asked for")
    degraded = body.get("degraded", [])
    if not isinstance(degraded, list) or len(degraded) > _MOST_DEGRADED:
        _lie("degraded", "a short list")
    _optional(body, "answerable", "", _share)
    hits = tuple(_hit(hit, node, rank) for rank, hit in enumerate(found, start=1))
    return ParsedAnswer(hits, tuple(_word(name, "degraded") for name in degraded))


def _hit(hit: object, node: str, rank: int) -> FederatedHit:
    at = f"hits[{rank - 1}]"
    if not isinstance(hit, dict):
        _lie(at, "an object")
    for name, kind in (("metadata", dict), ("place", dict), ("folded", list)):
        if not isinstance(hit.get(name), kind | None):
            _lie(f"{at}.{name}", "of its type")
    _optional(hit, "similarity", at, _share)
    _optional(hit, "trust", at, _tier)
    return FederatedHit(
        node=node,
        rank=rank,
        id=_id(hit.get("id"), f"{at}.id"),
        source=_word(hit.get("source"), f"{at}.source"),
        type=_word(hit.get("type"), f"{at}.type"),
        content=_content(hit.get("content"), f"{at}.content"),
        score=_share(hit.get("score"), f"{at}.score"),
        created_at=_moment(hit.get("created_at"), f"{at}.created_at"),
        occurred_at=_optional(hit, "occurred_at", at, _moment),
        trust=int(Trust.EXTERNAL),
        where=_where(hit.get("metadata") or {}, f"{at}.metadata") if hit.get("source") == "file" else "",
        place=_optional(hit, "place", at, _place),
    )


def _place(place: Any, at: str) -> Place:  # noqa: ANN401 - an object, as it was checked to be
    """Give where something was, if it can have been there."""
    try:
        check_coordinates(place.get("lat"), place.get("lng"))
    except InvalidInput:
        _lie(f"{at}.lat and lng", "on the globe, or both missing")
    lat, lng = (None if place.get(name) is None else float(place[name]) for name in ("lat", "lng"))
    address, label = (
        _called(place.get(name), longest, f"{at}.{name}")
        for name, longest in (("address", LONGEST_ADDRESS), ("label", LONGEST_LABEL))
    )
    return Place(lat, lng, address, label)


def _called(value: object, longest: int, at: str) -> str:
    """Give what a place is called, on one line; nothing, if the node does not tell."""
    return "" if value in (None, "") else " ".join(_content(value, at).split())[:longest]


def _where(metadata: Mapping[str, Any], at: str) -> str:
    """Give the place of what is in a file; nothing, if the node does not tell."""
    path = metadata.get("path")
    if path is None:
        return ""
    first, last = (_line(metadata.get(name), f"{at}.{name}") for name in ("start_line", "end_line"))
    told = " ".join(_content(path, f"{at}.path").split())  # on one line, as a place stands before a text
    return f"{told[:_LONGEST_PATH]}:{first}-{last}"


def _line(value: object, at: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST_LINES:
        _lie(at, "the number of a line")
    return value


def _optional(found: Mapping[str, Any], name: str, at: str, check: Callable[[object, str], Any]) -> Any:  # noqa: ANN401 - whatever the check gives
    value = found.get(name)
    return None if value is None else check(value, f"{at}.{name}".lstrip("."))


def _content(value: object, at: str) -> str:
    """Give a text without what terminals obey, cut where no memory is longer."""
    if not isinstance(value, str):
        _lie(at, "a text")
    try:
        text = clean(value[:MAX_CHARACTERS])
    except InvalidMemory:
        _lie(at, "valid Unicode")
    return text or _lie(at, "a text that is not empty")


def _id(value: object, at: str) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= _LONGEST_ID or not value.isprintable():
        _lie(at, f"a text of 1 to {_LONGEST_ID} printable characters")
    return value


def _word(value: object, at: str) -> str:
    if not isinstance(value, str) or not _WORD.fullmatch(value):
        _lie(at, "a short word in lower case")
    return value


def _share(value: object, at: str) -> float:
    # What is not a number is not within bounds either.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        _lie(at, "a number from 0 to 1")
    return float(value)


def _tier(value: object, at: str) -> int:
    """Check what a node claims, which counts for nothing."""
    if isinstance(value, bool) or not isinstance(value, int) or value not in tuple(Trust):
        _lie(at, f"a number from {min(Trust)} to {max(Trust)}")
    return value


def _moment(value: object, at: str) -> datetime:
    expected = "a time with its zone in ISO 8601"
    if not isinstance(value, str) or len(value) > _LONGEST_TIME:
        _lie(at, expected)
    try:
        moment = datetime.fromisoformat(value)
        return moment.astimezone(UTC) if moment.tzinfo else _lie(at, expected)
    except (ValueError, OverflowError):
        _lie(at, expected)


def _lie(at: str, expected: str) -> NoReturn:
    raise InvalidAnswer(f"{at} is not {expected}")
