"""Parses option values: times, spans, trust tiers, metadata, coordinates. Pure: `now`, in the user's zone, is given.

Errors are InvalidInput and name the option, what was found and what is expected.
"""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from recollect.cli.formatting import shortened
from recollect.cli.options import MediaOptions
from recollect.errors import InvalidInput
from recollect.model.literals import Trust
from recollect.model.places import check_coordinates

if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.model.media import Media, MediaLike

_LONGEST = 60
_BOTH = 2
_COORDINATES = "LAT,LNG such as 49.1951,16.6068, or the name of a place"
_SPAN = re.compile(r"(\d+)\s*([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def media_fields(options: MediaOptions, add: "Callable[[str], Media]") -> "dict[str, list[MediaLike]]":
    """Give the media that were named, as `remember` takes them; `add` stores that of a file."""
    given = options.media or []
    words = {"caption": options.caption or [], "transcript": options.transcript or []}
    for name, texts in words.items():
        if len(texts) > len(given):
            raise InvalidInput(
                f"--{name} is given {len(texts)} times for {len(given)} --media. Name a --media for each."
            )
    media: list[MediaLike] = []
    for position, named in enumerate(given):
        told = {name: several[position] for name, several in words.items() if position < len(several)}
        web = named.lower().startswith(("http://", "https://"))
        media.append({"url": named, **told} if web else {**add(named).stored(), **told})
    return {"media": media} if media else {}


def past_moment(text: str, option: str, now: datetime) -> datetime:
    """Read a time, a span that reaches back from now, or a word such as yesterday: it stands for its beginning."""
    span = _span(text, option)
    if span is not None:
        return _shifted(now, -span, option, text)
    named = _named_period(text, now)
    return named[0] if named else moment(text, option, now, "7d, yesterday, last week, or ")


def moment_or_none(
    text: str, option: str, now: datetime, spans: Literal["", "ahead"], other: str = ""
) -> datetime | None:
    """Read a time, perhaps a span from now on; None for `none`, which takes away what there was, and for `never`."""
    if text.strip().lower() in ("none", "never"):
        return None
    span = _span(text, option) if spans else None
    return moment(text, option, now, other) if span is None else _shifted(now, span, option, text)


def period(text: str, option: str, now: datetime) -> tuple[datetime, datetime]:
    """Read a stretch of time on the user's clock, in the words of a query: a day, yesterday, last night, v noci."""
    named = _named_period(text, now)
    if named is None:
        raise _unfit(option, text, "today, yesterday, last night, last week, or a day such as 2026-12-03")
    return named


def moment(text: str, option: str, now: datetime, other: str = "") -> datetime:
    """Read an ISO 8601 date or time. Without an offset it is as the user's clock shows it."""
    try:
        read = datetime.fromisoformat(text.strip())
        return (read if read.tzinfo else read.replace(tzinfo=now.tzinfo)).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        expected = f"{other}a date or time such as 2026-12-03 or 2026-12-03T12:00+01:00"
        raise _unfit(option, text, expected) from None


def trusted(tier: str | None) -> dict[str, Trust]:
    """Give the tier as a field of a memory, if one was named."""
    return {} if tier is None else {"trust": trust_tier(tier)}


def trust_tier(text: str) -> Trust:
    """Read a tier by its name or number."""
    for tier in Trust:
        if text.strip().lower() in (tier.name.lower(), str(tier.value)):
            return tier
    raise _unfit("trust", text, " or ".join(f"{tier.name.lower()} ({tier.value})" for tier in Trust))


def json_object(text: str) -> dict[str, Any]:
    """Read the metadata."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unfit("metadata", text, f'a JSON object such as {{"color": "blue"}} ({error})') from None
    if not isinstance(found, dict):
        raise _unfit("metadata", text, 'a JSON object such as {"color": "blue"}')
    return found


def coordinates(text: str, option: str | None = None) -> tuple[float, float] | None:
    """Read coordinates; None for what is the name of a place. Figures that are no coordinates are no name either."""
    parts = [_number(part) for part in text.split(",")]
    lat, lng = parts if len(parts) == _BOTH else (None, None)
    if (lat is None or lng is None) and any(letter.isalpha() for letter in text):
        return None
    try:
        check_coordinates(lat, lng)
    except InvalidInput as error:
        raise _unfit(option, text, f"{_COORDINATES} ({str(error).removesuffix('.')})") from None
    if lat is None or lng is None:
        raise _unfit(option, text, _COORDINATES)
    return lat, lng


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _named_period(text: str, now: datetime) -> tuple[datetime, datetime] | None:
    """Read words of time in any language that queries may be in, if they are the whole text."""
    from recollect.text.time_expressions import find_time_spans

    words = text.strip() if any(map(str.isdigit, text)) else " ".join(text.replace("-", " ").split())
    spans = find_time_spans(words, now)
    whole = [span for span in spans if (span.start, span.end) == (0, len(words))]
    return (whole[0].since, whole[0].until) if whole else None


def _span(text: str, option: str) -> timedelta | None:
    found = _SPAN.fullmatch(text.strip().lower())
    if found is None:
        return None
    try:
        return timedelta(**{_UNITS[found[2]]: int(found[1])})
    except (OverflowError, ValueError):
        raise _unfit(option, text, "a shorter span") from None


def _shifted(now: datetime, span: timedelta, option: str, text: str) -> datetime:
    try:
        return now.astimezone(UTC) + span
    except OverflowError:
        raise _unfit(option, text, "a shorter span") from None


def _unfit(option: str | None, found: str, expected: str) -> InvalidInput:
    named = f"--{option.replace('_', '-')}" if option else "The place"
    return InvalidInput(f"{named} is {shortened(found, _LONGEST)!r}; expected {expected}.")
