"""Reranking: a model reads the first hits of a search together with the query, and the best answers move up.

The hits come out of the store's snapshot with all that the model needs, and it is asked after that, within a time
budget. When it fails or is late, the hits stay in their order, and `degraded` says so.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from time import perf_counter

from recollect.engine.base.context import RERANKER, Engine
from recollect.engine.drafts.items import whole_text
from recollect.engine.search import corrections
from recollect.engine.search import hits as search_hits
from recollect.engine.search.channels import SearchRun
from recollect.engine.search.kind_ranking import SLOT, KindRanking
from recollect.engine.search.prepared_query import PreparedQuery, SearchOptions
from recollect.errors import RerankerError
from recollect.model.filters import MessageFilters
from recollect.model.literals import ItemKind, RerankWhen
from recollect.model.memories import MemoryRecord
from recollect.model.messages import Message
from recollect.model.search import Hit, Recall, Reranking, RerankPart
from recollect.ports import RerankText
from recollect.ranking import ordering
from recollect.storage.base import StoreReader
from recollect.text.questions import request_form

POOL = 40  # how many of the first hits may be scored
_MAX_OVERDUE = 8
_SINGLE = "single"
_CLEAR_LEAD = "clear lead"
BY_SCORES = frozenset({_SINGLE, _CLEAR_LEAD})  # reasons to skip reranking that more hits may take away


@dataclass(frozen=True, slots=True)
class UncutRecall:
    """What a search found in its snapshot, before it is reranked and cut.

    `skipped` says why it is not reranked; then the hits are complete. `texts` are what the reranker reads. A timeline
    is in the order in which things happened.
    """

    hits: Sequence[Hit]
    degraded: tuple[str, ...] = ()
    answerable: float = 0.0
    skipped: str = ""
    texts: Sequence[RerankText] = field(default=())
    is_timeline: bool = False


def begin(engine: Engine, options: SearchOptions) -> None:
    """Load the model while the query is embedded and the store is searched, if a search may want it."""
    if engine.reranker is not None and _when(engine, options) != "off":
        engine.reranker.prepare()


def _when(engine: Engine, options: SearchOptions) -> RerankWhen:
    return options.rerank or engine.settings.recall.rerank


def reason_to_skip(search: SearchRun, rankings: Mapping[ItemKind, KindRanking]) -> str:
    """Say why a search is not reranked; '' when it is."""
    best = sorted(row.order for ranking in rankings.values() for row in ranking.rows)[:2]
    return reason_to_keep_order(search, [-order[0] for order in best])


def reason_to_keep_order(search: SearchRun, scores: Sequence[float]) -> str:
    """Say why hits with these scores, the best first, stay in their order; '' when they are reranked."""
    engine, prepared = search.engine, search.query
    when = _when(engine, prepared.options)
    if engine.reranker is None or when == "off":
        return "off"
    if prepared.location is not None:
        return "location"
    if len(scores) < 2:  # noqa: PLR2004 - there is no order of one
        return _SINGLE
    if when == "always":
        return ""
    return _query_reason(prepared) or (_CLEAR_LEAD if ordering.leads_clearly(*scores[:2]) else "")


def _query_reason(prepared: PreparedQuery) -> str:
    """Say what about a query makes reranking useless: the model knows which text answers a question, and no more."""
    query = prepared.query
    if query.strict:
        return "exact phrase"
    if query.parties:
        return "comparison"
    form = request_form(query.text)
    told = not prepared.options.signs  # what users say to an agent is a question or a request
    wanted = told or query.request or form.command
    return "instructions" if wanted and not form.asks else ""


def pool_size(prepared: PreparedQuery) -> int:
    """Say how many hits a search takes out of its snapshot in order to rerank the first of them."""
    options = prepared.options
    return max(POOL, options.limit * 2 if options.diverse else options.limit)


def texts_of(reader: StoreReader, prepared: PreparedQuery, hits: Sequence[Hit]) -> list[RerankText]:
    """Give the texts of the first hits, messages with the turn before them."""
    first = hits[:POOL]
    message_ids = [hit.id for hit in first if isinstance(hit.record, Message)]
    filters = [filters for filters in prepared.item_filters if isinstance(filters, MessageFilters)]
    previous = _previous_turns(reader, message_ids, filters[0]) if message_ids and filters else {}
    return [RerankText(whole_text(hit.record), previous.get(hit.id, "")) for hit in first]


def _previous_turns(reader: StoreReader, ids: Sequence[str], filters: MessageFilters) -> dict[str, str]:
    positions = reader.around(ids, 1, filters)
    by_place = {(position.conversation, position.sequence): position.id for position in positions}
    wanted = frozenset(ids)
    previous_ids = {
        position.id: by_place[position.conversation, position.sequence - 1]
        for position in positions
        if position.id in wanted and (position.conversation, position.sequence - 1) in by_place
    }
    turns = {turn.id: whole_text(turn) for turn in reader.get_messages([*dict.fromkeys(previous_ids.values())])}
    return {row_id: turns[turn_id] for row_id, turn_id in previous_ids.items() if turn_id in turns}


def finish(search: SearchRun, found: UncutRecall) -> Recall:
    """Rerank what a search found, and cut it to what was asked for."""
    engine, options = search.engine, search.query.options
    hits, degraded, model = found.hits, found.degraded, engine.reranker
    report = None if model is None or found.skipped == "off" else Reranking(model.name, skipped=found.skipped)
    if not found.skipped:
        started = perf_counter()
        scores = _score(engine, search.query.query.text, found.texts)
        engine.search.metrics.record_time("rerank", started)
        if scores:
            hits = _in_order(hits, scores)
            report = replace(report, scored=len(scores)) if report else None
        else:
            degraded = (*degraded, RERANKER)
        if options.diverse:
            hits = search_hits.spread(hits[: 2 * options.limit], engine.settings.recall.diversity)
    if not found.is_timeline:
        hits = corrections.behind_present(hits)
    return Recall(tuple(hits[: options.limit]), degraded, found.answerable, report)


def _in_order(hits: Sequence[Hit], scores: Sequence[float]) -> list[Hit]:
    """Give the hits in their new order. The first score of the search goes to the new first hit, and so on down."""
    order = ordering.order(scores, [hit.score for hit in hits])
    order = sorted(order, key=lambda place: not _is_asked_by_name(hits[place]))
    moved = [
        _moved(hits[before], hits[after].score, RerankPart(scores[before], before + 1, after + 1))
        for after, before in enumerate(order)
    ]
    return [*moved, *hits[len(moved) :]]


def _is_asked_by_name(hit: Hit) -> bool:
    return SLOT in hit.parts.channels and isinstance(hit.record, MemoryRecord) and bool(hit.record.key)


def _moved(hit: Hit, score: float, part: RerankPart) -> Hit:
    """Give a hit its new score; a factor explains it."""
    parts = hit.parts
    before = parts.relevance * prod(parts.factors.values())
    factors = dict(parts.factors)
    if score != hit.score and before > 0:
        factors[RERANKER] = score / before
    return replace(hit, score=score, parts=replace(parts, factors=factors, rerank=part))


def _score(engine: Engine, question: str, texts: Sequence[RerankText]) -> Sequence[float]:
    """Score the first texts; none when the reranker failed or was late."""
    reranker, budget_s = engine.reranker, engine.settings.rerank.budget_s
    if reranker is None:
        return ()
    if not reranker.is_remote:
        try:
            return reranker.score(question, texts, budget_s)
        except RerankerError:
            return ()
    if engine.search.count_overdue() >= _MAX_OVERDUE:
        return ()

    def ask(answer: Callable[[Sequence[float]], None]) -> None:
        try:
            answer(reranker.score(question, texts, budget_s))
        except RerankerError:
            answer(())

    # A provider that hangs must not keep a search from ending, nor a program.
    return engine.search.answer_within(budget_s, ask, "recollect-rerank", daemon=True) or ()
