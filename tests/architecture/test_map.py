"""ARCHITECTURE.md describes the folders that exist, all of them."""

import re

from tests.sources import ROOT, SOURCES, place, source_files

MAP = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_each_folder_on_the_map_exists() -> None:
    named = set(re.findall(r"`([\w/]+/)`", MAP))
    missing = [name for name in named if not any((folder / name).is_dir() for folder in (ROOT, *SOURCES))]
    assert not missing


def test_each_folder_of_the_core_and_its_packages_is_on_the_map() -> None:
    places = [place(path).split("/")[:-1] for path in source_files()]
    folders = {f"{parts[0]}/" for parts in places if parts}
    folders |= {"/".join(parts[:2]) + "/" for parts in places if parts[:1] == ["engine"]}
    assert not [folder for folder in sorted(folders) if folder not in MAP]
