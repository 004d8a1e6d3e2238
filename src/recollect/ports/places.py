"""What the engine asks about places: of geocoders, and of a store."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from recollect.model.filters import Filters
from recollect.model.literals import ItemKind
from recollect.model.memories import Scope
from recollect.model.places import Located, NamedPlace, PlaceRow, Sighting


class Geocoder(Protocol):
    """Knows what places are called. Coordinates reach it rounded; what it says of the same ones is the same."""

    @property
    def name(self) -> str:
        """Which one it is, for people and for the cache: `offline@1000`, or `nominatim` with its host."""

    @property
    def remote(self) -> bool:
        """Whether it is behind a network: then storing does not wait for it, and searches wait little."""

    def reverse(self, lat: float, lng: float) -> Located | None:
        """Say where coordinates are; None where nothing has a name. Raises GeocoderUnavailable."""

    def find(self, name: str, limit: int = 5) -> Sequence[Located]:
        """Give the places of a name, the likeliest first. Raises GeocoderUnavailable."""

    def close(self) -> None:
        """Give back connections and memory."""


class UnlocatedItem(NamedTuple):
    """Something of a user's that has coordinates and still lacks an address."""

    kind: ItemKind
    id: str
    lat: float
    lng: float


class GeocodeJob(NamedTuple):
    """Something that waits for its address. `attempts` counts how often finding one failed."""

    scope: Scope
    item: UnlocatedItem
    attempts: int


class UnnamedPlace(NamedTuple):
    """A row whose place has a name that was not noted."""

    scope: Scope
    kind: ItemKind
    id: str
    address: str
    place_label: str


class CachedPlace(NamedTuple):
    """What a geocoder said about a cell, and until when that holds: where it is, or nothing. `away`: it could not be
    asked.
    """

    cell: str
    located: Located | None
    good_until: datetime | None
    away: bool = False


class PlaceRows(Protocol):
    """What reading and writing have in common."""

    def get_places(self, ids: Sequence[str]) -> Sequence[PlaceRow]:
        """Give the names of places by their ids."""

    def named_places(self) -> Sequence[NamedPlace]:
        """Give the places that the user has named, by name."""


class PlaceReader(PlaceRows, Protocol):
    """Questions about one user's places."""

    def sightings(self, filters: Filters) -> Sequence[Sighting]:
        """Give where the memories that pass are, and where messages were sent from, oldest first."""

    def place_rows(self) -> Sequence[PlaceRow]:
        """Give the names of all places at which something is."""

    def geocoded(self, geocoder: str, cell: str) -> CachedPlace | None:
        """Give what a geocoder said about a cell, if it was asked."""


class PlaceWriter(PlaceRows, Protocol):
    """Changes of one user's places. Whatever is written with an address or a label has its name noted by itself."""

    def name_place(self, row: UnnamedPlace, now: datetime) -> None:
        """Note what the place of a row is called that was written before names were noted."""

    def set_address(self, item: UnlocatedItem, address: str, now: datetime) -> bool:
        """Give an address to what has none, if it is still where it was; says whether it was done."""

    def finish_geocoding(self, item_ids: Sequence[str]) -> None:
        """Remove the jobs of these."""

    def save_named_place(self, place: NamedPlace) -> None:
        """Name a place, or say where it is by now."""

    def delete_named_place(self, name: str) -> bool:
        """Forget the name of a place; says whether there was one."""

    def delete_named_places(self) -> None:
        """Forget all names that the user has given, and all that was asked about places."""


class PlaceStore(Protocol):
    """The part of a store that is about places of all users."""

    def owe_addresses(self, now: datetime) -> int:
        """Write a job for all that has coordinates and lacks both an address and a job; says how many."""

    def unnamed_places(self, limit: int) -> Sequence[UnnamedPlace]:
        """Give rows that were written before the names of places were noted."""

    def geocoding_counts(self) -> tuple[int, int]:
        """Say how much waits for an address, and how much was given up on."""

    def claim_geocoding(
        self, limit: int, *, now: datetime, lease_until: datetime, scope: Scope | None = None
    ) -> Sequence[GeocodeJob]:
        """Lease jobs that are due: no other worker takes them before the lease ends."""

    def postpone_geocoding(
        self, jobs: Sequence[GeocodeJob], reason: str, due: datetime | None, *, to_blame: bool
    ) -> None:
        """Note why jobs failed: try again when due, or park them when it is None; `to_blame` counts an attempt."""

    def keep_geocoded(
        self, scope: Scope, geocoder: str, places: Sequence[CachedPlace], *, now: datetime, most: int, resets: int
    ) -> None:
        """Keep what a geocoder said, unless something was forgotten since it was asked; it is no write of the user.

        What was used longest ago goes until no more than `most` are left.
        """

    def touch_geocoded(self, scope: Scope, geocoder: str, cell: str, now: datetime) -> None:
        """Note that what is known of a cell was of use. It is no write of the user."""
