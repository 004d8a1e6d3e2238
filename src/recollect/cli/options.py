"""Options that several commands share, each declared once; named tuples are groups of them.

Times, trust tiers and metadata stay texts here: `values` parses them when the command runs, so that errors in them read
alike everywhere.
"""

from collections.abc import Callable, Collection
from typing import Annotated, Any, NamedTuple, TypeAlias

import typer

from recollect.model.literals import Trust

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
    zone: str | None = None


JsonOption: TypeAlias = Annotated[bool, flag("--json", "Print one JSON document and nothing else.")]
Yes: TypeAlias = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
IdArgument: TypeAlias = Annotated[str, argument("ID", "The id of a memory, as `list` and `recall` show it.")]
ConversationArgument: TypeAlias = Annotated[str, argument("CONVERSATION", "The conversation, by any name you give it.")]
HostSession: TypeAlias = Annotated[str | None, option("ID", "The conversation that the turn belongs to.", "--session")]

Before: TypeAlias = Annotated[str | None, option("TEXT", "What another said right before it, such as a question.")]
Speaker: TypeAlias = Annotated[str | None, option("NAME", "Who says it, by name, where several people talk.")]

# What a memory is made of

TrustTier: TypeAlias = Annotated[
    str | None,
    option(
        "TIER",
        f"Trust it less than its source is: {_TIERS} (3 to 0). Less never replaces more.",
        "--trust",
        autocompletion=one_of([tier.name.lower() for tier in Trust]),
    ),
]
At: TypeAlias = Annotated[
    str | None, option("TIME", "When it was: a time, or how long ago, such as 2h; now unless you say.", "--at")
]
AtOwnPlace: TypeAlias = Annotated[
    str | None, option("NAME", "Its place is this one of yours, as `places` lists them.", "--at")
]
# What a search may return

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


class PlaceOptions(NamedTuple):
    """Where something is."""

    lat: Annotated[float | None, option("DEGREES", "Latitude of its place.")] = None
    lng: Annotated[float | None, option("DEGREES", "Longitude of its place.")] = None
    address: Annotated[str | None, option("TEXT", "Address of its place.")] = None
    place_label: Annotated[str | None, option("NAME", "What its place is called, such as home.", "--place")] = None


class MediaOptions(NamedTuple):
    """Pictures and the like, and the words for them."""

    media: Annotated[
        list[str] | None,
        option("FILE|URL", "A picture, sound or film of it; may be repeated. A URL is never fetched.", "--media"),
    ] = None
    caption: Annotated[
        list[str] | None, option("TEXT", "What the picture shows; once for each --media, in the same order.")
    ] = None
    transcript: Annotated[
        list[str] | None, option("TEXT", "What is said in it; once for each --media, in the same order.")
    ] = None


class LocationOptions(NamedTuple):
    """Where the user is while asking."""

    near: Annotated[
        str | None,
        option(
            "LAT,LNG|NAME", "Where you are: coordinates, or a town. What is near, or at a place like it, ranks higher."
        ),
    ] = None
    at: Annotated[
        str | None, option("NAME", "Where you are: a place of yours, such as home, or a kind of place: supermarket.")
    ] = None
