"""ARCHITECTURE.md describes the folders that exist, all of them."""

import re
from pathlib import Path

import recollect

PACKAGE = Path(recollect.__file__).parent
ROOT = Path(__file__).parents[2]
MAP = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_each_folder_on_the_map_exists() -> None:
    named = set(re.findall(r"`([\w/]+/)`", MAP))
    missing = [name for name in named if not (PACKAGE / name).is_dir() and not (ROOT / name).is_dir()]
    assert not missing


def test_each_folder_of_the_package_is_on_the_map() -> None:
    folders = {path.parent.relative_to(PACKAGE).parts[0] for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE}
    engine = {f"engine/{path.parent.name}" for path in PACKAGE.glob("engine/*/*.py")}
    unmapped = [folder for folder in sorted(folders | engine) if f"{folder}/" not in MAP]
    assert not unmapped
