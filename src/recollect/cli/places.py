"""Commands for places, and what a place means to other commands."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from recollect.cli import options
from recollect.cli.errors import NOT_FOUND, CoordinatesCommand
from recollect.cli.formatting import ago, far, place_line, shortened, spot
from recollect.cli.options import argument, flag, option
from recollect.cli.runner import CommandContext, CommandResult, CommandSet
from recollect.cli.values import coordinates
from recollect.errors import InvalidInput, RecollectError

if TYPE_CHECKING:
    from recollect.cli.view import View
    from recollect.model.memories import MemoryRecord
    from recollect.model.messages import Message
    from recollect.model.places import Located, Location, LocationLike, NamedPlace, PlaceSummary

commands = CommandSet("Places", CoordinatesCommand)

OF_A_PLACE = ("lat", "lng", "address", "place_label")
_LONGEST_NAME = 36
_ASK_S = 1.5  # that a command waits for a server
_FIRST_USE = "Making the table of places, only this once (about 10 s)"


class TypedLocation(NamedTuple):
    """Where the user is, as `recall` takes it, and the place that was taken for the name that was typed."""

    location: "LocationLike | None" = None
    taken: "Located | None" = None


def search_location(
    context: CommandContext, typed: options.LocationOptions, given: Mapping[str, object]
) -> TypedLocation:
    """Parse where the user is; what else was given may need it. Raises NotFound for an unknown name."""
    from recollect.model.places import Location

    near, own = typed
    if near is not None and own is not None:
        raise InvalidInput("--near and --at both say where you are. Give one of them.")
    if near is None:
        for name in given:
            if own is None and name.startswith(("radius_", "location_")):
                option = f"--{name.replace('_', '-')}"
                raise InvalidInput(f"{option} needs to know where you are: add --near LAT,LNG or --at NAME.")
        return TypedLocation(own)
    point = coordinates(near, "near")
    if point is not None:
        from recollect.geocoding import must_make_tables

        # A search by meaning would not wait for the tables of names, and not say why it is slow.
        if context.settings.embedding.provider != "none" and must_make_tables(context.settings.places):
            with _looking_up(context), suppress(RecollectError, OSError):
                context.me.places.reverse_geocode(*point)
        return TypedLocation(point)
    with _looking_up(context):
        taken = context.me.places.geocode(near, limit=1)[0]
    return TypedLocation(Location(taken.lat, taken.lng, taken.address), taken)


@contextmanager
def _looking_up(context: CommandContext) -> Iterator[None]:
    """Say what takes so long: the first question of all makes the tables of the offline geocoder."""
    from recollect.geocoding import must_make_tables

    with context.progress.steps() as step:
        step(_FIRST_USE if must_make_tables(context.settings.places) else "Looking where that is", 0, 1)
        yield


def place_fields(
    context: CommandContext, given: Mapping[str, Any], own: str | None, option: str = "at"
) -> dict[str, Any]:
    """Give the fields of a place that were named; `own` is a place of the user's. Raises NotFound."""
    fields = {name: given[name] for name in OF_A_PLACE if given.get(name) is not None}
    if own is None:
        return fields
    if "lat" in fields or "lng" in fields:
        raise InvalidInput(f"--{option} says where it is already. Leave out --lat and --lng.")
    known = context.me.places.get(own)
    return {**{name: getattr(known, name) for name in OF_A_PLACE}, **fields}


def find_addresses(context: CommandContext, fields: Mapping[str, Any], item_id: str) -> None:
    """Look up the address of what was stored: on this machine, or by a server that answers soon.

    It is stored already, so failures do not matter here: a worker tries again.
    """
    from recollect.geocoding import may_ask_now

    if all(value in (None, "") for value in fields.values()):
        return
    with _looking_up(context), suppress(RecollectError, OSError):
        unlocated = fields.get("lat") is not None and not fields.get("address") and asks_a_server(context)
        ask_s = _ASK_S if unlocated and may_ask_now(context.settings.places, context.present) else 0.0
        context.me.places.find_addresses(of=item_id, ask_s=ask_s)


def address_follows(context: CommandContext, item: "MemoryRecord | Message | None") -> bool:
    """Tell whether the address of an item is still to be asked for: not where nothing has a name."""
    if item is None or item.lat is None or item.address or not asks_a_server(context):
        return False
    return context.memory.status().unlocated > 0


def show_following_address(view: "View", *, follows: bool) -> None:
    """Say that an address is still to be asked for, if it is."""
    if follows:
        view.line("Its address follows: `recollect worker` asks for it.", "dim")


def asks_a_server(context: CommandContext) -> bool:
    """Say whether addresses come from a server: then a worker asks for what it did not answer at once."""
    settings = context.settings.places
    return settings.geocoder == "nominatim" or (settings.geocoder == "auto" and bool(settings.nominatim_url))


class PlaceList(NamedTuple):
    """The places at which something is, and those that only have a name."""

    places: "tuple[PlaceSummary, ...]"
    empty: "tuple[NamedPlace, ...]" = ()


@commands.command("read", examples=("recollect places", "recollect places --limit 10"))
def places(context: CommandContext, *, limit: options.Most = 50) -> CommandResult[PlaceList]:
    """List the places at which your memories are.

    What lies close together is one place: with what you call it, how much is there, on how many days something was, and
    when last. Places that you have named come last if nothing is there.
    """
    summaries = context.me.places.list(limit=limit)
    there = {summary.name for summary in summaries if summary.named}
    left = limit - len(summaries)
    empty = [place for place in context.me.places.named() if place.name not in there] if left else []
    return CommandResult(PlaceList(summaries, tuple(empty[:left])), _show_places)


def _show_places(view: "View", listed: PlaceList) -> None:
    if not listed.places and not listed.empty:
        view.line("No places yet. `recollect store TEXT --lat LAT --lng LNG` stores something at one.")
        return
    if listed.places:
        table = view.headed("place", ("memories", "messages", "visits"), "last visit")
        for summary in listed.places:
            name = view.text(shortened(summary.name, _LONGEST_NAME), "bold" if summary.named else "")
            if summary.address not in ("", summary.name):
                name.append("\n").append_text(view.text(shortened(summary.address, _LONGEST_NAME), "dim"))
            counts = (f"{amount:,}" for amount in (summary.memories, summary.messages, summary.visits))
            table.add_row(name, *counts, ago(summary.last_visit, view.now))
        view.print(table)
    for empty in listed.empty:
        told = place_line("", empty.address, empty.lat, empty.lng)
        view.print(view.text(empty.name, "bold").append_text(view.text(f"  nothing there yet · {told}", "dim")))


class OwnPlace(NamedTuple):
    """A place of the user's own. `action` is `named`, `forgotten`, or nothing when it was only looked at."""

    name: str
    location: "Location | None"
    action: str = ""


@commands.command(
    "read",
    when_given={"spot": "write", "near": "write", "address": "write", "forget": "forget"},
    examples=(
        "recollect place home 49.1951,16.6068",
        "recollect place office --near Olomouc --address 'Horní náměstí 1'",
        "recollect place home",
        "recollect place office --forget",
    ),
)
def place(
    context: CommandContext,
    name: Annotated[str, argument("NAME", "What you call the place, such as home.")],
    spot: Annotated[
        str | None, argument("LAT,LNG", "Where it is. Without it, you are told where it is by now.")
    ] = None,
    *,
    near: Annotated[str | None, option("NAME", "It is in this town, if you do not know its coordinates.")] = None,
    address: Annotated[str | None, option("TEXT", "Its address.")] = None,
    forget: Annotated[
        bool | None, flag("--forget", "Forget what the place is called; memories that are there stay.")
    ] = None,
) -> CommandResult[OwnPlace]:
    """Give a place a name of your own, or show it.

    `recall --at NAME` and `store --at NAME` know it then, whatever its letter case. Naming it again moves it.
    """
    from recollect.model.places import Location

    me = context.me
    given = any(value is not None for value in (spot, near, address))
    if forget:
        if given:
            raise InvalidInput("--forget goes with the name of the place alone.")
        me.places.forget(name)
        return CommandResult(OwnPlace(name, None, "forgotten"), _show_place)
    if not given:
        known = me.places.get(name)
        return CommandResult(OwnPlace(known.place_label, known), _show_place)
    if spot is not None and near is not None:
        raise InvalidInput("LAT,LNG and --near both say where the place is. Give one of them.")
    location = _target(context, name, spot, near)
    if address is not None:
        location = Location(location.lat, location.lng, address)
    named = me.places.set(name, location)
    known = Location(named.lat, named.lng, named.address, named.name)
    return CommandResult(OwnPlace(named.name, known, "named"), _show_place)


def _target(context: CommandContext, name: str, spot: str | None, near: str | None) -> "Location":
    """Give where a place is to be: as typed, in the town that was named, or where it is already."""
    from recollect.model.places import Location

    text = near if spot is None else spot
    if text is None:
        return context.me.places.get(name)
    point = coordinates(text, "near" if spot is None else None)
    if point is not None:
        return Location(*point)
    with _looking_up(context):
        taken = context.me.places.geocode(text, limit=1)[0]
    return Location(taken.lat, taken.lng, taken.address)


def _show_place(view: "View", own: OwnPlace) -> None:
    known = own.location
    if known is None:
        view.line(f"No place has the name {own.name} any more. Memories that are there stay.")
        return
    if own.action == "named":
        view.line("Named.")
    view.line(place_line(known.place_label or own.name, known.address, known.lat, known.lng))


class GeocodedPlaces(NamedTuple):
    """What a geocoder knows: places of a name, or the nearest place to coordinates."""

    found: "tuple[Located, ...]"
    reverse: bool = False


@commands.command(
    "read",
    examples=(
        "recollect where Brno",
        'recollect where "Paris, Texas"',
        "recollect where 49.1951,16.6068",
        "recollect where -33.86,151.21",
    ),
)
def where(
    context: CommandContext,
    place: Annotated[str, argument("NAME|LAT,LNG", "The name of a place in the world, or coordinates.")],
    *,
    limit: Annotated[int, option("N", "At most this many places of the name.", "--limit", "-n")] = 5,
) -> CommandResult[GeocodedPlaces]:
    """Say where a name is, or what is at coordinates.

    Coordinates get the nearest place that has a name, its region, country and time zone; a name gets the places that
    are called so, the likeliest first. The setting places.geocoder says who is asked; without a server of your own it
    is a table on this machine.
    """
    point = coordinates(place)
    with _looking_up(context):
        if point is None:
            return CommandResult(GeocodedPlaces(context.me.places.geocode(place, limit=limit)), _show_where)
        nearest = context.me.places.reverse_geocode(*point)
    geocoded = GeocodedPlaces((nearest,) if nearest else (), reverse=True)
    return CommandResult(geocoded, _show_nearest, 0 if nearest else NOT_FOUND)


def _show_where(view: "View", geocoded: GeocodedPlaces) -> None:
    table = view.grid("text", "dim", "dim")
    for located in geocoded.found:
        name = view.text(located.address or located.name)
        table.add_row(name, spot(located.lat, located.lng), view.text(located.timezone))
    view.print(table)


def _show_nearest(view: "View", geocoded: GeocodedPlaces) -> None:
    if not geocoded.found:
        view.line("Nothing that has a name is known there.")
        return
    (nearest,) = geocoded.found
    view.line(nearest.address or nearest.name, "bold")
    country = f"{nearest.country} ({nearest.country_code})" if nearest.country_code else nearest.country
    view.fields(
        (
            ("nearest", f"{nearest.name}, {far(nearest.distance_km)}" if nearest.name else ""),
            ("region", nearest.region),
            ("country", country),
            ("time zone", nearest.timezone),
        )
    )
