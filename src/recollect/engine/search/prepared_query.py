"""A query before the search: checked, parsed, and embedded within the deadline."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from time import perf_counter

from recollect.engine.base.context import VECTOR, Engine
from recollect.engine.places import search_location
from recollect.engine.places.search_location import ResolvedLocation
from recollect.engine.vectors import embed_texts
from recollect.errors import EmbeddingError, InvalidInput, RecollectError
from recollect.model.filters import ItemFilters
from recollect.model.literals import RERANK_WHEN, MemoryType, RerankWhen
from recollect.model.memories import Scope, Space, Vector, VectorLike
from recollect.model.places import SearchLocation
from recollect.model.scopes import ScopeChoice
from recollect.model.vectors import as_unit
from recollect.ports import RemoteEmbedder
from recollect.text.clean import clean
from recollect.text.query import ParsedQuery, read_query

MAX_QUERY = 2_000
MAX_LIMIT = 1_000
_MAX_OVERDUE = 8


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How many hits a search gives, how good, of which types rather, and near which location."""

    limit: int
    min_score: float = 0.0
    preferred: tuple[MemoryType, ...] = ()
    diverse: bool = False
    signs: bool = True  # whether quotation marks and minuses in the query have a meaning
    location: SearchLocation | None = None
    scopes: ScopeChoice = "none"  # shared scopes that are searched, too
    answers: bool = False  # whether memories that do not answer the query are left out
    telling: bool = False  # whether messages are left out that only ask or acknowledge
    rerank: RerankWhen | None = None  # by default as the settings say


@dataclass(frozen=True, slots=True)
class PreparedQuery:
    """A query, ready to search several kinds of items, each with its filters.

    `space` is that of the vector. `trusts_vectors` is False when the embedder has never learned the language of the
    query.
    """

    query: ParsedQuery
    vector: Vector | None
    item_filters: tuple[ItemFilters, ...]
    options: SearchOptions
    now: datetime
    started: datetime
    space: Space | None = None
    trusts_vectors: bool = True
    location: ResolvedLocation | None = None

    def in_time(self, filters: ItemFilters, later: timedelta = timedelta()) -> list[ItemFilters]:
        """Narrow filters down to each of the times that the query names, and so much later."""
        bounds = [
            (max(filter(None, (span.since, filters.since))), min(filter(None, (span.until + later, filters.until))))
            for span in self.query.spans
        ]
        return [replace(filters, since=since, until=until) for since, until in bounds if since < until]

    @property
    def key(self) -> Hashable:
        """All that the answer depends on, but for what is stored. The day counts: `yesterday` depends on it."""
        vector = None if self.vector is None else self.vector.tobytes()
        location = None if self.location is None else self.location.key
        filters = tuple(map(_filter_key, self.item_filters))
        return (self.query, vector, self.space, filters, self.options, self.now.date(), location)


def _filter_key(filters: ItemFilters) -> Hashable:
    return (filters.kind, *(getattr(filters, field.name) for field in fields(filters) if field.name != "now"))


def prepare(
    engine: Engine,
    scope: Scope,
    text: str,
    *,
    vector: VectorLike | None,
    item_filters: Sequence[ItemFilters],
    options: SearchOptions,
) -> tuple[PreparedQuery, tuple[str, ...]]:
    """Check, parse and embed a query; the second value names the parts that could not be had."""
    cleaned = _check_query(text)
    _check_bounds(options)
    started = engine.clock.now()
    now = local_time(engine, started)
    query = read_query(cleaned, now if engine.settings.recall.time_words else None, signs=options.signs)
    space = engine.space
    embedded, missing = _embed_query(engine, scope, space, query.text, vector)
    location, missing_place = search_location.resolve(engine, scope, options.location, space)
    narrowed = tuple(location.within_radius(filters) if location else filters for filters in item_filters)
    if query.required or query.excluded:
        narrowed = tuple(replace(filters, holding=query.required, lacking=query.excluded) for filters in narrowed)
    trusts = space is None or _speaks(engine, space, query.language)
    prepared = PreparedQuery(query, embedded, narrowed, options, now, started, space, trusts, location)
    return prepared, (*missing, *missing_place)


def local_time(engine: Engine, now: datetime) -> datetime:
    """Give a moment in the user's time zone, which says what `yesterday` means."""
    return now.astimezone(engine.timezone)


def _check_query(query: str) -> str:
    cleaned = clean(query)
    if not cleaned:
        raise InvalidInput("The query is empty. Ask with at least one word.")
    if len(cleaned) > MAX_QUERY:
        raise InvalidInput(f"The query has {len(cleaned)} characters; at most {MAX_QUERY} are searched.")
    return cleaned


def _check_bounds(options: SearchOptions) -> None:
    if isinstance(options.limit, bool) or not isinstance(options.limit, int) or not 1 <= options.limit <= MAX_LIMIT:
        raise InvalidInput(f"limit is {options.limit}; it must be from 1 to {MAX_LIMIT}.")
    if not 0 <= options.min_score <= 1:
        raise InvalidInput(f"min_score is {options.min_score}; it must be from 0 to 1, as scores are.")
    if options.rerank not in (None, *RERANK_WHEN):
        raise InvalidInput(f"rerank is {options.rerank!r}; it must be one of {', '.join(RERANK_WHEN)}.")


def _speaks(engine: Engine, space: Space, language: str | None) -> bool:
    try:
        languages = engine.models.embedder(space).languages
    except EmbeddingError:
        return True
    return language is None or languages is None or language in languages


def _embed_query(
    engine: Engine, scope: Scope, space: Space | None, query: str, vector: VectorLike | None
) -> tuple[Vector | None, tuple[str, ...]]:
    """Embed a query within the deadline. A thread that is late runs on, and the search goes by words."""
    if engine.settings.recall.vector_weight == 0 or engine.models.configured is None:
        return None, ()
    if space is None:  # the length of the vectors is not known until a worker has had its first answer
        return None, (VECTOR,)
    if vector is not None:
        return as_unit(vector, space.dimensions), ()
    if engine.search.count_overdue() >= _MAX_OVERDUE:  # one more would not get an answer either
        return None, (VECTOR,)

    def embed(answer: Callable[[Vector | None], None]) -> None:
        try:
            query_vector, payment = embed_texts.embed_query(engine, scope, space, query)
        except RecollectError:  # the provider failed, or the cache could not be read
            answer(None)
            return
        answer(query_vector)
        if payment is not None:
            embed_texts.keep_query(engine, scope, payment)

    # A model must not be torn down while it works; but a provider that hangs must not keep a program from ending.
    daemon, started = _is_remote(engine, space), perf_counter()
    deadline_s = engine.settings.recall.deadline_s
    query_vector = engine.search.answer_within(deadline_s, embed, "recollect-query", daemon=daemon)
    engine.search.metrics.record_time("embed", started)
    return query_vector, () if query_vector is not None else (VECTOR,)


def _is_remote(engine: Engine, space: Space) -> bool:
    try:
        return isinstance(engine.models.embedder(space), RemoteEmbedder)
    except EmbeddingError:
        return False
