"""The pages that show commands say what the commands say and do."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import OFFLINE, Cli, within_reach
from tests.cli.reference import DOCS, Page, application, commands
from tests.providers.server import ProviderServer

SCORE = re.compile(r"(\d+\.\d{4}|\d+(?= %))")


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_the_page_is_up_to_date(
    page: Path, tmp_path: Path, with_meaning: Callable[[Cli], Cli], provider: ProviderServer
) -> None:
    cli = with_meaning(Cli("--database", str(tmp_path / "memory.db")))
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
