"""The application: what may stand before the command, and the commands in the order in which help lists them."""

import json as json_format
from typing import Annotated

import typer

from recollect._version import __version__
from recollect.cli import (
    embedding,
    filing,
    finding,
    granting,
    hosting,
    knowing,
    placing,
    serving,
    serving_mcp,
    serving_service,
    talking,
    tending,
    writing,
)
from recollect.cli.edge import Edge
from recollect.cli.options import Json, example
from recollect.cli.run import Shared

app = typer.Typer(
    name="recollect",
    cls=Edge,
    no_args_is_help=True,
    rich_markup_mode=None,  # with colours, help would take twice as long to appear
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=example(
        'recollect store "Prefers dark mode in all applications" --type preference',
        'recollect recall "which theme do I like?"',
        "recollect demo",
    ),
)


def _show_version(ctx: typer.Context, *, wanted: bool) -> None:
    if wanted:
        typer.echo(json_format.dumps({"version": __version__}) if ctx.obj.json else f"recollect {__version__}")
        raise typer.Exit


@app.callback()
def recollect(
    ctx: typer.Context,
    *,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="PATH|URL",
            help="Where the memories are: an SQLite file or a postgresql:// URL. Without it the settings decide.",
        ),
    ] = None,
    user: Annotated[
        str | None, typer.Option(metavar="NAME", help="Whose memories; `default` unless the settings name somebody.")
    ] = None,
    config: Annotated[
        str | None, typer.Option(metavar="FILE", help="Configuration file to read instead of your recollect.toml.")
    ] = None,
    json: Json = False,
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """Long-term memory for AI agents: store, recall and forget from the command line."""
    ctx.obj = Shared(database, user, config, json)


for part in (writing, finding, filing, knowing, placing, talking, hosting, embedding, tending, granting):
    app.add_typer(part.commands)
for part in (serving_service, serving_mcp, serving):
    app.add_typer(part.commands)
