"""Which time the words of a search query speak of, in English, Russian, Czech and German.

The invariant: plain functions of the query and of `now`, in linear time, without the machine's clock. Words that may
mean something else mean no time; a date that does not exist is no time either. A query may mix the languages.

    tokens          the query in words, numerals and marks, each with its place
    grammar         the words and phrases of a language, from its tables
    matching        the phrases in the tokens, the longest first
    meanings        what a phrase stands for; the README of the tables lists the choices that were left to us
    local_calendar  days, weeks, months and seasons as the user's wall clock has them
"""

from dataclasses import dataclass
from datetime import datetime

from recollect.errors import InvalidInput
from recollect.text.time_expressions.matching import find
from recollect.text.time_expressions.tokens import tokenize

__all__ = ["TimeSpan", "find_time_spans"]


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time from `since` up to but not including `until`, both in UTC, which query[start:end] speaks of."""

    since: datetime
    until: datetime
    start: int
    end: int


def find_time_spans(query: str, now: datetime) -> tuple[TimeSpan, ...]:
    """Give the times a query speaks of, in order of place. `now` carries the time zone its days are counted in."""
    if now.tzinfo is None:
        raise InvalidInput(f"now is {now.isoformat()}, a time without a zone; pass one with the user's time zone")
    found = find(tokenize(query), now)
    return tuple(TimeSpan(since, until, start, end) for start, end, (since, until) in found)
