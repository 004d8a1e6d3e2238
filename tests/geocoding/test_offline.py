"""The offline geocoder with the real data of GeoNames: places of at least 15,000 people."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recollect.geocoding.factory import OfflineGeocoder
from recollect.geocoding.table_cache import _data_folder, _regions
from tests.rows import every


@pytest.fixture
def geocoder(real_cache: Path) -> OfflineGeocoder:
    return OfflineGeocoder("15000")


@every(
    ("lat", "lng", "address", "timezone"),
    [
        (50.088, 14.421, "Prague, Czechia", "Europe/Prague"),
        (49.195, 16.608, "Brno, South Moravian, Czechia", "Europe/Prague"),
        (-16.43, 179.37, "Labasa, Northern, Fiji", "Pacific/Fiji"),
        (21.31, -157.86, "Honolulu, Hawaii, United States", "Pacific/Honolulu"),
        (69.65, 18.96, "Tromsø, Troms, Norway", "Europe/Oslo"),
        (1.29, 103.85, "Singapore", "Asia/Singapore"),
    ],
)
def test_it_knows_the_world(geocoder: OfflineGeocoder, lat: float, lng: float, address: str, timezone: str) -> None:
    found = geocoder.reverse(lat, lng)
    assert found
    assert (found.address, found.timezone) == (address, timezone)
    assert found.distance_km < 10


@every(("lat", "lng"), [(90, 0), (-90, 0), (0, -140), (-40, -120), (35, -40)])
def test_poles_and_oceans_are_nowhere(geocoder: OfflineGeocoder, lat: float, lng: float) -> None:
    assert geocoder.reverse(lat, lng) is None


@every(
    ("name", "address"),
    [
        ("Brno", "Brno, South Moravian, Czechia"),
        ("Brünn", "Brno, South Moravian, Czechia"),
        ("Брно", "Brno, South Moravian, Czechia"),
        ("Brno CZ", "Brno, South Moravian, Czechia"),
        ("Prague, Czechia", "Prague, Czechia"),
        ("Paris", "Paris, Île-de-France, France"),
        ("Paris, Texas", "Paris, Texas, United States"),
        ("Springfield, Illinois", "Springfield, Illinois, United States"),
        ("San Francisco, USA", "San Francisco, California, United States"),
        ("東京", "Tokyo, Japan"),
        ("Washington DC", "Washington, District of Columbia, United States"),
    ],
)
def test_it_finds_places_by_their_names(geocoder: OfflineGeocoder, name: str, address: str) -> None:
    assert geocoder.find(name)[0].address == address


def test_threads_open_it_once(geocoder: OfflineGeocoder) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: geocoder.reverse(49.195, 16.608), range(64)))
    assert {each.name for each in found if each} == {"Brno"}
    assert None not in found
    geocoder.close()
    assert geocoder.find("Brno")


def test_who_it_is(geocoder: OfflineGeocoder) -> None:
    assert (geocoder.name, geocoder.remote) == ("offline@15000", False)


def test_nearly_every_place_has_a_region() -> None:
    """All codes of the regions are known, but for those that mean none."""
    regions = _regions()
    places = json.loads((_data_folder() / "cities15000.json").read_bytes()).values()
    known = sum((place["countrycode"], place["admin1code"]) in regions for place in places)
    assert known > 0.995 * len(places)
    assert all(name == name.strip() and name.isprintable() for name in regions.values())


MEMORY = """
import psutil
import numpy
from recollect.geocoding.factory import OfflineGeocoder
before = psutil.Process().memory_info().rss
geocoder = OfflineGeocoder("15000")
for lat in range(-60, 70, 5):
    geocoder.reverse(lat, 2.5 * lat)
geocoder.find("Brno")
print(psutil.Process().memory_info().rss - before)
"""


def test_the_table_is_not_taken_into_memory(geocoder: OfflineGeocoder, real_cache: Path) -> None:
    geocoder.find("Brno")  # so that it is made
    command = [sys.executable, "-c", MEMORY]
    environ = {**os.environ, "XDG_CACHE_HOME": str(real_cache)}
    told = subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout
    assert int(told) < 40_000_000
