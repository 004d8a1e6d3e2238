"""Looking at the store itself: what runs on what, and whether anything is amiss."""

from collections.abc import Iterator
from dataclasses import replace

from recollect._version import __version__
from recollect.engine import changing, reindexing, spending
from recollect.engine.context import Engine
from recollect.errors import EmbeddingError, RecollectError
from recollect.figures import Model, ModelState, Problem, Stats, Status, StoreStats
from recollect.ports import Embedder, RemoteEmbedder
from recollect.types import Scope, Space

_MOST_PARKED = 20


def status(engine: Engine) -> Status:
    """Describe the installation."""
    space, store = engine.space, engine.store
    stats = store_stats(engine)
    spent = store.spent(spending.today(engine))
    embedded = store.spent(spending.today(engine), embedding=True)
    price = _price(engine, space)
    coming = changing.building(store.spaces())
    building = None if coming is None else _model(engine, coming, "building")
    return Status(
        version=__version__,
        backend=store.backend,
        backend_version=store.version(),
        location=store.location(),
        schema_version=store.schema_version(),
        embedding=changing.label(space) if space else "none",
        space=space,
        stats=stats,
        summarizer=engine.summarizer.name,
        spent_today=spent,
        tokens_per_day=engine.settings.llm.tokens_per_day,
        advice=tuple(_advice(engine, stats, spent.tokens, building)),
        coverage=tuple(store.coverage(space)) if space else (),
        building=building,
        parked=tuple(store.parked(_MOST_PARKED)),
        embedding_today=embedded,
        embedding_cost=None if price is None else embedded.tokens * price / 1e6,
        bulks=tuple(store.bulks()),
    )


def store_stats(engine: Engine) -> StoreStats:
    """Count what the whole store holds."""
    return replace(engine.store.stats(), cache=engine.store.cache_figures())


def user_stats(engine: Engine, scope: Scope) -> Stats:
    """Count what one user has."""
    now, space = engine.clock.now(), engine.space
    stats = engine.store.read(scope, lambda reader: reader.stats(space, now))
    return replace(stats, cache=engine.store.cache_figures(scope))


def _advice(engine: Engine, stats: StoreStats, spent: int, building: Model | None) -> Iterator[str]:
    yield from engine.store.advice()
    if stats.memories or stats.messages:
        yield from filter(None, [reindexing.advice(engine)])
    if stats.pending_jobs:
        yield f"{stats.pending_jobs} items wait for their vector: run `recollect worker` or `recollect maintain`."
    if stats.parked_jobs:
        yield (
            f"{stats.parked_jobs} items could not be embedded after several tries; "
            "`recollect worker --retry-parked` tries again."
        )
    if building is not None:
        yield f"A change to {building.provider}/{building.model} is under way: `recollect reembed` goes on with it."
    yield from _advice_about_model(engine)
    budget = engine.settings.llm.tokens_per_day
    if engine.summarizer.costs and spent >= budget:
        yield f"Today's {budget:,} tokens are spent: summaries are made without a model until tomorrow (UTC)."


def _advice_about_model(engine: Engine) -> Iterator[str]:
    configured, space = engine.models.configured, engine.space
    if configured is None or space is None:
        return
    try:
        engine.models.embedder(space)
    except EmbeddingError as error:
        yield f"{error} Until then searches go by words alone."
    if configured.space is not None and configured.space != space:
        yield (
            f"The settings name {changing.label(configured.space)}, but the vectors of this store are those of "
            f"{changing.label(space)}: run `recollect reembed` to change the model."
        )


def models(engine: Engine, *, ask: bool) -> tuple[Model, ...]:
    """Give the models whose vectors are there, and the one that the settings name; `ask` tries whether they answer."""
    known = [_model(engine, one.space, one.state, ask=ask) for one in engine.store.spaces()]
    configured = engine.models.configured
    if configured is not None and not any(one.configured for one in known):
        known.append(_tried(engine, configured, Model("", "", None, "configured", configured=True), ask=ask))
    return tuple(known)


def _model(engine: Engine, space: Space, state: ModelState, *, ask: bool = False) -> Model:
    configured = engine.models.configured
    named = configured is not None and configured.space == space
    coverage = tuple(engine.store.coverage(space))
    model = Model(space.provider, space.model, space.dimensions, state, named, coverage)
    try:
        return _tried(engine, engine.models.embedder(space), model, ask=ask)
    except EmbeddingError as error:
        return replace(model, reachable=False, trouble=str(error))


def _tried(engine: Engine, embedder: Embedder, model: Model, *, ask: bool) -> Model:
    reachable, trouble, space = None, "", embedder.space
    if ask:
        try:
            space = changing.probed(embedder)
            reachable = True
        except RecollectError as error:
            reachable, trouble = False, str(error)
    settings = engine.settings.embedding
    provider, name = (space.provider, space.model) if space else (settings.provider, settings.model)
    return replace(
        model,
        provider=model.provider or provider,
        model=model.model or name,
        dimensions=space.dimensions if space else model.dimensions,
        reachable=reachable,
        trouble=trouble,
        price=embedder.price if isinstance(embedder, RemoteEmbedder) else None,
    )


def _price(engine: Engine, space: Space | None) -> float | None:
    try:
        embedder = engine.models.embedder(space) if space else None
    except EmbeddingError:
        return None
    return embedder.price if isinstance(embedder, RemoteEmbedder) else None


def doctor(engine: Engine) -> tuple[Problem, ...]:
    """Check the store's consistency and try the embedder."""
    problems = [*engine.store.check(), *_stale_index(engine)]
    if engine.models.configured is not None:
        try:
            space = engine.space
            changing.probed(engine.models.embedder(space) if space else engine.models.configured)
        except RecollectError as error:
            problems.append(Problem("embedder", 1, str(error)))
    return tuple(problems)


def _stale_index(engine: Engine) -> Iterator[Problem]:
    """Report an index of words in which the present analyser may not find what it looks for."""
    advice = reindexing.advice(engine)
    stats = engine.store.stats() if advice else None
    if stats and stats.memories + stats.messages:
        yield Problem("index_of_words", stats.memories + stats.messages, advice)
