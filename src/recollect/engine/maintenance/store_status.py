"""Looking at the store itself: what runs on what, and whether anything is amiss."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from recollect._version import __version__
from recollect.engine.audit import audit_log
from recollect.engine.base import call_embedder, token_usage
from recollect.engine.base.context import Engine
from recollect.engine.maintenance import reindex
from recollect.engine.vectors import model_change
from recollect.errors import EmbeddingError, RecollectError
from recollect.model.memories import Scope, Space
from recollect.model.messages import Usage
from recollect.model.stats import Model, ModelState, Problem, Stats, Status, StoreStats
from recollect.ports import Embedder, RemoteEmbedder

_MOST_PARKED = 20


def status(engine: Engine) -> Status:
    """Describe the installation."""
    space, store = engine.space, engine.store
    stats = store_stats(engine)
    spent = store.spent(token_usage.today(engine))
    embedded = store.embedded(token_usage.today(engine))
    coming = model_change.building(store.spaces())
    building = None if coming is None else _model(engine, coming, "building")
    return Status(
        version=__version__,
        backend=store.backend,
        backend_version=store.version(),
        location=store.location(),
        schema_version=store.schema_version(),
        embedding=model_change.label(space) if space else "none",
        space=space,
        stats=stats,
        summarizer=engine.summarizers.chosen.name,
        spent_today=spent,
        tokens_per_day=engine.settings.llm.tokens_per_day,
        advice=tuple(_advice(engine, stats, spent.tokens, building)),
        coverage=tuple(store.coverage(space)) if space else (),
        building=building,
        parked=tuple(store.parked(_MOST_PARKED)),
        embedding_today=Usage(sum(tokens for _, tokens in embedded.items())),
        embedding_cost=_cost(engine, embedded),
        bulks=tuple(store.bulks()),
        geocoder=engine.geocoder.name if engine.geocoder else "none",
        unlocated=store.geocoding_counts()[0],
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
    if stats.items:
        yield from filter(None, [reindex.advice(engine)])
    if stats.pending_jobs:
        off = engine.models.configured is None
        what = "vectors are switched off here" if off else "run `recollect worker` or `recollect maintain`"
        yield f"{_items(stats.pending_jobs, 'waits', 'wait')} for a vector: {what}."
    if stats.parked_jobs:
        found = _items(stats.parked_jobs, "could", "could")
        yield f"{found} not be embedded after several tries; `recollect worker --retry-parked` tries again."
    if building is not None:
        yield f"A change to {building.provider}/{building.model} is under way: `recollect reembed` goes on with it."
    yield from _advice_about_model(engine)
    budget = engine.settings.llm.tokens_per_day
    if engine.summarizers.chosen.costs and spent >= budget:
        yield f"Today's {budget:,} tokens are spent: summaries are made without a model until tomorrow (UTC)."


def _items(amount: int, one: str, several: str) -> str:
    return f"1 item {one}" if amount == 1 else f"{amount:,} items {several}"


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
            f"The settings name {model_change.label(configured.space)}, but the vectors of this store are those of "
            f"{model_change.label(space)}: run `recollect reembed` to change the model."
        )


def models(engine: Engine, *, ask: bool) -> tuple[Model, ...]:
    """Give the models whose vectors are there, and the one that the settings name; `ask` tries whether they answer."""
    known = [_model(engine, one.space, one.state, ask=ask) for one in engine.store.spaces()]
    configured = engine.models.configured
    if configured is not None and not any(one.configured for one in known):
        known.append(_tried(engine, configured, Model("", "", None, "configured", configured=True), ask=ask))
    return tuple(known)


def _model(engine: Engine, space: Space, state: ModelState, *, ask: bool = False) -> Model:
    named = _is_configured(engine, space)
    coverage = tuple(engine.store.coverage(space))
    model = Model(space.provider, space.model, space.dimensions, state, named, coverage)
    try:
        return _tried(engine, engine.models.embedder(space), model, ask=ask)
    except EmbeddingError as error:
        return replace(model, reachable=False, trouble=str(error))


def _is_configured(engine: Engine, space: Space) -> bool:
    """Tell whether the settings mean this space, also while they do not say how long its vectors are."""
    configured, settings = engine.models.configured, engine.settings.embedding
    if configured is None or configured.space is not None:
        return configured is not None and configured.space == space
    return (space.provider, space.model) == (settings.provider, settings.model)


def _tried(engine: Engine, embedder: Embedder, model: Model, *, ask: bool) -> Model:
    reachable, trouble, space = None, "", embedder.space
    if ask:
        try:
            space = call_embedder.probed(embedder)
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


def _cost(engine: Engine, embedded: Mapping[str, int]) -> float | None:
    """Price the tokens of each model; None when the price of one is not known."""
    prices = {model_change.label(one.space): _price(engine, one.space) for one in engine.store.spaces()}
    costs = [(prices.get(model), tokens) for model, tokens in embedded.items()]
    return (
        None
        if any(price is None for price, _ in costs)
        else sum((price or 0) * tokens / 1e6 for price, tokens in costs)
    )


def _price(engine: Engine, space: Space) -> float | None:
    try:
        embedder = engine.models.embedder(space)
    except EmbeddingError:
        return None
    return embedder.price if isinstance(embedder, RemoteEmbedder) else 0.0


def doctor(engine: Engine) -> tuple[Problem, ...]:
    """Check the store's consistency and try the embedder."""
    problems = [*engine.store.check(), *_stale_index(engine), *audit_flaws(engine)]
    trouble = model_trouble(engine)
    return (*problems, Problem("embedder", 1, trouble)) if trouble else tuple(problems)


def model_trouble(engine: Engine) -> str:
    """Try whoever makes the vectors that are searched; says what is wrong, or nothing if all is well or none are."""
    try:
        used = _used(engine)
        if used is not None:
            call_embedder.probed(used)
    except RecollectError as error:
        return str(error)
    return ""


def asks_others(engine: Engine) -> bool:
    """Tell whether the vectors that are searched are made behind a network."""
    try:
        return isinstance(_used(engine), RemoteEmbedder)
    except EmbeddingError:
        return False


def _used(engine: Engine) -> Embedder | None:
    configured, space = engine.models.configured, engine.space
    return engine.models.embedder(space) if configured and space else configured


def _stale_index(engine: Engine) -> Iterator[Problem]:
    """Report an index of words in which the present analyser may not find what it looks for."""
    advice = reindex.advice(engine)
    stats = engine.store.stats() if advice else None
    if stats and stats.items:
        yield Problem("index_of_words", stats.items, advice)


def audit_flaws(engine: Engine) -> Iterator[Problem]:
    """Say whose log of what was done is not as it was written, and from which line on."""
    for scope in engine.store.audited():
        line = audit_log.first_flaw(engine, scope)
        if line is not None:
            log = f"the log of {scope.user_id or 'the keys'}"
            yield Problem("audit_log", 1, f"From line {line} on, {log} is not as it was written.")
