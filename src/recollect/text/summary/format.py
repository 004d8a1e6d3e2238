"""The written form of a summary, and the way back from it.

The invariant: `parse(render(points, …)) == tidy(points)`. The way back also understands what language models make of
the form: other bullets, bold or translated headings, a missing first line, prose around it.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Literal, TypeAlias

from recollect.errors import SummaryError
from recollect.model.messages import SummaryPoints
from recollect.text.tables import read_lines, read_words

SummarySection: TypeAlias = Literal["key_points", "actions", "open_items"]

TITLES = ("Key points discussed", "Actions taken", "Open items")
LONGEST_POINT = 220

SECTIONS: tuple[SummarySection, ...] = ("key_points", "actions", "open_items")
_TIME = "%Y-%m-%d %H:%M"
_BULLET = re.compile(r"[-*•·‣◦–—]\s+")  # noqa: RUF001  # the bullets that people and models write
_NUMBER = re.compile(r"\(?\d{1,3}[.)]\s+")
_CHECKBOX = re.compile(r"(?:\[[ xX✓]?\]\s*)+")
_ORNAMENT = "#*_ \t"
_NOTHING = frozenset("-—…")
_LONGEST_HEADING = 60

_SHORTEST_POINT = 24
_ANY_TIME = datetime(2026, 1, 1, tzinfo=UTC)  # all times are written equally long

# What a token costs in each section. Actions can be looked up and go first; what is still open must not get lost.
_WEIGHTS = (1.0, 1.4, 0.7)

_Lists: TypeAlias = list[list[str]]


def tidy(points: SummaryPoints) -> SummaryPoints:
    """Give the points as they can be written: each on one line, none that says nothing."""
    return SummaryPoints(*map(_tidied, points))


def render(points: SummaryPoints, start: datetime, end: datetime) -> str:
    """Write a summary of what was said between two moments. Empty sections are left out."""
    first = f"[Conversation Summary - {_written(start)} to {_written(end)}]"
    tidied = tidy(points)
    lines = [first, ""] if tidied else [first]
    for title, section in zip(TITLES, tidied, strict=True):
        if section:
            lines += [f"{title}:", *(f"- {point}" for point in section)]
    return "\n".join(lines)


def parse(text: str) -> SummaryPoints:
    """Read the points of a summary from any author. Raises SummaryError when it has no heading of a section."""
    found: dict[SummarySection, list[str]] = {name: [] for name in SECTIONS}
    prose: dict[SummarySection, list[str]] = {name: [] for name in SECTIONS}
    section: SummarySection | None = None
    for line in text.split("\n"):
        heading, rest = _heading(line)
        if heading:
            section = heading
            prose[section] += [rest] if rest else []
        elif section and line.strip():
            _note(line, found[section], prose[section])
    if section is None:
        raise SummaryError(
            f"No heading of a summary was found in {len(text):,} characters; expected {', '.join(TITLES)}. "
            "Nothing was changed; try again, or use the extractive summariser."
        )
    return tidy(SummaryPoints(*(tuple(found[name] or prose[name]) for name in SECTIONS)))


def tokens_of(points: SummaryPoints, count: Callable[[str], int]) -> int:
    """Count the tokens of the rendered summary."""
    return count(render(points, _ANY_TIME, _ANY_TIME))


def fit(points: SummaryPoints, max_tokens: int, count: Callable[[str], int]) -> SummaryPoints:
    """Shorten a summary until it fits: first the points that are too long, then whole points, then what is left.

    The last point of the list that takes up most room goes first, as lists are in the order of importance.
    """
    points = tidy(points)
    lists = _as_lists(points, LONGEST_POINT)
    form = tokens_of(SummaryPoints(("…",), ("…",), ("…",)), count)
    costs = [[count(f"- {point}\n") for point in section] for section in lists]
    while form + sum(map(sum, costs)) > max_tokens and _drop_one(lists, costs, keep=1):
        pass
    while tokens_of(SummaryPoints(*map(tuple, lists)), count) > max_tokens and _drop_one(lists, costs, keep=1):
        pass
    return _squeeze(lists, costs, max_tokens, count)


def shorten(text: str, longest: int) -> str:
    """Cut a text to a number of characters, between words, at the end of a clause if one is near."""
    if len(text) <= longest:
        return text
    head = text[: max(1, longest - 1)]
    clause = max(head.rfind(mark) for mark in (", ", "; ", ": ", " – ", " — "))  # noqa: RUF001
    word = head.rfind(" ")
    cut = clause if clause > longest * 0.7 else word if word > longest * 0.5 else len(head)
    return head[:cut].rstrip(" ,;:–—-") + "…"  # noqa: RUF001


def as_memory(points: SummaryPoints, longest: int = 600) -> str:
    """Give the summary as one paragraph: what was said, what was done, what is open; the first points of each."""
    points = tidy(points)
    chosen: _Lists = [[], [], []]
    queue = [
        (position, section, point) for section, listed in enumerate(points) for position, point in enumerate(listed)
    ]
    # Two key points for each action and open item.
    for _, section, point in sorted(queue, key=lambda item: (item[0] // (1 if item[1] else 2), item[1])):
        chosen[section].append(point)
        if len(_paragraph(chosen)) > longest:
            chosen[section].pop()
    text = _paragraph(chosen)
    first = next((point for section in points for point in section), "")
    return text or shorten(first, longest)


def _note(line: str, found: list[str], prose: list[str]) -> None:
    """Take a line of a section: a point, the rest of one, or prose, which counts only where there are no points."""
    text = line.strip()
    bullet = _BULLET.match(text) or _NUMBER.match(text)
    if bullet:
        found.append(text[bullet.end() :])
    elif found and line.startswith(("  ", "\t")):
        found[-1] += f" {text}"
    else:
        prose.append(text)


def _heading(line: str) -> tuple[SummarySection | None, str]:
    """Say which section a line opens, if any, and what stands in the same line after it."""
    text = line.strip()
    if _BULLET.match(text):
        return None, ""
    number = _NUMBER.match(text)
    name, _, rest = text[number.end() if number else 0 :].partition(":")
    if len(name) > _LONGEST_HEADING:
        return None, ""
    return _headings().get(" ".join(name.strip(_ORNAMENT).casefold().split())), rest.strip(_ORNAMENT)


@cache
def _headings() -> Mapping[str, SummarySection]:
    """Give what models write above each section, in every language."""
    return {
        line.casefold(): section for section in SECTIONS for line in read_lines("summary", section.replace("_", " "))
    }


def _tidied(section: Iterable[str]) -> tuple[str, ...]:
    nothing = _NOTHING | read_words("summary", "nothing")
    lines = (_CHECKBOX.sub("", " ".join(point.split()), count=1).strip() for point in section)
    return tuple(line for line in lines if line and line.casefold().strip("().!*_ ") not in nothing)


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime(_TIME)


def _as_lists(points: SummaryPoints, longest: int) -> _Lists:
    return [[shorten(point, longest) for point in section] for section in points]


def _drop_one(lists: _Lists, costs: list[list[int]], keep: int) -> bool:
    """Drop the last point of the heaviest list that has more than `keep`; says whether there was one."""
    droppable = [index for index, section in enumerate(lists) if len(section) > keep]
    if not droppable:
        return False
    heaviest = max(droppable, key=lambda index: sum(costs[index]) * _WEIGHTS[index])
    lists[heaviest].pop()
    costs[heaviest].pop()
    return True


def _squeeze(lists: _Lists, costs: list[list[int]], max_tokens: int, count: Callable[[str], int]) -> SummaryPoints:
    """Shorten the few points that are left, then give up whole sections, until one short point remains."""
    longest = LONGEST_POINT
    while tokens_of(points := SummaryPoints(*map(tuple, lists)), count) > max_tokens:
        if longest > _SHORTEST_POINT:
            longest = max(_SHORTEST_POINT, longest * 3 // 4)
            lists = _as_lists(points, longest)
        elif sum(map(len, lists)) <= 1 or not _drop_one(lists, costs, keep=0):
            break
    return points


def _paragraph(chosen: _Lists) -> str:
    said, done, still_open = chosen
    parts = [_ended(point) for point in said]
    if done:
        parts.append(_ended("Done: " + "; ".join(point.removeprefix("Done as asked: ").rstrip(".") for point in done)))
    if still_open:
        parts.append(_ended("Open: " + "; ".join(point.rstrip(".") for point in still_open)))
    return " ".join(parts)


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…", "。")) else f"{text}."
