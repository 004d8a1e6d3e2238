"""Writes the tested version of every dependency to constraints.txt: `python -m tests.constraints`.

The versions are the ones installed in this environment, so run it after the whole suite has passed there.
"""

import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

from tests.sources import BESIDE, ROOT

CONSTRAINTS: Final = ROOT / "constraints.txt"
UNTESTED_EXTRAS: Final = {"e5", "llamaindex"}  # large, and not installed for the tests
OWN: Final = "recollect"  # how the names of this project's distributions begin; what is beside the core is in packages/
DEVELOPERS_EXTRAS: Final = {"dev", "docs"}
_HEADER: Final = """\
# The versions that the test suite passes with. `make` installs these; `make constraints` writes this file.
# Users of the package are not bound by it: pyproject.toml states what Recollect works with.
"""


def direct_requirements() -> list[Requirement]:
    """Give the requirements of the core and the packages that come with it, of their tested extras and their build."""
    return _requirements(without=UNTESTED_EXTRAS, build=True)


def shipped_requirements() -> list[Requirement]:
    """Give the requirements of users: of the packages and of their tested extras, but not those of developers."""
    return _requirements(without=UNTESTED_EXTRAS | DEVELOPERS_EXTRAS)


def declared(folder: Path = ROOT) -> dict[str, Any]:
    """Read the pyproject.toml of a distribution."""
    with (folder / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


def _requirements(*, without: set[str], build: bool = False) -> list[Requirement]:
    """Give the requirements of the core and the packages beside it, but for those that they are to each other."""
    texts: list[str] = []
    for said in map(declared, (ROOT, *BESIDE)):
        extras: dict[str, list[str]] = said["project"].get("optional-dependencies", {})
        texts += said["project"]["dependencies"] + (said["build-system"]["requires"] if build else [])
        texts += [text for extra, listed in extras.items() if extra not in without for text in listed]
    found = {str(requirement): requirement for requirement in map(Requirement, texts)}
    return [requirement for requirement in found.values() if not requirement.name.startswith(OWN)]


def pinned_versions() -> dict[NormalizedName, str]:
    """Read constraints.txt; every line is `name==version`."""
    lines = CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    pins = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pins}


def installed_versions() -> dict[NormalizedName, str]:
    """Give the installed version of every package that a direct requirement leads to."""
    return {name: package.version for name, package in installed(direct_requirements()).items()}


def installed(requirements: Iterable[Requirement]) -> dict[NormalizedName, Distribution]:
    """Give the installed packages that requirements lead to."""
    packages: dict[NormalizedName, Distribution] = {}
    expanded: set[tuple[NormalizedName, frozenset[str]]] = set()
    waiting = list(requirements)
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
        packages[name] = package
        waiting += needed_by(package, requirement.extras)
    return packages


def needed_by(package: Distribution, extras: Iterable[str] = ()) -> Iterator[Requirement]:
    """Give what a package needs on this machine."""
    for requirement in map(Requirement, package.requires or []):
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield requirement


def _write() -> None:
    lines = sorted(f"{name}=={version}\n" for name, version in installed_versions().items())
    CONSTRAINTS.write_text(_HEADER + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    _write()
