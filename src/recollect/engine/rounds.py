"""A worker's round: every space that is in use gets what it lacks, and a change of the model goes on."""

from collections.abc import Iterator
from threading import Event

from recollect.engine import bulk, changing
from recollect.engine.context import Engine
from recollect.engine.working import Tell
from recollect.errors import EmbeddingError, RecollectError
from recollect.figures import Worked
from recollect.types import Space

_TROUBLE_PAUSE_S = 30.0


def serve_all(engine: Engine, *, stop: Event | None = None, tell: Tell | None = None, thorough: bool = False) -> Worked:
    """Serve what waits, in the space that is searched first. `thorough` also looks for what nobody noted as lacking."""
    try:
        learn_space(engine)
    except EmbeddingError as error:
        return Worked(unavailable=str(error), pause_s=_TROUBLE_PAUSE_S)
    worked = Worked()
    for space in _in_use(engine):
        try:
            if thorough:
                engine.store.owe(space, engine.clock.now())
            worked += bulk.serve_space(engine, space, stop=stop, tell=tell)
        except EmbeddingError as error:  # nobody here can make vectors of this space
            worked += Worked(unavailable=str(error), pause_s=_TROUBLE_PAUSE_S)
    if not worked.unavailable and changing.building(engine.store.spaces()) is not None:
        changed = changing.advance(engine, stop=stop, tell=tell)
        worked += Worked(changed.embedded, unavailable=changed.unavailable)
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
    space = configured.space or changing.probed(configured)
    stats = engine.store.stats()
    if stats.memories or stats.messages:
        engine.store.open_space(space, "active", engine.clock.now())
        engine.store.owe(space, engine.clock.now())
        engine.models.refresh()


def keep_up(engine: Engine, stop: Event) -> float | None:
    """Do what a background thread does when it is woken: all there is, or say how long to wait for a provider."""
    try:
        worked = serve_all(engine, stop=stop)
    except RecollectError:  # the store is closed or away; what waits is still there for the next one
        return _TROUBLE_PAUSE_S
    return worked.pause_s if worked.unavailable else None
