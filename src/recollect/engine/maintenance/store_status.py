"""Status and health of the store: versions, figures, models, problems and advice."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from recollect._version import __version__
from recollect.engine.base import audit, embedders
from recollect.engine.base.context import Engine
from recollect.engine.carry import backup
from recollect.engine.maintenance import reindex
from recollect.engine.vectors import model_change
from recollect.errors import EmbeddingError, RecollectError, StoreDamaged
from recollect.model.memories import Scope, Space
from recollect.model.messages import Usage
from recollect.model.stats import Model, ModelState, Problem, Stats, Status, StoreStats, UnreadMessages
from recollect.ports import Embedder, RemoteEmbedder

_MAX_PARKED = 20
_DAMAGE = "damage"
_HOW = "run `recollect worker` or `recollect maintain`"
_RETRY = "`recollect worker --retry-parked` tries again."


def status(engine: Engine, *, quick: bool = False) -> Status:
    """Describe the installation; `quick` counts rows only, in a time that does not grow with them."""
    space, store = engine.space, engine.store
    stats = replace(store.stats(), cache=store.cache_figures()) if quick else store_stats(engine)
    unread = store.unread()
    spent = store.spent(engine.today())
    embedded = store.embedded(engine.today())
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
        advice=(*_advice(engine, stats, spent.tokens, building), *_advice_about_readings(engine, unread)),
        coverage=tuple(store.coverage(space)) if space else (),
        building=building,
        parked=tuple(store.parked(_MAX_PARKED)),
        embedding_today=Usage(sum(tokens for _, tokens in embedded.items())),
        embedding_cost=_cost(engine, embedded),
        bulks=tuple(store.bulks()),
        geocoder=engine.geocoder.name if engine.geocoder else "none",
        unlocated=store.geocoding_counts()[0],
        unread=unread,
        backup=backup.state(engine),
        erasure_pending=store.erasure().reason,
        replicas=tuple(store.replicas()),
    )


def store_stats(engine: Engine) -> StoreStats:
    """Count what the whole store holds."""
    rows, shares = engine.store.stats(), engine.store.shares(engine.clock.now())
    held = max(0, rows.memories - shares.superseded - shares.expired)  # others may write between the two
    return replace(rows, memories=held, cache=engine.store.cache_figures(), **shares._asdict())


def user_stats(engine: Engine, scope: Scope) -> Stats:
    """Count what one user has."""
    now, space = engine.clock.now(), engine.space
    stats = engine.store.read(scope, lambda reader: reader.stats(space, now))
    return replace(stats, cache=engine.store.cache_figures(scope))


def _advice(engine: Engine, stats: StoreStats, spent: int, building: Model | None) -> Iterator[str]:
    yield from engine.store.advice()
    if stats.items:
        yield from filter(None, [reindex.advice_about_words(engine), reindex.advice_about_vectors(engine)])
    if stats.pending_jobs:
        off = engine.models.configured is None
        what = "vectors are switched off here" if off else _HOW
        yield f"{_items(stats.pending_jobs, 'waits', 'wait')} for a vector: {what}."
    if stats.parked_jobs:
        parked = _items(stats.parked_jobs, "could", "could")
        yield f"{parked} not be embedded after several tries; {_RETRY}"
    if building is not None:
        yield f"A change to {building.provider}/{building.model} is under way: `recollect reembed` goes on with it."
    yield from _advice_about_model(engine)
    yield from filter(None, [backup.advice(engine)])
    budget = engine.settings.llm.tokens_per_day
    if engine.summarizers.chosen.costs and spent >= budget:
        yield f"Today's {budget:,} tokens are spent: summaries are made without a model until tomorrow (UTC)."


def _advice_about_readings(engine: Engine, unread: UnreadMessages) -> Iterator[str]:
    if unread.waiting:
        what = _HOW if engine.settings.auto_capture else "capturing is switched off here"
        yield f"{_items(unread.waiting, 'waits', 'wait', 'message')} to be read: {what}."
    if unread.parked:
        parked = _items(unread.parked, "could", "could", "message")
        yield f"{parked} not be read after several tries; {_RETRY}"


def _items(amount: int, singular: str, plural: str, what: str = "item") -> str:
    return f"1 {what} {singular}" if amount == 1 else f"{amount:,} {what}s {plural}"


def _advice_about_model(engine: Engine) -> Iterator[str]:
    configured, space = engine.models.configured, engine.space
    if configured is None or space is None:
        return
    try:
        engine.models.embedder(space)
    except EmbeddingError as error:
        yield f"{error} Until then searches go by words alone."
    if older := older_encoder(engine):
        yield older
    elif configured.space is not None and configured.space != space:
        yield (
            f"The settings name {model_change.label(configured.space)}, but the vectors of this store are those of "
            f"{model_change.label(space)}: run `recollect reembed` to change the model."
        )


def older_encoder(engine: Engine) -> str:
    """Advise to move a store whose vectors an older bundled encoder has made; empty where there is nothing to move."""
    configured, space = engine.models.configured, engine.space
    coming = configured.space if configured else None
    if coming is None or space is None or not (coming.is_bundled and space.is_bundled) or coming == space:
        return ""
    if model_change.building(engine.store.spaces()) == coming:
        return ""
    return (
        f"The vectors of this store are those of {model_change.label(space)}, an older encoder; "
        f"{model_change.label(coming)} finds more: `recollect reembed` moves the store to it while it is in use."
    )


def models(engine: Engine, *, ask: bool) -> tuple[Model, ...]:
    """Give the models whose vectors are stored, and the one of the settings; `ask` probes whether they answer."""
    known_models = [_model(engine, known.space, known.state, ask=ask) for known in engine.store.spaces()]
    configured = engine.models.configured
    if configured is not None and not any(model.configured for model in known_models):
        known_models.append(_probe(engine, configured, Model("", "", None, "configured", configured=True), ask=ask))
    return tuple(known_models)


def _model(engine: Engine, space: Space, state: ModelState, *, ask: bool = False) -> Model:
    chosen, settings = engine.models.configured, engine.settings.embedding
    configured = chosen is not None and chosen.space == space
    if chosen is not None and chosen.space is None:  # the settings need not say how long its vectors are
        configured = (space.provider, space.model) == (settings.provider, settings.model)
    coverage = tuple(engine.store.coverage(space))
    model = Model(space.provider, space.model, space.dimensions, state, configured, coverage)
    try:
        return _probe(engine, engine.models.embedder(space), model, ask=ask)
    except EmbeddingError as error:
        return replace(model, reachable=False, trouble=str(error))


def _probe(engine: Engine, embedder: Embedder, model: Model, *, ask: bool) -> Model:
    reachable, trouble, space = None, "", embedder.space
    if ask:
        try:
            space = embedders.probe(embedder)
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
    prices = {model_change.label(known.space): _price(engine, known.space) for known in engine.store.spaces()}
    costs = [(prices.get(model), tokens) for model, tokens in embedded.items()]
    if any(price is None for price, _ in costs):
        return None
    return sum((price or 0) * tokens / 1e6 for price, tokens in costs)


def _price(engine: Engine, space: Space) -> float | None:
    try:
        embedder = engine.models.embedder(space)
    except EmbeddingError:
        return None
    return embedder.price if isinstance(embedder, RemoteEmbedder) else 0.0


def doctor(engine: Engine) -> tuple[Problem, ...]:
    """Check the store's consistency and try the embedder."""
    checks = (
        engine.store.check,
        lambda: _stale_index(engine),
        lambda: _lacking_passages(engine),
        lambda: audit_flaws(engine),
    )
    found = [problem for check in checks for problem in _found(check)]
    damage = [problem for problem in found if problem.check == _DAMAGE][:1]  # each check may meet the same
    problems = [*damage, *(problem for problem in found if problem.check != _DAMAGE)]
    overdue = backup.advice(engine)
    problems += [Problem("backup", 1, overdue)] if overdue else []
    older = older_encoder(engine)
    problems += [Problem("older_encoder", 1, older)] if older else []
    trouble = model_trouble(engine)
    return (*problems, Problem("embedder", 1, trouble)) if trouble else tuple(problems)


def _found(check: Callable[[], Iterable[Problem]]) -> list[Problem]:
    """Run a check; one that meets damage is answered by naming the damage."""
    problems: list[Problem] = []
    try:
        problems.extend(check())
    except StoreDamaged as error:
        problems.append(Problem(_DAMAGE, 1, str(error)))
    return problems


def model_trouble(engine: Engine) -> str:
    """Probe the embedder of the searched space; gives its error, or an empty text if it works or there is none."""
    try:
        embedder = _searched_embedder(engine)
        if embedder is not None:
            embedders.probe(embedder)
    except RecollectError as error:
        return str(error)
    return ""


def uses_remote_model(engine: Engine) -> bool:
    """Tell whether the vectors that are searched are made behind a network."""
    try:
        return isinstance(_searched_embedder(engine), RemoteEmbedder)
    except EmbeddingError:
        return False


def _searched_embedder(engine: Engine) -> Embedder | None:
    configured, space = engine.models.configured, engine.space
    return engine.models.embedder(space) if configured and space else configured


def _stale_index(engine: Engine) -> Iterator[Problem]:
    """Report an index of words that another analyser has made."""
    advice = reindex.advice_about_words(engine)
    stats = engine.store.stats() if advice else None
    if stats and stats.items:
        yield Problem("index_of_words", stats.items, advice)


def _lacking_passages(engine: Engine) -> Iterator[Problem]:
    """Report a store with long texts that may lack vectors of their passages."""
    advice = reindex.advice_about_vectors(engine)
    if advice and engine.store.stats().items:
        yield Problem("vectors_of_passages", 1, advice)


def audit_flaws(engine: Engine) -> Iterator[Problem]:
    """Report the users whose audit log is not as it was written, and from which line on."""
    for scope in engine.store.audited():
        line = audit.first_flaw(engine, scope)
        if line is not None:
            log = f"the log of {scope.user_id or 'the keys'}"
            yield Problem("audit_log", 1, f"From line {line} on, {log} is not as it was written.")
