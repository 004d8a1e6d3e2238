"""Places: where a user's memories are, what they call such places, and what the world calls them."""

from typing import Annotated

from fastapi import Path, Query, Response

from recollect.errors import NotFound
from recollect.model.places import Located, Location, NamedPlace
from recollect.model.search import PlaceContents
from recollect.service import requests
from recollect.service import responses as out
from recollect.service.body_model import PLAIN_NUMBER
from recollect.service.idempotency import Reply, run_idempotent
from recollect.service.json_routes import json_router
from recollect.service.request_context import ForgetCall, ReadCall, WriteCall
from recollect.service.request_locations import Latitude, Longitude, PlaceText

router = json_router("Places")

NamedPlacePath = Annotated[
    requests.PlaceName, Path(description="What the place is called; letter case does not count.")
]


@router.get("/api/places", response_model=out.PlacesBody)
def list_places(call: ReadCall, limit: requests.QueryLimit = 50) -> out.Items:
    """Give the places at which memories cluster: what they are called, how much is there, and when last."""
    return out.Items(call.me.places.list(limit=limit))


@router.get("/api/places/within", response_model=out.PlaceContentsBody)
def list_within(
    call: ReadCall,
    lat: Annotated[Latitude, Query(), PLAIN_NUMBER],
    lng: Annotated[Longitude, Query(), PLAIN_NUMBER],
    radius_km: Annotated[float, Query(gt=0, le=2_000, allow_inf_nan=False), PLAIN_NUMBER],
    limit: requests.QueryLimit = 50,
) -> PlaceContents:
    """Give what is within a circle: the newest memories there, and the last messages sent from there."""
    return call.me.places.within(lat, lng, radius_km, limit=limit)


@router.get("/api/places/named", response_model=out.NamedPlacesBody)
def list_named_places(call: ReadCall) -> out.Items:
    """Give the places that were given names."""
    return out.Items(call.me.places.named())


@router.put("/api/places/named/{name:path}", response_model=out.NamedPlaceBody)
def name_place(body: requests.NamedPlaceSent, call: WriteCall, name: NamedPlacePath) -> Response:
    """Give a place a name, such as `home`, by which searches know it; naming it again moves it."""
    return run_idempotent(
        call,
        "name-place",
        lambda me: me.places.set(name, Location(body.lat, body.lng, body.address)),
        reply=out.NamedPlaceBody,
        committed=NamedPlace,
        request=body,
        private=True,
    )


@router.delete("/api/places/named/{name:path}", response_model=out.ForgottenNameBody)
def forget_place(call: ForgetCall, name: NamedPlacePath) -> Response:
    """Forget what a place is called. What happened there stays."""
    return run_idempotent(
        call,
        "forget-place",
        lambda me: me.places.forget(name),
        reply=lambda _: Reply(out.dump(out.ForgottenNameBody, {"name": name})),
        committed=NamedPlace,
        private=True,
    )


@router.get("/api/places/locate", response_model=out.LocatedManyBody)
def geocode(
    call: ReadCall,
    name: Annotated[PlaceText, Query(examples=["Brno"], description="A name in the world, such as Paris, Texas.")],
    limit: requests.QueryLimit = 5,
) -> out.Items:
    """Find where in the world a name is, the likeliest first."""
    return out.Items(call.me.places.geocode(name, limit=limit))


@router.get("/api/places/at", response_model=out.LocatedBody)
def reverse_geocode(
    call: ReadCall, lat: Annotated[Latitude, Query(), PLAIN_NUMBER], lng: Annotated[Longitude, Query(), PLAIN_NUMBER]
) -> Located:
    """Say what is at coordinates: the nearest place with a name, its region, country and time zone."""
    place = call.me.places.reverse_geocode(lat, lng)
    if place is None:
        raise NotFound("Nothing is known that has a name there.")
    return place
