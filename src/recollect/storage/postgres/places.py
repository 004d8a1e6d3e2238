"""One user's places on the server."""

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from recollect.model.filters import Filters
from recollect.model.places import NamedPlace, PlaceRow, Sighting
from recollect.ports import CachedPlace
from recollect.storage import placed
from recollect.storage.postgres.filters import conditions
from recollect.storage.postgres.rows import QUERIES, PostgresRows


class PlaceRows(PostgresRows):
    """What reading and writing places have in common."""

    def get_places(self, ids: Sequence[str]) -> Sequence[PlaceRow]:
        """Give names of places by id."""
        return [_place(row) for row in self._run("get_places", {"ids": list(ids)})]

    def named_places(self) -> Sequence[NamedPlace]:
        """Give what the user calls their places."""
        return [
            NamedPlace(name, lat, lng, address, updated_at.astimezone(UTC))
            for name, lat, lng, address, updated_at in self._run("list_named_places")
        ]


class PlaceReader(PlaceRows):
    """The part of a reader that is about places."""

    def sightings(self, filters: Filters) -> Sequence[Sighting]:
        """Give where things are."""
        condition, bound = conditions(filters)
        sql = QUERIES["sightings"].replace("{filters}", condition)
        found = self._connection.execute(sql.encode(), {"user_id": self._user, **bound})
        return [
            Sighting(lat, lng, address, label, kind, moment.astimezone(UTC))
            for lat, lng, address, label, kind, moment in found
        ]

    def place_rows(self) -> Sequence[PlaceRow]:
        """Give all names of places."""
        return [_place(row) for row in self._run("list_places")]

    def geocoded(self, geocoder: str, cell: str) -> CachedPlace | None:
        """Give what is known of a cell."""
        for answer, until in self._run("geocoded", {"geocoder": geocoder, "cell": cell}):
            return placed.read(cell, answer, None if until is None else until.astimezone(UTC))
        return None


def _place(row: Sequence[Any]) -> PlaceRow:
    place, address, label, created_at = row
    return PlaceRow(place, address, label, created_at.astimezone(UTC))
