"""The commands that look after the store itself, as they are typed."""
# ruff: noqa: ARG001 - parameters are declared for typer; `run` finds them in the context

from functools import partial
from typing import Annotated

import typer

from recollect.cli import options
from recollect.cli.edge import Verb
from recollect.cli.options import example
from recollect.cli.run import run

commands = typer.Typer()
_command = partial(commands.command, cls=Verb, rich_help_panel="The store")


@_command(epilog=example("recollect --user anna stats"))
def stats(ctx: typer.Context, *, json: options.Json = False) -> None:
    """Show figures about what the user has stored."""
    run(ctx)


@_command(epilog=example("recollect status"))
def status(ctx: typer.Context, *, json: options.Json = False) -> None:
    """Show what runs on what, and which settings differ.

    Versions, the store, the embedder, and every setting that is not the default, with where it comes from.
    """
    run(ctx)


@_command(epilog=example("recollect doctor"))
def doctor(ctx: typer.Context, *, json: options.Json = False) -> None:
    """Look for what is wrong, and say what to do about it.

    Checks the store for contradictions and tries the embedder. Exits with 1 when something is wrong.
    """
    run(ctx)


@_command(epilog=example("recollect maintain"))
def maintain(ctx: typer.Context, *, json: options.Json = False) -> None:
    """Let the store tidy up, and embed what is waiting.

    For all users: what has expired goes, conversations that have been silent for long are folded or put away, and what
    lacks a vector gets one. After an upgrade the index of words is brought up to date. Safe to interrupt.
    """
    run(ctx)


@_command(epilog=example("recollect demo", "recollect demo --keep"))
def demo(
    ctx: typer.Context,
    *,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the store of the tour, and say where it is.")] = False,
    json: options.Json = False,
) -> None:
    """Take a guided tour of a few seconds.

    It works on a store of its own, whatever --database says, and deletes it afterwards.
    """
    run(ctx)
