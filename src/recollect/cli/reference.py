"""The commands and their options for the documentation, made from what the application says about itself."""

from collections.abc import Iterator, Sequence
from typing import Any

from typer.core import TyperGroup
from typer.main import get_command

from recollect.cli.app import app

_ANY_NUMBER = -1
_UNWRAPPED = "\b\n"  # the mark that keeps examples from being wrapped


def application() -> TyperGroup:
    """Give the application as it is run."""
    group = get_command(app)
    if not isinstance(group, TyperGroup):
        raise TypeError("the application has a single command")
    return group


def command_reference() -> str:
    """Give all commands as Markdown. It is the same on every machine."""
    group = application()
    before = _described("Before the command", "recollect [OPTIONS] COMMAND ...", group)
    described = (_described(f"recollect {name}", _usage(name, command), command) for name, command in commands(group))
    return "\n\n".join((before, *described))


def commands(group: TyperGroup, before: str = "") -> Iterator[tuple[str, Any]]:
    """Give every command that can be carried out with the words that name it, such as `recall` or `keys create`."""
    for name, command in group.commands.items():
        words = f"{before}{name}"
        if isinstance(command, TyperGroup):
            yield from commands(command, f"{words} ")
        else:
            yield words, command


def _described(title: str, usage: str, command: Any) -> str:  # noqa: ANN401 - typer keeps the class to itself
    parts = [f"### {title}", command.help, f"```sh\n{usage}\n```", _table(command.params)]
    if command.epilog:
        heading, _, lines = command.epilog.removeprefix(_UNWRAPPED).partition("\n")
        parts.append(f"{heading}\n\n```sh\n{_unindented(lines)}\n```")
    return "\n\n".join(parts)


def _usage(name: str, command: Any) -> str:  # noqa: ANN401 - typer keeps the class to itself
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    words = [_placeholder(argument) for argument in arguments]
    return " ".join(("recollect", name, *words, "[OPTIONS]"))


def _placeholder(argument: Any) -> str:  # noqa: ANN401 - typer keeps the class to itself
    several = "..." if argument.nargs == _ANY_NUMBER else ""
    return f"{argument.metavar}{several}" if argument.required else f"[{argument.metavar}{several}]"


def _table(parameters: Sequence[Any]) -> str:
    rows = [("Argument or option", "What it does"), ("---", "---"), *_rows(parameters)]
    return "\n".join(f"| {name} | {text} |" for name, text in rows)


def _rows(parameters: Sequence[Any]) -> Iterator[tuple[str, str]]:
    for parameter in parameters:
        default = "" if parameter.default in (None, False) else f" Default: {parameter.default}."
        yield f"`{_spelling(parameter)}`".replace("|", "\\|"), f"{_plain(parameter.help)}{default}"


def _plain(text: str) -> str:
    """Keep the stars of patterns from becoming Markdown."""
    return text.replace("*", "\\*")


def _spelling(parameter: Any) -> str:  # noqa: ANN401 - typer keeps the class to itself
    if parameter.param_type_name == "argument":
        return str(parameter.metavar)
    names = ", ".join((*sorted(parameter.opts, key=len), *parameter.secondary_opts))
    return f"{names} {parameter.metavar}" if parameter.metavar else names


def _unindented(lines: str) -> str:
    return "\n".join(line.removeprefix("  ") for line in lines.splitlines())
