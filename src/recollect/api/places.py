"""`me.places`: where memories cluster, the user's own names for places, and geocoding."""

from recollect.api.scoped import Scoped, check_limit
from recollect.engine.places import address_lookup, user_places
from recollect.errors import InvalidInput
from recollect.model.geo import Circle
from recollect.model.places import (
    Located,
    Location,
    LocationLike,
    NamedPlace,
    PlaceSummary,
    as_location,
    check_coordinates,
)
from recollect.model.search import PlaceContents

_MAX_RADIUS_KM = 2_000


class UserPlaces(Scoped):
    """A user's places, the names the user gave them, and geocoding."""

    def list(self, *, limit: int = 50) -> tuple[PlaceSummary, ...]:
        """List the places at which memories cluster: their names, how much is there, and the last visit."""
        return user_places.places(self._reading, self._scope, check_limit(limit))

    def within(self, lat: float, lng: float, radius_km: float, *, limit: int = 50) -> PlaceContents:
        """Return what is within a circle: the newest memories there, and the last messages sent from there."""
        check_coordinates(lat, lng)
        if not 0 < radius_km <= _MAX_RADIUS_KM:
            raise InvalidInput(f"radius_km is {radius_km}; it must be above 0, and at most {_MAX_RADIUS_KM}.")
        return user_places.contents(self._reading, self._scope, Circle(lat, lng, radius_km), check_limit(limit))

    def named(self) -> tuple[NamedPlace, ...]:
        """List the places that the user has named."""
        return tuple(self._engine.store.read(self._scope, lambda reader: reader.named_places()))

    def get(self, name: str) -> Location:
        """Return the user's own place of a name: as it was set, or where that label was last used. Raises NotFound."""
        return user_places.place(self._engine, self._scope, name)

    def set(self, name: str, location: LocationLike) -> NamedPlace:
        """Name a place, such as `home`, so that `recall` knows it; setting it again moves it."""
        return user_places.name_place(self._engine, self._scope, name, as_location(location))

    def forget(self, name: str) -> None:
        """Delete the name of a place; memories at that place stay. Raises NotFound."""
        user_places.forget_place(self._engine, self._scope, name)

    def geocode(self, name: str, *, limit: int = 5) -> tuple[Located, ...]:
        """Find the coordinates of a name such as `Brno` or `Paris, Texas`, the likeliest first.

        Raises NotFound, and GeocoderUnavailable when the geocoder does not answer.
        """
        return tuple(address_lookup.find(self._engine, name, check_limit(limit)))

    def reverse_geocode(self, lat: float, lng: float) -> Located | None:
        """Find what is at coordinates: the nearest place, its region, country and time zone; None where nothing is.

        Raises NotFound without a geocoder, and GeocoderUnavailable when it does not answer.
        """
        if lat is None or lng is None:
            raise InvalidInput("Where is what? Give lat and lng.")
        check_coordinates(lat, lng)
        address_lookup.require_geocoder(self._engine, f"what is at {lat}, {lng}")
        return address_lookup.reverse_geocode(self._engine, self._scope, lat, lng)

    def find_addresses(self, *, of: str = "", ask_s: float = 0.0) -> int:
        """Look up missing addresses offline and return how many were found; a running worker does this by itself.

        A server is asked only for the memory or message `of` this id, and not waited for longer than `ask_s` seconds.
        """
        return user_places.find_addresses(self._engine, self._scope, of, ask_s)
