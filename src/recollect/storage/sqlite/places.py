"""One user's places in the file."""

from collections.abc import Sequence
from typing import Any

from recollect.model.filters import Filters
from recollect.model.places import NamedPlace, PlaceRow, Sighting
from recollect.ports import CachedPlace
from recollect.storage import placed
from recollect.storage.sqlite import codec
from recollect.storage.sqlite.connection import rows
from recollect.storage.sqlite.filters import conditions
from recollect.storage.sqlite.rows import QUERIES, SqliteRows, id_array


class PlaceRows(SqliteRows):
    """What reading and writing places have in common."""

    def get_places(self, ids: Sequence[str]) -> Sequence[PlaceRow]:
        """Give names of places by id."""
        return [_place(row) for row in self._run("get_places", {"ids": id_array(ids)})]

    def named_places(self) -> Sequence[NamedPlace]:
        """Give what the user calls their places."""
        return [
            NamedPlace(name, lat, lng, address, codec.from_micros(updated_at))
            for name, lat, lng, address, updated_at in self._run("list_named_places")
        ]


class PlaceReader(PlaceRows):
    """The part of a reader that is about places."""

    def sightings(self, filters: Filters) -> Sequence[Sighting]:
        """Give where things are."""
        condition, bound = conditions(filters)
        sql = QUERIES["sightings"].replace("{filters}", condition)
        found: list[Any] = rows(self._connection, sql, {"user_id": self._user, **bound})
        return [
            Sighting(lat, lng, address, label, kind, codec.from_micros(moment))
            for lat, lng, address, label, kind, moment in found
        ]

    def place_rows(self) -> Sequence[PlaceRow]:
        """Give all names of places."""
        return [_place(row) for row in self._run("list_places")]

    def geocoded(self, geocoder: str, cell: str) -> CachedPlace | None:
        """Give what is known of a cell."""
        for answer, until in self._run("geocoded", {"geocoder": geocoder, "cell": cell}):
            return placed.read(cell, answer, None if until is None else codec.from_micros(until))
        return None


def _place(row: Sequence[Any]) -> PlaceRow:
    place, address, label, created_at = row
    return PlaceRow(place, address, label, codec.from_micros(created_at))
