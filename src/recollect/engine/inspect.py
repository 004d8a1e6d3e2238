"""Looking at the store itself: what runs on what, and whether anything is amiss."""

from collections.abc import Iterator

from recollect._version import __version__
from recollect.engine import reindexing, spending
from recollect.engine.context import Engine
from recollect.errors import EmbeddingError
from recollect.types import Problem, Status


def status(engine: Engine) -> Status:
    """Describe the installation."""
    space, store = engine.space, engine.store
    stats = store.stats()
    advice = list(store.advice())
    if stats.memories or stats.messages:
        advice += filter(None, [reindexing.advice(engine)])
    if stats.pending_jobs:
        advice.append(f"{stats.pending_jobs} items wait for their vector: run `recollect maintain`.")
    if stats.parked_jobs:
        advice.append(f"{stats.parked_jobs} items could not be embedded after several tries.")
    spent = store.spent(spending.today(engine))
    budget = engine.settings.llm.tokens_per_day
    if engine.summarizer.costs and spent.tokens >= budget:
        advice.append(f"Today's {budget:,} tokens are spent: summaries are made without a model until tomorrow (UTC).")
    return Status(
        version=__version__,
        backend=store.backend,
        backend_version=store.version(),
        location=store.location(),
        schema_version=store.schema_version(),
        embedding=f"{space.provider}/{space.model}" if space else "none",
        space=space,
        stats=stats,
        summarizer=engine.summarizer.name,
        spent_today=spent,
        tokens_per_day=budget,
        advice=tuple(advice),
    )


def doctor(engine: Engine) -> tuple[Problem, ...]:
    """Check the store's consistency and try the embedder."""
    problems = [*engine.store.check(), *_stale_index(engine)]
    if engine.embedder is not None:
        try:
            engine.embed(["A sentence to try the embedder."], "query")
        except EmbeddingError as error:
            problems.append(Problem("embedder", 1, str(error)))
    return tuple(problems)


def _stale_index(engine: Engine) -> Iterator[Problem]:
    """Report an index of words in which the present analyser may not find what it looks for."""
    advice = reindexing.advice(engine)
    stats = engine.store.stats() if advice else None
    if stats and stats.memories + stats.messages:
        yield Problem("index_of_words", stats.memories + stats.messages, advice)
