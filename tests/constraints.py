"""Writes the tested version of every dependency to constraints.txt: `python -m tests.constraints`.

The versions are the ones installed in this environment, so run it after the whole suite has passed there.
"""

import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

ROOT: Final = Path(__file__).parent.parent
CONSTRAINTS: Final = ROOT / "constraints.txt"
UNTESTED_EXTRAS: Final = {"e5"}  # torch is not installed for the tests
_HEADER: Final = """\
# The versions that the test suite passes with. `make` installs these; `make constraints` writes this file.
# Users of the package are not bound by it: pyproject.toml states what Recollect works with.
"""


def direct_requirements() -> list[Requirement]:
    """Give the requirements of the package, of its tested extras and of its build."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        declared = tomllib.load(file)
    extras: dict[str, list[str]] = declared["project"]["optional-dependencies"]
    texts: list[str] = declared["project"]["dependencies"] + declared["build-system"]["requires"]
    texts += [text for extra, listed in extras.items() if extra not in UNTESTED_EXTRAS for text in listed]
    return [Requirement(text) for text in texts]


def pinned_versions() -> dict[NormalizedName, str]:
    """Read constraints.txt; every line is `name==version`."""
    lines = CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    pins = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pins}


def installed_versions() -> dict[NormalizedName, str]:
    """Give the installed version of every package that a direct requirement leads to."""
    versions: dict[NormalizedName, str] = {}
    expanded: set[tuple[NormalizedName, frozenset[str]]] = set()
    waiting = direct_requirements()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        visit = name, frozenset(requirement.extras)
        if visit in expanded:
            continue
        expanded.add(visit)
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue
        versions[name] = package.version
        waiting += _dependencies(package.requires or [], requirement.extras)
    return versions


def _dependencies(requires: list[str], extras: set[str]) -> Iterator[Requirement]:
    for requirement in map(Requirement, requires):
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement


def _write() -> None:
    lines = sorted(f"{name}=={version}\n" for name, version in installed_versions().items())
    CONSTRAINTS.write_text(_HEADER + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    _write()
