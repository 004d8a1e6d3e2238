"""Locations in requests: in bodies by four fields or as a `location`, in searches also by a name."""

import re
from dataclasses import dataclass
from typing import Annotated, Final, Self, TypedDict

from fastapi import Depends, Query
from pydantic import AliasChoices, ConfigDict, Field, model_validator

from recollect.api.memory import UserMemory
from recollect.api.scoped import one_radius
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
from recollect.service.body_model import EXAMPLES, PLAIN_NUMBER, VISIBLE, Share, StrictBody

Latitude = Annotated[float, Field(ge=-90, le=90, allow_inf_nan=False)]
Longitude = Annotated[float, Field(ge=-180, le=180, allow_inf_nan=False)]
AddressText = Annotated[str, Field(max_length=LONGEST_ADDRESS)]
LabelText = Annotated[str, Field(max_length=LONGEST_LABEL)]
RadiusField = Annotated[float, Field(ge=LEAST_RADIUS_KM, le=MOST_RADIUS_KM, allow_inf_nan=False)]
PlaceText = Annotated[str, Field(min_length=1, max_length=LONGEST_LABEL, pattern=VISIBLE)]

_SEEN: Final = re.compile(VISIBLE)
_FIELDS: Final = ("lat", "lng", "address", "place_label")


class PlacedBody(StrictBody):
    """A body that may have a place: latitude and longitude come together, or not at all."""

    lat: Latitude | None = None
    lng: Longitude | None = None
    address: AddressText = ""
    place_label: LabelText = ""

    @model_validator(mode="after")
    def _together(self) -> Self:
        if (self.lat is None) != (self.lng is None):
            raise ValueError("a place needs lat and lng together")
        return self


class LocationBody(PlacedBody):
    """A place: by its coordinates, its address, what it is called, or several of these."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["LocationBody"])

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if self.lat is None and not _SEEN.search(f"{self.address}{self.place_label}"):
            raise ValueError("a location needs lat and lng, an address or a place_label")
        return self


class LocatableBody(PlacedBody):
    """A body that may have a place, by the four fields or as a `location`; what is in both must be equal."""

    location: Annotated[
        LocationBody | None,
        Field(exclude=True, description="The same as the four fields, in one. What is in both must be the same."),
    ] = None

    @model_validator(mode="after")
    def _spread(self) -> Self:
        """Copy the location into the four fields, which all other code reads."""
        location = self.location
        for name in _FIELDS if location is not None else ():
            inside, beside = getattr(location, name), getattr(self, name)
            if inside in (None, ""):
                continue
            if beside not in (None, "", inside):
                raise ValueError(f"{name} and location.{name} differ; say it once")
            setattr(self, name, inside)
        return self

    @property
    def place(self) -> Location | None:
        """The place, if there is one."""
        if self.lat is None and not _SEEN.search(f"{self.address}{self.place_label}"):
            return None
        return Location(self.lat, self.lng, self.address, self.place_label)


_NEAR: Final = "Where you are, by a name in the world, such as Brno or Paris, Texas."
_AT: Final = "Where you are, by the name of a place of yours, such as home; or a kind of place, such as supermarket."
_RADIUS: Final = "Only what is at most so many kilometres away."
_RADIUS_NAMES: Final = AliasChoices("radius_km", "location_radius_km")  # the second as other programs call it
_WEIGHT: Final = "Share of the place in the score; without it, that of the settings."
_MODE: Final = "Whether nearness and likeness of places count (boost), or only what they are called (semantic)."


@dataclass(frozen=True, slots=True)
class SearchOrigin:
    """Where the user is while searching, and what that is to mean."""

    location: Location | None = None
    near: str | None = None
    at: str | None = None
    radius_km: float | None = None
    weight: float | None = None
    mode: LocationMode = "boost"

    def arguments(self, me: UserMemory) -> "SearchLocationArguments":
        """Give the keyword arguments of the verbs. Raises InvalidInput, and what `locate` raises."""
        if sum(given is not None for given in (self.location, self.near, self.at)) > 1:
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


class SearchLocationArguments(TypedDict):
    """The location arguments of `recall` and `search_context`."""

    location: LocationLike | None
    radius_km: float | None
    location_weight: float | None
    location_mode: LocationMode


class LocationSearchBody(LocatableBody):
    """A body of a search, which may say where the user is."""

    near: Annotated[PlaceText, Field(description=_NEAR)] | None = None
    at: Annotated[PlaceText, Field(description=_AT)] | None = None
    radius_km: Annotated[RadiusField | None, Field(description=_RADIUS, validation_alias=_RADIUS_NAMES)] = None
    location_weight: Annotated[Share, Field(description=_WEIGHT)] | None = None
    location_mode: Annotated[LocationMode, Field(description=_MODE)] = "boost"

    @property
    def origin(self) -> SearchOrigin:
        """Where the user is."""
        return SearchOrigin(self.place, self.near, self.at, self.radius_km, self.location_weight, self.location_mode)


def _query_origin(
    *,
    lat: Annotated[Latitude | None, Query(description="Where you are; needs lng."), PLAIN_NUMBER] = None,
    lng: Annotated[Longitude | None, Query(description="Where you are; needs lat."), PLAIN_NUMBER] = None,
    near: Annotated[PlaceText | None, Query(description=_NEAR)] = None,
    at: Annotated[PlaceText | None, Query(description=_AT)] = None,
    radius_km: Annotated[RadiusField | None, Query(description=_RADIUS), PLAIN_NUMBER] = None,
    location_radius_km: Annotated[RadiusField | None, Query(include_in_schema=False), PLAIN_NUMBER] = None,
    location_weight: Annotated[Share | None, Query(description=_WEIGHT), PLAIN_NUMBER] = None,
    location_mode: Annotated[LocationMode, Query(description=_MODE)] = "boost",
) -> SearchOrigin:
    check_coordinates(lat, lng)
    location = None if lat is None else Location(lat, lng)
    radius = one_radius(radius_km, location_radius_km)
    return SearchOrigin(location, near, at, radius, location_weight, location_mode)


QueryOrigin = Annotated[SearchOrigin, Depends(_query_origin)]
