"""What places are called: asked of the geocoder once for each cell of about a hundred metres, and remembered.

Coordinates are rounded to the middle of their cell before anybody is asked. What could not be found out is remembered
too, for a while. Nothing here is on the way of storing: addresses follow from the queue.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from threading import Event
from typing import NamedTuple

from recollect.engine.base import items
from recollect.engine.base.context import Engine
from recollect.engine.drafts import redaction
from recollect.errors import GeocoderUnavailable, InvalidInput, NotFound, RecollectError
from recollect.model.geo import STREET
from recollect.model.memories import MemoryRecord, Scope
from recollect.model.messages import Message
from recollect.model.places import Located
from recollect.ports import CachedPlace, GeocodeJob, Geocoder, StoreReader, StoreWriter, UnnamedPlace
from recollect.text.clean import clean

_BATCH = 64
_FEW = 8  # of a geocoder behind a network, which may take a second for each
_NEXT_S = 0.05  # until it is asked again, with what else is to be done in between
_MOST_ATTEMPTS = 5
_MOST_FAILURES = 3  # in a row, before the geocoder is left alone for a while
_NAMELESS_FOR = timedelta(days=30)
_AWAY_FOR = timedelta(minutes=1)
_PAUSE_S = 30.0
_LONGEST_PAUSE_S = 300.0
_LEASE = timedelta(minutes=5)
_LONGEST_NAME = 200
_AWAY = "The geocoder could not be asked; it is asked again."


def reverse_geocode(engine: Engine, scope: Scope, lat: float, lng: float) -> Located | None:
    """Say where coordinates are; None where nothing has a name, or nobody knows. Raises GeocoderUnavailable."""
    geocoder = engine.geocoder
    if geocoder is None:
        return None
    cell = _cell(engine, lat, lng)
    known = _known(engine, scope, geocoder, cell)
    if known is None:
        known = _asked(engine, scope, geocoder, cell, engine.store.resets(scope))
    if known.away:
        raise GeocoderUnavailable(_AWAY)
    return known.located


def _cell(engine: Engine, lat: float, lng: float) -> str:
    """Give the cell that is asked about: no more exactly than places may be kept, as what was asked is kept too."""
    where = {"lat": lat, "lng": lng} | redaction.public_place(engine, lat, lng)
    row, column = STREET.cell(where["lat"], where["lng"])
    return f"{row}:{column}"


def _known(engine: Engine, scope: Scope, geocoder: Geocoder, cell: str) -> CachedPlace | None:
    """Give what was found out before, if it still holds."""
    now = engine.clock.now()
    known = engine.geocode.addresses.find(scope, (geocoder.name, cell))
    if known is None:
        known = engine.store.read(scope, lambda reader: reader.geocoded(geocoder.name, cell))
        if known is not None:
            engine.geocode.addresses.keep(scope, (geocoder.name, cell), known)
            with suppress(RecollectError):  # it is known all the same
                engine.store.touch_geocoded(scope, geocoder.name, cell, now)
    return known if known is not None and (known.good_until is None or now < known.good_until) else None


def _asked(engine: Engine, scope: Scope, geocoder: Geocoder, cell: str, resets: int) -> CachedPlace:
    """Ask, and remember the answer, also that there was none, unless something was forgotten since `resets`."""
    row, column = map(int, cell.split(":"))
    now = engine.clock.now()
    failure: GeocoderUnavailable | None = None
    try:
        found = geocoder.reverse(*STREET.centre(row, column))
        answer = CachedPlace(cell, found, None if found else now + _NAMELESS_FOR)
    except GeocoderUnavailable as error:
        failure = error
        answer = CachedPlace(cell, None, now + _AWAY_FOR, away=True)
    engine.geocode.addresses.keep(scope, (geocoder.name, cell), answer)
    with suppress(RecollectError):  # it is known in this process all the same
        engine.store.keep_geocoded(
            scope, geocoder.name, [answer], now=now, most=engine.settings.places.cache, resets=resets
        )
    if failure is not None:
        raise failure
    return answer


def insist(engine: Engine, what: str) -> Geocoder:
    """Give the geocoder. Raises NotFound when there is none, and says how to get one."""
    if engine.geocoder is None:
        raise NotFound(
            f"Nobody here knows {what}. Install `recollect[places]`, or set places.nominatim_url to a Nominatim server."
        )
    return engine.geocoder


def find(engine: Engine, name: str, limit: int) -> Sequence[Located]:
    """Give the places of a name, the likeliest first. Raises GeocoderUnavailable, or NotFound when there is none."""
    wanted = clean(name)
    if not wanted or len(wanted) > _LONGEST_NAME:
        raise InvalidInput(f"The name of a place has {len(wanted)} characters; it must have 1 to {_LONGEST_NAME}.")
    geocoder = insist(engine, f"where {wanted!r} is")
    found = geocoder.find(wanted, limit)
    if not found:
        raise NotFound(f"{geocoder.name} knows no place called {wanted!r}. Check the spelling, or give coordinates.")
    return found


class GeocodePass(NamedTuple):
    """How many addresses were found out, and for how many seconds to leave the geocoder alone."""

    done: int = 0
    pause_s: float = 0.0


def serve(
    engine: Engine, *, stop: Event | None = None, scope: Scope | None = None, thorough: bool = False
) -> GeocodePass:
    """Give addresses to what waits for one, to so much at a time that other work gets its turn.

    `thorough` also looks for what nobody noted as lacking, because it was stored while nobody could be asked.
    """
    if thorough:
        _name_unnamed(engine)
    geocoder = engine.geocoder
    if geocoder is None:
        return GeocodePass()
    if thorough:
        engine.store.owe_addresses(engine.clock.now())
    resting_s = 0.0 if thorough or scope else engine.geocode.cooldown.left_s(engine.clock.now())
    if resting_s:  # however often somebody stores something meanwhile
        return GeocodePass(0, resting_s)
    done = 0
    while not (stop and stop.is_set()):
        now = engine.clock.now()
        amount = _FEW if geocoder.remote else _BATCH
        jobs = engine.store.claim_geocoding(amount, now=now, lease_until=now + _LEASE, scope=scope)
        if not jobs:
            break
        served = _serve(engine, geocoder, jobs, stop)
        done += served.done
        engine.geocode.cooldown.start(now, served.pause_s)
        if served.pause_s or (geocoder.remote and not thorough):
            return GeocodePass(done, served.pause_s or _NEXT_S)
    return GeocodePass(done)


class _GeocodeBatch:
    """Jobs that are being served: what of them could not be done, and whether the geocoder answers at all."""

    def __init__(self, engine: Engine, geocoder: Geocoder) -> None:
        self._engine = engine
        self._geocoder = geocoder
        self.answered = False
        self.in_a_row = 0  # failures
        self.pause_s = 0.0
        self.failed: list[GeocodeJob] = []  # the geocoder was asked, and gave no answer
        self.put_off: list[GeocodeJob] = []  # it gave none lately

    def serve(self, job: GeocodeJob) -> bool:
        """Serve a job; says whether it is done."""
        engine, where = self._engine, job.item
        resets = engine.store.resets(job.scope)
        if engine.store.read(job.scope, partial(_lacking, job)) != (where.lat, where.lng):  # nobody need know of it
            return _finish(engine, job, None)
        cell = _cell(engine, where.lat, where.lng)
        known = _known(engine, job.scope, self._geocoder, cell)
        if known is None:
            known = self._ask(job, cell, resets)
        elif known.away:
            self._put_off(job, cell)
        return known is not None and not known.away and _finish(engine, job, known.located)

    def _ask(self, job: GeocodeJob, cell: str, resets: int) -> CachedPlace | None:
        try:
            answer = _asked(self._engine, job.scope, self._geocoder, cell, resets)
        except GeocoderUnavailable as error:
            self.failed.append(job)
            self.in_a_row += 1
            self.pause_s = max(self.pause_s, min(error.retry_after_s or _PAUSE_S, _LONGEST_PAUSE_S))
            return None
        self.answered, self.in_a_row = True, 0
        return answer

    def _put_off(self, job: GeocodeJob, cell: str) -> None:
        """What is where the geocoder has just failed shares the fate of the first that was there."""
        same = (_cell(self._engine, one.item.lat, one.item.lng) == cell for one in self.failed)
        (self.failed if any(same) else self.put_off).append(job)
        self.pause_s = max(self.pause_s, _PAUSE_S)


def _serve(engine: Engine, geocoder: Geocoder, jobs: Sequence[GeocodeJob], stop: Event | None) -> GeocodePass:
    """Serve a batch. A geocoder that fails on one place is asked about the next; one that keeps failing is away."""
    batch, done, left = _GeocodeBatch(engine, geocoder), 0, list(jobs)
    while left and batch.in_a_row < _MOST_FAILURES and not (stop and stop.is_set()):
        done += batch.serve(left.pop(0))
    if batch.answered:  # it answers others, so these are to blame themselves
        for job in batch.failed:
            _blame(engine, job)
    away = batch.failed if not batch.answered else []
    if away or batch.put_off or left:
        due = engine.clock.now() + timedelta(seconds=batch.pause_s)
        engine.store.postpone_geocoding([*away, *batch.put_off, *left], _AWAY, due, to_blame=False)
    return GeocodePass(done, batch.pause_s if away else 0.0)


def _lacking(job: GeocodeJob, rows: StoreReader | StoreWriter) -> tuple[float | None, float | None] | None:
    """Give where something is that still lacks its address; None for what has one, or is gone."""
    for item in items.fetch(rows, [(job.item.kind, job.item.id)]):
        if isinstance(item, (MemoryRecord, Message)) and item.lat is not None and not item.address:
            return item.lat, item.lng
    return None


def _finish(engine: Engine, job: GeocodeJob, found: Located | None) -> bool:
    """Write an address, and be done with the job; says whether there was one. What was moved has a job of its own."""
    now, item = engine.clock.now(), job.item

    def work(writer: StoreWriter) -> bool:
        if _lacking(job, writer) not in (None, (item.lat, item.lng)):
            return False
        writer.finish_geocoding([item.id])
        return found is not None and bool(found.address) and writer.set_address(item, found.address, now)

    return engine.store.write(job.scope, work)


def _blame(engine: Engine, job: GeocodeJob) -> None:
    attempts = job.attempts + 1
    due = None if attempts >= _MOST_ATTEMPTS else engine.clock.now() + timedelta(minutes=2**attempts)
    engine.store.postpone_geocoding([job], _AWAY, due, to_blame=True)


def _name_unnamed(engine: Engine) -> None:
    """Note what places are called that were written before names were noted."""
    while rows := engine.store.unnamed_places(_BATCH):
        for row in rows:
            engine.store.write(row.scope, partial(_name, row, engine.clock.now()))


def _name(row: UnnamedPlace, now: datetime, writer: StoreWriter) -> None:
    writer.name_place(row, now)
