"""The pages that show commands say what the commands say and do."""

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperGroup

from tests.cli.conftest import OFFLINE, Cli, within_reach
from tests.cli.reference import DOCS, Page, application, commands
from tests.providers.server import ProviderServer
from tests.rows import every

SCORE = re.compile(r"(\d+\.\d{4}|\d+(?= %)|(?<=answerable )\d\.\d\d)")


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
@pytest.mark.usefixtures("steady_clock")
def test_the_page_is_up_to_date(
    page: Path, tmp_path: Path, empty_file: Path, with_meaning: Callable[[Cli], Cli], provider: ProviderServer
) -> None:
    cli = with_meaning(Cli("--database", str(shutil.copy(empty_file, tmp_path / "memory.db"))))
    cli.environment |= {**within_reach(provider), **OFFLINE}
    written = page.read_text(encoding="utf-8")
    expected = Page(cli).renewed(written)
    advice = "run `python -m tests.cli.reference` to renew the page"
    assert SCORE.sub("…", written) == SCORE.sub("…", expected), advice
    # Processors round differently, the reader by some points of a hundred; a better ranking need not wait for the page.
    assert _scores(written) == pytest.approx(_scores(expected), rel=0.02, abs=8), advice


def _scores(text: str) -> list[float]:
    return [float(found) for found in SCORE.findall(text)]


def test_every_command_and_option_has_a_help_text_and_every_command_an_example() -> None:
    group = application()
    every = {**dict(commands(group)), **group.commands}
    for name, command in every.items():
        assert command.help, name
        assert re.search(rf"Examples?:\n  recollect (--user \w+ )?{name}", command.epilog or ""), name
        assert "--json" in [option for parameter in command.params for option in parameter.opts], name
    for command in (group, *every.values()):
        for parameter in command.params:
            assert getattr(parameter, "help", None), f"{command.name} {parameter.name}"


_SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
_TYPED = re.compile(r"(?:^|[|;(] *|&& )recollect ((?:\\\n|[^\n])*)", re.MULTILINE)
_ROOT = Path(__file__).parents[2]
_PAGES = (_ROOT / "README.md", *sorted(_ROOT.glob("docs/*.md")), *sorted(_ROOT.glob("examples/*.md")))


@every("page", [page for page in _PAGES if page.name != "cli.md"])
def test_every_command_of_a_page_is_one_that_can_be_typed(page: Path) -> None:
    """What a page shows for a shell has the commands, arguments and options that there are."""
    for block in _SHELL.findall(page.read_text(encoding="utf-8")):
        for typed in _TYPED.findall(block):
            words = shlex.split(typed.replace("\\\n", " ").partition(" | ")[0].rstrip(")&; "), comments=True)
            group: Any = application()
            context = group.make_context("recollect", words)
            while isinstance(group, TyperGroup):
                name, group, rest = group.resolve_command(context, [*context._protected_args, *context.args])
                assert group is not None, typed
                context = group.make_context(name, rest, parent=context)
            context.close()
