"""Where something is, as it may be sent: in bodies by its fields or as a `location`, in searches also by a name.

What is sent twice must be the same twice.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Any, Final, Self, TypedDict

from fastapi import Depends, Query
from pydantic import ConfigDict, Field, model_validator

from recollect.api.memory import UserMemory
from recollect.errors import InvalidInput
from recollect.model.places import (
    LEAST_RADIUS_KM,
    LONGEST_ADDRESS,
    LONGEST_LABEL,
    MOST_RADIUS_KM,
    Location,
    LocationLike,
    LocationMode,
    check_coordinates,
)
from recollect.service.strict import BARE, VISIBLE, Body, Share

Latitude = Annotated[float, Field(ge=-90, le=90, allow_inf_nan=False)]
Longitude = Annotated[float, Field(ge=-180, le=180, allow_inf_nan=False)]
Address = Annotated[str, Field(max_length=LONGEST_ADDRESS)]
Label = Annotated[str, Field(max_length=LONGEST_LABEL)]
Radius = Annotated[float, Field(ge=LEAST_RADIUS_KM, le=MOST_RADIUS_KM, allow_inf_nan=False)]
Called = Annotated[str, Field(min_length=1, max_length=LONGEST_LABEL, pattern=VISIBLE)]

_SEEN: Final = re.compile(VISIBLE)
_FIELDS: Final = ("lat", "lng", "address", "place_label")
_PAIR: Final[dict[str, Any]] = {
    "required": ["lat", "lng"],
    "properties": {"lat": {"type": "number"}, "lng": {"type": "number"}},
}
_NO_PAIR: Final[dict[str, Any]] = {"properties": {"lat": {"type": "null"}, "lng": {"type": "null"}}}

TOGETHER: Final[dict[str, Any]] = {"anyOf": [_PAIR, _NO_PAIR]}
_SOMEWHERE: Final[dict[str, Any]] = {
    "anyOf": [
        _PAIR,
        *(
            {"required": [name], "properties": {**_NO_PAIR["properties"], name: {"pattern": VISIBLE}}}
            for name in ("address", "place_label")
        ),
    ]
}


class Placed(Body):
    """Something that may have a place: latitude and longitude come together, or not at all."""

    lat: Latitude | None = None
    lng: Longitude | None = None
    address: Address = ""
    place_label: Label = ""

    @model_validator(mode="after")
    def _together(self) -> Self:
        if (self.lat is None) != (self.lng is None):
            raise ValueError("a place needs lat and lng together")
        return self


class LocationBody(Placed):
    """A place: by its coordinates, its address, what it is called, or several of these."""

    model_config = ConfigDict(
        json_schema_extra={**_SOMEWHERE, "examples": [{"lat": 49.1951, "lng": 16.6068, "place_label": "U Karla pub"}]}
    )

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if self.lat is None and not _SEEN.search(f"{self.address}{self.place_label}"):
            raise ValueError("a location needs lat and lng, an address or a place_label")
        return self


class Locatable(Placed):
    """Something that may have a place, said by the four fields or as a `location`."""

    location: Annotated[
        LocationBody | None,
        Field(exclude=True, description="The same as the four fields, in one. What is in both must be the same."),
    ] = None

    @model_validator(mode="after")
    def _spread(self) -> Self:
        """Write what the location says into the fields, where everything else looks for it."""
        given = self.location
        for name in _FIELDS if given is not None else ():
            inside, beside = getattr(given, name), getattr(self, name)
            if inside in (None, ""):
                continue
            if beside not in (None, "", inside):
                raise ValueError(f"{name} and location.{name} differ; say it once")
            setattr(self, name, inside)
        return self

    @property
    def whereabouts(self) -> Location | None:
        """Where it is, if that is said."""
        if self.lat is None and not _SEEN.search(f"{self.address}{self.place_label}"):
            return None
        return Location(self.lat, self.lng, self.address, self.place_label)


_NEAR: Final = "Where you are, by a name in the world, such as Brno or Paris, Texas."
_AT: Final = "Where you are, by the name of a place of yours, such as home; or a kind of place, such as supermarket."
_RADIUS: Final = "Only what is at most so many kilometres away."
_WEIGHT: Final = "Share of the place in the score; without it, that of the settings."
_MODE: Final = "Whether nearness and likeness of places count (boost), or only what they are called (semantic)."


@dataclass(frozen=True, slots=True)
class Where:
    """What a search says about where somebody is, and what that is to mean."""

    location: Location | None = None
    near: str | None = None
    at: str | None = None
    radius_km: float | None = None
    weight: float | None = None
    mode: LocationMode = "boost"

    def found(self, me: UserMemory) -> "WhereFields":
        """Put it in the words of the verbs. Raises InvalidInput, and what `locate` raises."""
        if sum(one is not None for one in (self.location, self.near, self.at)) > 1:
            raise InvalidInput("Say in one way where you are: with lat and lng (or location), with near, or with at.")
        location: LocationLike | None = self.location or self.at
        if self.near is not None:
            place = me.places.geocode(self.near, limit=1)[0]
            location = Location(place.lat, place.lng)
        return {
            "location": location,
            "radius_km": self.radius_km,
            "location_weight": self.weight,
            "location_mode": self.mode,
        }


class WhereFields(TypedDict):
    """Where somebody is while asking, as keyword arguments of `recall` and `search_context`."""

    location: LocationLike | None
    radius_km: float | None
    location_weight: float | None
    location_mode: LocationMode


class Searching(Locatable):
    """What a body may say about where somebody is."""

    near: Annotated[Called, Field(description=_NEAR)] | None = None
    at: Annotated[Called, Field(description=_AT)] | None = None
    radius_km: Annotated[Radius, Field(description=_RADIUS)] | None = None
    location_weight: Annotated[Share, Field(description=_WEIGHT)] | None = None
    location_mode: Annotated[LocationMode, Field(description=_MODE)] = "boost"

    @property
    def where(self) -> Where:
        """Where somebody is while asking."""
        return Where(self.whereabouts, self.near, self.at, self.radius_km, self.location_weight, self.location_mode)


def _of_a_query(
    *,
    lat: Annotated[Latitude | None, Query(description="Where you are; needs lng."), BARE] = None,
    lng: Annotated[Longitude | None, Query(description="Where you are; needs lat."), BARE] = None,
    near: Annotated[Called | None, Query(description=_NEAR)] = None,
    at: Annotated[Called | None, Query(description=_AT)] = None,
    radius_km: Annotated[Radius | None, Query(description=_RADIUS), BARE] = None,
    location_weight: Annotated[Share | None, Query(description=_WEIGHT), BARE] = None,
    location_mode: Annotated[LocationMode, Query(description=_MODE)] = "boost",
) -> Where:
    """Read where somebody is out of a query."""
    check_coordinates(lat, lng)
    location = None if lat is None else Location(lat, lng)
    return Where(location, near, at, radius_km, location_weight, location_mode)


Here = Annotated[Where, Depends(_of_a_query)]
