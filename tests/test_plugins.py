"""What other distributions add is found by their entry points, and what has moved there under its older names."""

import importlib
import runpy
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from recollect import plugins
from recollect.errors import PackageMissing, RecollectError


@pytest.fixture
def garden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A distribution that is installed in a folder of its own, and a part of the core that has moved there."""
    package = tmp_path / "recollect_garden"
    (package / "beds").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "plugin.py").write_text(
        "commands = {'dig': 'recollect_garden.beds:dig', 'all': 'recollect_garden.beds'}"
    )
    (package / "beds" / "__init__.py").write_text("def dig():\n    return 'dug'\n")
    (package / "beds" / "roses.py").write_text("class Rose:\n    pass\nif __name__ == '__main__':\n    grown = True\n")
    about = tmp_path / "recollect_garden-1.dist-info"
    about.mkdir()
    (about / "entry_points.txt").write_text(
        "[console_scripts]\na = b:main\n\n[recollect.plugins]\ngarden = recollect_garden.plugin\n\n[z]\na = b\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(plugins, "_tables", None)
    monkeypatch.setitem(plugins._MOVED, "beds", "recollect_garden.beds")
    monkeypatch.setitem(plugins._MOVED, "sheds", "recollect_shed.sheds")
    yield about
    for name in [name for name in sys.modules if name.startswith(("recollect_garden", "recollect.beds"))]:
        del sys.modules[name]


def test_what_a_package_adds_is_found_by_its_name(garden: Path) -> None:
    assert plugins.installed("commands", "rake") == []
    assert "recollect_garden.beds" not in sys.modules, "nothing is imported before it is asked for"
    assert plugins.find("commands", "dig", "recollect-garden")() == "dug"
    assert plugins.installed("commands", "all") == [sys.modules["recollect_garden.beds"]]


def test_what_no_package_adds_names_the_package_that_is_needed(garden: Path) -> None:
    with pytest.raises(
        PackageMissing, match=r"needs the package recollect-shed.*: pip install recollect-shed$"
    ) as raised:
        plugins.find("commands", "rake", "recollect-shed")
    assert isinstance(raised.value, RecollectError)
    assert plugins.installed("no such group", "dig") == []


def test_a_package_without_entry_points_adds_nothing(garden: Path) -> None:
    (garden / "entry_points.txt").unlink()
    assert plugins.installed("commands", "dig") == []


def test_the_installed_packages_are_those_that_importlib_knows() -> None:
    assert plugins._entry_points() == sorted(entry.value for entry in entry_points(group="recollect.plugins"))
    assert {"recollect_connect.plugin", "recollect_files.plugin"} <= set(plugins._entry_points())


def test_what_has_moved_is_the_same_module_under_its_older_name(garden: Path) -> None:
    older = importlib.import_module("recollect.beds.roses")
    roses = importlib.import_module("recollect_garden.beds.roses")
    assert older is roses is sys.modules["recollect.beds.roses"]
    assert sys.modules["recollect.beds"] is sys.modules["recollect_garden.beds"]
    assert roses.__spec__ is not None
    assert roses.__spec__.name == "recollect_garden.beds.roses"


def test_what_has_moved_runs_under_its_older_name(garden: Path) -> None:
    assert runpy.run_module("recollect.beds.roses", run_name="__main__")["grown"] is True


def test_a_name_that_has_not_moved_is_not_found(garden: Path) -> None:
    with pytest.raises(ModuleNotFoundError, match=r"recollect\.beds\.tulips"):
        __import__("recollect.beds.tulips")
    with pytest.raises(ModuleNotFoundError, match=r"recollect\.nowhere"):
        __import__("recollect.nowhere")


def test_what_has_moved_into_a_package_that_is_missing_names_it(garden: Path) -> None:
    with pytest.raises(PackageMissing, match=r"^recollect\.sheds needs the package recollect-shed.*pip install"):
        __import__("recollect.sheds")
    with pytest.raises(ImportError):
        __import__("recollect.sheds.tools")


def test_looking_up_needs_little() -> None:
    program = "import sys; from recollect import plugins; plugins.installed('commands', 'rake'); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True,
                         env={"PYTHONPATH": ":".join(sys.path)})  # fmt: skip
    assert not {"typing", "pathlib", "re", "importlib.metadata", "importlib.util"} & set(ran.stdout.split())
