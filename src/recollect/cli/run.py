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


def run(ctx: typer.Context) -> None:
    """Carry out the command that was typed, with the options that were given."""
    desk = import_module("recollect.cli.desk")
    for_a_program = ctx.obj.json or ctx.params["json"]
    people = None if for_a_program else import_module("recollect.cli.show")  # brings rich
    raise typer.Exit(desk.serve(ctx.command.name, ctx.obj, ctx.params, people))
