"""The geocoder that needs no network: the table of all places that GeoNames knows, opened when it is first asked."""

import shutil
import weakref
from threading import Lock
from typing import TYPE_CHECKING, Final

from recollect.model.places import Located

if TYPE_CHECKING:
    from recollect.geocoding.gazetteer import Gazetteer


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
                self._gazetteer = self._open()
            return self._gazetteer

    def _open(self) -> "Gazetteer":
        from recollect.geocoding.gazetteer import Gazetteer  # noqa: PLC0415 - see above
        from recollect.geocoding.table_cache import opened  # noqa: PLC0415 - brings numpy, which not every command needs

        tables, own_folder = opened(self._smallest)
        if own_folder:
            self._tidy = weakref.finalize(self, shutil.rmtree, own_folder, ignore_errors=True)
        return Gazetteer(tables, self.name)
