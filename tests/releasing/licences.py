"""Lists the licences of all that users install, from what the packages say: `python -m tests.releasing.licences`."""

from collections.abc import Mapping
from importlib.metadata import Distribution
from typing import Final

from packaging.utils import NormalizedName

from tests.constraints import installed, shipped_requirements
from tests.sources import ROOT

PAGE: Final = ROOT / "docs" / "licences.md"
PERMISSIVE: Final = frozenset(
    (
        "0BSD",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "CC0-1.0",
        "ISC",
        "MIT",
        "MIT-0",
        "MIT-CMU",
        "PSF-2.0",
        "Zlib",
    )
)
# Licences with conditions that docs/dependencies.md explains, and the packages that have them.
EXPLAINED: Final[Mapping[str, frozenset[str]]] = {
    "LGPL-3.0-only": frozenset({"psycopg", "psycopg-binary", "psycopg-pool"}),
    "MPL-2.0": frozenset({"certifi", "orjson", "tqdm"}),
    "any-OSI": frozenset({"apsw"}),
}
# What older ways of naming a licence mean.
_SPELLED: Final = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "ISC License": "ISC",
    "MIT License": "MIT",
}
# Packages whose licence stands in their licence file alone, or in other words.
_BY_FILE: Final = {
    "google-re2": "BSD-3-Clause",
    "pypdfium2": "BSD-3-Clause AND Apache-2.0",  # with PDFium, whose parts have permissive licences of their own
    "pyrage": "MIT",
}
_HEADER: Final = """\
<!-- `make docs` writes this page from what the packages say. -->

# Licences

Recollect is licensed under the Apache License 2.0. These are the licences of the packages that come with it and with
its extras `encryption`, `langchain`, `langgraph`, `mcp`, `otel`, `places` and `slack`. A test fails when one is added
or changed; [dependencies](dependencies.md#licences) says what the LGPL of psycopg means for you. The texts are in each
package's `.dist-info` folder.

| package | licence |
|---|---|
"""


def licence_of(name: str, package: Distribution) -> str:
    """Give the licence of a package as an SPDX expression; empty when it is not known."""
    about = package.metadata.json
    if said := about.get("license_expression") or _BY_FILE.get(name):
        return str(said)
    kinds = [text.rpartition(" :: ")[2] for text in about.get("classifier", ()) if text.startswith("License ::")]
    for text in (str(about.get("license", "")).strip(), *kinds):
        known = _SPELLED.get(text, text)
        if known and set(parts_of(known)) <= PERMISSIVE | EXPLAINED.keys():
            return known
    return ""


def parts_of(licence: str) -> list[str]:
    """Give the licences that an SPDX expression names."""
    words = licence.replace("(", " ").replace(")", " ").split()
    return [word for word in words if word not in ("AND", "OR", "WITH")]


def licences() -> dict[NormalizedName, str]:
    """Give the licence of every package that users install."""
    return {name: licence_of(name, package) for name, package in sorted(installed(shipped_requirements()).items())}


def page() -> str:
    """Give the page of licences."""
    return _HEADER + "".join(f"| {name} | {licence} |\n" for name, licence in licences().items())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
