"""The documentation is true: its Python blocks are run in order, and what they print is what stands below them."""

import os
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import recollect
from tests import api_reference
from tests.cli.reference import lay_out
from tests.providers.server import ProviderServer
from tests.rows import every

ROOT = Path(__file__).parent.parent
_BLOCK = re.compile(r"```(python|text)\n(.*?)```", re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
PAGES = sorted(path for path in (*ROOT.glob("*.md"), *ROOT.glob("examples/*.md"), *ROOT.glob("docs/**/*.md")))


def examples(page: Path) -> Iterator[tuple[str, str | None]]:
    """Give each Python block with the text block that follows it, if one does."""
    blocks = _BLOCK.findall(page.read_text(encoding="utf-8"))
    for position, (kind, body) in enumerate(blocks):
        if kind == "python":
            follower = blocks[position + 1] if position + 1 < len(blocks) else ("", "")
            yield body, follower[1] if follower[0] == "text" else None


_RUN = (
    "index.md",
    "guide.md",
    "conversations.md",
    "capture.md",
    "files.md",
    "media.md",
    "recall.md",
    "embedding.md",
    "places.md",
    "export.md",
    "scopes.md",
    "integrations.md",
)
EXECUTED = [ROOT / "README.md", *(ROOT / "docs" / name for name in _RUN)]


@pytest.fixture(scope="module")
def provider() -> Iterator[ProviderServer]:
    """A server that stands in for the providers that the pages name."""
    with ProviderServer() as running:
        yield running


@pytest.mark.parametrize("page", EXECUTED, ids=lambda page: page.name)
def test_examples_do_what_they_show(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: ProviderServer
) -> None:
    monkeypatch.setenv("RECOLLECT_DATABASE", str(tmp_path / "docs.db"))
    monkeypatch.setenv("RECOLLECT_CONFIG", os.devnull)
    monkeypatch.setenv("RECOLLECT_RECALL_DEADLINE_S", "600")  # a busy machine leaves nothing out
    monkeypatch.setenv("RECOLLECT_HOOKS_BUDGET_S", "60")
    monkeypatch.setenv("RECOLLECT_RECALL_RERANK", "off")  # how much it reads depends on the machine
    monkeypatch.setenv("RECOLLECT_EMBEDDING_WORKER", "false")  # the examples do the worker's job themselves
    monkeypatch.setenv("RECOLLECT_PLACES_SMALLEST", "15000")  # the smallest table is made the fastest
    monkeypatch.setenv("RECOLLECT_EMBEDDING_OPENAI_ENDPOINT", provider.url("openai"))
    monkeypatch.setenv("RECOLLECT_EMBEDDING_OPENAI_API_KEY", "sk-of-a-test")
    monkeypatch.chdir(tmp_path)
    lay_out(page.read_text(encoding="utf-8"), tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for source, expected in examples(page):
        printed = StringIO()
        with redirect_stdout(printed):
            exec(compile(source, str(page), "exec"), names)  # noqa: S102 - our own documentation
        if expected is not None:
            assert printed.getvalue() == expected, source


@every("page", PAGES)
def test_links_lead_somewhere(page: Path) -> None:
    for target in _LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_every_page_is_in_the_navigation_once() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r": ([\w/-]+\.md)$", navigation, re.MULTILINE)
    assert sorted(listed) == sorted(path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md"))


def test_pages_of_the_site_link_to_nothing_outside_of_it() -> None:
    links = {page: _LINK.findall(page.read_text(encoding="utf-8")) for page in ROOT.glob("docs/**/*.md")}
    targets = {(page.parent / target).resolve() for page, found_links in links.items() for target in found_links}
    assert all(target.is_relative_to(ROOT / "docs") for target in targets)


def test_the_api_reference_is_current() -> None:
    assert api_reference.PAGE.read_text(encoding="utf-8") == api_reference.reference(), "run `make docs`"


@every("documented", api_reference.documented_classes())
def test_every_public_method_says_what_it_does(documented: api_reference.DocumentedClass) -> None:
    members = dict(api_reference.public_members(documented.kind))
    assert documented.kind.__doc__
    assert not [name for name, member in members.items() if not api_reference.function_of(member).__doc__]


def test_every_public_name_has_a_section_in_the_api_reference() -> None:
    page = api_reference.PAGE.read_text(encoding="utf-8")
    shown = {*re.findall(r"^#{2,3} (\w+)$", page, re.MULTILINE), *re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)}
    assert set(recollect.__all__) - {"__version__"} <= shown
