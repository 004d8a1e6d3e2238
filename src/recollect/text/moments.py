"""Reads a moment or a stretch of time as people write them. Pure: `now`, in the user's time zone, is given.

Errors are InvalidInput and name the parameter, what was found and what is expected.
"""

import re
from datetime import UTC, datetime, timedelta

from recollect.errors import InvalidInput

_LONGEST = 60
_LONGEST_WORDS = 200
_SPAN = re.compile(r"(\d+)\s*([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def past_moment(text: str, name: str, now: datetime) -> datetime:
    """Read a time, a span that reaches back from now, or a word such as yesterday: it stands for its beginning."""
    span = span_of(text, name)
    if span is not None:
        return shifted(now, -span, name, text)
    named = _named_period(text, now)
    return named[0] if named else moment(text, name, now, "7d, yesterday, last week, or ")


def period(text: str, name: str, now: datetime) -> tuple[datetime, datetime]:
    """Read a stretch of time on the user's clock, in the words of a query: a day, yesterday, last night, v noci."""
    named = _named_period(text, now)
    if named is None:
        raise unfit(name, text, "today, yesterday, last night, last week, or a day such as 2026-12-03")
    return named


def moment(text: str, name: str, now: datetime, other: str = "") -> datetime:
    """Read an ISO 8601 date or time. Without an offset it is as the user's clock shows it."""
    try:
        read = datetime.fromisoformat(text.strip())
        return (read if read.tzinfo else read.replace(tzinfo=now.tzinfo)).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        expected = f"{other}a date or time such as 2026-12-03 or 2026-12-03T12:00+01:00"
        raise unfit(name, text, expected) from None


def span_of(text: str, name: str) -> timedelta | None:
    """Read a span such as 7d; None for what is none."""
    found = _SPAN.fullmatch(text.strip().lower())
    if found is None:
        return None
    try:
        return timedelta(**{_UNITS[found[2]]: int(found[1])})
    except (OverflowError, ValueError):
        raise unfit(name, text, "a shorter span") from None


def shifted(now: datetime, span: timedelta, name: str, text: str) -> datetime:
    """Give the moment that is a span away."""
    try:
        return now.astimezone(UTC) + span
    except OverflowError:
        raise unfit(name, text, "a shorter span") from None


def unfit(name: str, found: str, expected: str) -> InvalidInput:
    """Say of a parameter that it is something else than expected."""
    line = " ".join(found.split())
    shown = line if len(line) <= _LONGEST else f"{line[:_LONGEST]}\N{HORIZONTAL ELLIPSIS}"
    return InvalidInput(f"{name} is {shown!r}; expected {expected}.")


def _named_period(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    """Read words of time in any language that queries may be in, if they are the whole text."""
    from recollect.text.time_expressions import find_time_spans  # noqa: PLC0415 - its tables are seldom needed

    words = text.strip() if any(map(str.isdigit, text)) else " ".join(text.replace("-", " ").split())
    spans = find_time_spans(words[:_LONGEST_WORDS], now)
    whole = [span for span in spans if (span.start, span.end) == (0, len(words))]
    return (whole[0].since, whole[0].until) if whole else None
