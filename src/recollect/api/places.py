"""The verbs for places: which there are, what they are called, where a name is."""

from recollect.api.scoped import Scoped, as_location, check_limit
from recollect.engine.places import address_lookup, user_places
from recollect.errors import InvalidInput
from recollect.model.places import Located, Location, LocationLike, NamedPlace, PlaceSummary, check_coordinates


class PlaceVerbs(Scoped):
    """The verbs for a user's places."""

    def places(self, *, limit: int = 50) -> tuple[PlaceSummary, ...]:
        """Give the places at which memories cluster, with what they are called, how much is there, and when last."""
        return user_places.places(self._engine, self._scope, check_limit(limit))

    def named_places(self) -> tuple[NamedPlace, ...]:
        """Give the places that have been given names."""
        return tuple(self._engine.store.read(self._scope, lambda reader: reader.named_places()))

    def place(self, name: str) -> Location:
        """Give the user's own place of a name: as it was named, or where they last were when they called it so.

        Raises NotFound.
        """
        return user_places.place(self._engine, self._scope, name)

    def name_place(self, name: str, location: LocationLike) -> NamedPlace:
        """Give a place a name, such as `home`, by which `recall` knows it; naming it again moves it."""
        return user_places.name_place(self._engine, self._scope, name, as_location(location))

    def forget_place(self, name: str) -> None:
        """Forget what a place is called. Memories that are there stay. Raises NotFound."""
        user_places.forget_place(self._engine, self._scope, name)

    def locate(self, name: str, *, limit: int = 5) -> tuple[Located, ...]:
        """Find where in the world a name is, such as `Brno` or `Paris, Texas`; the likeliest first.

        Raises NotFound, and GeocoderUnavailable when nobody can be asked.
        """
        return tuple(address_lookup.find(self._engine, name, check_limit(limit)))

    def where_is(self, lat: float, lng: float) -> Located | None:
        """Say what is at coordinates: the nearest place, its region, country and time zone; None where nothing is.

        Raises NotFound where there is no geocoder, and GeocoderUnavailable when it cannot be asked.
        """
        if lat is None or lng is None:
            raise InvalidInput("Where is what? Give lat and lng.")
        check_coordinates(lat, lng)
        address_lookup.insist(self._engine, f"what is at {lat}, {lng}")
        return address_lookup.located(self._engine, self._scope, lat, lng)

    def find_addresses(self) -> int:
        """Find out the addresses that are still missing, and let places be likened to each other; says how many.

        A worker does this by itself; a program without one calls this. It does nothing that asks a server.
        """
        return user_places.find_addresses(self._engine, self._scope)
