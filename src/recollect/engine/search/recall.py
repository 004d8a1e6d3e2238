"""Hybrid search: candidates from each channel, one ranking, and an answer that names the parts that failed.

The store only offers candidates; every score is computed here, so both stores rank alike. Hits of shared scopes stand
among the user's own, each with where it comes from. The search log, if the setting `serve.search_log` wants one, holds
what was asked, by which program, and with what result.

    prepared_query  the query: checked, parsed, embedded
    channels        candidates by words and by meaning, fused
    kind_ranking    the ranking of one kind of item, with every factor for or against a row
    hits            the hits that are shown, near-duplicates folded
    answers         which memories are no answer, and left out
    corrections     what of that was corrected since, behind what holds now
    rerank          the best answers first, by a model that reads them with the query
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import chain
from time import perf_counter
from typing import Final, NamedTuple

from recollect import ids
from recollect.engine.base.caches import CachedRecall
from recollect.engine.base.context import CONTEXT, SCOPES, TEXT, VECTOR, Engine
from recollect.engine.base.scopes import MemberStore, no_such_scope
from recollect.engine.base.search_figures import ReadTimer
from recollect.engine.drafts import redaction
from recollect.engine.places.search_location import PlaceScorer
from recollect.engine.search import answers, corrections, kind_ranking, on_disk, rerank
from recollect.engine.search import hits as search_hits
from recollect.engine.search.channels import ChannelPlan, SearchRun
from recollect.engine.search.kind_ranking import KindRanking
from recollect.engine.search.prepared_query import PreparedQuery, SearchOptions, prepare
from recollect.engine.search.rerank import UncutRecall
from recollect.errors import InvalidInput, NotFound, StoreError
from recollect.model.calibration import LEAST_SCORE
from recollect.model.filters import ChunkFilters, Filters, ItemFilters, MessageFilters
from recollect.model.literals import SOURCE_OF, SOURCES, ItemKind, MemoryType, MessageRole, Source
from recollect.model.memories import Item, MemoryRecord, Scope, VectorLike
from recollect.model.scopes import ScopeChoice, shared_name
from recollect.model.search import Hit, Recall
from recollect.ports import RerankText
from recollect.storage.base import SearchNote, StoreReader
from recollect.text.clean import fingerprint_text
from recollect.text.query import asks_for_list

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
_USUAL_TURN = 50  # messages
_LONGEST_TURN = 1_000
LOG_KEPT: Final = timedelta(days=90)
MOST_LOGGED: Final = 10_000  # searches of a user
_QUESTIONS = 10  # hits beyond the limit, where those that only ask are left out
_MOST_FOUND = 10


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
    answer = on_disk.mark(engine, scope, found if isinstance(found, Recall) else _finish(search, scope, drops, found))
    engine.search.metrics.record_time("total", started)
    engine.search.metrics.record_missing(answer.degraded)
    if log_as:
        log_search(engine, scope, log_as, query, answer, started=started)
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
        if scopes := _chosen_scopes(rows, prepared.options.scopes):
            return _SharedSearch(_search(search, rows, shared=True), scopes)
        generation = rows.generation() if cache.max_entries else None
        if generation is not None:
            cached = cache.find(scope, prepared.key, generation, prepared.started)
            if cached is not None:
                return cached
        return _Found(_labelled(_search(search, rows), shared_name(scope.user_id)), generation)


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
        parts.append(_labelled(part, name))
    return _Found(_merged(search, parts))


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
    wanted = prepared.options.limit + (_QUESTIONS if prepared.options.telling else 0)
    wider = replace(prepared, options=replace(prepared.options, limit=wanted))
    if prepared.query.open_ended and ((events := _timeline(reader, prepared)) or prepared.query.only_time):
        known = float(bool(events))
        return UncutRecall(corrections.mark(reader, events), search.degraded, known, "time", is_timeline=True)
    location = prepared.location
    places = PlaceScorer(reader, location, prepared.space if search.plan.vector else None) if location else None
    for depth in _DEPTHS:
        run = replace(search, depth=depth, places=places)
        rankings: Mapping[ItemKind, KindRanking] = {
            filters.kind: kind_ranking.rank(run, reader, filters) for filters in prepared.item_filters
        }
        if prepared.query.properties:
            rankings = _with_answers_first(rankings)
        is_measured = search.plan.vector and prepared.vector is not None  # words alone do not tell an answer
        rankings, is_cut = answers.only_answers(prepared, rankings) if is_measured else (rankings, False)
        skipped = rerank.reason_to_skip(search, rankings)
        skipped = "" if shared and skipped in rerank.BY_SCORES else skipped
        pool = 0 if skipped else rerank.pool_size(prepared)
        shown = search_hits.show(reader, wider, rankings, settings.diversity, pool)
        has_more = any(ranking.has_more(prepared.options.min_score) for ranking in rankings.values())
        if len(shown) >= wanted or is_cut or not has_more:
            break
    shown = corrections.mark(reader, shown)
    if prepared.query.of_past:
        shown = corrections.with_past(reader, shown)
    late = chain.from_iterable(ranking.late for ranking in rankings.values())
    best = max((rankings[search_hits.kind_of(hit)].answerable(hit.id) for hit in shown[:wanted]), default=0.0)
    if prepared.options.telling:  # a question that was asked says that its answer is here
        shown = [hit for hit in shown if search_hits.tells(hit.record)]
    texts = [] if skipped else rerank.texts_of(reader, prepared, shown)
    return UncutRecall(shown, tuple(dict.fromkeys((*search.degraded, *late))), best, skipped, texts)


def _with_answers_first(rankings: Mapping[ItemKind, KindRanking]) -> dict[ItemKind, KindRanking]:
    """Let what was said or is in a file outvote no value that the question asks for by its name."""
    best = max((min(1.0, row.content) for ranking in rankings.values() for row in ranking.rows), default=0.0)
    return {kind: ranking.lift_answers(best) if ranking.answers else ranking for kind, ranking in rankings.items()}


def _timeline(reader: StoreReader, prepared: PreparedQuery) -> list[Hit]:
    """Give the latest items of the time that the query names, in order: events, or else memories that say when.

    What was said then is given when the query asks for talk, and what was stored then when it asks for everything.
    """
    query, limit = prepared.query, prepared.options.limit
    views = [view for filters in prepared.item_filters for view in prepared.in_time(filters)]
    events = [replace(view, types=_EVENTS) for view in views if isinstance(view, Filters) and not view.types]
    talks = [view for view in views if isinstance(view, MessageFilters)]
    items = _items_in_time(reader, talks if query.about_talk else events, limit)
    if not items:
        told = views if asks_for_list(query.text) else [view for view in views if isinstance(view, Filters)]
        items = [item for item in _items_in_time(reader, told, limit) if told is views or _says_when(item)]
    return search_hits.in_order(prepared, list({item.id: item for item in items}.values()))[-limit:]


def _says_when(item: Item) -> bool:
    return isinstance(item, MemoryRecord) and item.occurred_at is not None


def _items_in_time(reader: StoreReader, views: Sequence[ItemFilters], limit: int) -> list[Item]:
    """Give memories and messages in time. A file holds what is so, not what happened."""
    items: list[Item] = []
    for view in views:
        if isinstance(view, Filters):
            items += reader.timeline(view, limit)
        elif isinstance(view, MessageFilters):
            items += reader.said_between(view, limit)
    return items


def _chosen_scopes(reader: StoreReader, chosen: ScopeChoice) -> tuple[str, ...]:
    """Give the names of the scopes to search, of which the user is a member. Raises NotFound for any other."""
    if not chosen or chosen == "none":
        return ()
    own = [membership.scope for membership in reader.memberships()]
    if chosen == "all":
        return tuple(own)
    for name in chosen:
        if name not in own:
            raise no_such_scope(name)
    return tuple(dict.fromkeys(chosen))


def _labelled(found: UncutRecall, name: str) -> UncutRecall:
    """Let hits say from which shared scope they are; a user's own are of none."""
    return replace(found, hits=[replace(hit, scope=name) for hit in found.hits]) if name else found


def _merged(search: SearchRun, parts: Sequence[UncutRecall]) -> UncutRecall:
    """Give what was found in the user's memory and in scopes as one answer, best first; equals in the order of parts.

    Scores are of one scale everywhere. What happened in a time that the query names stays in the order of time.
    """
    degraded = tuple(dict.fromkeys(part for found in parts for part in found.degraded))
    answerable = max(found.answerable for found in parts)
    timelines = [found for found in parts if found.is_timeline]
    if timelines:
        hits = sorted(
            (hit for found in timelines for hit in found.hits), key=lambda hit: search_hits.moment(hit.record)
        )
        return UncutRecall(hits[-search.query.options.limit :], degraded, answerable, "time")
    ranked = _without_repetitions(sorted(_with_texts(parts), key=lambda row: -row[0].score))
    hits = [hit for hit, _ in ranked]
    skipped = rerank.reason_to_keep_order(search, [hit.score for hit in hits])
    if not skipped:
        texts = [text for _, text in ranked[: rerank.POOL] if text is not None]
        return UncutRecall(hits, degraded, answerable, "", texts)
    options = search.query.options
    if options.diverse:
        hits = search_hits.spread(hits[: 2 * options.limit], search.engine.settings.recall.diversity)
    return UncutRecall(hits[: options.limit], degraded, answerable, skipped)


def _with_texts(parts: Sequence[UncutRecall]) -> list[tuple[Hit, RerankText | None]]:
    """Give hits with what a reranker reads of them; the first of each part have it."""
    rows: list[tuple[Hit, RerankText | None]] = []
    for found in parts:
        texts = [*found.texts, *[None] * (len(found.hits) - len(found.texts))]
        rows += zip(found.hits, texts, strict=True)
    return rows


def _without_repetitions(rows: Sequence[tuple[Hit, RerankText | None]]) -> list[tuple[Hit, RerankText | None]]:
    """Fold what is said in the same words in several scopes."""
    places: dict[str, int] = {}
    kept: list[tuple[Hit, RerankText | None]] = []
    for hit, text in rows:
        place = places.setdefault(fingerprint_text(hit.content), len(kept))
        same, its_text = kept[place] if place < len(kept) else (hit, text)
        if same.scope == hit.scope:  # the first, or one that its own search has not folded
            kept.append((hit, text))
        else:
            kept[place] = replace(same, folded=(*same.folded, hit.id)), its_text
    return kept


def recall_sources(
    engine: Engine,
    scope: Scope,
    query: str,
    *,
    sources: Sequence[Source],
    memories: Filters,
    messages: MessageFilters,
    files: ChunkFilters | None,
    options: SearchOptions,
    vector: VectorLike | None = None,
    log_as: str = "",
) -> Recall:
    """Search several sources at once; files only if `files` says which of them."""
    started, roles = perf_counter(), roles_of(sources)
    item_filters: list[ItemFilters] = [memories] if "memory" in sources else []
    if roles:
        item_filters.append(replace(messages, roles=roles))
    if "file" in sources and files is not None:
        item_filters.append(files)
    if item_filters:
        return recall(engine, scope, query, item_filters=item_filters, options=options, vector=vector, log_as=log_as)
    if log_as:
        log_search(engine, scope, log_as, query, Recall(()), started=started)
    return Recall(())


def roles_of(sources: Sequence[Source]) -> tuple[MessageRole, ...]:
    """Give the message roles that these sources stand for."""
    if isinstance(sources, str):
        raise InvalidInput(f"sources is the text {sources!r}; give several, for example ({sources!r},).")
    unknown = [source for source in sources if source not in SOURCES]
    if unknown:
        raise InvalidInput(f"Unknown source {unknown[0]!r}. Sources are: {', '.join(SOURCES)}.")
    return tuple(role for role, source in SOURCE_OF.items() if source in sources)


def turn_going_on(engine: Engine, scope: Scope, conversation: str | None) -> tuple[str, ...]:
    """Give the ids of the turn that is going on in a conversation; none without one."""
    return () if conversation is None else engine.store.read(scope, lambda reader: current_turn(reader, conversation))


def current_turn(reader: StoreReader, conversation: str) -> tuple[str, ...]:
    """Give the ids of the turn that is going on: the user's last message and everything since."""
    for limit in (_USUAL_TURN, _LONGEST_TURN):
        messages = reader.last_messages(conversation, limit)
        from_user = [position for position, message in enumerate(messages) if message.role == "user"]
        if from_user:
            return tuple(message.id for message in messages[from_user[-1] :])
        if len(messages) < limit:
            return ()
    return tuple(message.id for message in messages)


def log_search(engine: Engine, scope: Scope, verb: str, query: str, answer: Recall, *, started: float) -> None:
    """Note a search that began at this reading of `perf_counter`; its query only if the setting says `queries`.

    The log is that of the user who asked, also in a shared scope. It is written in the background.
    """
    setting = engine.settings.serve.search_log
    if setting == "off":
        return
    now = engine.clock.now()
    note = SearchNote(
        id=ids.new(now),
        asked_at=now,
        verb=verb,
        hits=len(answer.hits),
        took_ms=1000 * (perf_counter() - started),
        answerable=answer.answerable,
        degraded=" ".join(answer.degraded),
        query=redaction.public_text(engine, query) if setting == "queries" else "",
        user_agent=engine.agent,
        # ids of others' scopes are not noted: who forgets such an item would not reach the log of who asked
        found=""
        if engine.author
        else " ".join(hit.id for hit in answer.hits[:_MOST_FOUND] if hit.score >= LEAST_SCORE and not hit.scope),
    )
    engine.search.notes.add(Scope(engine.author) if engine.author else scope, note)
