"""Hybrid search: candidates from each channel, one ranking, and an answer that names the parts that failed.

The store only offers candidates; every score is computed here, so both stores rank alike.

    prepared_query  the query: checked, parsed, embedded
    channels        candidates by words and by meaning, fused
    kind_ranking    the ranking of one kind of item, with every factor for or against a row
    hits            the hits that are shown, near-duplicates folded
    shared_hits     hits of shared scopes among the user's own
    rerank          the best answers first, by a model that reads them with the query
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from time import perf_counter
from typing import NamedTuple

from recollect.engine.audit import search_log
from recollect.engine.base.context import CONTEXT, SCOPES, TEXT, VECTOR, Engine
from recollect.engine.base.result_cache import CachedRecall
from recollect.engine.base.search_metrics import ReadTimer
from recollect.engine.base.shared_scopes import MemberStore
from recollect.engine.places.search_location import PlaceScorer
from recollect.engine.search import hits, kind_ranking, rerank, shared_hits
from recollect.engine.search.channels import ChannelPlan, SearchRun
from recollect.engine.search.prepared_query import PreparedQuery, SearchOptions, prepare
from recollect.engine.search.rerank import UncutRecall
from recollect.errors import NotFound, StoreError
from recollect.model.filters import Filters, ItemFilters, MessageFilters
from recollect.model.literals import MemoryType
from recollect.model.memories import Item, Scope, VectorLike
from recollect.model.scopes import shared_name
from recollect.model.search import Hit, Recall
from recollect.ports import StoreReader

_DEPTHS = (1, 5, 25)  # how many times as many candidates are ranked
_MAX_MODEL_CHANGES = 3  # during one search; after that it goes by words alone
_EVENTS: tuple[MemoryType, ...] = ("event", "experience")

# Degradation: the parts to do without when the store fails, the least first.
_PLANS = (
    (ChannelPlan(), ()),
    (ChannelPlan(vector=False), (VECTOR,)),
    (ChannelPlan(text=False), (TEXT,)),
    (ChannelPlan(context=False), (CONTEXT,)),
    (ChannelPlan(vector=False, context=False), (VECTOR, CONTEXT)),
    (ChannelPlan(text=False, context=False), (TEXT, CONTEXT)),
)


class _SpaceChangedError(Exception):
    """The store searches another space than the one that the query was embedded for."""


def recall(
    engine: Engine,
    scope: Scope,
    query: str,
    *,
    item_filters: Sequence[ItemFilters],
    options: SearchOptions,
    vector: VectorLike | None = None,
    log_as: str = "",
) -> Recall:
    """Answer a query with the best items of several kinds, all read in one snapshot.

    When the model changes meanwhile, the query is embedded again; when a part of the store fails, the search is tried
    without it. The search log, if there is one, knows the search as `log_as`.
    """
    started, model_changes, plan_number = perf_counter(), 0, 0
    rerank.begin(engine, options)
    prepare_again = partial(prepare, engine, scope, query, vector=vector, item_filters=item_filters, options=options)
    prepared, unavailable = prepare_again()
    while True:
        plan, missing = _PLANS[plan_number]
        search = SearchRun(engine, prepared, plan, degraded=tuple(dict.fromkeys((*unavailable, *missing))))
        try:
            with engine.search.metrics.timing() as timer:
                drops = engine.search.results.drops
                found = engine.store.read(scope, partial(_answer, search, scope, timer))
                if isinstance(found, _SharedSearch):
                    found = _search_scopes(search, scope, timer, found)
            break
        except _SpaceChangedError:
            model_changes += 1
            plan_number = 0
            engine.models.refresh()
            if model_changes == _MAX_MODEL_CHANGES:
                prepared, unavailable = replace(prepared, vector=None), (*unavailable, VECTOR)
            else:
                prepared, unavailable = prepare_again()
        except StoreError:
            plan_number += 1
            if plan_number == len(_PLANS):
                raise
    answer = found if isinstance(found, Recall) else _finish(search, scope, drops, found)
    engine.search.metrics.record_time("total", started)
    engine.search.metrics.record_missing(answer.degraded)
    if log_as:
        search_log.record(engine, scope, log_as, query, answer, started=started)
    return answer


class _Found(NamedTuple):
    """What a search found; `generation` is the number of the user's last write, None when it is not to be cached."""

    uncut: UncutRecall
    generation: int | None = None


class _SharedSearch(NamedTuple):
    """What a search found in the user's own memory, and the shared scopes that are to be searched as well."""

    own: UncutRecall
    scopes: tuple[str, ...]


def _answer(search: SearchRun, scope: Scope, timer: ReadTimer, reader: StoreReader) -> Recall | _Found | _SharedSearch:
    """Answer from the result cache, or search. What depends on other scopes, too, is not cached."""
    prepared, cache = search.query, search.engine.search.results
    with timer.ranking(reader) as rows:
        _check_space(search, rows)
        if scopes := shared_hits.chosen_scopes(rows, prepared.options.scopes):
            return _SharedSearch(_search(search, rows, shared=True), scopes)
        generation = rows.generation() if cache.max_entries else None
        if generation is not None:
            cached = cache.find(scope, prepared.key, generation, prepared.started)
            if cached is not None:
                return cached
        return _Found(shared_hits.labelled(_search(search, rows), shared_name(scope.user_id)), generation)


def _check_space(search: SearchRun, rows: StoreReader) -> None:
    prepared = search.query
    if search.plan.vector and prepared.vector is not None and rows.searched_space() not in (None, prepared.space):
        raise _SpaceChangedError


def _search_scopes(search: SearchRun, member: Scope, timer: ReadTimer, found: _SharedSearch) -> _Found:
    """Search shared scopes, each in a snapshot of its own that checks the membership; one that fails is left out."""
    parts = [found.own]
    for name in found.scopes:
        try:
            store = MemberStore(search.engine.store, member.user_id, name)
            part = store.read_scope(partial(_search_scope, search, timer))
        except NotFound:  # the user was removed a moment ago
            continue
        except StoreError:
            part = UncutRecall((), (SCOPES,))
        parts.append(shared_hits.labelled(part, name))
    return _Found(shared_hits.merged(search, parts))


def _search_scope(search: SearchRun, timer: ReadTimer, reader: StoreReader) -> UncutRecall:
    with timer.ranking(reader) as rows:
        _check_space(search, rows)
        return _search(search, rows, shared=True)


def _finish(search: SearchRun, scope: Scope, drops: int, found: _Found) -> Recall:
    """Rerank outside of the snapshot, since a model takes its time, and cache the answer."""
    answer, prepared, cache = rerank.finish(search, found.uncut), search.query, search.engine.search.results
    if found.generation is not None:
        cache.keep(scope, prepared.key, CachedRecall(found.generation, drops, prepared.started, answer))
    return answer


def _search(search: SearchRun, reader: StoreReader, *, shared: bool = False) -> UncutRecall:
    """Answer from the best rows; when duplicates and phrases leave too few of them, rank more candidates.

    What is `shared` comes together with the hits of other scopes: whether it is reranked depends on them, too.
    """
    prepared, settings = search.query, search.engine.settings.recall
    if prepared.query.open_ended and (events := _timeline(reader, prepared)):
        return UncutRecall(events, search.degraded, 1.0, "time", is_timeline=True)
    location = prepared.location
    places = PlaceScorer(reader, location, prepared.space if search.plan.vector else None) if location else None
    for depth in _DEPTHS:
        run = replace(search, depth=depth, places=places)
        rankings = {filters.kind: kind_ranking.rank(run, reader, filters) for filters in prepared.item_filters}
        skipped = rerank.reason_to_skip(search, rankings)
        skipped = "" if shared and skipped in rerank.BY_SCORES else skipped
        pool = 0 if skipped else rerank.pool_size(prepared)
        shown = hits.show(reader, prepared, rankings, settings.diversity, pool)
        has_more = any(ranking.has_more(prepared.options.min_score) for ranking in rankings.values())
        if len(shown) >= prepared.options.limit or not has_more:
            break
    late = chain.from_iterable(ranking.late for ranking in rankings.values())
    first = shown[: prepared.options.limit]
    best = max((rankings[hits.kind_of(hit)].fused.answerable(hit.id) for hit in first), default=0.0)
    texts = [] if skipped else rerank.texts_of(reader, prepared, shown)
    return UncutRecall(shown, tuple(dict.fromkeys((*search.degraded, *late))), best, skipped, texts)


def _timeline(reader: StoreReader, prepared: PreparedQuery) -> list[Hit]:
    """Give the latest items of the time that the query names, in order: events, or else memories and messages."""
    limit = prepared.options.limit
    views = [view for filters in prepared.item_filters for view in prepared.in_time(filters)]
    events = [replace(view, types=_EVENTS) for view in views if isinstance(view, Filters) and not view.types]
    talks = [view for view in views if isinstance(view, MessageFilters)]
    items = _items_in_time(reader, talks if prepared.query.about_talk else events, limit)
    items = items or _items_in_time(reader, views, limit)
    return hits.in_order(prepared, list({item.id: item for item in items}.values()))[-limit:]


def _items_in_time(reader: StoreReader, views: Sequence[ItemFilters], limit: int) -> list[Item]:
    """Give memories and messages in time. A file holds what is so, not what happened."""
    items: list[Item] = []
    for view in views:
        if isinstance(view, Filters):
            items += reader.timeline(view, limit)
        elif isinstance(view, MessageFilters):
            items += reader.said_between(view, limit)
    return items
