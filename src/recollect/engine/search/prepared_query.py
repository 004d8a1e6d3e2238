"""A question on its way in: checked, taken apart, and given its vector in time."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from queue import Empty, Queue
from threading import Thread
from time import perf_counter
from zoneinfo import ZoneInfo

from recollect.engine.base.context import VECTOR, Engine
from recollect.engine.places import search_location
from recollect.engine.places.search_location import ResolvedLocation
from recollect.engine.vectors import embed_texts
from recollect.errors import EmbeddingError, InvalidInput, RecollectError
from recollect.model.literals import MemoryType
from recollect.model.memories import ItemFilters, Scope, Space, Vector, VectorLike
from recollect.model.places import SearchLocation
from recollect.model.vectors import as_unit
from recollect.ports import RemoteEmbedder
from recollect.text.clean import clean
from recollect.text.query import Query, read_query

MAX_QUERY = 2_000
MAX_LIMIT = 1_000
_MOST_WAITING = 8


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What somebody who searches wants besides an answer: how much of it, how good, of which types rather."""

    limit: int
    min_score: float = 0.0
    preferred: tuple[MemoryType, ...] = ()
    diverse: bool = False
    signs: bool = True  # whether quotation marks and minuses in the query have a meaning
    where: SearchLocation | None = None


@dataclass(frozen=True, slots=True)
class PreparedQuery:
    """A query, ready to be asked of several shelves: each a kind of item and what of it may be answered.

    `space` is that of the vector. `trusts_vectors` is False when the embedder has never learned the language of the
    query.
    """

    query: Query
    vector: Vector | None
    shelves: tuple[ItemFilters, ...]
    wish: SearchOptions
    now: datetime
    started: datetime
    space: Space | None = None
    trusts_vectors: bool = True
    here: ResolvedLocation | None = None

    def in_time(self, shelf: ItemFilters) -> list[ItemFilters]:
        """Give what of a shelf is of the times that the query names, and inside of what the filters allow."""
        bounds = [
            (max(filter(None, (span.since, shelf.since))), min(filter(None, (span.until, shelf.until))))
            for span in self.query.spans
        ]
        return [replace(shelf, since=since, until=until) for since, until in bounds if since < until]

    @property
    def key(self) -> Hashable:
        """All that the answer depends on, but for what is stored. The day counts: `yesterday` depends on it."""
        vector = None if self.vector is None else self.vector.tobytes()
        here = None if self.here is None else self.here.key
        return (self.query, vector, self.space, tuple(map(_wanted, self.shelves)), self.wish, self.now.date(), here)


def _wanted(shelf: ItemFilters) -> Hashable:
    return (shelf.kind, *(getattr(shelf, one.name) for one in fields(shelf) if one.name != "now"))


def prepare(
    engine: Engine,
    scope: Scope,
    typed: str,
    *,
    vector: VectorLike | None,
    shelves: Sequence[ItemFilters],
    wish: SearchOptions,
) -> tuple[PreparedQuery, tuple[str, ...]]:
    """Check a query and take it apart; says what could not be done."""
    asked = _checked_query(typed)
    _check_bounds(wish)
    started = engine.clock.now()
    local = local_time(engine, started)
    query = read_query(asked, local if engine.settings.recall.time_words else None, signs=wish.signs)
    space = engine.space
    embedded, degraded = _query_vector(engine, scope, space, query.text, vector)
    here, unknown = search_location.find(engine, scope, wish.where, space)
    bounded = [here.bounded(shelf) if here else shelf for shelf in shelves]
    narrowed = tuple(replace(one, holding=query.required, lacking=query.excluded) for one in bounded if one)
    trusts = space is None or _knows(engine, space, query.language)
    return PreparedQuery(query, embedded, narrowed, wish, local, started, space, trusts, here), (*degraded, *unknown)


def local_time(engine: Engine, now: datetime) -> datetime:
    """Give a moment on the asker's clock, which says what `yesterday` means."""
    name = engine.settings.timezone
    return now.astimezone(ZoneInfo(name) if name else None)


def _checked_query(query: str) -> str:
    cleaned = clean(query)
    if not cleaned:
        raise InvalidInput("The query is empty. Ask with at least one word.")
    if len(cleaned) > MAX_QUERY:
        raise InvalidInput(f"The query has {len(cleaned)} characters; at most {MAX_QUERY} are searched.")
    return cleaned


def _check_bounds(wish: SearchOptions) -> None:
    if isinstance(wish.limit, bool) or not isinstance(wish.limit, int) or not 1 <= wish.limit <= MAX_LIMIT:
        raise InvalidInput(f"limit is {wish.limit}; it must be from 1 to {MAX_LIMIT}.")
    if not 0 <= wish.min_score <= 1:
        raise InvalidInput(f"min_score is {wish.min_score}; it must be from 0 to 1, as scores are.")


def _knows(engine: Engine, space: Space, language: str | None) -> bool:
    try:
        languages = engine.models.embedder(space).languages
    except EmbeddingError:
        return True
    return language is None or languages is None or language in languages


def _query_vector(
    engine: Engine, scope: Scope, space: Space | None, query: str, given: VectorLike | None
) -> tuple[Vector | None, tuple[str, ...]]:
    if engine.settings.recall.vector_weight == 0 or engine.models.configured is None:
        return None, ()
    if space is None:  # nobody knows yet how long its vectors are; the first answer to a worker tells
        return None, (VECTOR,)
    if given is not None:
        return as_unit(given, space.dimensions), ()
    if _too_many_wait(engine):
        return None, (VECTOR,)
    found: Queue[Vector | None] = Queue()

    def embed() -> None:
        try:
            vector, asked = embed_texts.question(engine, scope, space, query)
        except RecollectError:  # nobody made it, or the cache could not be read
            found.put(None)
            return
        found.put(vector)
        if asked is not None:
            embed_texts.note_question(engine, scope, asked)

    # A model must not be torn down while it works; but nobody waits for a provider that hangs.
    at_work = Thread(target=embed, name="recollect-query", daemon=_is_remote(engine, space))
    started = perf_counter()
    at_work.start()
    try:
        vector = found.get(timeout=engine.settings.recall.deadline_s)
    except Empty:
        engine.leave_behind(at_work)
        vector = None
    engine.observed.took("embed", started)
    return vector, () if vector is not None else (VECTOR,)


def _is_remote(engine: Engine, space: Space) -> bool:
    try:
        return isinstance(engine.models.embedder(space), RemoteEmbedder)
    except EmbeddingError:
        return False


def _too_many_wait(engine: Engine) -> bool:
    """Tell whether so many searches still wait for the embedder that one more would not get an answer either."""
    for thread in tuple(engine.searching):
        if not thread.is_alive():
            engine.searching.discard(thread)
    return len(engine.searching) >= _MOST_WAITING
