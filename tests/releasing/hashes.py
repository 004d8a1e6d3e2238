"""Writes requirements-release.txt: `python -m tests.releasing.hashes`.

It pins what users of a release install, in the versions of constraints.txt, and names the hash of every wheel of these
that runs on a supported system. The hashes are those of the package index that pip is configured for.
"""

import os
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from importlib import import_module
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote, urlsplit

from packaging.tags import Tag
from packaging.utils import InvalidWheelFilename, NormalizedName, parse_wheel_filename

from tests.constraints import installed, pinned_versions, shipped_requirements
from tests.sources import ROOT

REQUIREMENTS: Final = ROOT / "requirements-release.txt"
_PYTHONS: Final = ("cp311", "cp312", "cp313", "cp314")
_TIMEOUT_S: Final = 60
_HEADER: Final = """\
# What a release is installed with on Linux, with Python 3.11 to 3.14. `make hashes` writes this from constraints.txt.
# pip install --require-hashes --requirement requirements-release.txt
# pip install --no-deps recollect recollect-connect recollect-files
--only-binary :all:
"""


class _Links(HTMLParser):
    """Reads the page of a package in an index: the hash of each file, by its name."""

    def __init__(self) -> None:
        super().__init__()
        self.hashes: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a link."""
        address = urlsplit(dict(attrs).get("href") or "")
        kind, _, digest = address.fragment.partition("=")
        if tag == "a" and kind == "sha256":
            self.hashes[unquote(PurePosixPath(address.path).name)] = digest


def fitting_hashes(page: str, version: str) -> list[str]:
    """Give the hashes of the wheels of a version that run on a supported system, from a package's page in an index."""
    links = _Links()
    links.feed(page)
    return sorted(digest for name, digest in links.hashes.items() if _fits(name, version))


def _fits(name: str, version: str) -> bool:
    try:
        _, found, _, tags = parse_wheel_filename(name)
    except InvalidWheelFilename:  # a source archive, or one of the formats before wheels
        return False
    return str(found) == version and any(map(_runs, tags))


def _runs(tag: Tag) -> bool:
    python = tag.interpreter in _PYTHONS or tag.interpreter.startswith("py") or tag.abi == "abi3"
    return python and (tag.platform == "any" or "linux" in tag.platform)


def _index() -> str:
    """Give the address of the package index that pip uses."""
    command = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    configured = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    usual = import_module("pip._internal.models.index").PyPI.simple_url
    return str(os.environ.get("PIP_INDEX_URL") or configured or usual).rstrip("/")


def _entry(index: str, name: NormalizedName, version: str) -> str:
    request = urllib.request.Request(f"{index}/{name}/", headers={"Accept": "text/html"})  # noqa: S310 - pip's address
    with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as answer:  # noqa: S310
        hashes = fitting_hashes(answer.read().decode(), version)
    if not hashes:
        raise LookupError(f"The package index has no wheel of {name} {version} for a supported system.")
    return " \\\n    ".join([f"{name}=={version}", *(f"--hash=sha256:{digest}" for digest in hashes)]) + "\n"


def write() -> None:
    """Write the file."""
    pins, index = pinned_versions(), _index()
    names = sorted(installed(shipped_requirements()))
    with ThreadPoolExecutor(8) as pool:
        entries = pool.map(lambda name: _entry(index, name, pins[name]), names)
        REQUIREMENTS.write_text(_HEADER + "".join(entries), encoding="utf-8")


if __name__ == "__main__":
    write()
