"""Where errors become messages and exit codes: 0 done, 1 failed, 2 bad usage, 3 not found, 130 interrupted.

The invariant: with `--json` whatever happens is one JSON document on standard output, errors included, and nothing
stands on standard error. What goes on until it is stopped, as `sync --watch` does, prints one a line.
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from recollect.cli.run import Shared, command_name
from recollect.errors import InvalidInput, NotFound, RecollectError, SettingsError

FAILED: Final = 1
BAD_USAGE: Final = 2
NOT_FOUND: Final = 3
INTERRUPTED: Final = 130

_BEFORE_THE_COMMAND = ("--database", "--user", "--config")
_NEGATIVE = re.compile(r"-[\d.]")


class Listing(TyperGroup):
    """Several commands under one name, listed under what they are about."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - as inherited
        """Read what stands before the command, and say where an option belongs that stands in the wrong place."""
        with _showing_the_place(ctx):
            return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as inherited
        """List the commands under what they are about; without colours typer would put all of them on one heap."""
        shown = [command for name in self.list_commands(ctx) if (command := self.get_command(ctx, name))]
        longest = max(len(command.name or "") for command in shown)
        room = formatter.width - longest - 6
        for panel in dict.fromkeys(command.rich_help_panel for command in shown):  # type: ignore[attr-defined]
            members = [command for command in shown if command.rich_help_panel == panel]  # type: ignore[attr-defined]
            rows = [((command.name or "").ljust(longest), command.get_short_help_str(room)) for command in members]
            with formatter.section(panel):
                formatter.write_dl(rows)


class Edge(Listing):
    """The application as a whole: everything that is typed passes here."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **more: Any) -> Any:  # noqa: ANN401 - as inherited
        """Run what was typed, and leave with its exit code."""
        typed = sys.argv[1:] if args is None else list(args)
        as_json = _wants_json(typed)
        if as_json:
            more["standalone_mode"] = False  # typer would tell a person about errors
        try:
            sys.exit(super().main(typed, *rest, obj=Shared(json=as_json), **more))
        except RecollectError as error:
            _leave(error, str(error), _exit_code(error), as_json=as_json)
        except OSError as error:
            _leave(error, str(error), FAILED, as_json=as_json)
        except typer.TyperException as error:
            _leave(error, error.format_message(), error.exit_code, as_json=as_json)


class Verb(TyperCommand):
    """A command. It knows the options that belong before it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - as inherited
        """Read the arguments, and say where an option belongs that stands in the wrong place."""
        with _showing_the_place(ctx):
            return super().parse_args(ctx, args)


class Pointing(Verb):
    """A command that takes coordinates. South of the equator they begin as options do."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - as inherited
        """Read the arguments; a minus before a figure begins no option."""
        return super().parse_args(ctx, [f" {one}" if _NEGATIVE.match(one) else one for one in args])


@contextmanager
def _showing_the_place(ctx: Any) -> Iterator[None]:  # noqa: ANN401 - typer keeps the class to itself
    try:
        yield
    except typer.TyperException as error:
        option = getattr(error, "option_name", None)
        if option not in _BEFORE_THE_COMMAND:
            raise
        command = command_name(ctx)
        raise InvalidInput(f"{option} belongs before the command: recollect {option} ... {command}") from error


def _wants_json(typed: Sequence[str]) -> bool:
    """Say whether a program is listening. What follows `--` is not an option."""
    return "--json" in (typed[: typed.index("--")] if "--" in typed else typed)


def _exit_code(error: RecollectError) -> int:
    match error:
        case NotFound():
            return NOT_FOUND
        case InvalidInput() | SettingsError():
            return BAD_USAGE
        case _:
            return FAILED


def _leave(error: Exception, message: str, exit_code: int, *, as_json: bool) -> NoReturn:
    if as_json:
        typer.echo(json.dumps({"error": {"type": type(error).__name__, "message": message}}, indent=2))
    else:
        typer.echo(f"Error: {message}", err=True)
    sys.exit(exit_code)
