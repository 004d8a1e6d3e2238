"""Where a command goes to work. What is slow to import is imported here and not before.

Databases, NumPy and rich take longer to import than typer itself, and whoever asks for help needs none of them. So the
modules that declare the commands import neither those nor anything that imports them, and hand over to this function.
"""

from importlib import import_module
from typing import NamedTuple

import typer


class Shared(NamedTuple):
    """What was typed before the command."""

    database: str | None = None
    user: str | None = None
    config: str | None = None
    json: bool = False


def command_name(ctx: typer.Context) -> str:
    """Give the words of the command that was typed, such as `recall` or `keys create`."""
    words: list[str] = []
    above = ctx.parent
    while above and above.parent:  # the outermost is the application
        words.insert(0, above.command.name or "")
        above = above.parent
    return " ".join((*words, ctx.command.name or ""))


def run(ctx: typer.Context) -> None:
    """Carry out the command that was typed, with the options that were given."""
    desk = import_module("recollect.cli.desk")
    for_a_program = ctx.obj.json or ctx.params["json"]
    people = None if for_a_program else import_module("recollect.cli.show")  # brings rich
    raise typer.Exit(desk.serve(command_name(ctx), ctx.obj, ctx.params, people))
