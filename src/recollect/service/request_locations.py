"""Locations in requests: in bodies by four fields or as a `location`, in searches also by a name."""

import re
from dataclasses import dataclass
from typing import Annotated, Any, Final, Self

from fastapi import Depends, Query
from pydantic import ConfigDict, Field, model_validator

from recollect.api.memory import UserMemory
from recollect.errors import InvalidInput
from recollect.model.places import LONGEST_ADDRESS, LONGEST_LABEL, Location, LocationLike, check_coordinates
from recollect.service.body_model import EXAMPLES, PLAIN_NUMBER, VISIBLE, StrictBody

Latitude = Annotated[float, Field(ge=-90, le=90, allow_inf_nan=False)]
Longitude = Annotated[float, Field(ge=-180, le=180, allow_inf_nan=False)]
AddressText = Annotated[str, Field(max_length=LONGEST_ADDRESS)]
LabelText = Annotated[str, Field(max_length=LONGEST_LABEL)]
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


class StoredBody(LocatableBody):
    """A body that is stored: one text, which may have a place."""

    @property
    def texts(self) -> int:
        """One."""
        return 1


_NEAR: Final = "Where you are, by a name in the world, such as Brno or Paris, Texas."
_AT: Final = "Where you are, by the name of a place of yours, such as home; or a kind of place, such as supermarket."


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where the user is while searching: by coordinates, by a name in the world, or by that of a place of theirs."""

    location: Location | None = None
    near: str | None = None
    at: str | None = None

    def found(self, me: UserMemory) -> LocationLike | None:
        """Give what verbs take as a location. Raises InvalidInput, and what `geocode` raises."""
        if sum(given is not None for given in (self.location, self.near, self.at)) > 1:
            raise InvalidInput("Say in one way where you are: with lat and lng (or location), with near, or with at.")
        if self.near is None:
            return self.location or self.at
        place = me.places.geocode(self.near, limit=1)[0]
        return Location(place.lat, place.lng)


class LocationSearchBody(LocatableBody):
    """A body of a search, which may say where the user is."""

    near: Annotated[PlaceText, Field(description=_NEAR)] | None = None
    at: Annotated[PlaceText, Field(description=_AT)] | None = None

    def arguments(self, me: UserMemory) -> dict[str, Any]:
        """Give the arguments of the verb that were sent. Raises what `Whereabouts.found` raises."""
        where = Whereabouts(self.place, self.near, self.at)
        return {**self.sent("whole", "threshold", *LocationSearchBody.model_fields), "location": where.found(me)}


def _query_location(
    *,
    lat: Annotated[Latitude | None, Query(description="Where you are; needs lng."), PLAIN_NUMBER] = None,
    lng: Annotated[Longitude | None, Query(description="Where you are; needs lat."), PLAIN_NUMBER] = None,
    near: Annotated[PlaceText | None, Query(description=_NEAR)] = None,
    at: Annotated[PlaceText | None, Query(description=_AT)] = None,
) -> Whereabouts:
    check_coordinates(lat, lng)
    return Whereabouts(None if lat is None else Location(lat, lng), near, at)


QueryLocation = Annotated[Whereabouts, Depends(_query_location)]
