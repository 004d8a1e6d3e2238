"""The commands for places, as they are typed."""
# ruff: noqa: ARG001 - parameters are declared for typer; `run` finds them in the context

from functools import partial
from typing import Annotated

import typer

from recollect.cli import options
from recollect.cli.edge import Pointing
from recollect.cli.options import example
from recollect.cli.run import run

commands = typer.Typer()
_command = partial(commands.command, cls=Pointing, rich_help_panel="Places")


@_command(epilog=example("recollect places", "recollect places --limit 10"))
def places(ctx: typer.Context, *, limit: options.Most = 50, json: options.Json = False) -> None:
    """List the places at which your memories are.

    What lies close together is one place: with what you call it, how much is there, on how many days something was, and
    when last. Places that you have named come last if nothing is there.
    """
    run(ctx)


@_command(
    epilog=example(
        "recollect place home 49.1951,16.6068",
        "recollect place office --near Olomouc --address 'Horní náměstí 1'",
        "recollect place home",
        "recollect place office --forget",
    ),
)
def place(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What you call the place, such as home.")],
    spot: Annotated[
        str | None,
        typer.Argument(metavar="LAT,LNG", help="Where it is. Without it, you are told where it is by now."),
    ] = None,
    *,
    near: Annotated[
        str | None, typer.Option(metavar="NAME", help="It is in this town, if you do not know its coordinates.")
    ] = None,
    address: Annotated[str | None, typer.Option(metavar="TEXT", help="Its address.")] = None,
    forget: Annotated[
        bool | None, typer.Option("--forget", help="Forget what the place is called; memories that are there stay.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Give a place a name of your own, or show it.

    `recall --at NAME` and `store --at NAME` know it then, whatever its letter case. Naming it again moves it.
    """
    run(ctx)


@_command(
    epilog=example(
        "recollect where Brno",
        'recollect where "Paris, Texas"',
        "recollect where 49.1951,16.6068",
        "recollect where -33.86,151.21",
    ),
)
def where(
    ctx: typer.Context,
    place: Annotated[
        str, typer.Argument(metavar="NAME|LAT,LNG", help="The name of a place in the world, or coordinates.")
    ],
    *,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="At most this many places of the name.")] = 5,
    json: options.Json = False,
) -> None:
    """Say where a name is, or what is at coordinates.

    Coordinates get the nearest place that has a name, its region, country and time zone; a name gets the places that
    are called so, the likeliest first. The setting places.geocoder says who is asked; without a server of your own it
    is a table on this machine.
    """
    run(ctx)
