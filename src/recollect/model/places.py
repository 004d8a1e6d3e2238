"""Places: locations, their names, and the location of a search. Coordinates are WGS84 degrees, both or neither."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypedDict, TypeGuard
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
    """A location: coordinates, an address, a label, or several of these.

    A `place_label` alone means the place that the user named so (`home`), or else a kind of place (`supermarket`).
    """

    lat: float | None = None
    lng: float | None = None
    address: str = ""
    place_label: str = ""

    @property
    def name(self) -> str:
        """The text that is embedded: address and label."""
        return place_name(self.address, self.place_label)


class PlaceFields(TypedDict, total=False):
    """The fields of a location, as keyword arguments."""

    lat: float | None
    lng: float | None
    address: str
    place_label: str


# What a parameter `location` accepts: a location, or a mapping with its fields; coordinates; or a name.
LocationLike: TypeAlias = Location | PlaceFields | tuple[float, float] | str

PLACE_FIELDS: Final = ("lat", "lng", "address", "place_label")


def as_location(given: Any) -> Location:  # noqa: ANN401 - a caller without types may pass anything
    """Convert what a parameter `location` accepts. Raises InvalidInput."""
    match given:
        case Location():
            location = given
        case str():
            location = Location(place_label=given)
        case Mapping():
            if not given or given.keys() - set(PLACE_FIELDS):
                raise InvalidInput(f"The location is {given!r}; its fields are {', '.join(PLACE_FIELDS)}.")
            location = Location(**{name: value for name, value in given.items() if value is not None})
        case [lat, lng]:
            location = Location(lat, lng)
        case _:
            raise InvalidInput(f"The location is {given!r}; it must be a pair of lat and lng, a name, or a Location.")
    check_coordinates(location.lat, location.lng)
    for name in ("address", "place_label"):
        if not isinstance(getattr(location, name), str):
            raise InvalidInput(f"The {name} of the location is {getattr(location, name)!r}; it must be a text.")
    return location


def with_location(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Spread the field `location` over the four that are stored. What is in both must be the same."""
    spread = {name: value for name, value in fields.items() if name != "location"}
    location = None if fields.get("location") is None else as_location(fields["location"])
    for name in PLACE_FIELDS if location is not None else ():
        inside, beside = getattr(location, name), spread.get(name)
        if inside not in (None, "") and beside not in (None, "", inside):
            raise InvalidInput(f"{name} is {beside!r}, but {inside!r} in the location; say it once.")
        if inside not in (None, ""):
            spread[name] = inside
    return spread


def place_of_search(location: LocationLike) -> dict[str, Any]:
    """Spread the location of a search over the fields of a request: coordinates, or the name of a place."""
    where = as_location(location)
    if where.lat is None and where.place_label and not where.address:
        return {"at": where.place_label}
    if where.lat is None:
        raise InvalidInput("An address alone is no location for a service. Give lat and lng, or a place_label.")
    return {"lat": where.lat, "lng": where.lng}


class Located(NamedTuple):
    """A geocoder's answer. `name` is that of the nearest named place, `distance_km` away."""

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
    """A place that the user has named."""

    name: str
    lat: float
    lng: float
    address: str
    updated_at: datetime


class PlaceRow(NamedTuple):
    """The name of a place in a user's memories, as it is embedded: an address, a label, or both."""

    id: str
    address: str
    place_label: str
    created_at: datetime


class Sighting(NamedTuple):
    """A memory or message at a place, reduced to what clustering needs."""

    lat: float
    lng: float
    address: str
    place_label: str
    kind: Literal["memory", "message"]
    moment: datetime


@dataclass(frozen=True, slots=True)
class PlaceSummary:
    """A cluster of a user's memories. `name` is the user's name for the place, or else its address.

    `radius_km` is the distance of the farthest one from the centre; `visits` counts days.
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
    """The location of a search: a filter when it has a radius, and a share of the score."""

    location: Location
    radius_km: float | None = None
    weight: float | None = None
    mode: LocationMode = "boost"


@dataclass(frozen=True, slots=True)
class PlacePart:
    """The share of the place in a score: (1 - `weight`) x `content` + `weight` x `geo`.

    `geo` is the larger of `nearness`, from `distance_km`, and `likeness`, that of the places' names; None when unknown.
    With the default weight, the weight counts times `fit`, the content's score relative to the best one; and `geo` is
    at least `least`: the content's score where nothing nearby answers the query, so that distance costs nothing.
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
    """Return the text by which places are compared."""
    return f"{address} {place_label}".strip()


def folded(name: str) -> str:
    """Normalise the name of a place for lookup: letter case and blanks do not matter."""
    return " ".join(name.casefold().split())


def is_somewhere(lat: float | None, address: str, place_label: str) -> bool:
    """Tell whether an item has a place."""
    return lat is not None or bool(address or place_label)


def place_id(address: str, place_label: str) -> str | None:
    """Return the id of a place, derived from its names; None without names."""
    if not address and not place_label:
        return None
    names = f"{address}\x1f{place_label}".encode("utf-8", "surrogatepass")
    import hashlib  # noqa: PLC0415 - help needs this module, but no hashes

    return str(UUID(bytes=hashlib.blake2b(names, digest_size=16).digest()))


def check_coordinates(lat: object, lng: object, wrong: type[InvalidInput] = InvalidInput) -> None:
    """Check coordinates: both or neither, finite and on the globe. Raises `wrong`."""
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


def check_number(name: str, value: object, least: float, most: float) -> None:
    """Check for a number within bounds. Raises InvalidInput."""
    if not _is_number(value) or not least <= value <= most:
        raise InvalidInput(f"{name} is {value!r}; it must be a number from {least:g} to {most:g}.")
