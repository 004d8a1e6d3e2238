"""The commands that look at what is kept, as they are typed."""
# ruff: noqa: ARG001 - parameters are declared for typer; `run` finds them in the context

from functools import partial
from typing import Annotated

import typer

from recollect.cli import options
from recollect.cli.edge import Verb
from recollect.cli.options import example
from recollect.cli.run import run

commands = typer.Typer()
_command = partial(commands.command, cls=Verb, rich_help_panel="Memories")


@_command(
    epilog=example(
        'recollect recall "which theme do I like?"',
        'recollect recall "what did we decide about the roof?" --type decision --since 90d',
        'recollect recall "where is the office light?" --as-of 2026-03-01 --explain',
        'recollect recall "how is the router set up?" --files',
        """recollect recall 'roof "wood fibre" -price'""",
        'recollect recall "what do I order here?" --near 49.1951,16.6068',
        'recollect recall "what should I buy?" --at supermarket',
        'recollect recall "where did we eat?" --near Brno --radius-km 10',
    ),
)
def recall(
    ctx: typer.Context,
    query: options.Query,
    *,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", help="At most this many; the settings say 5.")
    ] = None,
    type: options.Types = None,
    subject: options.OfSubject = None,
    key: options.OfKey = None,
    context: options.OfContext = None,
    session: options.OfSession = None,
    since: options.Since = None,
    until: options.Until = None,
    as_of: options.AsOf = None,
    near: options.Near = None,
    at: options.AtPlace = None,
    radius_km: options.RadiusKm = None,
    location_weight: options.LocationWeight = None,
    location_mode: options.LocationModeName = None,
    prefer: options.Preferred = None,
    diverse: options.Diverse = False,
    files: Annotated[bool, typer.Option("--files", help="Look into synced folders and documents, too.")] = False,
    min_score: Annotated[
        float | None,
        typer.Option(metavar="0..1", min=0, max=1, help="Leave out what scores lower; the settings say 0."),
    ] = None,
    explain: options.Explain = False,
    json: options.Json = False,
) -> None:
    """Find memories by meaning and by words, best first."""
    run(ctx)


@_command(
    epilog=example(
        'recollect search "the colour of the roof"',
        'recollect search "what did you suggest?" --source response --since "last night"',
        'recollect search "what happened last week?"',
        'recollect search "when does the plumber come?" --around 2',
        'recollect search "how is the router set up?" --source file',
        'recollect search "the colour of the roof" --nodes all',
    ),
)
def search(
    ctx: typer.Context,
    query: options.Query,
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="At most this many.")] = 10,
    source: options.Sources = None,
    session: options.OfSession = None,
    current: Annotated[
        str | None,
        typer.Option(metavar="ID", help="The conversation that is going on; what its last turn says is left out."),
    ] = None,
    since: options.Since = None,
    until: options.Until = None,
    near: options.Near = None,
    at: options.AtPlace = None,
    radius_km: options.RadiusKm = None,
    location_weight: options.LocationWeight = None,
    location_mode: options.LocationModeName = None,
    prefer: options.Preferred = None,
    diverse: options.Diverse = False,
    around: Annotated[
        int,
        typer.Option(metavar="N", min=0, max=50, help="Show this many turns before and after each message."),
    ] = 0,
    min_score: Annotated[
        float | None, typer.Option(metavar="0..1", min=0, max=1, help="Leave out what scores lower.")
    ] = None,
    nodes: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Ask other services too: all that are enabled for the user, or those named, with commas between them. "
            "They are sent the query and the limit.",
        ),
    ] = "none",
    explain: options.Explain = False,
    json: options.Json = False,
) -> None:
    """Search memories, all that was said, and files.

    Each hit names its source: a memory, a user's request, an assistant's response, its reasoning, a tool's result, a
    file with its lines, which `recollect read` shows.
    System prompts and summaries are searched when --source names them.
    """
    run(ctx)


@_command(epilog=example("recollect get 019a8c31-62e0-7f05-9c4b-3f1d2a7b8e90"))
def get(ctx: typer.Context, id: options.Id, *, json: options.Json = False) -> None:
    """Show one memory with all its fields; old versions, too."""
    run(ctx)


@_command(
    "list",
    epilog=example("recollect list", "recollect list --type fact --subject light.office", "recollect list --since 7d"),
)
def list_memories(
    ctx: typer.Context,
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="At most this many at once.")] = 50,
    cursor: Annotated[
        str | None, typer.Option(metavar="ID", help="Go on where the last page ended; it shows what to type.")
    ] = None,
    type: options.Types = None,
    subject: options.OfSubject = None,
    key: options.OfKey = None,
    context: options.OfContext = None,
    session: options.OfSession = None,
    since: options.Since = None,
    until: options.Until = None,
    as_of: options.AsOf = None,
    json: options.Json = False,
) -> None:
    """List what is held true, newest first."""
    run(ctx)


@_command(epilog=example("recollect history 019a8c31-62e0-7f05-9c4b-3f1d2a7b8e90"))
def history(ctx: typer.Context, id: options.Id, *, json: options.Json = False) -> None:
    """Show all versions of a memory, oldest first.

    Any of their ids will do.
    """
    run(ctx)


@_command(epilog=example("recollect count", "recollect count --type preference"))
def count(
    ctx: typer.Context,
    *,
    type: options.Types = None,
    subject: options.OfSubject = None,
    key: options.OfKey = None,
    context: options.OfContext = None,
    session: options.OfSession = None,
    since: options.Since = None,
    until: options.Until = None,
    as_of: options.AsOf = None,
    json: options.Json = False,
) -> None:
    """Count what is held true."""
    run(ctx)
