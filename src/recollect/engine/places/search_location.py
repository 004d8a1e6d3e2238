"""Where somebody is while asking: found out before the search, and what that does to its answer.

Coordinates say how near something is, the name of a place how much it is like another. Whichever is missing is looked
for: the coordinates among the user's own places, the name at the geocoder. What cannot be had in time is done without.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from queue import Empty, Queue
from threading import Thread
from typing import Protocol

from recollect.engine.base.context import PLACE, Engine
from recollect.engine.drafts import memory_drafts
from recollect.engine.places import address_lookup
from recollect.engine.vectors import embed_texts
from recollect.errors import GeocoderUnavailable, InvalidInput, RecollectError
from recollect.model.geo import Circle, distance_km
from recollect.model.memories import (
    ChunkFilters,
    Filters,
    ItemFilters,
    MemoryRecord,
    MessageFilters,
    PlaceFilters,
    Scope,
    Space,
    Vector,
)
from recollect.model.messages import Message
from recollect.model.places import (
    LOCATION_MODES,
    Location,
    PlacePart,
    SearchLocation,
    check_coordinates,
    check_radius,
    check_weight,
    folded,
    place_id,
)
from recollect.ports import StoreReader
from recollect.ranking import fusion, geo

_CALLED_SO = 500  # addresses that share a label
_LATEST = 20
_PATIENCE_S = 0.5  # for the name of a place; the answer goes by distance alone otherwise
_LIKELY = 64  # places that are looked at because their names are alike
_ALIKE = 0.4  # how much alike they must be at least
_REACH = 5  # how many times the scale something may be away and still be looked for because it is near


@dataclass(frozen=True, slots=True)
class ResolvedLocation:
    """Where somebody is, as far as it is known."""

    lat: float | None
    lng: float | None
    name: str
    vector: Vector | None
    weight: float
    scale_km: float
    semantic: bool
    circle: Circle | None  # what is asked for lies inside
    gentle: bool = True  # nobody said how much the place counts

    @property
    def key(self) -> tuple[object, ...]:
        """All that the answer depends on."""
        vector = None if self.vector is None else self.vector.tobytes()
        return (self.lat, self.lng, vector, self.weight, self.scale_km, self.semantic, self.circle, self.gentle)

    def bounded(self, shelf: ItemFilters) -> ItemFilters | None:
        """Give what of a shelf lies inside the circle; a file lies nowhere."""
        if self.circle is None:
            return shelf
        return None if isinstance(shelf, ChunkFilters) else replace(shelf, near=self.circle)


class HasPlace(Protocol):
    """Something that may be somewhere."""

    @property
    def lat(self) -> float | None: ...
    @property
    def lng(self) -> float | None: ...
    @property
    def address(self) -> str: ...
    @property
    def place_label(self) -> str: ...


def find(
    engine: Engine, scope: Scope, asked: SearchLocation | None, space: Space | None
) -> tuple[ResolvedLocation | None, tuple[str, ...]]:
    """Check where somebody says they are, and find out the rest; says what could not be found out."""
    if asked is None:
        return None, ()
    location = _completed(engine, scope, _checked(asked))
    if asked.radius_km is not None and (location.lat is None or location.lng is None):
        called = location.place_label or location.address
        raise InvalidInput(
            f"A radius needs coordinates, and no place of yours is called {called!r}. Give lat and lng, or name the "
            "place first."
        )
    settings = engine.settings.places
    weight = settings.weight if asked.weight is None else asked.weight
    circle = None
    if asked.radius_km is not None and location.lat is not None and location.lng is not None:
        circle = Circle(location.lat, location.lng, asked.radius_km)
    here = ResolvedLocation(
        location.lat,
        location.lng,
        "",
        None,
        weight,
        settings.scale_km,
        asked.mode == "semantic",
        circle,
        asked.weight is None,
    )
    if weight == 0 or engine.settings.recall.vector_weight == 0:
        return here, ()
    return _named(engine, scope, here, location, space)


def _checked(asked: SearchLocation) -> Location:
    location = asked.location
    check_coordinates(location.lat, location.lng)
    if asked.radius_km is not None:
        check_radius(asked.radius_km)
    if asked.weight is not None:
        check_weight(asked.weight)
    if asked.mode not in LOCATION_MODES:
        raise InvalidInput(f"location_mode is {asked.mode!r}; it must be one of {', '.join(LOCATION_MODES)}.")
    cleaned = replace(
        location,
        address=memory_drafts.bounded("address", location.address, InvalidInput),
        place_label=memory_drafts.bounded("place_label", location.place_label, InvalidInput),
    )
    if cleaned.lat is None and not cleaned.name:
        raise InvalidInput("The location is empty. Give lat and lng, an address or a place_label.")
    return cleaned


def _completed(engine: Engine, scope: Scope, location: Location) -> Location:
    """Find a place of the user's that is called so: one they have named, or else where they were when they said so."""
    if location.lat is not None or not location.place_label:
        return location
    known = engine.store.read(scope, lambda reader: own_place(reader, location.place_label, engine.clock.now()))
    return location if known is None else replace(known, address=location.address or known.address)


def own_place(reader: StoreReader, label: str, now: datetime) -> Location | None:
    """Give the user's place of a name, whatever its letter case; of several the one that was seen last."""
    wanted = folded(label)
    for place in reader.named_places():
        if folded(place.name) == wanted:
            return Location(place.lat, place.lng, place.address, place.name)
    called = tuple(row.id for row in reader.place_rows() if folded(row.place_label) == wanted)[:_CALLED_SO]
    if not called:
        return None
    kept = [(one.occurred_at or one.created_at, one) for one in reader.timeline(Filters(now, places=called), _LATEST)]
    said = [(one.said_at, one) for one in reader.said_between(MessageFilters(places=called), _LATEST)]
    seen: list[tuple[datetime, MemoryRecord | Message]] = [*kept, *said]
    latest = sorted(seen, key=lambda pair: pair[0], reverse=True)
    found = next((one for _, one in latest if one.lat is not None), None)
    return None if found is None else Location(found.lat, found.lng, found.address, found.place_label)


def _named(
    engine: Engine, scope: Scope, here: ResolvedLocation, location: Location, space: Space | None
) -> tuple[ResolvedLocation, tuple[str, ...]]:
    """Give the place its name and the vector of that, if they can be had while somebody waits."""
    if space is None or engine.models.configured is None:
        return replace(here, name=location.name), ()
    found: Queue[tuple[str, Vector | None, bool]] = Queue()

    def look() -> None:
        name, failed = location.name, False
        try:
            name = name or _name_of(engine, scope, location)
            found.put((name, _vector(engine, scope, space, name) if name else None, False))
        except (GeocoderUnavailable, RecollectError):
            failed = True
        if failed:
            found.put((name, None, True))

    # An index that is being built must not be torn; but nobody waits for a server that hangs.
    at_work = Thread(target=look, name="recollect-place", daemon=engine.geocoder is None or engine.geocoder.remote)
    at_work.start()
    try:
        name, vector, failed = found.get(timeout=min(_PATIENCE_S, engine.settings.recall.deadline_s))
    except Empty:
        engine.leave_behind(at_work)
        return replace(here, name=location.name), (PLACE,)
    return replace(here, name=name, vector=vector), (PLACE,) if failed else ()


def _name_of(engine: Engine, scope: Scope, location: Location) -> str:
    if location.lat is None or location.lng is None:
        return ""
    found = address_lookup.located(engine, scope, location.lat, location.lng)
    return found.address if found else ""


def _vector(engine: Engine, scope: Scope, space: Space, name: str) -> Vector:
    """Give the vector of a name; whoever asks again from the same place does not wait for it."""
    known = engine.name_vectors.find(scope, (space, name))
    if known is None:
        known, asked = embed_texts.question(engine, scope, space, name)
        engine.name_vectors.keep(scope, (space, name), known)
        if asked is not None:
            embed_texts.note_question(engine, scope, asked)
    return known


class PlaceScorer:
    """What of a store is near to somebody, or at places like theirs, in one snapshot."""

    def __init__(self, reader: StoreReader, here: ResolvedLocation, space: Space | None) -> None:
        self._reader = reader
        self._here = here
        self._space = space
        self._unrelated = reader.unrelated(space) if space else None
        self._likeness: dict[str, float] = {}
        self._likely = self._find_likely()

    def _find_likely(self) -> tuple[str, ...]:
        vector = self._here.vector
        if vector is None or self._space is None:
            return ()
        found = self._reader.nearest(self._space, vector, PlaceFilters(), _LIKELY)
        self._likeness |= {place: self._like(cosine) for place, cosine in found}
        return tuple(place for place, _ in found if self._likeness[place] >= _ALIKE)

    def _like(self, cosine: float) -> float:
        return geo.likeness(fusion.nearness(cosine, self._unrelated))

    def views(self, shelf: ItemFilters) -> list[ItemFilters]:
        """Give what of a shelf is near, and what of it is at places that are alike: it is looked at in any case."""
        here = self._here
        if isinstance(shelf, ChunkFilters) or here.weight == 0:
            return []
        views: list[ItemFilters] = []
        if here.lat is not None and here.lng is not None and here.circle is None and not here.semantic:
            views.append(replace(shelf, near=Circle(here.lat, here.lng, here.scale_km * _REACH)))
        if self._likely:
            views.append(replace(shelf, places=self._likely))
        return views

    def judge(
        self, rows: Sequence[tuple[HasPlace, float]], best: float
    ) -> Callable[[HasPlace, float], PlacePart | None]:
        """Learn about the places of some rows, whose contents score so much, and the best of all contents `best`.

        Gives what says what its place does to the score of each.
        """
        self._learn([row for row, _ in rows])
        if not self._here.gentle:
            return self._part
        best = min(1.0, best)
        parts = [part for row, content in rows if (part := self._part(row, content)) is not None]
        here = max((part.content * part.geo for part in parts), default=0.0) / best if best > 0 else 0.0
        return partial(self._gentle, best, geo.mercy(here))

    def _learn(self, rows: Sequence[HasPlace]) -> None:
        """Find out how much the places of rows are like this one."""
        vector = self._here.vector
        if vector is not None and self._space is not None:
            wanted = {place_id(row.address, row.place_label) for row in rows} - {None} - self._likeness.keys()
            ids = [place for place in wanted if place]
            found: Mapping[str, float] = self._reader.cosines("place", self._space, vector, ids) if ids else {}
            self._likeness |= {place: self._like(cosine) for place, cosine in found.items()}

    def _gentle(self, best: float, mercy: float, row: HasPlace, content: float) -> PlacePart | None:
        part = self._part(row, content)
        return None if part is None else geo.gentle(part, best, mercy)

    def _part(self, row: HasPlace, content: float) -> PlacePart | None:
        """Say what its place does to the score of a row; None when nothing is known of it."""
        here = self._here
        apart = near = None
        if row.lat is not None and row.lng is not None and here.lat is not None and here.lng is not None:
            apart = distance_km(here.lat, here.lng, row.lat, row.lng)
            near = None if here.semantic else geo.nearness(apart, here.scale_km)
        like = self._likeness.get(place_id(row.address, row.place_label) or "")
        if near is None and like is None:
            return None
        return geo.part(min(1.0, content), here.weight, apart, near, like)
