"""Reads what stands behind the options: times, spans, trust tiers, metadata. Pure: the present moment is an argument.

Whatever is wrong is an InvalidInput that names the option, what was found and what is expected.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from recollect.cli.words import shortened
from recollect.errors import InvalidInput
from recollect.vocabulary import Trust

Asked: TypeAlias = Mapping[str, Any]

_LONGEST = 60
_SPAN = re.compile(r"(\d+)\s*([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}

_PLAIN_FIELDS = (
    "content", "type", "importance", "confidence", "subject", "key", "value", "context", "session", "source",
    "lat", "lng", "address",
)  # fmt: skip
_TIMES = {
    "occurred": "occurred_at",
    "valid_from": "valid_from",
    "valid_until": "valid_until",
    "expires": "expires_at",
}
_FILTERS = ("type", "subject", "key", "context", "session")
_FILTER_TIMES = ("since", "until", "as_of")


def memory_fields(asked: Asked, now: datetime) -> dict[str, Any]:
    """Give the fields of a memory that were named, as `remember` and `update` take them."""
    fields = {name: asked[name] for name in _PLAIN_FIELDS if asked.get(name) is not None}
    for option, name in _TIMES.items():
        if asked[option] is not None:
            ahead = now if option == "expires" else None
            fields[name] = _moment_or_none(asked[option], option, ahead)
    if asked["place"] is not None:
        fields["place_label"] = asked["place"]
    if asked["trust"] is not None:
        fields["trust"] = trust_tier(asked["trust"])
    if asked["metadata"] is not None:
        fields["metadata"] = json_object(asked["metadata"])
    return fields


def filters(asked: Asked, now: datetime) -> dict[str, Any]:
    """Give the filters that were named, as `recall`, `list` and `count` take them."""
    wanted = {name: asked[name] for name in _FILTERS if asked[name] not in (None, ())}
    for option in _FILTER_TIMES:
        if asked[option] is not None:
            wanted[option] = past_moment(asked[option], option, now)
    return wanted


def past_moment(text: str, option: str, now: datetime) -> datetime:
    """Read a time, or a span that reaches back from now."""
    span = _span(text, option)
    return moment(text, option) if span is None else _shifted(now, -span, option, text)


def moment(text: str, option: str) -> datetime:
    """Read an ISO 8601 date or time. Without an offset it is local, as the clock on the wall shows it."""
    try:
        return datetime.fromisoformat(text.strip()).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise _unfit(option, text, "a date or time such as 2026-12-03 or 2026-12-03T12:00+01:00") from None


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


def _moment_or_none(text: str, option: str, ahead_of: datetime | None) -> datetime | None:
    if text.strip().lower() in ("none", "never"):
        return None
    span = _span(text, option) if ahead_of else None
    return moment(text, option) if ahead_of is None or span is None else _shifted(ahead_of, span, option, text)


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
        return now + span
    except OverflowError:
        raise _unfit(option, text, "a shorter span") from None


def _unfit(option: str, found: str, expected: str) -> InvalidInput:
    return InvalidInput(f"--{option.replace('_', '-')} is {shortened(found, _LONGEST)!r}; expected {expected}.")
