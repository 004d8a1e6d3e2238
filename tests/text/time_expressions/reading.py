"""How the cases are written: one query a line, its words of time in brackets, then the time on the user's clock.

A line that begins with @ says when the queries below it are asked; without one it is a Wednesday in May. `now` is that
moment, `ever` is 1900 and `always` 2200.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from recollect.text.time_expressions import find_time_spans

PRAGUE = ZoneInfo("Europe/Prague")
WEDNESDAY = datetime(2024, 5, 15, 14, 30, tzinfo=PRAGUE)
_EDGES = {"ever": datetime(1900, 1, 1, tzinfo=UTC), "always": datetime(2200, 1, 1, tzinfo=UTC)}


class Case(NamedTuple):
    query: str
    now: datetime
    expected: tuple[str, datetime, datetime]

    def __str__(self) -> str:
        return f"{self.query} @{self.now.date()}"


def read_cases(text: str) -> list[Case]:
    return list(_cases(text))


def _cases(text: str) -> Iterator[Case]:
    now = WEDNESDAY
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("@"):
            now = datetime.fromisoformat(line[1:]).replace(tzinfo=PRAGUE)
            continue
        marked, _, times = line.partition(" => ")
        since, _, until = times.partition(" .. ")
        words = marked.partition("[")[2].partition("]")[0]
        query = marked.replace("[", "").replace("]", "")
        yield Case(query, now, (words, _moment(since, now), _moment(until, now)))


def read_lines(text: str) -> list[str]:
    return list(filter(None, map(str.strip, text.splitlines())))


def found(query: str, now: datetime = WEDNESDAY) -> list[tuple[str, datetime, datetime]]:
    return [(query[span.start : span.end], span.since, span.until) for span in find_time_spans(query, now)]


def _moment(text: str, now: datetime) -> datetime:
    if text == "now":
        return now.astimezone(UTC)
    return _EDGES.get(text) or datetime.fromisoformat(text).replace(tzinfo=PRAGUE).astimezone(UTC)
