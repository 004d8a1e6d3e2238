"""The nouns of place: where something was, where somebody is while asking, what such a place is called.

Coordinates are WGS84 degrees; both or neither are there.
"""

import hashlib
import math
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias, TypedDict, TypeGuard
from uuid import UUID

from recollect.errors import InvalidInput

PlacePrecision = Literal["exact", "street", "district", "city"]
PRECISIONS: tuple[PlacePrecision, ...] = ("exact", "street", "district", "city")

LocationMode = Literal["boost", "semantic"]
LOCATION_MODES: tuple[LocationMode, ...] = ("boost", "semantic")

LEAST_RADIUS_KM = 0.1
MOST_RADIUS_KM = 100.0

LONGEST_ADDRESS = 500
LONGEST_LABEL = 200


@dataclass(frozen=True, slots=True)
class Location:
    """Where somebody is: by coordinates, by an address, by what they call the place, or by several of these.

    A `place_label` alone means the place of that name (`home`), if the user has one, or else a kind of place
    (`supermarket`).
    """

    lat: float | None = None
    lng: float | None = None
    address: str = ""
    place_label: str = ""

    @property
    def name(self) -> str:
        """What is embedded of a place: its address and what it is called."""
        return place_name(self.address, self.place_label)


class PlaceFields(TypedDict, total=False):
    """Where something is, as keyword arguments."""

    lat: float | None
    lng: float | None
    address: str
    place_label: str


# What may be given where a location is asked for: a location, coordinates, or a name.
LocationLike: TypeAlias = Location | tuple[float, float] | str


class Located(NamedTuple):
    """What a geocoder knows of a place. `name` is that of the nearest place which has one, `distance_km` away."""

    lat: float
    lng: float
    name: str
    region: str = ""
    country: str = ""
    country_code: str = ""
    timezone: str = ""
    address: str = ""
    distance_km: float = 0.0


class NamedPlace(NamedTuple):
    """A place that a user has given a name to."""

    name: str
    lat: float
    lng: float
    address: str
    updated_at: datetime


class PlaceRow(NamedTuple):
    """The name of a place at which something of a user's is, as it is embedded: an address, a label, or both."""

    id: str
    address: str
    place_label: str
    created_at: datetime


class Sighting(NamedTuple):
    """Something that happened at a place, as far as it matters for finding out which places there are."""

    lat: float
    lng: float
    address: str
    place_label: str
    kind: Literal["memory", "message"]
    moment: datetime


@dataclass(frozen=True, slots=True)
class PlaceSummary:
    """A place at which a user's memories cluster. `name` is what the user calls it, or else its address.

    `radius_km` is how far from its middle the farthest of them is; `visits` are the days on which something was.
    """

    name: str
    lat: float
    lng: float
    address: str
    labels: tuple[str, ...]
    memories: int
    messages: int
    visits: int
    first_visit: datetime
    last_visit: datetime
    radius_km: float
    named: bool = False


@dataclass(frozen=True, slots=True)
class SearchLocation:
    """Where somebody is while asking, and what that is to mean: a filter, or a share of the score."""

    location: Location
    radius_km: float | None = None
    weight: float | None = None
    mode: LocationMode = "boost"


@dataclass(frozen=True, slots=True)
class PlacePart:
    """What a place did to a score: (1 - `weight`) x `content` + `weight` x `geo` is the score.

    `geo` is the larger of `nearness`, which comes from `distance_km`, and `likeness`, that of the places' names; each
    is None when it cannot be said. Where nobody gave a weight, that counts times `fit`, how good the content is
    compared with the best one there is; and `geo` is no less than `least`, which is the content where nothing here
    answers the question: then the place holds nothing against what is elsewhere.
    """

    weight: float
    content: float
    geo: float
    distance_km: float | None
    nearness: float | None
    likeness: float | None
    fit: float = 1.0
    least: float = 0.0


def place_name(address: str, place_label: str) -> str:
    """Give the text by which a place is told from others and likened to them."""
    return f"{address} {place_label}".strip()


def folded(name: str) -> str:
    """Give the name of a place as it is looked for: whatever its letter case and its blanks."""
    return " ".join(name.casefold().split())


def is_somewhere(lat: float | None, address: str, place_label: str) -> bool:
    """Tell whether anything is known of where something is."""
    return lat is not None or bool(address or place_label)


def place_id(address: str, place_label: str) -> str | None:
    """Give the id of a place: the same for the same names; None for what has none."""
    if not address and not place_label:
        return None
    said = f"{address}\x1f{place_label}".encode("utf-8", "surrogatepass")
    return str(UUID(bytes=hashlib.blake2b(said, digest_size=16).digest()))


def check_coordinates(lat: object, lng: object, wrong: type[InvalidInput] = InvalidInput) -> None:
    """Insist on both coordinates or neither, finite, and within the bounds of the globe. Raises `wrong`."""
    if lat is None and lng is None:
        return
    if lat is None or lng is None:
        missing = "lng" if lng is None else "lat"
        raise wrong(f"A place needs lat and lng together; {missing} is missing.")
    for name, value, bound in (("lat", lat, 90), ("lng", lng, 180)):
        if not _is_number(value) or abs(value) > bound:
            raise wrong(f"{name} is {value!r}; it must be a number from -{bound} to {bound}.")


def _is_number(value: object) -> TypeGuard[float]:
    if isinstance(value, int):  # however large
        return not isinstance(value, bool)
    return isinstance(value, float) and math.isfinite(value)


def check_radius(radius_km: object) -> None:
    """Insist on a radius that is searched."""
    if not _is_number(radius_km) or not LEAST_RADIUS_KM <= radius_km <= MOST_RADIUS_KM:
        raise InvalidInput(
            f"radius_km is {radius_km!r}; it must be a number from {LEAST_RADIUS_KM:g} to {MOST_RADIUS_KM:g}."
        )


def check_weight(weight: object) -> None:
    """Insist on a share."""
    if not _is_number(weight) or not 0 <= weight <= 1:
        raise InvalidInput(f"location_weight is {weight!r}; it must be a number from 0 to 1.")
