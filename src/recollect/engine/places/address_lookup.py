"""Geocoding: each cell of about a hundred metres is looked up once and cached, failures for a while.

Coordinates are rounded to the middle of their cell before the geocoder sees them. Storing never waits for it:
addresses come from a queue.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from operator import methodcaller
from threading import Event

from recollect.engine.base.context import Engine
from recollect.engine.drafts import items, redaction
from recollect.errors import GeocoderUnavailable, InvalidInput, NotFound, RecollectError
from recollect.model.geo import STREET
from recollect.model.literals import ItemKind
from recollect.model.memories import MemoryRecord, Scope
from recollect.model.messages import Message
from recollect.model.places import Located
from recollect.model.stats import WorkReport
from recollect.ports import Geocoder
from recollect.storage.base import CachedPlace, GeocodeJob, StoreWriter, UnlocatedItem, UserRows
from recollect.text.clean import clean

_BATCH = 64
_REMOTE_BATCH = 8  # a geocoder behind a network may take a second for each
_NEXT_S = 0.05  # between two batches of a remote geocoder, so that other work gets its turn
_MAX_ATTEMPTS = 5
_MAX_FAILURES = 3  # in a row, before the cool-down
_NAMELESS_FOR = timedelta(days=30)
_AWAY_FOR = timedelta(minutes=1)
_PAUSE_S = 30.0
_MAX_PAUSE_S = 300.0
_LEASE = timedelta(minutes=5)
_MAX_NAME = 200
_AWAY = "The geocoder could not be asked; it is asked again."


def reverse_geocode(engine: Engine, scope: Scope, lat: float, lng: float) -> Located | None:
    """Give the address at coordinates; None where nothing has a name. Raises GeocoderUnavailable."""
    geocoder = engine.geocoder
    if geocoder is None:
        return None
    cell = _cell(engine, lat, lng)
    place = _find_cached(engine, scope, geocoder, cell)
    if place is None:
        place = _look_up(engine, scope, geocoder, cell, engine.store.resets(scope))
    if place.away:
        raise GeocoderUnavailable(_AWAY)
    return place.located


def _cell(engine: Engine, lat: float, lng: float) -> str:
    """Give the cell to look up, no more precise than places may be stored, because lookups are stored too."""
    point = {"lat": lat, "lng": lng} | redaction.public_place(engine, lat, lng)
    row, column = STREET.cell(point["lat"], point["lng"])
    return f"{row}:{column}"


def _find_cached(engine: Engine, scope: Scope, geocoder: Geocoder, cell: str) -> CachedPlace | None:
    """Give the cached result of a lookup, if it still holds: from this process, or from the store."""
    now = engine.clock.now()
    place = engine.geocode.addresses.find(scope, (geocoder.name, cell))
    if place is None:
        place = engine.store.read(scope, lambda reader: reader.geocoded(geocoder.name, cell))
        if place is not None:
            engine.geocode.addresses.keep(scope, (geocoder.name, cell), place)
            with suppress(RecollectError):  # only its last use is not noted
                engine.store.touch_geocoded(scope, geocoder.name, cell, now)
    return place if place is not None and (place.good_until is None or now < place.good_until) else None


def _look_up(engine: Engine, scope: Scope, geocoder: Geocoder, cell: str, resets: int) -> CachedPlace:
    """Call the geocoder and cache the result, also a failure, unless something was forgotten since `resets`."""
    row, column = map(int, cell.split(":"))
    now = engine.clock.now()
    failure: GeocoderUnavailable | None = None
    try:
        address = geocoder.reverse(*STREET.centre(row, column))
        place = CachedPlace(cell, address, None if address else now + _NAMELESS_FOR)
    except GeocoderUnavailable as error:
        failure = error
        place = CachedPlace(cell, None, now + _AWAY_FOR, away=True)
    engine.geocode.addresses.keep(scope, (geocoder.name, cell), place)
    with suppress(RecollectError):  # this process has it cached all the same
        engine.store.keep_geocoded(
            scope, geocoder.name, [place], now=now, most=engine.settings.places.cache, resets=resets
        )
    if failure is not None:
        raise failure
    return place


def require_geocoder(engine: Engine, what: str) -> Geocoder:
    """Give the geocoder. Raises NotFound when there is none, and says how to get one."""
    if engine.geocoder is None:
        raise NotFound(
            f"No geocoder can tell {what}. Install `recollect[places]`, or set places.nominatim_url "
            "to a Nominatim server."
        )
    return engine.geocoder


def find(engine: Engine, name: str, limit: int) -> Sequence[Located]:
    """Give the places of a name, the likeliest first. Raises GeocoderUnavailable or NotFound."""
    wanted = clean(name)
    if not wanted or len(wanted) > _MAX_NAME:
        raise InvalidInput(f"The name of a place has {len(wanted)} characters; it must have 1 to {_MAX_NAME}.")
    geocoder = require_geocoder(engine, f"where {wanted!r} is")
    places = geocoder.find(wanted, limit)
    if not places:
        raise NotFound(f"{geocoder.name} knows no place called {wanted!r}. Check the spelling, or give coordinates.")
    return places


def serve_now(engine: Engine, scope: Scope, item_id: str, most_s: float) -> bool:
    """Ask for the address of one item, whose caller waits; says whether it has one now. Otherwise its job stays queued.

    A server that failed a moment ago is not asked.
    """
    found = engine.store.read(scope, lambda rows: items.fetch(rows, [("memory", item_id), ("message", item_id)]))
    item = found[0] if found else None
    if not isinstance(item, (MemoryRecord, Message)) or item.lat is None or item.lng is None:
        return False
    if item.address or engine.geocode.cooldown.left_s(engine.clock.now()):
        return bool(item.address)
    kind: ItemKind = "memory" if isinstance(item, MemoryRecord) else "message"
    job = GeocodeJob(scope, UnlocatedItem(kind, item.id, item.lat, item.lng), 0)

    def look_up(answer: Callable[[bool], None]) -> None:
        try:
            answer(_finish(engine, job, reverse_geocode(engine, scope, job.item.lat, job.item.lng)))
        except RecollectError:
            answer(False)  # noqa: FBT003 - an answer like any other

    return bool(engine.search.answer_within(most_s, look_up, "recollect-address", daemon=True))


def serve(
    engine: Engine, *, stop: Event | None = None, scope: Scope | None = None, thorough: bool = False
) -> WorkReport:
    """Serve the queue of items without an address, a batch at a time if the geocoder is remote.

    `thorough` also queues items that were stored while there was no geocoder, and ignores the cool-down.
    """
    while thorough and (rows := engine.store.unnamed_places(_BATCH)):  # written before names were stored
        for row in rows:
            engine.store.write(row.scope, methodcaller("name_place", row, engine.clock.now()))
    geocoder = engine.geocoder
    if geocoder is None:
        return WorkReport()
    if thorough:
        engine.store.owe_addresses(engine.clock.now())
    cooldown_s = 0.0 if thorough or scope else engine.geocode.cooldown.left_s(engine.clock.now())
    if cooldown_s:
        return WorkReport(unlocated_s=cooldown_s)
    done = 0
    while not (stop and stop.is_set()):
        now = engine.clock.now()
        amount = _REMOTE_BATCH if geocoder.remote else _BATCH
        jobs = engine.store.claim_geocoding(amount, now=now, lease_until=now + _LEASE, scope=scope)
        if not jobs:
            break
        served = _serve(engine, geocoder, jobs, stop)
        done += served.located
        engine.geocode.cooldown.start(now, served.unlocated_s)
        if served.unlocated_s or (geocoder.remote and not thorough):
            return WorkReport(located=done, unlocated_s=served.unlocated_s or _NEXT_S)
    return WorkReport(located=done)


class _GeocodeBatch:
    """Claimed jobs: which of them failed, and whether the geocoder answers at all."""

    def __init__(self, engine: Engine, geocoder: Geocoder) -> None:
        self._engine = engine
        self._geocoder = geocoder
        self.answered = False
        self.failures_in_a_row = 0
        self.pause_s = 0.0
        self.failed: list[GeocodeJob] = []
        self.postponed: list[GeocodeJob] = []  # the geocoder failed on their cells a moment ago

    def serve(self, job: GeocodeJob) -> bool:
        """Serve a job; says whether an address was written."""
        engine, item = self._engine, job.item
        resets = engine.store.resets(job.scope)
        if engine.store.read(job.scope, partial(_unaddressed, job)) != (item.lat, item.lng):  # nothing to look up
            return _finish(engine, job, None)
        cell = _cell(engine, item.lat, item.lng)
        place = _find_cached(engine, job.scope, self._geocoder, cell)
        if place is None:
            place = self._look_up(job, cell, resets)
        elif place.away:  # like the job that failed on the same cell, if that is of this batch
            same = (_cell(engine, failed.item.lat, failed.item.lng) == cell for failed in self.failed)
            (self.failed if any(same) else self.postponed).append(job)
            self.pause_s = max(self.pause_s, _PAUSE_S)
        return place is not None and not place.away and _finish(engine, job, place.located)

    def _look_up(self, job: GeocodeJob, cell: str, resets: int) -> CachedPlace | None:
        try:
            place = _look_up(self._engine, job.scope, self._geocoder, cell, resets)
        except GeocoderUnavailable as error:
            self.failed.append(job)
            self.failures_in_a_row += 1
            self.pause_s = max(self.pause_s, min(error.retry_after_s or _PAUSE_S, _MAX_PAUSE_S))
            return None
        self.answered, self.failures_in_a_row = True, 0
        return place


def _serve(engine: Engine, geocoder: Geocoder, jobs: Sequence[GeocodeJob], stop: Event | None) -> WorkReport:
    """Serve a batch. A geocoder that fails on one place is tried with the next; one that keeps failing is away."""
    batch, done, left = _GeocodeBatch(engine, geocoder), 0, list(jobs)
    while left and batch.failures_in_a_row < _MAX_FAILURES and not (stop and stop.is_set()):
        done += batch.serve(left.pop(0))
    if batch.answered:  # for other places, so the jobs are to blame
        for job in batch.failed:
            due = engine.next_try(job.attempts + 1, _MAX_ATTEMPTS)
            engine.store.postpone_geocoding([job], _AWAY, due, to_blame=True)
    away = batch.failed if not batch.answered else []
    if away or batch.postponed or left:
        due = engine.clock.now() + timedelta(seconds=batch.pause_s)
        engine.store.postpone_geocoding([*away, *batch.postponed, *left], _AWAY, due, to_blame=False)
    return WorkReport(located=done, unlocated_s=batch.pause_s if away else 0.0)


def _unaddressed(job: GeocodeJob, rows: UserRows) -> tuple[float | None, float | None] | None:
    """Give the coordinates of an item without an address; None when it has one, or is gone."""
    for item in items.fetch(rows, [(job.item.kind, job.item.id)]):
        if isinstance(item, (MemoryRecord, Message)) and item.lat is not None and not item.address:
            return item.lat, item.lng
    return None


def _finish(engine: Engine, job: GeocodeJob, address: Located | None) -> bool:
    """Write an address and finish the job; says whether there was one. An item that was moved has a new job."""
    now, item = engine.clock.now(), job.item

    def work(writer: StoreWriter) -> bool:
        if _unaddressed(job, writer) not in (None, (item.lat, item.lng)):
            return False
        writer.finish_geocoding([item.id])
        return address is not None and bool(address.address) and writer.set_address(item, address.address, now)

    return engine.store.write(job.scope, work)
