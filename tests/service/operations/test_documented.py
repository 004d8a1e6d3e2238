"""The table in docs/operations.md names all figures there are, with their labels, and none that are not."""

import re
from pathlib import Path

import httpx2
import pytest

from tests.service.operations.conftest import Operator
from tests.service.operations.figures import families

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)

DOCS = Path(__file__).parents[3] / "docs" / "operations.md"
ROW = re.compile(r"^\| `((?:recollect|process)_\w+)` \| (\w+) \|([^|]*)\|", re.MULTILINE)


def documented() -> dict[str, tuple[str, frozenset[str]]]:
    rows = ROW.findall(DOCS.read_text(encoding="utf-8"))
    return {name: (kind, frozenset(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows}


def test_all_figures_are_documented(anna: httpx2.Client, operator: Operator) -> None:
    anna.get("/api/memories/search", params={"query": "anything"})
    with anna.stream("GET", "/api/stream", params={"query": "anything"}):
        shown = families(operator.get("/metrics").text)
    assert documented() == shown


def test_what_alerts_ask_for_is_there(database: str) -> None:
    text = DOCS.read_text(encoding="utf-8")
    asked = set(re.findall(r"\b(?:recollect|process)_\w+", "".join(re.findall(r"```yaml(.*?)```", text, re.DOTALL))))
    endings = re.compile(r"_(bucket|sum|count)$")
    assert asked
    assert {endings.sub("", one) for one in asked} <= set(documented())
