"""A worker's round: every space that is in use gets what it lacks, and a change of the model goes on."""

from collections.abc import Iterator
from dataclasses import replace
from threading import Event

from recollect.engine import bulk, changing, embedders, embedding, naming, working
from recollect.engine.context import Engine
from recollect.engine.working import Tell
from recollect.errors import EmbeddingError, RecollectError
from recollect.figures import Worked
from recollect.types import Space

_TROUBLE_PAUSE_S = 30.0
_LATER_S = 30.0
_LEAST_PAUSE_S = 5.0


def serve_all(engine: Engine, *, stop: Event | None = None, tell: Tell | None = None, thorough: bool = False) -> Worked:
    """Serve what waits: vectors, in the space that is searched first, then addresses, whose names want vectors too.

    `thorough` also looks for what nobody noted as lacking.
    """
    worked = _serve_spaces(engine, stop=stop, tell=tell, thorough=thorough)
    named = naming.serve(engine, stop=stop, thorough=thorough)
    if named.done and not worked.unavailable:
        worked += _serve_spaces(engine, stop=stop, tell=working.going_on(tell, worked), thorough=False)
    return replace(worked, located=named.done, unlocated_s=named.pause_s)


def _serve_spaces(engine: Engine, *, stop: Event | None, tell: Tell | None, thorough: bool) -> Worked:
    if engine.models.configured is None:  # vectors are switched off here, whoever else makes them
        return Worked()
    try:
        learn_space(engine)
    except EmbeddingError as error:
        return Worked(unavailable=str(error), pause_s=_TROUBLE_PAUSE_S)
    worked = served = Worked()
    for space in _in_use(engine):
        try:
            if thorough:
                engine.store.owe(space, engine.clock.now())
            served = bulk.serve_space(engine, space, stop=stop, tell=working.going_on(tell, worked))
        except EmbeddingError as error:  # nobody here can make vectors of this space
            served = Worked(unavailable=str(error), pause_s=_TROUBLE_PAUSE_S)
        worked += served
    # A space that is being built was served last. It does not wait for a provider that is being left.
    if not served.unavailable and changing.building(engine.store.spaces()) is not None:
        changed = changing.advance(engine, stop=stop, tell=working.going_on(tell, worked))
        pause_s = _TROUBLE_PAUSE_S if changed.unavailable else 0.0
        worked += Worked(changed.embedded, 0, changed.unavailable, pause_s)
    if worked.embedded:
        embedding.trim(engine)
    return worked


def _in_use(engine: Engine) -> Iterator[Space]:
    known = engine.store.spaces()
    yield from filter(None, (changing.active(known), changing.building(known)))


def learn_space(engine: Engine) -> None:
    """Let a store without vectors have a space, if the length of its vectors has to be asked for first.

    Raises EmbeddingError when the provider cannot be asked.
    """
    configured = engine.models.configured
    if configured is None or changing.active(engine.store.spaces()) is not None:
        return
    space = configured.space or embedders.probed(configured)
    if engine.store.stats().items:
        engine.store.open_space(space, "active", engine.clock.now())
        engine.store.owe(space, engine.clock.now())
        engine.models.refresh()


def keep_up(engine: Engine, stop: Event) -> float | None:
    """Do what a background thread does when it is woken: all there is, or say how long to wait for a provider."""
    try:
        worked = serve_all(engine, stop=stop)
    except RecollectError:  # the store is closed or away; what waits is still there for the next one
        return _TROUBLE_PAUSE_S
    if worked.unavailable:
        stop.wait(min(worked.pause_s, _LEAST_PAUSE_S))  # however often somebody stores something meanwhile
        return max(worked.pause_s - _LEAST_PAUSE_S, 0.0)
    if worked.unlocated_s:
        return worked.unlocated_s
    later = worked.in_bulk or engine.store.stats().pending_jobs  # in a batch, held by others, or due another time
    if not later and engine.geocoder is not None:
        later, _ = engine.store.geocoding_counts()
    return _LATER_S if later else None
