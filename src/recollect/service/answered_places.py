"""What is answered about places: those of a user, those they have named, and what a geocoder knows."""

from datetime import datetime

from pydantic import BaseModel

from recollect.service.answered import Answer


class PlaceSummaryBody(Answer):
    """A place at which a user's memories cluster. `name` is what the user calls it, or else its address.

    `radius_km` is how far from its middle the farthest of them is; `visits` are the days on which something was.
    `named` says whether the user has given it that name.
    """

    name: str
    lat: float
    lng: float
    address: str
    labels: list[str]
    memories: int
    messages: int
    visits: int
    first_visit: datetime
    last_visit: datetime
    radius_km: float
    named: bool


class Places(BaseModel):
    """The places of a user, those with most of their memories first."""

    items: list[PlaceSummaryBody]


class NamedPlaceBody(Answer):
    """A place that the user has given a name."""

    name: str
    lat: float
    lng: float
    address: str
    updated_at: datetime


class NamedPlaces(BaseModel):
    """The places that the user has given names, by name."""

    items: list[NamedPlaceBody]


class ForgottenName(BaseModel):
    """What a place is called was forgotten; what happened there stays."""

    name: str


class LocatedBody(Answer):
    """What is known of a place in the world. `name` is that of the nearest one which has one, `distance_km` away."""

    lat: float
    lng: float
    name: str
    region: str
    country: str
    country_code: str
    timezone: str
    address: str
    distance_km: float


class LocatedMany(BaseModel):
    """Places of a name, the likeliest first."""

    items: list[LocatedBody]
