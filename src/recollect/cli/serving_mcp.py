"""The command that serves the memory to an agent's host, as it is typed."""

from functools import partial
from importlib import import_module
from typing import Annotated

import typer

from recollect.cli import options
from recollect.cli.edge import Verb
from recollect.cli.options import example

commands = typer.Typer()
_command = partial(commands.command, cls=Verb, rich_help_panel="Servers")


@_command("mcp", epilog=example("recollect mcp", "recollect --user anna mcp --verbose"))
def mcp(
    ctx: typer.Context,
    *,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Log calls to standard error, without what they say.")
    ] = False,
    json: options.Json = False,  # noqa: ARG001 - what is said on standard output is JSON anyway
) -> None:
    """Serve the memory to an agent over MCP.

    Speaks the Model Context Protocol on standard input and output, for hosts that start it themselves: tools to store,
    recall, search and forget. With a key in RECOLLECT_KEY it may do what the key may, for the key's user. It ends when
    standard input does. Configurations for the usual hosts are in docs/mcp.md.
    """
    settings = import_module("recollect.settings")
    stdio = import_module("recollect.mcp.stdio")  # brings the protocol and the databases
    named = {"database": ctx.obj.database, "user": ctx.obj.user}
    given = {name: value for name, value in named.items() if value is not None}
    loaded = settings.load_settings(ctx.obj.config, overrides=given)
    stdio.serve(loaded, user=ctx.obj.user or "", verbose=verbose)
