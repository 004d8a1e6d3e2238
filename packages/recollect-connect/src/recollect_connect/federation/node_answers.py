"""Hits of other nodes: the answer of one, which may be older, newer, broken or hostile, is checked; several are fused.

Unknown members are ignored; known ones must be of their type and within their bounds, or the whole answer is refused.
The invariant: what leaves here can be stored, shown and printed, and has the trust of external content.

Each node has a model of its own, so scores of two nodes cannot be compared, but ranks can: each hit counts 1/(60 +
rank), and what several nodes found counts once for each (reciprocal rank fusion). The order of the nodes does not
matter, and no text comes twice.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Final, Literal, NamedTuple, NoReturn

from recollect.errors import InvalidInput, InvalidMemory
from recollect.model.literals import Trust
from recollect.model.places import LONGEST_ADDRESS, LONGEST_LABEL, check_coordinates
from recollect.model.search import Place
from recollect.text.clean import MAX_CHARACTERS, clean, fingerprint_text

LOCAL_NODE: Final = "local"  # how our own store is called among the nodes

# `late`: not within the time. `failed`: away, or answering with an error. `refused`: our key is not accepted there.
# `lying`: what came is no answer. `resting`: not asked, because it failed too often just now.
NodeState = Literal["answered", "late", "failed", "refused", "lying", "resting"]


@dataclass(frozen=True, slots=True)
class FederatedHit:
    """A hit, and its node.

    `rank` is its place in that node's own answer, from 1, and `score` what that node gave it; the scores of two nodes
    cannot be compared. What another node says has a `trust` of 0, always. `also_in` are other nodes with the same text.
    Of what is in a file, `where` is its place there, such as `notes/setup.md:12-30`. `place` is where in the world it
    was, if that is known.
    """

    node: str
    rank: int
    id: str
    source: str
    type: str
    content: str
    score: float
    created_at: datetime
    occurred_at: datetime | None
    trust: int
    also_in: tuple[str, ...] = ()
    where: str = ""
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class NodeReport:
    """The report on a node: how many hits it gave, or why none.

    `reason` is in our words, never in the node's. `degraded` is what the node says of itself.
    """

    name: str
    state: NodeState
    hits: int = 0
    reason: str = ""
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FederatedResult:
    """The hits, best first. `degraded` names the nodes that are missing, such as `node:office`, and what failed here.

    `nodes` reports on each node, in the order of their names.
    """

    hits: tuple[FederatedHit, ...]
    degraded: tuple[str, ...] = ()
    nodes: tuple[NodeReport, ...] = ()


_LONGEST_ID: Final = 128
_LONGEST_TIME: Final = 40
_MOST_DEGRADED: Final = 20
_LONGEST_PATH: Final = 1_000
_MOST_LINES: Final = 10**9
_WORD: Final = re.compile(r"[a-z][a-z0-9_:.-]{0,63}")

_K: Final = 60  # the usual constant: the first places differ little, so that agreement decides


class InvalidAnswer(Exception):
    """An answer is not valid. The text names the member, and never quotes it."""


class ParsedAnswer(NamedTuple):
    """The checked answer of a node."""

    hits: tuple[FederatedHit, ...]
    degraded: tuple[str, ...]


def parse_answer(body: Mapping[str, Any], node: str, limit: int) -> ParsedAnswer:
    """Parse the answer of a node that was asked for so many hits. Raises InvalidAnswer."""
    hits = body.get("hits")
    if not isinstance(hits, list):
        _invalid("hits", "a list")
    if len(hits) > limit:
        _invalid("hits", f"at most the {limit} that were asked for")
    degraded = body.get("degraded", [])
    if not isinstance(degraded, list) or len(degraded) > _MOST_DEGRADED:
        _invalid("degraded", "a short list")
    _optional(body, "answerable", "", _share)
    parsed_hits = tuple(_hit(hit, node, rank) for rank, hit in enumerate(hits, start=1))
    return ParsedAnswer(parsed_hits, tuple(_word(name, "degraded") for name in degraded))


def _hit(hit: object, node: str, rank: int) -> FederatedHit:
    at = f"hits[{rank - 1}]"
    if not isinstance(hit, dict):
        _invalid(at, "an object")
    for name, kind in (("metadata", dict), ("place", dict), ("folded", list)):
        if not isinstance(hit.get(name), kind | None):
            _invalid(f"{at}.{name}", "of its type")
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
    """Parse a place."""
    try:
        check_coordinates(place.get("lat"), place.get("lng"))
    except InvalidInput:
        _invalid(f"{at}.lat and lng", "on the globe, or both missing")
    lat, lng = (None if place.get(name) is None else float(place[name]) for name in ("lat", "lng"))
    address, label = (
        _place_text(place.get(name), longest, f"{at}.{name}")
        for name, longest in (("address", LONGEST_ADDRESS), ("label", LONGEST_LABEL))
    )
    return Place(lat, lng, address, label)


def _place_text(value: object, longest: int, at: str) -> str:
    """Parse a name or an address, on one line; empty if the node does not tell."""
    return "" if value in (None, "") else " ".join(_content(value, at).split())[:longest]


def _where(metadata: Mapping[str, Any], at: str) -> str:
    """Parse the position of a hit in a file; empty if the node does not tell."""
    path = metadata.get("path")
    if path is None:
        return ""
    first, last = (_line(metadata.get(name), f"{at}.{name}") for name in ("start_line", "end_line"))
    shown_path = " ".join(_content(path, f"{at}.path").split())  # on one line
    return f"{shown_path[:_LONGEST_PATH]}:{first}-{last}"


def _line(value: object, at: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST_LINES:
        _invalid(at, "the number of a line")
    return value


def _optional(members: Mapping[str, Any], name: str, at: str, check: Callable[[object, str], Any]) -> Any:  # noqa: ANN401 - whatever the check gives
    value = members.get(name)
    return None if value is None else check(value, f"{at}.{name}".lstrip("."))


def _content(value: object, at: str) -> str:
    """Parse a text, without control characters, cut to the length of a memory."""
    if not isinstance(value, str):
        _invalid(at, "a text")
    try:
        text = clean(value[:MAX_CHARACTERS])
    except InvalidMemory:
        _invalid(at, "valid Unicode")
    return text or _invalid(at, "a text that is not empty")


def _id(value: object, at: str) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= _LONGEST_ID or not value.isprintable():
        _invalid(at, f"a text of 1 to {_LONGEST_ID} printable characters")
    return value


def _word(value: object, at: str) -> str:
    if not isinstance(value, str) or not _WORD.fullmatch(value):
        _invalid(at, "a short word in lower case")
    return value


def _share(value: object, at: str) -> float:
    # What is not a number is not within bounds either.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        _invalid(at, "a number from 0 to 1")
    return float(value)


def _tier(value: object, at: str) -> int:
    """Check the trust that a node claims, which is ignored."""
    if isinstance(value, bool) or not isinstance(value, int) or value not in tuple(Trust):
        _invalid(at, f"a number from {min(Trust)} to {max(Trust)}")
    return value


def _moment(value: object, at: str) -> datetime:
    expected = "a time with its zone in ISO 8601"
    if not isinstance(value, str) or len(value) > _LONGEST_TIME:
        _invalid(at, expected)
    try:
        moment = datetime.fromisoformat(value)
        return moment.astimezone(UTC) if moment.tzinfo else _invalid(at, expected)
    except (ValueError, OverflowError):
        _invalid(at, expected)


def _invalid(at: str, expected: str) -> NoReturn:
    raise InvalidAnswer(f"{at} is not {expected}")


def merge_hits(answers: Mapping[str, Sequence[FederatedHit]], limit: int) -> tuple[FederatedHit, ...]:
    """Give the best hits of all nodes, each text once.

    `answers` has the hits of each node by rank. Of equal texts the local one is shown, or else the best ranked one;
    ties are decided for the local node, then by the names of the nodes.
    """
    groups: dict[str, dict[str, FederatedHit]] = {}
    for node, hits in answers.items():
        for hit in hits:
            groups.setdefault(fingerprint_text(hit.content), {}).setdefault(node, hit)
    best = sorted(groups.values(), key=_sort_key)
    return tuple(_representative(group) for group in best[:limit])


def _sort_key(group: Mapping[str, FederatedHit]) -> tuple[Fraction, tuple[bool, int, str]]:
    # Floats would add up differently in another order, and let the order of the nodes decide after all.
    weight = sum((Fraction(1, _K + hit.rank) for hit in group.values()), Fraction())
    return -weight, min(map(_precedence, group.values()))


def _precedence(hit: FederatedHit) -> tuple[bool, int, str]:
    return hit.node != LOCAL_NODE, hit.rank, hit.node


def _representative(group: Mapping[str, FederatedHit]) -> FederatedHit:
    first, *others = sorted(group.values(), key=_precedence)
    return replace(first, also_in=tuple(sorted(hit.node for hit in others)))
