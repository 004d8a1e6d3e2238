"""The commands that say who may do what, and show who did what, as they are typed."""
# ruff: noqa: ARG001 - parameters are declared for typer; `run` finds them in the context

from functools import partial
from typing import Annotated

import typer

from recollect.cli import options
from recollect.cli.edge import Listing, Verb
from recollect.cli.options import example
from recollect.cli.run import run
from recollect.model.literals import PERMISSIONS

_PANEL = "Access"
_SCOPES = ", ".join(PERMISSIONS)

commands = typer.Typer()
_keys = typer.Typer(cls=Listing, no_args_is_help=True)
_log = typer.Typer()
commands.add_typer(_keys, name="keys", rich_help_panel=_PANEL)
commands.add_typer(_log)
_command = partial(_keys.command, cls=Verb, rich_help_panel="Commands")


def _scopes() -> list[str]:
    return list(PERMISSIONS)


@_keys.callback(epilog=example("recollect keys create --user anna", "recollect keys list"))
def keys(ctx: typer.Context, *, json: options.Json = False) -> None:
    """Make, list and revoke keys.

    A key lets a program or a person do what its scopes say, for the user it belongs to: over HTTP, over MCP, and here,
    if RECOLLECT_KEY holds it. Whoever can open the store needs none.
    """
    ctx.obj = ctx.obj._replace(json=ctx.obj.json or json)


@_command(
    epilog=example(
        "recollect keys create --user anna --name laptop",
        "recollect keys create --user anna --scopes read --expires 90d",
        "recollect keys create --name operations --scope admin",
    ),
)
def create(
    ctx: typer.Context,
    *,
    owner: Annotated[
        str | None,
        typer.Option(
            "--user",
            metavar="NAME",
            help="Whose key it is; the user of the settings unless you say. An admin's is nobody's.",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What the key is for, so that you know it again.")
    ] = None,
    scope: Annotated[
        list[str] | None,
        typer.Option(
            "--scope",
            "--scopes",
            metavar="SCOPE",
            autocompletion=_scopes,
            help=f"What it may do; may be repeated, or several with commas. Of {_SCOPES}; all but admin unless you "
            "say.",
        ),
    ] = None,
    expires: Annotated[
        str | None, typer.Option(metavar="TIME", help="When it ends: a time, or a span such as 90d; never unless said.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Make a key, and show it this once.

    The store keeps only a hash of it. A key belongs to one user; one with the scope admin belongs to nobody and may do
    everything, for everybody.
    """
    run(ctx)


@_command("list", epilog=example("recollect keys list"))
def list_keys(ctx: typer.Context, *, json: options.Json = False) -> None:
    """List all keys, revoked and expired ones too.

    Whose they are, what they may do, when they were used last and when they end. What makes them open anything is not
    there to be shown.
    """
    run(ctx)


@_command(epilog=example("recollect keys revoke 3f2a9c01b7d4e865", "recollect keys revoke 3f2a"))
def revoke(
    ctx: typer.Context,
    id: Annotated[
        str, typer.Argument(metavar="ID", help="The id of the key, as `keys list` shows it, or how it begins.")
    ],
    *,
    json: options.Json = False,
) -> None:
    """Let a key open nothing any more.

    From this moment on, whatever is asked with it is refused, by services that are running as well. It stays in the
    list, and in the log of what was done with it.
    """
    run(ctx)


@_log.command(
    cls=Verb,
    rich_help_panel=_PANEL,
    epilog=example("recollect audit", "recollect audit --for anna --last 100", "recollect audit --verify"),
)
def audit(
    ctx: typer.Context,
    *,
    owner: Annotated[
        str | None, typer.Option("--for", metavar="NAME", help="Whose memories it was done to, instead of --user.")
    ] = None,
    keys: Annotated[bool, typer.Option("--keys", help="Show what was done with keys instead.")] = False,
    last: Annotated[
        int, typer.Option(metavar="N", min=0, help="How many of the newest lines; 0 shows all of them.")
    ] = 20,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check that nobody's log was changed after it was written.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Show who did what, and when.

    A line for each change that came through a door: with which key, to which items, never what they say. Each line
    holds a hash of the one before it. With --verify all logs are checked; exits with 1 when one is not as it was
    written.
    """
    run(ctx)
