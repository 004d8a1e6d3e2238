"""A geocoder for tests: it names every place after its coordinates, unless it is told to fail."""

from collections.abc import Callable, Sequence
from threading import Lock

from recollect.errors import GeocoderUnavailable
from recollect.model.geo import STREET, Point
from recollect.model.places import Located


class Gazetteer:
    """Names what it is asked about, and remembers being asked."""

    def __init__(self, *, remote: bool = False, name: str = "gazetteer") -> None:
        self.name = name
        self.remote = remote
        self.asked: list[Point] = []
        self.away = False
        self.fails_at: set[Point] = set()
        self.nameless: set[Point] = set()
        self.meanwhile: Callable[[], object] | None = None  # is called once while it is being asked
        self.closed = False
        self._lock = Lock()

    def reverse(self, lat: float, lng: float) -> Located | None:
        """Name a place."""
        spot = Point(lat, lng)
        with self._lock:
            self.asked.append(spot)
            meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        if self.away or spot in self.fails_at:
            raise GeocoderUnavailable("The gazetteer is closed.")
        return None if spot in self.nameless else Located(lat, lng, "Village", address=address_of(lat, lng))

    def find(self, name: str, limit: int = 5) -> Sequence[Located]:
        """Know one place."""
        return [Located(49.2, 16.6, "Brno")][:limit] if name == "Brno" else []

    def close(self) -> None:
        """Note that it was closed."""
        self.closed = True


def centre(lat: float, lng: float) -> Point:
    """Give the coordinates by which a place is asked about."""
    return STREET.rounded(lat, lng)


def address_of(lat: float, lng: float) -> str:
    """Give the address that everything in the cell of these coordinates has."""
    spot = centre(lat, lng)
    return f"Village {spot.lat:.3f} {spot.lng:.5f}"
