"""Errors as messages and exit codes: 0 done, 1 failed, 2 bad usage, 3 not found, 130 interrupted.

The invariant: with `--json` every outcome is one JSON document on standard output, errors included, and standard error
stays empty. A command that runs until it is stopped, such as `sync --watch`, prints one document a line.
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NoReturn

import typer
from typer._coercion import RuntimeParam, build_runtime_param
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command_from_info
from typer.models import CommandInfo

from recollect import plugins
from recollect.cli.options import GlobalOptions
from recollect.errors import InvalidInput, NotFound, RecollectError, SettingsError

FAILED: Final = 1
BAD_USAGE: Final = 2
NOT_FOUND: Final = 3
INTERRUPTED: Final = 130

_BEFORE_THE_COMMAND = ("--database", "--user", "--config")
_OTHER_NAMES = {
    "remember": "store",
    "save": "store",
    "delete": "forget",
    "remove": "forget",
    "find": "search",
    "show": "get",
}
# Commands that come with a package, to name it where it is not installed.
_COMMANDS_OF = {
    "recollect-connect": ("e5-server", "hook", "hosts", "import-openclaw", "install", "slack", "uninstall"),
    "recollect-files": ("add", "sync"),
}
_NEGATIVE = re.compile(r"-[\d.]")


class Declined(RecollectError):
    """The user at the terminal answered no."""


def command_name(ctx: typer.Context) -> str:
    """Give the words of the command that was typed, such as `recall` or `keys create`."""
    words: list[str] = []
    above = ctx.parent
    while above and above.parent:  # the outermost is the application
        words.insert(0, above.command.name or "")
        above = above.parent
    return " ".join((*words, ctx.command.name or ""))


class PanelGroup(TyperGroup):
    """Commands under one name, listed by help panel."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - as inherited
        """Read the global options, and say where a misplaced one belongs."""
        _skip_adapters(self.get_params(ctx))
        with _explain_misplaced_options(ctx):
            return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as inherited
        """List the commands by panel; without colours typer would not group them."""
        shown = [command for name in self.list_commands(ctx) if (command := self.get_command(ctx, name))]
        longest = max(len(command.name or "") for command in shown)
        room = formatter.width - longest - 6
        for panel in dict.fromkeys(command.rich_help_panel for command in shown):  # type: ignore[attr-defined]
            members = [command for command in shown if command.rich_help_panel == panel]  # type: ignore[attr-defined]
            rows = [((command.name or "").ljust(longest), command.get_short_help_str(room)) for command in members]
            with formatter.section(panel):
                formatter.write_dl(rows)


class Application(PanelGroup):
    """The application as a whole: the boundary at which errors become exit codes."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - as inherited
        """Find the command that was typed; for a name that it has elsewhere, say the one it has here."""
        try:
            return super().resolve_command(ctx, args)
        except typer.TyperException as error:
            for package, added in _COMMANDS_OF.items():
                if args and args[0] in added:
                    raise plugins.missing(f"recollect {args[0]}", package) from None
            if args and args[0] in _OTHER_NAMES:
                error.message = f"No such command '{args[0]}'. Did you mean '{_OTHER_NAMES[args[0]]}'?"
            raise

    def main(self, args: Sequence[str] | None = None, *rest: Any, **more: Any) -> Any:  # noqa: ANN401 - as inherited
        """Run what was typed, and leave with its exit code."""
        typed = sys.argv[1:] if args is None else list(args)
        as_json = "--json" in (typed[: typed.index("--")] if "--" in typed else typed)  # behind `--` are no options
        if as_json:
            more["standalone_mode"] = False  # typer would print errors for people
        try:
            sys.exit(super().main(typed, *rest, obj=GlobalOptions(json=as_json), **more))
        except (RecollectError, OSError) as error:
            is_usage = isinstance(error, InvalidInput | SettingsError)
            exit_code = NOT_FOUND if isinstance(error, NotFound) else BAD_USAGE if is_usage else FAILED
            _leave(error, str(error), exit_code, as_json=as_json)
        except typer.TyperException as error:
            _leave(error, error.format_message(), error.exit_code, as_json=as_json)


class Command(TyperCommand):
    """A command that knows the global options, which belong before it.

    Its own options are read when it is run or its help is asked, so that no start waits for those of all commands.
    """

    _read: list[Any] | None = None

    @property
    def params(self) -> list[Any]:
        """The arguments and options."""
        if self._read is None:
            run: Any = self.callback.__wrapped__  # type: ignore[union-attr]
            run.__signature__ = run.whole_signature()
            whole = get_command_from_info(
                CommandInfo(callback=run), pretty_exceptions_short=False, rich_markup_mode=None
            )
            self._read, self.callback = whole.params, whole.callback
        return self._read

    @params.setter
    def params(self, _: object) -> None:
        """Leave the options for later."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - as inherited
        """Read the arguments, and say where a misplaced option belongs."""
        _skip_adapters(self.get_params(ctx))
        with _explain_misplaced_options(ctx):
            return super().parse_args(ctx, args)


class _PlainCoercion(RuntimeParam):
    """Coercion that takes texts and defaults as they are; what needs more is left to typer."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:  # noqa: ANN401 - as inherited
        """Give plain values without an adapter."""
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        texts = value if several and isinstance(value, (list, tuple)) else (value,)
        if self.annotation in (str, list[str]) and all(isinstance(text, str) and _is_unicode(text) for text in texts):
            return list(value) if several else value
        if type(value) is self.annotation and value == param.default:
            return value
        return build_runtime_param(param.type_descriptor).coerce(value, param=param, ctx=ctx)

    def _coerce_value(self, value: Any, param: Any, ctx: Any) -> Any:  # noqa: ANN401 - as inherited
        raise NotImplementedError


def _is_unicode(text: str) -> bool:
    """Say whether an argument was valid in the encoding of the terminal; other bytes arrive as surrogates."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def _skip_adapters(params: Sequence[Any]) -> None:
    """Keep typer from importing pydantic, which it does to validate every option, given or not."""
    for param in params:
        descriptor = param.type_descriptor
        plain = _PlainCoercion(parameter_info=descriptor.parameter_info, annotation=descriptor.annotation)
        param._runtime_param = param._runtime_param or plain  # noqa: SLF001 - where typer keeps its own


class CoordinatesCommand(Command):
    """A command that takes coordinates. South of the equator they begin as options do."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - as inherited
        """Read the arguments; a minus before a digit begins no option."""
        return super().parse_args(ctx, [f" {word}" if _NEGATIVE.match(word) else word for word in args])


@contextmanager
def _explain_misplaced_options(ctx: Any) -> Iterator[None]:  # noqa: ANN401 - typer keeps the class to itself
    try:
        yield
    except typer.TyperException as error:
        option = getattr(error, "option_name", None)
        if option not in _BEFORE_THE_COMMAND:
            raise
        command = command_name(ctx)
        raise InvalidInput(f"{option} belongs before the command: recollect {option} ... {command}") from error


def _leave(error: Exception, message: str, exit_code: int, *, as_json: bool) -> NoReturn:
    if as_json:
        typer.echo(json.dumps({"error": {"type": type(error).__name__, "message": message}}, indent=2))
    else:
        typer.echo(f"Error: {message}", err=True)
    sys.exit(exit_code)
