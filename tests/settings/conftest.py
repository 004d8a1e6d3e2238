"""Folders of the test's own, and a way to write a configuration file."""

import os
from pathlib import Path

import pytest

from tests.settings.common import Write


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the settings of whoever runs the tests out of them."""
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    for name in [name for name in os.environ if name.startswith("RECOLLECT_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(content: str, name: str = "recollect.toml") -> Path:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return write
