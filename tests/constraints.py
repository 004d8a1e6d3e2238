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

ROOT: Final = Path(__file__).parent.parent
CONSTRAINTS: Final = ROOT / "constraints.txt"
UNTESTED_EXTRAS: Final = {"e5", "llamaindex"}  # large, and not installed for the tests
OWN_EXTRAS: Final = {"encoder-1"}  # distributions of this project, whose source is in packages/
DEVELOPERS_EXTRAS: Final = {"dev", "docs"}
_HEADER: Final = """\
# The versions that the test suite passes with. `make` installs these; `make constraints` writes this file.
# Users of the package are not bound by it: pyproject.toml states what Recollect works with.
"""


def direct_requirements() -> list[Requirement]:
    """Give the requirements of the package, of its tested extras and of its build, but for its own distributions."""
    declared = _declared()
    extras: dict[str, list[str]] = declared["project"]["optional-dependencies"]
    texts: list[str] = declared["project"]["dependencies"] + declared["build-system"]["requires"]
    texts += [text for extra, listed in extras.items() if extra not in UNTESTED_EXTRAS | OWN_EXTRAS for text in listed]
    return [Requirement(text) for text in texts]


def shipped_requirements() -> list[Requirement]:
    """Give the requirements of users: of the package and of its tested extras, but not those of developers."""
    project = _declared()["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    unwanted = UNTESTED_EXTRAS | OWN_EXTRAS | DEVELOPERS_EXTRAS
    texts = [text for extra, listed in extras.items() if extra not in unwanted for text in listed]
    return [Requirement(text) for text in (*project["dependencies"], *texts)]


def _declared() -> dict[str, Any]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


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
