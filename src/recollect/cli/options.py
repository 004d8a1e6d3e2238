"""Options that several commands share, each declared once; named tuples are groups of them.

Times, trust tiers and metadata stay texts here: `values` parses them when the command runs, so that errors in them read
alike everywhere.
"""

from collections.abc import Callable, Collection
from typing import Annotated, Any, NamedTuple, TypeAlias

import typer

from recollect.model.literals import MEMORY_TYPES, Trust

_TYPES = ", ".join(MEMORY_TYPES)
_TIERS = ", ".join(tier.name.lower() for tier in reversed(Trust))


def example(*lines: str) -> str:
    """Give lines to type, as the end of a help text. The mark keeps them from being wrapped."""
    return "\n".join(("\b", "Examples:" if len(lines) > 1 else "Example:", *(f"  {line}" for line in lines)))


def argument(metavar: str, help: str, **more: Any) -> Any:  # noqa: ANN401 - as typer has it
    """Declare an argument."""
    return typer.Argument(metavar=metavar, help=help, **more)


def option(metavar: str, help: str, *names: str, **more: Any) -> Any:  # noqa: ANN401 - as typer has it
    """Declare an option with a value; its name is that of the parameter unless `names` say another."""
    return typer.Option(*names, metavar=metavar, help=help, **more)


def flag(name: str, help: str) -> Any:  # noqa: ANN401 - as typer has it
    """Declare an option without a value."""
    return typer.Option(name, help=help)


def one_of(names: Collection[str]) -> Callable[[], list[str]]:
    """Let a shell complete these names."""
    return lambda: list(names)


class GlobalOptions(NamedTuple):
    """What was typed before the command."""

    database: str | None = None
    user: str | None = None
    config: str | None = None
    json: bool = False
    scope: str | None = None


JsonOption: TypeAlias = Annotated[bool, flag("--json", "Print one JSON document and nothing else.")]
IdArgument: TypeAlias = Annotated[str, argument("ID", "The id of a memory, as `list` and `recall` show it.")]
ConversationArgument: TypeAlias = Annotated[str, argument("CONVERSATION", "The conversation, by any name you give it.")]
HostSession: TypeAlias = Annotated[str | None, option("ID", "The conversation that the turn belongs to.", "--session")]

Speaker: TypeAlias = Annotated[str | None, option("NAME", "Who says it, by name, where several people talk.")]

# What a memory is made of

Type: TypeAlias = Annotated[
    str | None, option("TYPE", f"What kind of memory: {_TYPES}.", autocompletion=one_of(MEMORY_TYPES))
]
Importance: TypeAlias = Annotated[float | None, option("0..1", "How much it matters; 0.7 when nothing is said.")]
Confidence: TypeAlias = Annotated[float | None, option("0..1", "How sure it is; 1 when nothing is said.")]
Subject: TypeAlias = Annotated[str | None, option("NAME", "What or whom it is about, such as light.office.")]
KeyOption: TypeAlias = Annotated[
    str | None,
    option(
        "NAME", "Which property of the subject. A new value for the same subject, key and context replaces the old one."
    ),
]
Many: TypeAlias = Annotated[
    bool, flag("--many", "The key has several values: this one and all later ones stand side by side.")
]
KeepSecret: TypeAlias = Annotated[
    bool, flag("--keep-secret", "Keep a password or code in it, too: encrypted, for `recollect get ID --reveal`.")
]
Value: TypeAlias = Annotated[str | None, option("TEXT", "The bare value, such as 40%.")]
ContextOption: TypeAlias = Annotated[str | None, option("NAME", "When or where it holds, such as after_sunset.")]
SessionOption: TypeAlias = Annotated[str | None, option("ID", "The session it comes from.")]
SourceOption: TypeAlias = Annotated[
    str | None,
    option("NAME", "Who says so: user_stated (when nothing is said), inferred, learned, agent, file, external, tool …"),
]
TrustTier: TypeAlias = Annotated[
    str | None,
    option(
        "TIER",
        f"Trust it less than its source is: {_TIERS} (3 to 0). Less never replaces more.",
        "--trust",
        autocompletion=one_of([tier.name.lower() for tier in Trust]),
    ),
]
Occurred: TypeAlias = Annotated[str | None, option("TIME", "When it happened.")]
ValidFrom: TypeAlias = Annotated[str | None, option("TIME", "Since when it is true.")]
ValidUntil: TypeAlias = Annotated[str | None, option("TIME", "Until when it is true.")]
Expires: TypeAlias = Annotated[
    str | None, option("TIME", "When to stop recalling it: a time, or a span such as 30d, 12h, 90m.")
]
Lat: TypeAlias = Annotated[float | None, option("DEGREES", "Latitude of its place.")]
Lng: TypeAlias = Annotated[float | None, option("DEGREES", "Longitude of its place.")]
AddressOption: TypeAlias = Annotated[str | None, option("TEXT", "Address of its place.")]
PlaceLabel: TypeAlias = Annotated[str | None, option("NAME", "What its place is called, such as home.", "--place")]
At: TypeAlias = Annotated[
    str | None, option("TIME", "When it was: a time, or how long ago, such as 2h; now unless you say.", "--at")
]
AtOwnPlace: TypeAlias = Annotated[
    str | None, option("NAME", "Its place is this one of yours, as `places` lists them.", "--at")
]
MetadataOption: TypeAlias = Annotated[str | None, option("JSON", "Anything else, as a JSON object.")]

MediaOption: TypeAlias = Annotated[
    list[str] | None,
    option("FILE|URL", "A picture, sound or film of it; may be repeated. A URL is never fetched.", "--media"),
]
Caption: TypeAlias = Annotated[
    list[str] | None, option("TEXT", "What the picture shows; once for each --media, in the same order.", "--caption")
]
TranscriptText: TypeAlias = Annotated[
    list[str] | None, option("TEXT", "What is said in it; once for each --media, in the same order.", "--transcript")
]

# What a search may return

Near: TypeAlias = Annotated[
    str | None,
    option("LAT,LNG|NAME", "Where you are: coordinates, or a town. What is near, or at a place like it, ranks higher."),
]
AtPlace: TypeAlias = Annotated[
    str | None,
    option("NAME", "Where you are: a place of yours, such as home, or a kind of place: supermarket.", "--at"),
]
Wait: TypeAlias = Annotated[
    bool | None,
    flag(
        "--wait/--no-wait",
        "Whether to wait until it has its vectors; the setting embedding.wait decides unless you say.",
    ),
]
Explain: TypeAlias = Annotated[bool, flag("--explain", "Show how each score came about, and how likely an answer is.")]
Nodes: TypeAlias = Annotated[
    str,
    option(
        "NAMES",
        "Ask other services too: all that are enabled for the user, or those named, with commas between them. "
        "They are sent the query and the limit.",
    ),
]
Everything: TypeAlias = Annotated[bool, flag("--all", "Show what comes closest, also when nothing is related.")]
Most: TypeAlias = Annotated[int, option("N", "At most this many.", "--limit", "-n")]

# Groups of options, as one parameter of a command


class MemoryOptions(NamedTuple):
    """What a memory is made of, but for its text and its place."""

    type: Type = None
    importance: Importance = None
    confidence: Confidence = None
    subject: Subject = None
    key: KeyOption = None
    value: Value = None
    context: ContextOption = None
    session: SessionOption = None
    source: SourceOption = None
    trust: TrustTier = None
    occurred: Occurred = None
    valid_from: ValidFrom = None
    valid_until: ValidUntil = None
    expires: Expires = None
    keep_secret: KeepSecret = False


class PlaceOptions(NamedTuple):
    """Where something is."""

    lat: Lat = None
    lng: Lng = None
    address: AddressOption = None
    place: PlaceLabel = None


class MediaOptions(NamedTuple):
    """Pictures and the like, and the words for them."""

    media: MediaOption = None
    caption: Caption = None
    transcript: TranscriptText = None


class NoteOptions(NamedTuple):
    """When a note holds, and how sure it is."""

    context: ContextOption = None
    confidence: Confidence = None
    source: SourceOption = None
    keep_secret: KeepSecret = False


class LocationOptions(NamedTuple):
    """Where the user is while asking."""

    near: Near = None
    at: AtPlace = None
