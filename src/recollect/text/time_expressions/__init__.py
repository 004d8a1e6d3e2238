"""Which time the words of a search query speak of, in English, Russian, Czech and German.

The invariant: plain functions of the query and of `now`, in linear time, without the machine's clock. Words that may
mean something else mean no time; a date that does not exist is no time either. A query may mix the languages.

    tokens     the query in words, numerals and marks, each with its place
    tables     the notation of the phrases; english, russian, czech, german are written in it
    matching   the phrases in the tokens, the longest first
    meanings   what a phrase stands for
    almanac    days, weeks, months and seasons as the user's wall clock has them

What was left to us, because memory is about the past:

    in March, on Monday, in the summer      the latest that has begun
    last March, last Monday, last summer    the latest that is over
    last week, two weeks ago                a calendar week, Monday to Sunday; so with months and years
    in the last two weeks                   from the midnight fourteen days ago until now
    a couple of days ago, a few days ago    two or three days; two to six
    last night                              yesterday 18:00 to today 06:00, also while that night goes on
    tonight                                 today 18:00 to tomorrow 06:00; before 06:00 the night that goes on
    the winter of 2022                      December 2021 to February 2022, where two of its months lie
    early, mid, late March                  to the 10th, to the 20th, from the 21st; longer times in thirds
    before March, until March               from 1900 to the first of March
    after March                             until now, or until 2200 if March is still to come
"""

from dataclasses import dataclass
from datetime import datetime

from recollect.errors import InvalidInput
from recollect.text.time_expressions.local_calendar import Today
from recollect.text.time_expressions.matching import find
from recollect.text.time_expressions.tokens import tokenize

__all__ = ["TimeSpan", "spans"]


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time from `since` up to but not including `until`, both in UTC, which query[start:end] speaks of."""

    since: datetime
    until: datetime
    start: int
    end: int


def find_time_spans(query: str, now: datetime) -> tuple[TimeSpan, ...]:
    """Give the times a query speaks of, in order of place. `now` carries the time zone its days are counted in."""
    if now.utcoffset() is None:
        raise InvalidInput(f"now is {now.isoformat()}, a time without a zone; pass one with the user's time zone")
    found = find(tokenize(query), Today.of(now))
    return tuple(TimeSpan(since, until, start, end) for start, end, (since, until) in found)
