"""The channels of a search: candidates by words and by meaning, fused into one relevance per row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recollect.engine.base.context import Engine
from recollect.engine.places.search_location import PlaceScorer
from recollect.engine.search.prepared_query import PreparedQuery
from recollect.model.filters import ItemFilters
from recollect.model.literals import ItemKind
from recollect.model.memories import TextCandidates
from recollect.ranking import bm25, factors, fusion
from recollect.ranking.bm25 import TextScores
from recollect.ranking.fusion import Fused, FusionRecipe
from recollect.storage.base import StoreReader
from recollect.text.terms import query_terms

_NEAREST = {"memory": 50, "message": 100, "chunk": 50}
_NEAREST_PER_HIT = {"memory": 1, "message": 8, "chunk": 1}  # messages are also looked up for their neighbours
_MAX_NEAREST = 1_000
_TOLD = 0.7  # of the cosine of a message as something told, beside that as a wish, where a request looks for wishes
_REQUEST_WORDS = 0.2  # a request has the words of what it is about, and few of the wishes that apply to it
_SPECIAL = 100  # rows of the time that a query names, or near the location, however far down they rank


@dataclass(frozen=True, slots=True)
class ChannelPlan:
    """The parts of a search to use: all of them, until one fails."""

    text: bool = True
    vector: bool = True
    context: bool = True


@dataclass(frozen=True, slots=True)
class SearchRun:
    """One attempt to answer a query. `depth` multiplies the number of candidates."""

    engine: Engine
    query: PreparedQuery
    plan: ChannelPlan
    degraded: tuple[str, ...] = ()
    depth: int = 1
    places: PlaceScorer | None = None


@dataclass(slots=True)
class ChannelScores:
    """What the channels found for one kind of item. `nearby_ids` share a word and are near the location or its like."""

    texts: TextScores | None = None
    cosines: dict[str, float] = field(default_factory=dict)
    lacking_vectors: Sequence[str] = ()
    late: bool = False  # the text channel took so long that the vector channel was left out
    nearby_ids: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class ScoredCandidates:
    """The fused relevance of the candidates."""

    fused: Fused
    late: bool = False
    cut: bool = False  # the store has more rows that share a word
    nearby_ids: frozenset[str] = frozenset()
    letters: bool = False  # what letters say is still to be added

    def best(self, amount: int, scores: Mapping[str, float] | None = None) -> list[str]:
        """Give the ids of the most relevant rows (or by other scores), and of those whose place may lift them."""
        scores = self.fused.relevance if scores is None else scores
        best_ids = highest(scores, amount)
        return [*best_ids, *sorted((self.nearby_ids & scores.keys()).difference(best_ids))]


def highest(scores: Mapping[str, float], amount: int) -> list[str]:
    """Give the ids with the highest scores; equals by id."""
    return sorted(sorted(scores), key=scores.__getitem__, reverse=True)[:amount]  # equals keep their order


def match_words(search: SearchRun, reader: StoreReader, filters: ItemFilters) -> ChannelScores:
    """Score the rows that share a word, also those of the time that the query names and those near the location."""
    query, settings, scores = search.query, search.engine.settings.recall, ChannelScores()
    words = query.query.words
    if not search.plan.text or not words or settings.text_weight == 0:
        return scores
    terms, limit = query_terms(words), settings.candidates * search.depth
    candidates = reader.text_candidates(terms, filters, limit)
    in_time = query.in_time(filters, factors.TOLD_LATER) if len(candidates.rows) == limit else ()
    more_rows = [row for view in in_time for row in reader.text_candidates(terms, view, _SPECIAL).rows]
    nearby = [row for view in _nearby(search, filters) for row in reader.text_candidates(terms, view, _SPECIAL).rows]
    scores.nearby_ids.update(row.id for row in nearby)
    if more_rows or nearby:
        rows = {row.id: row for row in (*candidates.rows, *more_rows, *nearby)}
        candidates = TextCandidates(list(rows.values()), candidates.frequencies, candidates.total)
    scores.texts = bm25.score(candidates, words, query.query.extra)
    return scores


def _nearby(search: SearchRun, filters: ItemFilters) -> Sequence[ItemFilters]:
    """Narrow filters down to what is near the location, or at a place like it."""
    return search.places.views(filters) if search.places is not None else ()


def match_meaning(search: SearchRun, reader: StoreReader, filters: ItemFilters, scores: ChannelScores) -> None:
    """Add the cosines of the nearest rows and of the best rows by words, unless the time is up."""
    space, vector, kind = search.query.space, search.query.vector, filters.kind
    if not search.plan.vector or vector is None:
        return
    waited = search.engine.clock.now() - search.query.started
    scores.late = waited.total_seconds() > search.engine.settings.recall.deadline_s
    if scores.late or space is None:
        return
    usual = max(_NEAREST_PER_HIT[kind] * search.query.options.limit, _NEAREST[kind])
    limit = min(_MAX_NEAREST, usual) * search.depth
    cosines, nearby_ids = scores.cosines, set(scores.nearby_ids)
    for view in (filters, *search.query.in_time(filters, factors.TOLD_LATER)):
        cosines.update(reader.nearest(space, vector, view, limit))
    for view in _nearby(search, filters):
        nearby = dict(reader.nearest(space, vector, view, limit))
        cosines.update(nearby)
        nearby_ids.update(nearby)
    if scores.texts is not None:
        by_words = scores.texts.scores
        wanted_ids = dict.fromkeys([*highest(by_words, limit), *sorted(nearby_ids & by_words.keys())])
        further_ids = [row_id for row_id in wanted_ids if row_id not in cosines]
        cosines.update(reader.cosines(kind, space, vector, further_ids))
        scores.lacking_vectors = [row_id for row_id in further_ids if row_id not in cosines]
    _prefer_wishes(search, reader, kind, cosines)


def _prefer_wishes(search: SearchRun, reader: StoreReader, kind: ItemKind, cosines: dict[str, float]) -> None:
    """Measure all as wishes, if a request looks for these; what has no vector as one is something told."""
    space, vector = search.query.space, search.query.vector
    if search.query.query.request and space is not None and vector is not None and space.is_bundled:
        wishes = reader.wish_cosines(kind, space, vector, list(cosines)) if kind != "chunk" else {}
        cosines.update({row_id: max(wishes.get(row_id, 0.0), _TOLD * told) for row_id, told in cosines.items()})


def fuse(
    search: SearchRun, reader: StoreReader, kind: ItemKind, scores: ChannelScores, *, letters: bool = False
) -> ScoredCandidates:
    """Fuse the channels into one relevance per row, to which what letters say may be added."""
    query, settings, texts = search.query, search.engine.settings.recall, scores.texts
    weight = settings.vector_weight if query.trusts_vectors or not (texts and texts.scores) else 0.0
    unrelated = reader.unrelated(query.space) if query.space and scores.cosines else None
    words = settings.text_weight * (_REQUEST_WORDS if query.query.request and kind == "message" else 1.0)
    doubted = letters and not query.query.keywords
    recipe = FusionRecipe(weight, words, settings.fusion, settings.rrf_k, unrelated or fusion.USUAL, doubted)
    cut = len(texts.scores if texts else ()) >= settings.candidates * search.depth
    fused = fusion.fuse(scores.cosines, texts, recipe, scores.lacking_vectors)
    letters = letters and fusion.VECTOR in fused.channels
    return ScoredCandidates(fused, scores.late, cut, frozenset(scores.nearby_ids), letters)


def add_cosines(
    search: SearchRun, reader: StoreReader, filters: ItemFilters, candidates: ScoredCandidates, row_ids: Sequence[str]
) -> None:
    """Look up the cosines of further rows, if the vector channel has a say."""
    space, vector = search.query.space, search.query.vector
    if space is not None and vector is not None and fusion.VECTOR in candidates.fused.channels:
        cosines = dict(reader.cosines(filters.kind, space, vector, row_ids))
        _prefer_wishes(search, reader, filters.kind, cosines)
        candidates.fused.add_cosines(cosines)
