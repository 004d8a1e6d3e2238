"""Every dependency has its reason written down, and nothing is listed that is not there."""

import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"^[A-Za-z0-9._-]+")
ROW = re.compile(r"^\| `([A-Za-z0-9._-]+)(?:\[[^\]`]*\])?` \|", re.MULTILINE)


def project() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        found: dict[str, Any] = tomllib.load(file)["project"]
    return found


def names(requirements: list[str]) -> set[str]:
    return {match[0] for requirement in requirements if (match := NAME.match(requirement))}


def test_the_documented_dependencies_are_the_declared_ones() -> None:
    declared = project()
    development = names([text for extra in declared["optional-dependencies"].values() for text in extra])
    documented = ROW.findall((ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8"))
    assert set(documented) - development == names(declared["dependencies"])
    assert len(documented) == len(set(documented))
