"""The application: global options, and the commands in the order in which help lists them."""

import json as json_format
from typing import Annotated

import typer

from recollect import plugins
from recollect._version import __version__
from recollect.cli import (
    conversations,
    demo,
    embedding,
    facts,
    files,
    hooks,
    keys,
    memories,
    places,
    reembed,
    scopes,
    search,
    serve,
)
from recollect.cli.errors import Application
from recollect.cli.maintenance import backup, erasure, insights, store, transfer
from recollect.cli.options import GlobalOptions, JsonOption, example, option

app = typer.Typer(
    name="recollect",
    cls=Application,
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
        option(
            "PATH|URL", "Where the memories are: an SQLite file or a postgresql:// URL. Without it the settings decide."
        ),
    ] = None,
    user: Annotated[str | None, option("NAME", "Whose memories; `default` unless the settings name another.")] = None,
    scope: Annotated[
        str | None, option("NAME", "A shared scope to work in, of which the user is a member, instead of their own.")
    ] = None,
    zone: Annotated[
        str | None, option("NAME", "The time zone that decides what `yesterday` means, such as Europe/Prague.")
    ] = None,
    config: Annotated[str | None, option("FILE", "Configuration file to read instead of your recollect.toml.")] = None,
    json: JsonOption = False,
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """Long-term memory for AI agents: store, recall and forget from the command line."""
    ctx.obj = GlobalOptions(database, user, config, json, scope, zone)


# In the order in which help lists them.
for group in (
    memories, search, *plugins.installed("commands", "sync"), *plugins.installed("commands", "add"), files,
    *plugins.installed("commands", "openclaw"), facts, places, conversations, hooks,
    *plugins.installed("commands", "hosts"), embedding, reembed, store,
    insights, erasure, backup, transfer, demo,
    keys, scopes, serve, *plugins.installed("commands", "e5"), *plugins.installed("commands", "slack"),
):  # fmt: skip
    app.add_typer(group.commands.typer)
