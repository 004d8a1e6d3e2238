"""The places of a user: clusters of memories, and places that the user has named."""

from recollect.engine.base.context import Engine
from recollect.engine.drafts import memory_drafts, redaction, tombstones
from recollect.engine.places import address_lookup, search_location
from recollect.engine.vectors import embed_queue
from recollect.errors import InvalidInput, NotFound
from recollect.ids import canonical
from recollect.model.filters import Filters, MessageFilters
from recollect.model.geo import Circle
from recollect.model.memories import Scope
from recollect.model.places import Location, NamedPlace, PlaceSummary, check_coordinates, folded
from recollect.model.search import PlaceContents
from recollect.ports import RemoteEmbedder
from recollect.ranking import geo
from recollect.storage.base import StoreWriter
from recollect.text.clean import clean

_MOST_NAMED = 1_000


def places(engine: Engine, scope: Scope, limit: int) -> tuple[PlaceSummary, ...]:
    """Give the places at which a user's memories cluster, the largest first."""
    now = engine.clock.now()
    sightings, named_places = engine.store.read(
        scope, lambda reader: (reader.sightings(Filters(now)), reader.named_places())
    )
    return geo.summarize(sightings, named_places, limit, engine.timezone)


def contents(engine: Engine, scope: Scope, circle: Circle, limit: int) -> PlaceContents:
    """Give the newest memories and the last messages within a circle."""
    memories, messages = Filters(engine.clock.now(), near=circle), MessageFilters(near=circle)
    return engine.store.read(
        scope,
        lambda reader: PlaceContents(
            tuple(reader.select(memories, limit)), tuple(reader.said_between(messages, limit))
        ),
    )


def name_place(engine: Engine, scope: Scope, name: str, location: Location) -> NamedPlace:
    """Name a place, or move a named one."""
    label = memory_drafts.bounded("place_label", redaction.public_text(engine, name), InvalidInput)
    if not label:
        raise InvalidInput("The name of the place is empty. Call it something, for example home.")
    check_coordinates(location.lat, location.lng)
    if location.lat is None or location.lng is None:
        raise InvalidInput(f"Where is {label!r}? Give lat and lng.")
    address = memory_drafts.bounded("address", redaction.public_text(engine, location.address), InvalidInput)
    exact = NamedPlace(label, float(location.lat), float(location.lng), address, engine.clock.now())
    named = exact._replace(**redaction.public_place(engine, location.lat, location.lng))

    def work(writer: StoreWriter) -> NamedPlace:
        others = [place for place in writer.named_places() if folded(place.name) != folded(label)]
        if len(others) >= _MOST_NAMED:
            raise InvalidInput(f"{_MOST_NAMED:,} places have names already. Forget one of them first.")
        writer.save_named_place(named)
        return named

    return engine.write(scope, work)


def forget_place(engine: Engine, scope: Scope, name: str) -> None:
    """Delete the name of a place. What happened there stays. Raises NotFound."""
    wanted, now = folded(clean(name)), engine.clock.now()

    def work(writer: StoreWriter) -> NamedPlace | None:
        named = next((place for place in writer.named_places() if folded(place.name) == wanted), None)
        if named is not None:
            writer.delete_named_place(named.name)
            writer.bury([tombstones.of_place(wanted)], now)
        return named

    if engine.write_deletion(scope, work) is None:
        raise NotFound(f"No place is called {name!r}. See what there is with `places`.")
    engine.search.results.drop(scope)
    engine.erase()


def place(engine: Engine, scope: Scope, name: str) -> Location:
    """Give a user's place by its name: a named one, or the latest with that label. Raises NotFound."""
    own = engine.store.read(scope, lambda reader: search_location.own_place(reader, clean(name), engine.clock.now()))
    if own is None:
        raise NotFound(f"No place of yours is called {name!r}. See what there is with `places`, or name it.")
    return own


def located(engine: Engine, scope: Scope, location: Location) -> Location:
    """Add the coordinates of a place that the user has named."""
    if location.lat is not None or not location.place_label:
        return location
    try:
        return place(engine, scope, location.place_label)
    except NotFound:
        return location


def find_addresses(engine: Engine, scope: Scope, of: str, ask_s: float) -> int:
    """Geocode and embed a user's places, as far as that can be done on this machine; a server is asked for one item."""
    done = 0
    if engine.geocoder is not None and engine.geocoder.remote:
        item_id = canonical(of) if ask_s > 0 else None
        done = int(item_id is not None and address_lookup.serve_now(engine, scope, item_id, ask_s))
    elif engine.geocoder is not None:
        done = address_lookup.serve(engine, scope=scope).located
    space = engine.space
    if space is not None and not isinstance(engine.models.embedder(space), RemoteEmbedder):
        embed_queue.serve_once(engine, scope, space)
    return done
