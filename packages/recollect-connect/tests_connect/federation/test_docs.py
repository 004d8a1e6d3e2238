"""The page about federation is true: its settings load, and its example prints what it says."""

import os
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from tests.sources import ROOT
from tests.test_docs import examples

from recollect import load_settings
from recollect.text.clean import MAX_CHARACTERS
from recollect_connect.federation import parse_nodes
from recollect_connect.federation.nodes import MOST_BYTES
from tests_connect.federation.conftest import MakeNode
from tests_connect.federation.server import closed_port

PAGE = ROOT / "docs" / "federation.md"


def test_the_settings_load(tmp_path: Path) -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    config = tmp_path / "recollect.toml"
    config.write_text(block, encoding="utf-8")
    federation = load_settings(config, environ={"OFFICE_KEY": "rk_office", "ATTIC_KEY": "rk_attic"}).federation
    office, attic = parse_nodes(federation.nodes)
    assert (office.name, office.key.value, office.users) == ("office", "rk_office", frozenset({"anna", "ben"}))
    assert (attic.name, attic.key.value, attic.is_for("anybody")) == ("attic", "rk_attic", True)
    assert federation.budget_s == 2.0


def test_the_example_does_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, node: MakeNode) -> None:
    office = node("The roof of the office is green", "the roof of the house is red.")
    lines = (f"office url={office.url} key=rk_office users=anna", f"attic url={closed_port()} key=rk_attic users=*")
    for name in [name for name in os.environ if name.startswith("RECOLLECT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("RECOLLECT_CONFIG", os.devnull)
    monkeypatch.setenv("RECOLLECT_DATABASE", str(tmp_path / "docs.db"))
    monkeypatch.setenv("RECOLLECT_EMBEDDING_PROVIDER", "none")
    monkeypatch.setenv("RECOLLECT_FEDERATION_NODES", "\n".join(lines))
    monkeypatch.setenv("RECOLLECT_FEDERATION_BUDGET_S", "20")
    ((source, expected),) = examples(PAGE)
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(source, str(PAGE), "exec"), {"__name__": "__main__"})  # noqa: S102 - our own documentation
    assert printed.getvalue() == expected


def test_the_bounds_are_those_of_the_code() -> None:
    written = PAGE.read_text(encoding="utf-8")
    assert f"at most {MOST_BYTES // 2**20} MiB" in written
    assert f"cut after {MAX_CHARACTERS:,} characters" in written
