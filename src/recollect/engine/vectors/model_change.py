"""Online migration from one embedding model to another.

The new space is built beside the old one. While it is, everything that is stored is queued for both; searches go on in
the old one, which is complete. When the new one is complete too, one transaction switches searches to it. The old one
is kept until it is dropped, so that going back costs only what was stored since.
"""

from collections.abc import Sequence
from threading import Event

from recollect.engine.base import embedders
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
    space = embedders.probe(embedder)
    spaces = engine.store.spaces()
    under_way = building(spaces)
    if under_way is not None and under_way != space:
        raise InvalidInput(
            f"A change to {under_way.provider}/{under_way.model} is under way. Finish it with `recollect reembed`, or "
            "end it with `recollect reembed --cancel`."
        )
    searched = active(spaces)
    if searched is None:
        open_first(engine, space)
        return space
    if searched != space:
        engine.store.open_space(space, "building", engine.clock.now())
    engine.store.owe(space, engine.clock.now())
    engine.models.refresh()
    return space


def open_first(engine: Engine, space: Space) -> None:
    """Open the first space of a store: it is searched at once, and what the store holds is queued.

    It is searched last of all. A process that is killed before has left a space that is being built, so the next one
    finds none that is searched, and begins again.
    """
    left = building(engine.store.spaces())
    if left is not None and left != space:  # of a process that had other settings
        engine.store.shelve_space(left)
    engine.store.open_space(space, "building", engine.clock.now())
    engine.store.owe(space, engine.clock.now())
    engine.store.open_space(space, "active", engine.clock.now())
    engine.models.refresh()


def advance(
    engine: Engine,
    *,
    in_bulk: bool | None = None,
    stop: Event | None = None,
    tell: WorkListener | None = None,
    without_parked: bool = False,
) -> Reembedding:
    """Go on with the change that is under way, and switch searches to the new space when it is complete.

    When none is, serve the space that is searched.
    """
    spaces = engine.store.spaces()
    coming, searched = building(spaces), active(spaces)
    space = coming or searched
    if space is None:
        raise NotFound(_NOTHING_UNDER_WAY)
    worked = WorkReport()
    while True:
        worked += batch_embedding.serve_space(
            engine, space, bulk=in_bulk, stop=stop, tell=embed_queue.add_to(tell, worked)
        )
        stopped = stop is not None and stop.is_set()
        if stopped or worked.unavailable or not engine.store.owe(space, engine.clock.now()):
            break
    coverage = tuple(engine.store.coverage(space))
    missing = sum(kind.waiting + (0 if without_parked else kind.parked) for kind in coverage)
    unreached = engine.unreached()
    done = not (missing or unreached) and (
        coming is None or engine.store.activate(space, without_parked=without_parked)
    )
    engine.models.refresh()
    state: ReembeddingState = "finished" if done else "building"
    previous = searched if coming else None
    unavailable = worked.unavailable or unreached
    return Reembedding(state, space, previous, coverage, worked.embedded, unavailable, worked.in_bulk)


def progress(engine: Engine) -> Reembedding:
    """Report the progress of the change."""
    spaces = engine.store.spaces()
    coming, searched = building(spaces), active(spaces)
    if coming is not None:
        return Reembedding("building", coming, searched, tuple(engine.store.coverage(coming)))
    if searched is not None:
        return Reembedding("finished", searched, None, tuple(engine.store.coverage(searched)))
    raise NotFound(_NOTHING_UNDER_WAY)


def cancel(engine: Engine) -> Space:
    """Cancel the change that is under way; the vectors that were made for it are kept."""
    space = building(engine.store.spaces())
    if space is None:
        raise NotFound("No change of the model is under way, so there is nothing to cancel.")
    batch_embedding.cancel(engine, space)
    engine.store.shelve_space(space)
    return space


def drop(engine: Engine, name: str) -> Space:
    """Remove a space that is not used, by the name of its model."""
    spaces = engine.store.spaces()
    named = [known for known in spaces if name in _names(known.space)]
    unused = [known for known in named if known.state == "kept"]
    if not named:
        labels = ", ".join(label(known.space) for known in spaces) or "none"
        raise NotFound(f"No vectors of {name!r} are kept. There are: {labels}.")
    if not unused:
        doing = "searched" if named[0].state == "active" else "being built; cancel that first"
        raise InvalidInput(f"The vectors of {name} are {doing}. Only what is kept can be dropped.")
    if len(unused) > 1:
        several = ", ".join(_names(known.space)[-1] for known in unused)
        raise InvalidInput(f"Several models are called {name}: {several}. Name one of them.")
    engine.store.drop_space(unused[0].space)
    engine.erase()
    return unused[0].space


def _names(space: Space) -> tuple[str, str, str]:
    """Give the names a space goes by, from the shortest to the one that no other has."""
    sized = f"{label(space)}@{space.dimensions}"
    return label(space), sized, f"{sized}+{space.revision or 'any'}+{space.prefix_scheme}"


def label(space: Space) -> str:
    """Name a space for people."""
    return f"{space.provider}/{space.model}"


def active(spaces: Sequence[KnownSpace]) -> Space | None:
    """Give the space that is searched."""
    return next((known.space for known in spaces if known.state == "active"), None)


def building(spaces: Sequence[KnownSpace]) -> Space | None:
    """Give the space that is being built."""
    return next((known.space for known in spaces if known.state == "building"), None)
