"""The location of a search: resolved before it, and scored against the places of what is found.

Coordinates say how near an item is, the name of a place how much it is like another. Whichever is missing is resolved:
coordinates from the user's own places, the name by the geocoder. What cannot be had in time is left out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple, Protocol

from recollect.engine.base.context import PLACE, Engine
from recollect.engine.drafts import memory_drafts
from recollect.engine.places import address_lookup
from recollect.engine.vectors import embed_texts
from recollect.errors import InvalidInput, RecollectError
from recollect.model.filters import ChunkFilters, Filters, ItemFilters, MessageFilters, PlaceFilters
from recollect.model.geo import Circle, distance_km
from recollect.model.memories import MemoryRecord, Scope, Space, Vector
from recollect.model.messages import Message
from recollect.model.places import (
    LEAST_RADIUS_KM,
    LOCATION_MODES,
    MOST_RADIUS_KM,
    Location,
    PlacePart,
    SearchLocation,
    check_coordinates,
    check_number,
    folded,
    place_id,
)
from recollect.ranking import fusion, geo
from recollect.storage.base import StoreReader

_MAX_SAME_LABEL = 500  # addresses that share a label
_LATEST = 20
_DEADLINE_SHARE = 0.1  # of a search, for the name of a place; the answer goes by distance alone otherwise
_SIMILAR_PLACES = 64  # places that are candidates because their names are alike
_MIN_LIKENESS = 0.4  # how much alike they must be at least
_REACH = 5  # items within so many times the scale are candidates because they are near


@dataclass(frozen=True, slots=True)
class ResolvedLocation:
    """The location of a search, as far as it is known."""

    lat: float | None
    lng: float | None
    name: str
    vector: Vector | None
    weight: float
    scale_km: float
    semantic: bool
    circle: Circle | None  # the radius of the search
    scales_by_content: bool = True  # the caller gave no weight

    @property
    def key(self) -> tuple[object, ...]:
        """All that the answer depends on."""
        vector = None if self.vector is None else self.vector.tobytes()
        point = (self.lat, self.lng, self.name, vector)
        return (*point, self.weight, self.scale_km, self.semantic, self.circle, self.scales_by_content)

    def within_radius(self, filters: ItemFilters) -> ItemFilters:
        """Narrow filters down to the radius."""
        return filters if self.circle is None else replace(filters, near=self.circle)


class PlaceScale(NamedTuple):
    """How scores of places are scaled when the caller gave no weight: by the best content, with a lower bound."""

    best_content: float
    elsewhere_floor: float


class HasPlace(Protocol):
    """An item that may have a place."""

    @property
    def lat(self) -> float | None: ...
    @property
    def lng(self) -> float | None: ...
    @property
    def address(self) -> str: ...
    @property
    def place_label(self) -> str: ...


def resolve(
    engine: Engine, scope: Scope, wanted: SearchLocation | None, space: Space | None
) -> tuple[ResolvedLocation | None, tuple[str, ...]]:
    """Check and resolve the location of a search; the second value names what could not be resolved in time."""
    if wanted is None:
        return None, ()
    location = _check(wanted)
    if location.lat is None and (label := location.place_label):
        own = engine.store.read(scope, lambda reader: own_place(reader, label, engine.clock.now()))
        location = location if own is None else replace(own, address=location.address or own.address)
    circle = None
    if wanted.radius_km is not None:
        if location.lat is None or location.lng is None:
            raise InvalidInput(
                f"A radius needs coordinates, and no place of yours is called "
                f"{location.place_label or location.address!r}. Give lat and lng, or name the place first."
            )
        circle = Circle(location.lat, location.lng, wanted.radius_km)
    settings = engine.settings.places
    weight = settings.weight if wanted.weight is None else wanted.weight
    resolved = ResolvedLocation(
        location.lat,
        location.lng,
        "",
        None,
        weight,
        settings.scale_km,
        wanted.mode == "semantic",
        circle,
        wanted.weight is None,
    )
    if weight == 0 or engine.settings.recall.vector_weight == 0:
        return resolved, ()
    return _add_name(engine, scope, resolved, location, space)


def _check(wanted: SearchLocation) -> Location:
    location = wanted.location
    check_coordinates(location.lat, location.lng)
    if wanted.radius_km is not None:
        check_number("radius_km", wanted.radius_km, LEAST_RADIUS_KM, MOST_RADIUS_KM)
    if wanted.weight is not None:
        check_number("location_weight", wanted.weight, 0, 1)
    if wanted.mode not in LOCATION_MODES:
        raise InvalidInput(f"location_mode is {wanted.mode!r}; it must be one of {', '.join(LOCATION_MODES)}.")
    cleaned = replace(
        location,
        address=memory_drafts.bounded("address", location.address, InvalidInput),
        place_label=memory_drafts.bounded("place_label", location.place_label, InvalidInput),
    )
    if cleaned.lat is None and not cleaned.name:
        raise InvalidInput("The location is empty. Give lat and lng, an address or a place_label.")
    return cleaned


def own_place(reader: StoreReader, label: str, now: datetime) -> Location | None:
    """Find a user's place by its name, whatever its letter case: a named one, or the latest item with this label."""
    wanted = folded(label)
    for place in reader.named_places():
        if folded(place.name) == wanted:
            return Location(place.lat, place.lng, place.address, place.name)
    place_ids = tuple(row.id for row in reader.place_rows() if folded(row.place_label) == wanted)[:_MAX_SAME_LABEL]
    if not place_ids:
        return None
    records = reader.timeline(Filters(now, places=place_ids), _LATEST)
    messages = reader.said_between(MessageFilters(places=place_ids), _LATEST)
    dated: list[tuple[datetime, MemoryRecord | Message]] = [
        *((record.occurred_at or record.created_at, record) for record in records),
        *((message.said_at, message) for message in messages),
    ]
    latest_first = sorted(dated, key=lambda pair: pair[0], reverse=True)
    item = next((item for _, item in latest_first if item.lat is not None), None)
    return None if item is None else Location(item.lat, item.lng, item.address, item.place_label)


def _add_name(
    engine: Engine, scope: Scope, resolved: ResolvedLocation, location: Location, space: Space | None
) -> tuple[ResolvedLocation, tuple[str, ...]]:
    """Add the name of the place and its vector, if they can be had in time."""
    if space is None or engine.models.configured is None:
        return replace(resolved, name=location.name), ()

    def resolve_name(answer: Callable[[tuple[str, Vector | None, bool]], None]) -> None:
        name = location.name
        try:
            if not name and location.lat is not None and location.lng is not None:
                address = address_lookup.reverse_geocode(engine, scope, location.lat, location.lng)
                name = address.address if address else ""
            answer((name, _name_vector(engine, scope, space, name) if name else None, False))
        except RecollectError:
            answer((name, None, True))

    # An index that is being built must not be torn down; but a server that hangs must not keep a program from ending.
    remote = engine.geocoder is None or engine.geocoder.remote
    within_s = _DEADLINE_SHARE * engine.settings.recall.deadline_s
    found = engine.search.answer_within(within_s, resolve_name, "recollect-place", daemon=remote)
    if found is None:
        return replace(resolved, name=location.name), (PLACE,)
    name, vector, failed = found
    return replace(resolved, name=name, vector=vector), (PLACE,) if failed else ()


def _name_vector(engine: Engine, scope: Scope, space: Space, name: str) -> Vector:
    """Give the vector of a name, from the LRU cache if the user has searched from there before."""
    vector = engine.geocode.name_vectors.find(scope, (space, name))
    if vector is None:
        vector, payment = embed_texts.embed_query(engine, scope, space, name)
        engine.geocode.name_vectors.keep(scope, (space, name), vector)
        if payment is not None:
            embed_texts.keep_query(engine, scope, payment)
    return vector


class PlaceScorer:
    """Scores the places of items against the location of a search, in one snapshot."""

    def __init__(self, reader: StoreReader, location: ResolvedLocation, space: Space | None) -> None:
        self._reader = reader
        self._location = location
        self._space = space
        self._unrelated = reader.unrelated(space) if space else None
        self._likeness: dict[str, float] = {}
        self._similar_ids = self._find_similar()

    def _find_similar(self) -> tuple[str, ...]:
        vector = self._location.vector
        if vector is not None and self._space is not None:
            nearest = self._reader.nearest(self._space, vector, PlaceFilters(), _SIMILAR_PLACES)
            self._likeness |= {place_id: self._like(cosine) for place_id, cosine in nearest}
        words = set(folded(self._location.name).split()) if self._location.lat is None else set()
        # Of a kind of place are those whose labels have its words in them: `bar` names an Opera Bar, too.
        rows = self._reader.place_rows() if words else ()
        same = [row.id for row in rows if words.issubset(folded(row.place_label).split())]
        self._likeness |= dict.fromkeys(same[:_SIMILAR_PLACES], 1.0)
        return tuple(one_id for one_id, like in self._likeness.items() if like >= _MIN_LIKENESS)

    def _like(self, cosine: float) -> float:
        return geo.likeness(fusion.nearness(cosine, self._unrelated))

    def views(self, filters: ItemFilters) -> list[ItemFilters]:
        """Narrow filters down to what is near, and to what is at similar places: both are always candidates."""
        location = self._location
        if location.weight == 0:
            return []
        views: list[ItemFilters] = []
        if location.lat is not None and location.lng is not None and location.circle is None and not location.semantic:
            views.append(replace(filters, near=Circle(location.lat, location.lng, location.scale_km * _REACH)))
        if self._similar_ids and not isinstance(filters, ChunkFilters):  # files have coordinates alone
            views.append(replace(filters, places=self._similar_ids))
        return views

    def score(
        self, items: Sequence[tuple[HasPlace, float]], best_content: float
    ) -> tuple[list[PlacePart | None], PlaceScale | None]:
        """Score the places of items, each with the score of its content; `best_content` is the best of all contents.

        Gives a part for each item (None if nothing is known of its place), and how the parts were scaled.
        """
        self._learn_likeness([item for item, _ in items])
        parts = [self._part(item, content) for item, content in items]
        if not self._location.scales_by_content:
            return parts, None
        best = min(1.0, best_content)
        best_here = max((part.content * part.geo for part in parts if part is not None), default=0.0)
        scale = PlaceScale(best, geo.elsewhere_floor(best_here / best if best > 0 else 0.0))
        return [None if part is None else geo.scale_by_content(part, *scale) for part in parts], scale

    def _learn_likeness(self, items: Sequence[HasPlace]) -> None:
        """Look up how much the places of items are like the location."""
        vector = self._location.vector
        if vector is not None and self._space is not None:
            wanted = {place_id(item.address, item.place_label) for item in items} - {None} - self._likeness.keys()
            ids = [one_id for one_id in wanted if one_id]
            cosines: Mapping[str, float] = self._reader.cosines("place", self._space, vector, ids) if ids else {}
            self._likeness |= {one_id: self._like(cosine) for one_id, cosine in cosines.items()}

    def _part(self, item: HasPlace, content: float) -> PlacePart | None:
        location = self._location
        distance = near = None
        if item.lat is not None and item.lng is not None and location.lat is not None and location.lng is not None:
            distance = distance_km(location.lat, location.lng, item.lat, item.lng)
            near = None if location.semantic else geo.nearness(distance, location.scale_km)
        like = self._likeness.get(place_id(item.address, item.place_label) or "")
        if near is None and like is None:
            return None
        return geo.place_part(min(1.0, content), location.weight, distance, near, like)


def rescale(part: PlacePart, content: float, scale: PlaceScale | None) -> PlacePart:
    """Score a place anew after the score of the content has changed."""
    plain = geo.place_part(min(1.0, content), part.weight, part.distance_km, part.nearness, part.likeness)
    return plain if scale is None else geo.scale_by_content(plain, *scale)
