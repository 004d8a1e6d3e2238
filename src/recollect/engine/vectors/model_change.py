"""Moving from one model to another while the system serves.

The new space is built beside the old one. From the moment it is begun, whatever is stored is owed a vector in both;
searches go on in the old one, which is complete. When the new one is complete too, one transaction lets searches use
it. The old one is kept until somebody drops it, so that going back costs only what was stored since.
"""

from collections.abc import Sequence
from threading import Event

from recollect.engine.base import call_embedder
from recollect.engine.base.context import Engine
from recollect.engine.vectors import batch_embedding, embed_queue
from recollect.engine.vectors.embed_queue import WorkListener
from recollect.errors import InvalidInput, NotFound
from recollect.model.memories import Space
from recollect.model.stats import KnownSpace, Reembedding, ReembeddingState, WorkReport
from recollect.ports import Embedder

_NOTHING_UNDER_WAY = "No change of the model is under way. Begin one with `recollect reembed --provider ...`."


def begin(engine: Engine, embedder: Embedder) -> Space:
    """Begin to build the space of an embedder, or go on with it. A failed probe changes nothing."""
    space = call_embedder.probed(embedder)
    known = engine.store.spaces()
    under_way = building(known)
    if under_way is not None and under_way != space:
        raise InvalidInput(
            f"A change to {under_way.provider}/{under_way.model} is under way. Finish it with `recollect reembed`, or "
            "end it with `recollect reembed --cancel`."
        )
    searched = active(known)
    if searched != space:
        engine.store.open_space(space, "building" if searched else "active", engine.clock.now())
    engine.store.owe(space, engine.clock.now())
    engine.models.refresh()
    return space


def advance(
    engine: Engine,
    *,
    in_bulk: bool | None = None,
    stop: Event | None = None,
    tell: WorkListener | None = None,
    without_parked: bool = False,
) -> Reembedding:
    """Go on with the change that is under way, and let searches use the new space when it is complete.

    When none is, the space that is searched gets what it lacks.
    """
    known = engine.store.spaces()
    coming, searched = building(known), active(known)
    space = coming or searched
    if space is None:
        raise NotFound(_NOTHING_UNDER_WAY)
    worked = WorkReport()
    while True:
        worked += batch_embedding.serve_space(
            engine, space, bulk=in_bulk, stop=stop, tell=embed_queue.going_on(tell, worked)
        )
        stopped = stop is not None and stop.is_set()
        if stopped or worked.unavailable or not engine.store.owe(space, engine.clock.now()):
            break
    coverage = tuple(engine.store.coverage(space))
    missing = sum(one.waiting + (0 if without_parked else one.parked) for one in coverage)
    done = not missing and (coming is None or engine.store.activate(space, without_parked=without_parked))
    engine.models.refresh()
    state: ReembeddingState = "finished" if done else "building"
    previous = searched if coming else None
    return Reembedding(state, space, previous, coverage, worked.embedded, worked.unavailable, worked.in_bulk)


def progress(engine: Engine) -> Reembedding:
    """Say how far the change is, without doing anything for it."""
    known = engine.store.spaces()
    coming, searched = building(known), active(known)
    if coming is not None:
        return Reembedding("building", coming, searched, tuple(engine.store.coverage(coming)))
    if searched is not None:
        return Reembedding("finished", searched, None, tuple(engine.store.coverage(searched)))
    raise NotFound(_NOTHING_UNDER_WAY)


def cancel(engine: Engine) -> Space:
    """End the change that is under way. Searches have never used the new space; what it has so far is kept."""
    space = building(engine.store.spaces())
    if space is None:
        raise NotFound("No change of the model is under way, so there is nothing to cancel.")
    batch_embedding.cancel(engine, space)
    engine.store.shelve_space(space)
    return space


def drop(engine: Engine, name: str) -> Space:
    """Remove a space that is not used, by the name of its model."""
    known = engine.store.spaces()
    named = [one for one in known if name in _names(one.space)]
    kept = [one for one in named if one.state == "kept"]
    if not named:
        there = ", ".join(label(one.space) for one in known) or "none"
        raise NotFound(f"No vectors of {name!r} are kept. There are: {there}.")
    if not kept:
        doing = "searched" if named[0].state == "active" else "being built; cancel that first"
        raise InvalidInput(f"The vectors of {name} are {doing}. Only what is kept can be dropped.")
    if len(kept) > 1:
        several = ", ".join(_names(one.space)[-1] for one in kept)
        raise InvalidInput(f"Several models are called {name}: {several}. Name one of them.")
    engine.store.drop_space(kept[0].space)
    engine.store.scrub()
    return kept[0].space


def _names(space: Space) -> tuple[str, str, str]:
    """Give the names a space goes by, from the shortest to the one that no other has."""
    sized = f"{label(space)}@{space.dimensions}"
    return label(space), sized, f"{sized}+{space.revision or 'any'}+{space.prefix_scheme}"


def label(space: Space) -> str:
    """Name a space for people."""
    return f"{space.provider}/{space.model}"


def active(known: Sequence[KnownSpace]) -> Space | None:
    """Give the space that is searched."""
    return next((one.space for one in known if one.state == "active"), None)


def building(known: Sequence[KnownSpace]) -> Space | None:
    """Give the space that is being built."""
    return next((one.space for one in known if one.state == "building"), None)
