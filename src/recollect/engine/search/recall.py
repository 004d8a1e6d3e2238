"""Finding: candidates from each channel, one ranking, and an answer that says what did not work.

The store only offers candidates; every score is computed here, so both stores rank alike.

    asking     the question: checked, taken apart, embedded
    channels   what the store offers by words and by meaning, fused
    shelves    the ranking of memories and of messages, with all that speaks for a row or against it
    hits       what is shown, with repetitions folded
    answers    answers that were given already
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from time import perf_counter

from recollect.engine.base.context import CONTEXT, TEXT, VECTOR, Engine
from recollect.engine.base.result_cache import CachedRecall
from recollect.engine.places.search_location import PlaceScorer
from recollect.engine.search import hits, kind_ranking
from recollect.engine.search.channels import ChannelPlan, SearchRun
from recollect.engine.search.prepared_query import MAX_LIMIT, MAX_QUERY, PreparedQuery, SearchOptions, prepare
from recollect.errors import StoreError
from recollect.model.literals import MemoryType
from recollect.model.memories import Filters, Hit, Item, ItemFilters, MessageFilters, Recall, Scope, VectorLike
from recollect.ports import StoreReader

__all__ = ["MAX_LIMIT", "MAX_QUERY", "SearchOptions", "recall"]

_DEPTHS = (1, 5, 25)  # how many times as many rows are looked at

_MOST_MOVES = 3  # nobody changes the model more often than a question takes

_EVENTS: tuple[MemoryType, ...] = ("event", "experience")

# What to do without when a part of the store fails, the least first.
_PLANS = (
    (ChannelPlan(), ()),
    (ChannelPlan(vector=False), (VECTOR,)),
    (ChannelPlan(text=False), (TEXT,)),
    (ChannelPlan(context=False), (CONTEXT,)),
    (ChannelPlan(vector=False, context=False), (VECTOR, CONTEXT)),
    (ChannelPlan(text=False, context=False), (TEXT, CONTEXT)),
)


class _SpaceChangedError(Exception):
    """Searches use another space than the one that the question was embedded for."""


def recall(
    engine: Engine,
    scope: Scope,
    query: str,
    *,
    vector: VectorLike | None = None,
    looking_at: Sequence[ItemFilters],
    wish: SearchOptions,
) -> Recall:
    """Answer a query with the best of several shelves, all seen at one moment."""
    started = perf_counter()
    found = _recalled(engine, scope, query, vector, looking_at, wish=wish)
    engine.observed.took("total", started)
    engine.observed.went_without(found.degraded)
    return found


def _recalled(
    engine: Engine,
    scope: Scope,
    query: str,
    vector: VectorLike | None,
    looking_at: Sequence[ItemFilters],
    *,
    wish: SearchOptions,
) -> Recall:
    """Answer; when the model was changed while the question was being embedded, ask again in the new one's terms."""
    for _ in range(_MOST_MOVES):
        question, degraded = prepare(engine, scope, query, vector=vector, shelves=looking_at, wish=wish)
        try:
            return _planned(engine, scope, question, degraded)
        except _SpaceChangedError:
            engine.models.refresh()
    return _planned(engine, scope, replace(question, vector=None), (*degraded, VECTOR))


def _planned(engine: Engine, scope: Scope, question: PreparedQuery, degraded: tuple[str, ...]) -> Recall:
    """Answer with all parts of the store, or with as many of them as work."""
    for number, (plan, missing) in enumerate(_PLANS, 1):
        try:
            return _given(engine, scope, question, plan, tuple(dict.fromkeys((*degraded, *missing))))
        except StoreError:
            if number == len(_PLANS):
                raise
    raise AssertionError("the last plan gives an answer or raises")


def _given(
    engine: Engine, scope: Scope, question: PreparedQuery, plan: ChannelPlan, degraded: tuple[str, ...]
) -> Recall:
    answers, dropped = engine.answers, engine.answers.dropped

    def work(reader: StoreReader) -> Recall:
        here = question.here
        surroundings = PlaceScorer(reader, here, question.space if plan.vector else None) if here else None
        search = SearchRun(engine, reader, question, plan, surroundings=surroundings)
        if plan.vector and question.vector is not None and reader.searched_space() not in (None, question.space):
            raise _SpaceChangedError
        if not answers.most:
            return _answer(search, degraded)
        generation, key = reader.generation(), question.key
        known = answers.find(scope, key, generation, question.started)
        if known is not None:
            return known
        answer = _answer(search, degraded)
        answers.keep(scope, key, CachedRecall(generation, dropped, question.started, answer))
        return answer

    return engine.observed.read(engine.store, scope, work)


def _answer(search: SearchRun, degraded: tuple[str, ...]) -> Recall:
    """Answer from the best rows; when repetitions and phrases leave too few of them, look deeper."""
    question, reader = search.question, search.reader
    if question.query.open_ended:
        happened = _happened(reader, question)
        if happened:
            return Recall(tuple(happened), degraded, 1.0)
    for depth in _DEPTHS:
        rankings = [kind_ranking.rank(replace(search, depth=depth), shelf) for shelf in question.shelves]
        rows = sorted(chain.from_iterable(ranking.rows for ranking in rankings), key=lambda row: row.order)
        found = hits.show(reader, question, rows, search.engine.settings.recall.diversity)
        more = any(ranking.goes_on(question.wish.min_score) for ranking in rankings)
        if len(found) >= question.wish.limit or not more:
            break
    late = chain.from_iterable(ranking.late for ranking in rankings)
    likely = {row.id: row.answerable for row in rows}
    answerable = max([likely[hit.id] for hit in found], default=0.0)
    return Recall(tuple(found), tuple(dict.fromkeys((*degraded, *late))), answerable)


def _happened(reader: StoreReader, question: PreparedQuery) -> list[Hit]:
    """Give what happened in the time that the question names, the latest of it in order: events, or else anything."""
    limit = question.wish.limit
    views = [view for shelf in question.shelves for view in question.in_time(shelf)]
    events = [replace(view, types=_EVENTS) for view in views if isinstance(view, Filters) and not view.types]
    talks = [view for view in views if isinstance(view, MessageFilters)]
    first = talks if question.query.about_talk else events
    found = _told(reader, first, limit) or _told(reader, views, limit)
    return hits.in_order(question, list({item.id: item for item in found}.values()))[-limit:]


def _told(reader: StoreReader, views: Sequence[ItemFilters], limit: int) -> list[Item]:
    """Give memories and messages in time. A file tells what is so, not what happened."""
    found: list[Item] = []
    for view in views:
        if isinstance(view, Filters):
            found += reader.timeline(view, limit)
        elif isinstance(view, MessageFilters):
            found += reader.said_between(view, limit)
    return found
