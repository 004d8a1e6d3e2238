"""The command reference, and the pages that show commands written anew: `python -m tests.cli.reference`.

The answers in their `console` blocks come from running the commands, and the reference from the application itself. A
page may show files: they lie in the folder in which its commands run.
"""

import re
import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any

from typer.core import TyperGroup
from typer.main import get_command

from recollect import Memory
from recollect.cli import app
from recollect.cli.permissions import CommandPermissions
from tests.cli.conftest import OFFLINE, Cli, within_reach
from tests.providers.server import ProviderServer

_NAMES = ("cli.md", "capture.md", "files.md", "recall.md", "embedding.md", "places.md")
DOCS = [Path(__file__).parents[2] / "docs" / name for name in _NAMES]
CONSOLE = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
TYPED = re.compile(r"^\$ (?:.*\\\n)*.*\n", re.MULTILINE)
REFERENCE = re.compile(r"(?<=<!-- reference begins -->\n).*?(?=<!-- reference ends -->)", re.DOTALL)
SHOWN_FILE = re.compile(r"^`([\w./-]+)`:\n\n```\w+\n(.*?)```", re.DOTALL | re.MULTILINE)
HOME = "/home/anna"
ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ANY_NUMBER = -1
_UNWRAPPED = "\b\n"  # the mark that keeps examples from being wrapped


def lay_out(text: str, folder: Path) -> None:
    """Write the files that a page shows."""
    for name, content in SHOWN_FILE.findall(text):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")


class Page:
    """Runs the commands of the page, with ids and a folder that stay the same from run to run."""

    def __init__(self, cli: Cli) -> None:
        self._cli = cli
        self._folder = ""
        self._printed: dict[str, str] = {}

    def renewed(self, text: str) -> str:
        """Give the page as it should be."""
        with tempfile.TemporaryDirectory(prefix="r") as folder, chdir(folder):  # a short name: it stands in the answers
            self._folder = str(Path(folder).resolve())
            lay_out(text, Path(folder))
            text = CONSOLE.sub(lambda block: self._rerun(block[0]), text)
        return REFERENCE.sub(lambda _: f"\n{command_reference()}\n\n", text)

    def _rerun(self, block: str) -> str:
        return "".join(f"{typed}{self._answer(typed)}" for typed in TYPED.findall(block))

    def _answer(self, typed: str) -> str:
        real = {printed: known for known, printed in self._printed.items()}
        _, _, *words = shlex.split(ID.sub(lambda found: real.get(found[0], found[0]), typed.replace("\\\n", "")))
        outcome = self._cli(*words)
        shown = (outcome.stdout + outcome.stderr).replace(self._folder, HOME)
        return ID.sub(lambda found: self._lasting(found[0]), shown)

    def _lasting(self, found: str) -> str:
        if found.startswith("00000000"):
            return found
        return self._printed.setdefault(found, f"01a0b7c4-5d31-7a02-8f6e-2b9c4d1e0a{len(self._printed):02x}")


@cache
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


def permissions() -> Mapping[str, CommandPermissions]:
    """Give what each command declares that it needs."""
    return {name: command.callback.permissions for name, command in commands(application())}


def _described(title: str, usage: str, command: Any) -> str:
    parts = [f"### {title}", command.help, f"```sh\n{usage}\n```", _table(command.params)]
    if command.epilog:
        heading, _, lines = command.epilog.removeprefix(_UNWRAPPED).partition("\n")
        parts.append(f"{heading}\n\n```sh\n{_unindented(lines)}\n```")
    return "\n\n".join(parts)


def _usage(name: str, command: Any) -> str:
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    words = [_placeholder(argument) for argument in arguments]
    return " ".join(("recollect", name, *words, "[OPTIONS]"))


def _placeholder(argument: Any) -> str:
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


def _spelling(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar)
    names = ", ".join((*sorted(parameter.opts, key=len), *parameter.secondary_opts))
    return f"{names} {parameter.metavar}" if parameter.metavar else names


def _unindented(lines: str) -> str:
    return "\n".join(line.removeprefix("  ") for line in lines.splitlines())


def _renew(page: Path, cache: str) -> None:
    with tempfile.TemporaryDirectory() as folder, ProviderServer() as provider:
        database = f"{folder}/memory.db"
        Memory.open(database).close()
        shell = Cli("--database", database)
        shell.environment.pop("RECOLLECT_EMBEDDING_PROVIDER")
        shell.environment |= {**within_reach(provider), **OFFLINE, "XDG_CACHE_HOME": cache}
        page.write_text(Page(shell).renewed(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as shared:  # the table of places is made once
        for name in DOCS:
            _renew(name, shared)
