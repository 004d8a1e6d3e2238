"""pip finds a set of packages that work together for Recollect beside others that need an older MCP."""

import json
import subprocess
import sys
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet

from tests.sources import BESIDE, ROOT


def resolve(*packages: str) -> dict[str, dict[str, Any]]:
    """Ask pip what it would install, by name; nothing is installed."""
    options = ("--dry-run", "--ignore-installed", "--quiet", "--disable-pip-version-check", "--report", "-")
    ran = subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, *map(str, BESIDE), *packages],
        capture_output=True,
        text=True,
        check=True,
    )
    report = json.loads(ran.stdout[ran.stdout.index("{") :])
    return {found["metadata"]["name"].lower(): found["metadata"] for found in report["install"]}


@pytest.mark.slow
def test_langchain_mcp_adapters_fit_beside_recollect() -> None:
    found = resolve(str(ROOT), "langchain-mcp-adapters")
    assert found["mcp"]["version"] in SpecifierSet("<2"), "or update docs/dependencies.md: they have moved on"
    bound = [text for text in found["langchain-mcp-adapters"]["requires_dist"] if text.startswith("mcp")]
    assert any("<2" in text for text in bound), bound  # a release that knows which versions it works with


@pytest.mark.slow
def test_the_extra_brings_the_second_major_version() -> None:
    found = resolve(f"{ROOT}[mcp]")
    assert found["mcp"]["version"] in SpecifierSet(">=2.3")
    assert "mcp" not in resolve(str(ROOT))
