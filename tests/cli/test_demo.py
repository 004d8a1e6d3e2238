"""The guided tour."""

import shlex
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.cli.demo import chapters
from recollect.clock import SystemClock
from recollect.model.literals import MEMORY_TYPES
from tests.cli.conftest import Cli


@pytest.fixture
def tour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_meaning: Callable[[Cli], Cli]) -> Cli:
    """A command line whose temporary folder is the test's."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    arranged = with_meaning(Cli())
    arranged.environment["RECOLLECT_KEY"] = "rk_of-nobody"  # what touches no store of anybody's asks for no key
    return arranged


def test_it_is_a_pleasant_read(tour: Cli, tmp_path: Path) -> None:
    shown = tour.ok("demo").splitlines()
    assert 60 <= len(shown) <= 88
    assert max(map(len, shown)) <= 90
    text = "\n".join(shown)
    for answer in (
        "Known already",
        "%  The pasta place",
        "%  Запасной ключ",
        "Remembered, replacing",
        "Forgotten for good",
    ):
        assert answer in text
    assert list(tmp_path.iterdir()) == []


def test_it_shows_what_it_promises_and_what_can_be_typed(tour: Cli) -> None:
    document = tour.json("demo", "--keep")
    steps = {step["typed"]: step["result"] for step in document["steps"]}
    actions = [result["action"] for result in steps.values() if "action" in result]
    assert actions == ["created"] * 12 + ["duplicate", "superseded", "deleted"]
    best = {typed: result["hits"][0]["content"] for typed, result in steps.items() if result.get("hits")}
    assert list(best.values()) == [
        "The pasta place by the river was too loud to talk",
        "Запасной ключ от гаража лежит под синим горшком",
        "The boiler's serial number is VTX-4471-C",
        "The office light is in the garage now",
        "The office light is in the home office",
    ]
    (missing,) = [result["error"]["type"] for result in steps.values() if "error" in result]
    assert missing == "NotFound"
    assert list(steps.values())[-1] == {"hits": [], "degraded": [], "answerable": 0.0}
    assert Path(document["kept"]).exists()
    kept = Cli("--database", document["kept"])
    kept.environment = {**tour.environment, "RECOLLECT_KEY": ""}
    assert kept.json("count") == {"count": 11}
    for step in document["steps"]:
        program, *words = shlex.split(step["typed"])
        assert program == "recollect"
        if words[0] in ("recall", "history"):
            assert kept.json(*words).keys() == step["result"].keys()


def test_its_texts_are_of_known_types_and_no_two_alike() -> None:
    lines = [line for chapter in chapters(SystemClock().now()) for line in (*chapter.lines, *chapter.more)]
    stored = [line.options for line in lines if line.command == "store"]
    assert {options["type"] for options in stored} <= set(MEMORY_TYPES)
    assert len({options["text"] for options in stored}) == len(stored)
