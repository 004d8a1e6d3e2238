"""What the commands for places do, and what a place means to the others."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from recollect.cli.edge import NOT_FOUND
from recollect.cli.errand import Answer, Errand, VerbFunction
from recollect.cli.values import coordinates
from recollect.errors import InvalidInput, RecollectError
from recollect.model.places import Located, Location, NamedPlace, PlaceSummary

_FIELDS = {"lat": "lat", "lng": "lng", "address": "address", "place": "place_label"}
_WISHES = ("radius_km", "location_weight", "location_mode")


@dataclass(frozen=True, slots=True)
class Places:
    """The places at which something is, and those that only have a name."""

    places: tuple[PlaceSummary, ...]
    empty: tuple[NamedPlace, ...] = ()


@dataclass(frozen=True, slots=True)
class OwnPlace:
    """A place of the user's own. `action` is `named`, `forgotten`, or nothing when it was only looked at."""

    name: str
    location: Location | None
    action: str = ""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """What a geocoder knows: places of a name, or of coordinates the nearest that has one."""

    found: tuple[Located, ...]
    reverse: bool = False


class Here(NamedTuple):
    """Where somebody is while asking, as `recall` takes it, and what was taken for the name they typed."""

    wishes: Mapping[str, Any]
    taken: Located | None = None


def here(errand: Errand) -> Here:
    """Read where somebody is. Raises NotFound for a name that nobody knows."""
    asked = errand.asked
    near, own = asked["near"], asked["at"]
    wishes = {name: asked[name] for name in _WISHES if asked[name] is not None}
    if near is not None and own is not None:
        raise InvalidInput("--near and --at both say where you are. Give one of them.")
    if near is None and own is None:
        if wishes:
            option = f"--{next(iter(wishes)).replace('_', '-')}"
            raise InvalidInput(f"{option} needs to know where you are: add --near LAT,LNG or --at NAME.")
        return Here({})
    if own is not None:
        return Here({"location": own, **wishes})
    spot = coordinates(near, "near")
    if spot is not None:
        return Here({"location": spot, **wishes})
    taken = errand.me.locate(near, limit=1)[0]
    return Here({"location": Location(taken.lat, taken.lng, taken.address), **wishes}, taken)


def place_fields(errand: Errand, own: str | None, option: str = "at") -> dict[str, Any]:
    """Give the fields of a place that were named; `own` is a place of the user's. Raises NotFound."""
    asked = errand.asked
    fields = {field: asked[name] for name, field in _FIELDS.items() if asked[name] is not None}
    if own is None:
        return fields
    if "lat" in fields or "lng" in fields:
        raise InvalidInput(f"--{option} says where it is already. Leave out --lat and --lng.")
    known = errand.me.place(own)
    return {
        "lat": known.lat, "lng": known.lng, "address": known.address, "place_label": known.place_label, **fields,
    }  # fmt: skip


def find_addresses(errand: Errand, fields: Mapping[str, Any]) -> None:
    """Let what was stored have its address now, if that can be found out on this machine.

    It is stored already, so nothing that goes wrong here matters: a worker tries again.
    """
    if not any(fields.get(name) not in (None, "") for name in _FIELDS.values()):
        return
    with errand.watch.steps() as step:
        step("Looking where that is", 0, 1)
        try:
            errand.me.find_addresses()
        except (RecollectError, OSError):
            return


def asks_a_server(errand: Errand) -> bool:
    """Say whether addresses come from a server: then nobody waits for one, and a worker asks."""
    settings = errand.settings.places
    return settings.geocoder == "nominatim" or (settings.geocoder == "auto" and bool(settings.nominatim_url))


def places(errand: Errand) -> Answer:
    """List the places of a user; those that only have a name after all others."""
    limit = errand.asked["limit"]
    found = errand.me.places(limit=limit)
    there = {one.name for one in found if one.named}
    left = limit - len(found)
    empty = [one for one in errand.me.named_places() if one.name not in there] if left else []
    return Answer(Places(found, tuple(empty[:left])))


def place(errand: Errand) -> Answer:
    """Name a place, show it, or forget what it is called."""
    asked, me = errand.asked, errand.me
    name = asked["name"]
    spot, near, address = (asked[option] for option in ("spot", "near", "address"))
    given = [one for one in (spot, near, address) if one is not None]
    if asked["forget"]:
        if given:
            raise InvalidInput("--forget goes with the name of the place alone.")
        me.forget_place(name)
        return Answer(OwnPlace(name, None, "forgotten"))
    if not given:
        known = me.place(name)
        return Answer(OwnPlace(known.place_label, known))
    if spot is not None and near is not None:
        raise InvalidInput("LAT,LNG and --near both say where the place is. Give one of them.")
    location = _pointed_at(errand, name, spot if spot is not None else near)
    if address is not None:
        location = Location(location.lat, location.lng, address)
    named = me.name_place(name, location)
    return Answer(OwnPlace(named.name, Location(named.lat, named.lng, named.address, named.name), "named"))


def _pointed_at(errand: Errand, name: str, text: str | None) -> Location:
    """Give where a place is to be: as typed, in the town that was named, or where it is already."""
    if text is None:
        return errand.me.place(name)
    spot = coordinates(text, "near" if errand.asked["spot"] is None else None)
    if spot is not None:
        return Location(*spot)
    taken = errand.me.locate(text, limit=1)[0]
    return Location(taken.lat, taken.lng, taken.address)


def where(errand: Errand) -> Answer:
    """Say where a name is, or what is at coordinates."""
    text = errand.asked["place"]
    spot = coordinates(text)
    if spot is None:
        return Answer(Whereabouts(errand.me.locate(text, limit=errand.asked["limit"])))
    found = errand.me.where_is(*spot)
    return Answer(Whereabouts((found,) if found else (), reverse=True), 0 if found else NOT_FOUND)


VERBS: Mapping[str, VerbFunction] = {"places": places, "place": place, "where": where}
