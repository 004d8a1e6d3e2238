"""Every dependency has its reason written down, and nothing is listed that is not there."""

import re

from recollect import __version__
from tests.constraints import OWN, declared
from tests.sources import BESIDE, ROOT

NAME = re.compile(r"^[A-Za-z0-9._-]+")
ROW = re.compile(r"^\| `([A-Za-z0-9._-]+)(?:\[[^\]`]*\])?` \|", re.MULTILINE)


def names(requirements: list[str]) -> set[str]:
    return {match[0] for requirement in requirements if (match := NAME.match(requirement))}


def test_the_documented_dependencies_are_the_declared_ones() -> None:
    projects = [declared(folder)["project"] for folder in (ROOT, *BESIDE)]
    extras = [listed for project in projects for listed in project.get("optional-dependencies", {}).values()]
    needed = {name for project in projects for name in names(project["dependencies"]) if not name.startswith(OWN)}
    documented = ROW.findall((ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8"))
    assert set(documented) - names([text for listed in extras for text in listed]) == needed
    assert len(documented) == len(set(documented))


def test_the_packages_beside_the_core_have_its_version_and_ask_for_it() -> None:
    for folder in BESIDE:
        package = declared(folder)
        assert (folder / package["tool"]["hatch"]["version"]["path"]).resolve() == ROOT / "src/recollect/_version.py"
        assert f"recollect=={__version__}" in package["project"]["dependencies"]
        assert f"{folder.name}=={__version__}" in declared()["project"]["dependencies"]
