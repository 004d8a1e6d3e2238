"""A worker's round: every space that is in use gets what it lacks, and a change of the model goes on."""

from collections.abc import Iterator
from dataclasses import replace
from threading import Event

from recollect.engine.base import call_embedder
from recollect.engine.base.context import Engine
from recollect.engine.places import address_lookup
from recollect.engine.vectors import batch_embedding, embed_queue, embed_texts, model_change
from recollect.engine.vectors.embed_queue import WorkListener
from recollect.errors import EmbeddingError, RecollectError
from recollect.model.memories import Space
from recollect.model.stats import WorkReport

_TROUBLE_PAUSE_S = 30.0
_LATER_S = 30.0
_LEAST_PAUSE_S = 5.0


def serve_all(
    engine: Engine, *, stop: Event | None = None, tell: WorkListener | None = None, thorough: bool = False
) -> WorkReport:
    """Serve what waits: vectors, in the space that is searched first, then addresses, whose names want vectors too.

    `thorough` also looks for what nobody noted as lacking.
    """
    worked = _serve_spaces(engine, stop=stop, tell=tell, thorough=thorough)
    named = address_lookup.serve(engine, stop=stop, thorough=thorough)
    if named.done and not worked.unavailable:
        worked += _serve_spaces(engine, stop=stop, tell=embed_queue.going_on(tell, worked), thorough=False)
    return replace(worked, located=named.done, unlocated_s=named.pause_s)


def _serve_spaces(engine: Engine, *, stop: Event | None, tell: WorkListener | None, thorough: bool) -> WorkReport:
    if engine.models.configured is None:  # vectors are switched off here, whoever else makes them
        return WorkReport()
    try:
        learn_space(engine)
    except EmbeddingError as error:
        return WorkReport(unavailable=str(error), pause_s=_TROUBLE_PAUSE_S)
    worked = served = WorkReport()
    for space in _in_use(engine):
        try:
            if thorough:
                engine.store.owe(space, engine.clock.now())
            served = batch_embedding.serve_space(engine, space, stop=stop, tell=embed_queue.going_on(tell, worked))
        except EmbeddingError as error:  # nobody here can make vectors of this space
            served = WorkReport(unavailable=str(error), pause_s=_TROUBLE_PAUSE_S)
        worked += served
    # A space that is being built was served last. It does not wait for a provider that is being left.
    if not served.unavailable and model_change.building(engine.store.spaces()) is not None:
        changed = model_change.advance(engine, stop=stop, tell=embed_queue.going_on(tell, worked))
        pause_s = _TROUBLE_PAUSE_S if changed.unavailable else 0.0
        worked += WorkReport(changed.embedded, 0, changed.unavailable, pause_s)
    if worked.embedded:
        embed_texts.trim(engine)
    return worked


def _in_use(engine: Engine) -> Iterator[Space]:
    known = engine.store.spaces()
    yield from filter(None, (model_change.active(known), model_change.building(known)))


def learn_space(engine: Engine) -> None:
    """Let a store without vectors have a space, if the length of its vectors has to be asked for first.

    Raises EmbeddingError when the provider cannot be asked.
    """
    configured = engine.models.configured
    if configured is None or model_change.active(engine.store.spaces()) is not None:
        return
    space = configured.space or call_embedder.probed(configured)
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
