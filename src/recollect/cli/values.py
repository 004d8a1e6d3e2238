"""Parses option values: times, spans, trust tiers, metadata, coordinates. Pure: `now`, in the user's zone, is given.

Errors are InvalidInput and name the option, what was found and what is expected.
"""

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from recollect.cli.options import MediaOptions
from recollect.errors import InvalidInput
from recollect.model.literals import Trust
from recollect.model.places import check_coordinates
from recollect.text import moments

if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.model.media import Media, MediaLike

_BOTH = 2
_COORDINATES = "LAT,LNG such as 49.1951,16.6068, or the name of a place"


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
    return moments.past_moment(text, _typed(option), now)


def moment_or_none(
    text: str, option: str, now: datetime, spans: Literal["", "ahead"], other: str = ""
) -> datetime | None:
    """Read a time, perhaps a span from now on; None for `none`, which takes away what there was, and for `never`."""
    if text.strip().lower() in ("none", "never"):
        return None
    span = moments.span_of(text, _typed(option)) if spans else None
    return moment(text, option, now, other) if span is None else moments.shifted(now, span, _typed(option), text)


def moment(text: str, option: str, now: datetime, other: str = "") -> datetime:
    """Read an ISO 8601 date or time. Without an offset it is as the user's clock shows it."""
    return moments.moment(text, _typed(option), now, other)


def trusted(tier: str | None) -> dict[str, Trust]:
    """Give the tier as a field of a memory, if one was named."""
    return {} if tier is None else {"trust": trust_tier(tier)}


def trust_tier(text: str) -> Trust:
    """Read a tier by its name or number."""
    for tier in Trust:
        if text.strip().lower() in (tier.name.lower(), str(tier.value)):
            return tier
    raise moments.unfit("--trust", text, " or ".join(f"{tier.name.lower()} ({tier.value})" for tier in Trust))


def json_object(text: str) -> dict[str, Any]:
    """Read the metadata."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise moments.unfit("--metadata", text, f'a JSON object such as {{"color": "blue"}} ({error})') from None
    if not isinstance(found, dict):
        raise moments.unfit("--metadata", text, 'a JSON object such as {"color": "blue"}')
    return found


def coordinates(text: str, option: str | None = None) -> tuple[float, float] | None:
    """Read coordinates; None for what is the name of a place. Figures that are no coordinates are no name either."""
    name = _typed(option) if option else "The place"
    parts = [_number(part) for part in text.split(",")]
    lat, lng = parts if len(parts) == _BOTH else (None, None)
    if (lat is None or lng is None) and any(letter.isalpha() for letter in text):
        return None
    try:
        check_coordinates(lat, lng)
    except InvalidInput as error:
        raise moments.unfit(name, text, f"{_COORDINATES} ({str(error).removesuffix('.')})") from None
    if lat is None or lng is None:
        raise moments.unfit(name, text, _COORDINATES)
    return lat, lng


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _typed(option: str) -> str:
    return f"--{option.replace('_', '-')}"
