"""Options that several commands share, each declared once; named tuples are groups of them.

Times, trust tiers and metadata stay texts here: `values` parses them when the command runs, so that errors in them read
alike everywhere.
"""

from typing import Annotated, NamedTuple, TypeAlias

import typer

from recollect.model.literals import MEMORY_TYPES, SOURCES, Trust
from recollect.model.places import LEAST_RADIUS_KM, LOCATION_MODES, MOST_RADIUS_KM

_TYPES = ", ".join(MEMORY_TYPES)
_SOURCES = ", ".join(SOURCES)
_TIERS = ", ".join(tier.name.lower() for tier in reversed(Trust))


def example(*lines: str) -> str:
    """Give lines to type, as the end of a help text. The mark keeps them from being wrapped."""
    return "\n".join(("\b", "Examples:" if len(lines) > 1 else "Example:", *(f"  {line}" for line in lines)))


class GlobalOptions(NamedTuple):
    """What was typed before the command."""

    database: str | None = None
    user: str | None = None
    config: str | None = None
    json: bool = False


def _types() -> list[str]:
    return list(MEMORY_TYPES)


def _sources() -> list[str]:
    return list(SOURCES)


def _modes() -> list[str]:
    return list(LOCATION_MODES)


def _tiers() -> list[str]:
    return [tier.name.lower() for tier in Trust]


Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Id: TypeAlias = Annotated[str, typer.Argument(metavar="ID", help="The id of a memory, as `list` and `recall` show it.")]
Conversation: TypeAlias = Annotated[
    str, typer.Argument(metavar="CONVERSATION", help="The conversation, by any name you give it.")
]
HostSession: TypeAlias = Annotated[
    str | None, typer.Option("--session", metavar="ID", help="The conversation that the turn belongs to.")
]

Speaker: TypeAlias = Annotated[
    str | None, typer.Option(metavar="NAME", help="Who says it, by name, where several people talk.")
]

# What a memory is made of

Type: TypeAlias = Annotated[
    str | None, typer.Option(metavar="TYPE", autocompletion=_types, help=f"What kind of memory: {_TYPES}.")
]
Importance: TypeAlias = Annotated[
    float | None, typer.Option(metavar="0..1", help="How much it matters; 0.7 when nothing is said.")
]
Confidence: TypeAlias = Annotated[
    float | None, typer.Option(metavar="0..1", help="How sure it is; 1 when nothing is said.")
]
Subject: TypeAlias = Annotated[
    str | None, typer.Option(metavar="NAME", help="What or whom it is about, such as light.office.")
]
Key: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Which property of the subject. A new value for the same subject, key and context replaces the old one.",
    ),
]
Value: TypeAlias = Annotated[str | None, typer.Option(metavar="TEXT", help="The bare value, such as 40%.")]
Context: TypeAlias = Annotated[
    str | None, typer.Option(metavar="NAME", help="When or where it holds, such as after_sunset.")
]
Session: TypeAlias = Annotated[str | None, typer.Option(metavar="ID", help="The session it comes from.")]
Source: TypeAlias = Annotated[
    str | None, typer.Option(metavar="NAME", help="Who says so; user_stated when nothing is said.")
]
TrustTier: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--trust",
        metavar="TIER",
        autocompletion=_tiers,
        help=f"How far the source is trusted: {_TIERS} (3 to 0). Less never replaces more.",
    ),
]
Occurred: TypeAlias = Annotated[str | None, typer.Option(metavar="TIME", help="When it happened.")]
ValidFrom: TypeAlias = Annotated[str | None, typer.Option(metavar="TIME", help="Since when it is true.")]
ValidUntil: TypeAlias = Annotated[str | None, typer.Option(metavar="TIME", help="Until when it is true.")]
Expires: TypeAlias = Annotated[
    str | None, typer.Option(metavar="TIME", help="When to stop recalling it: a time, or a span such as 30d, 12h, 90m.")
]
Lat: TypeAlias = Annotated[float | None, typer.Option(metavar="DEGREES", help="Latitude of its place.")]
Lng: TypeAlias = Annotated[float | None, typer.Option(metavar="DEGREES", help="Longitude of its place.")]
Address: TypeAlias = Annotated[str | None, typer.Option(metavar="TEXT", help="Address of its place.")]
PlaceLabel: TypeAlias = Annotated[
    str | None, typer.Option("--place", metavar="NAME", help="What its place is called, such as home.")
]
At: TypeAlias = Annotated[
    str | None,
    typer.Option("--at", metavar="TIME", help="When it was: a time, or how long ago, such as 2h; now unless you say."),
]
AtOwnPlace: TypeAlias = Annotated[
    str | None, typer.Option("--at", metavar="NAME", help="Its place is this one of yours, as `places` lists them.")
]
Metadata: TypeAlias = Annotated[str | None, typer.Option(metavar="JSON", help="Anything else, as a JSON object.")]

# What a search may return

Query: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="QUERY",
        help='A question or a few words, in any language. "Quoted phrases", -excluded words and times like "last week" '
        "are understood.",
    ),
]

Types: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--type", metavar="TYPE", autocompletion=_types, help=f"Only this kind; may be repeated. One of {_TYPES}."
    ),
]
Preferred: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--prefer",
        metavar="TYPE",
        autocompletion=_types,
        help="Let this kind come first among equals; may be repeated. The kinds are those of --type.",
    ),
]
Diverse: TypeAlias = Annotated[bool, typer.Option("--diverse", help="Prefer hits that say different things.")]
OfSubject: TypeAlias = Annotated[str | None, typer.Option("--subject", metavar="NAME", help="Only about this subject.")]
OfKey: TypeAlias = Annotated[str | None, typer.Option("--key", metavar="NAME", help="Only this property.")]
OfContext: TypeAlias = Annotated[str | None, typer.Option("--context", metavar="NAME", help="Only in this context.")]
OfSession: TypeAlias = Annotated[str | None, typer.Option("--session", metavar="ID", help="Only from this session.")]
Sources: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--source",
        metavar="SOURCE",
        autocompletion=_sources,
        help=f"Only from this source; may be repeated. One of {_SOURCES}.",
    ),
]
Since: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="Only what happened, or was stored, then or later: a time, a span such as 7d (a week ago), today, "
        "yesterday, or last night (since 18:00).",
    ),
]
Until: TypeAlias = Annotated[
    str | None, typer.Option(metavar="TIME", help="Only what happened, or was stored, before then.")
]
AsOf: TypeAlias = Annotated[
    str | None, typer.Option(metavar="TIME", help="What was held true at that moment, instead of now.")
]
Near: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="LAT,LNG|NAME",
        help="Where you are: coordinates, or a town. What is near, or at a place like it, ranks higher.",
    ),
]
AtPlace: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--at", metavar="NAME", help="Where you are: a place of yours, such as home, or a kind of place: supermarket."
    ),
]
RadiusKm: TypeAlias = Annotated[
    float | None,
    typer.Option(
        metavar="KM",
        help=f"Only what is that near to where you are; {LEAST_RADIUS_KM:g} to {MOST_RADIUS_KM:g} kilometres.",
    ),
]
LocationWeight: TypeAlias = Annotated[
    float | None,
    typer.Option(metavar="0..1", help="Share of the place in a score; the settings say 0.3."),
]
LocationModeName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--location-mode",
        metavar="MODE",
        autocompletion=_modes,
        help="boost: how near it is counts, or how much the places are alike, whichever says more (so unless you say). "
        "semantic: only how much they are alike.",
    ),
]
Wait: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--wait/--no-wait",
        help="Whether to wait until it has its vectors; the setting embedding.wait decides unless you say.",
    ),
]
Explain: TypeAlias = Annotated[
    bool, typer.Option("--explain", help="Show how each score came about, and how likely an answer is.")
]
Most: TypeAlias = Annotated[int, typer.Option("--limit", "-n", metavar="N", help="At most this many.")]

# Groups of options, as one parameter of a command


class MemoryOptions(NamedTuple):
    """What a memory is made of, but for its text and its place."""

    type: Type = None
    importance: Importance = None
    confidence: Confidence = None
    subject: Subject = None
    key: Key = None
    value: Value = None
    context: Context = None
    session: Session = None
    source: Source = None
    trust: TrustTier = None
    occurred: Occurred = None
    valid_from: ValidFrom = None
    valid_until: ValidUntil = None
    expires: Expires = None


class PlaceOptions(NamedTuple):
    """Where something is."""

    lat: Lat = None
    lng: Lng = None
    address: Address = None
    place: PlaceLabel = None


class NoteOptions(NamedTuple):
    """When a note holds, and how sure it is."""

    context: Context = None
    confidence: Confidence = None


class FilterOptions(NamedTuple):
    """Which memories are wanted."""

    type: Types = None
    subject: OfSubject = None
    key: OfKey = None
    context: OfContext = None
    session: OfSession = None
    since: Since = None
    until: Until = None
    as_of: AsOf = None


class LocationOptions(NamedTuple):
    """Where the user is while asking, and how much that counts."""

    near: Near = None
    at: AtPlace = None
    radius_km: RadiusKm = None
    location_weight: LocationWeight = None
    location_mode: LocationModeName = None
