"""Places: where a user's memories are, what they call such places, and what the world calls them."""

from typing import Annotated

from fastapi import Path, Query, Response

from recollect.api.memory import UserMemory
from recollect.errors import NotFound
from recollect.model.places import Location, NamedPlace
from recollect.service import answered_places as out
from recollect.service import asked
from recollect.service.asked_places import Called, Latitude, Longitude
from recollect.service.calls import Forgetting, Reading, Shown, Work, Writing, carry_out, only
from recollect.service.direct import direct
from recollect.service.strict import BARE

router = direct("Places")

Name = Annotated[asked.PlaceName, Path(description="What the place is called; letter case does not count.")]


@router.get("/api/places")
def places(call: Reading, limit: Annotated[int, Query(ge=1, le=asked.MOST_ITEMS), BARE] = 50) -> out.Places:
    """Give the places at which memories cluster: what they are called, how much is there, and when last."""
    return out.Places(items=[out.PlaceSummaryBody.model_validate(one) for one in call.me.places.list(limit=limit)])


@router.get("/api/places/named")
def named_places(call: Reading) -> out.NamedPlaces:
    """Give the places that were given names."""
    return out.NamedPlaces(items=[out.NamedPlaceBody.model_validate(one) for one in call.me.places.named()])


@router.put("/api/places/named/{name:path}", response_model=out.NamedPlaceBody)
def name_place(body: asked.NamedPlaceSent, call: Writing, name: Name) -> Response:
    """Give a place a name, such as `home`, by which searches know it; naming it again moves it."""

    def show(value: NamedPlace) -> Shown:
        return Shown(out.NamedPlaceBody.model_validate(value))

    location = Location(body.lat, body.lng, body.address)
    work = Work("name-place", show, only(NamedPlace, show), private=True)
    return carry_out(call, work, body, lambda me: me.places.set(name, location))


@router.delete("/api/places/named/{name:path}", response_model=out.ForgottenName)
def forget_place(call: Forgetting, name: Name) -> Response:
    """Forget what a place is called. What happened there stays."""
    gone = Shown(out.ForgottenName(name=name))

    def verb(me: UserMemory) -> bool:
        me.places.forget(name)
        return True

    work = Work("forget-place", lambda _: gone, lambda result: gone if result is True else None, private=True)
    return carry_out(call, work, None, verb)


@router.get("/api/places/locate")
def locate(
    call: Reading,
    name: Annotated[Called, Query(examples=["Brno"], description="A name in the world, such as Paris, Texas.")],
    limit: Annotated[int, Query(ge=1, le=asked.MOST_ITEMS), BARE] = 5,
) -> out.LocatedMany:
    """Find where in the world a name is, the likeliest first."""
    return out.LocatedMany(
        items=[out.LocatedBody.model_validate(one) for one in call.me.places.geocode(name, limit=limit)]
    )


@router.get("/api/places/at")
def where_is(
    call: Reading, lat: Annotated[Latitude, Query(), BARE], lng: Annotated[Longitude, Query(), BARE]
) -> out.LocatedBody:
    """Say what is at coordinates: the nearest place with a name, its region, country and time zone."""
    found = call.me.places.reverse_geocode(lat, lng)
    if found is None:
        raise NotFound("Nothing is known that has a name there.")
    return out.LocatedBody.model_validate(found)
