"""The commands for conversations, as they are typed."""
# ruff: noqa: ARG001 - parameters are declared for typer; `run` finds them in the context

from functools import partial
from typing import Annotated

import typer

from recollect.cli import options
from recollect.cli.edge import Verb
from recollect.cli.options import example
from recollect.cli.run import run
from recollect.model.literals import ROLES

commands = typer.Typer()
_command = partial(commands.command, cls=Verb, rich_help_panel="Conversations")

_ROLES = ", ".join(ROLES)


def _roles() -> list[str]:
    return list(ROLES)


def _ratings() -> list[str]:
    return ["up", "down", "none"]


@_command(
    epilog=example(
        'recollect say c1 user "Can the roof be insulated in winter?"',
        'recollect say c1 user "From the inside, I would think" --speaker Jana',
        'recollect say c1 assistant "Yes, from the inside." --model gpt-5',
        'recollect say c1 user "I parked on level 3" --lat 50.1 --lng 14.26 --place airport',
        "date | recollect say c1 tool - --tool-call-id call_7",
    ),
)
def say(
    ctx: typer.Context,
    conversation: options.Conversation,
    role: Annotated[str, typer.Argument(metavar="ROLE", autocompletion=_roles, help=f"Who says it: {_ROLES}.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is said; - reads it from standard input.")],
    *,
    id: Annotated[
        str | None, typer.Option(metavar="ID", help="Your own id for the message; said twice, it is kept once.")
    ] = None,
    speaker: options.Speaker = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="The model that says it.")] = None,
    tool_call_id: Annotated[
        str | None, typer.Option(metavar="ID", help="The call that a tool's result answers.")
    ] = None,
    at: options.At = None,
    lat: options.Lat = None,
    lng: options.Lng = None,
    address: options.Address = None,
    place: options.PlaceLabel = None,
    from_place: Annotated[
        str | None,
        typer.Option("--from", metavar="NAME", help="It is said from this place of yours, as `places` lists them."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Add a message to a conversation.

    The first message begins the conversation. One that has outgrown its window is compacted by itself.
    """
    run(ctx)


@_command(
    epilog=example(
        "recollect conversation",
        "recollect conversation c1 --all",
        "recollect conversation c1 --window 8000",
        "recollect conversation c1 --private",
    ),
)
def conversation(
    ctx: typer.Context,
    id: Annotated[
        str | None, typer.Argument(metavar="ID", help="The conversation; without it, all of them are listed.")
    ] = None,
    *,
    limit: Annotated[
        int,
        typer.Option("--limit", "-n", metavar="N", help="At most this many: the newest messages, or conversations."),
    ] = 50,
    all: Annotated[bool, typer.Option("--all", help="Every message, and none of them shortened.")] = False,
    window: Annotated[
        int | None,
        typer.Option(metavar="TOKENS", help="Show what a model with room for so many tokens would be shown."),
    ] = None,
    private: Annotated[
        bool | None,
        typer.Option("--private/--not-private", help="From now on keep nothing that is said there, or keep it again."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Show what was said in a conversation, or list them all.

    What was folded into the summary is marked, and stays. What a private conversation held before it became one stays,
    too: `forget --session` deletes it.
    """
    run(ctx)


@_command(epilog=example("recollect compact c1", "recollect compact c1 --keep 4"))
def compact(
    ctx: typer.Context,
    conversation: options.Conversation,
    *,
    keep: Annotated[
        int | None, typer.Option(metavar="N", help="Newest messages to leave as they are; the settings say 16.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Fold all but the newest messages into a summary.

    Nothing is deleted: what was folded is still shown and found. Exits with 1 when no summary could be made.
    """
    run(ctx)


@_command(epilog=example("recollect rate 019a8c31-62e0-7f05-9c4b-3f1d2a7b8e90 up"))
def rate(
    ctx: typer.Context,
    id: Annotated[
        str, typer.Argument(metavar="ID", help="The id of a message, as `conversation` and `search` show it.")
    ],
    rating: Annotated[
        str,
        typer.Argument(metavar="RATING", autocompletion=_ratings, help="up, down, or none to take it back."),
    ],
    *,
    json: options.Json = False,
) -> None:
    """Note what the user thought of a message."""
    run(ctx)
