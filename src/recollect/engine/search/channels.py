"""What a store offers for a question, scored: by words, by meaning, and both fused into one relevance per row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest

from recollect.engine.base.context import Engine
from recollect.engine.places.search_location import PlaceScorer
from recollect.engine.search.prepared_query import PreparedQuery
from recollect.model.memories import ItemFilters
from recollect.ports import StoreReader, TextCandidates
from recollect.ranking import bm25, fusion
from recollect.ranking.answerable import answerable
from recollect.ranking.bm25 import TextScores
from recollect.ranking.fusion import Fused, Recipe
from recollect.text.terms import query_terms

_NEAREST = {"memory": 50, "message": 100, "chunk": 50}
_NEAREST_PER_HIT = {"memory": 1, "message": 8, "chunk": 1}  # a message is also looked for on behalf of those around it
_MOST_NEAREST = 1_000
_SPECIAL = 100  # rows of the time that a question names, or where the asker is, however far down they are


@dataclass(frozen=True, slots=True)
class ChannelPlan:
    """Which parts of a search to use: all of them, until one fails."""

    text: bool = True
    vector: bool = True
    context: bool = True


@dataclass(frozen=True, slots=True)
class SearchRun:
    """A question while it is being asked. `depth` says how many times as many rows as usual are looked at."""

    engine: Engine
    reader: StoreReader
    question: PreparedQuery
    plan: ChannelPlan = ChannelPlan()
    depth: int = 1
    surroundings: PlaceScorer | None = None  # where the asker is


@dataclass(frozen=True, slots=True)
class ScoredCandidates:
    """What the channels say about the rows of one shelf, fused; how much of the question each holds; what was late."""

    fused: Fused
    shares: Mapping[str, float]
    late: bool = False
    cut: bool = False  # the store has more rows that share a word
    close: frozenset[str] = frozenset()  # where the asker is, or at a place like that

    def answerable(self, row: str) -> float:
        """Say how likely a row is an answer."""
        return answerable(self.shares.get(row, 0.0), self.fused.nearness(row))

    def best(self, amount: int) -> list[str]:
        """Give the ids of the most relevant rows, equals by id, and of those whose place may bring them forward."""
        return self.chosen(self.fused.relevance, amount)

    def chosen(self, scores: Mapping[str, float], amount: int) -> list[str]:
        """Give the rows with the highest of these scores, and those whose place may bring them forward."""
        highest = best(scores, amount)
        return [*highest, *sorted((self.close & scores.keys()).difference(highest))]


def best(scores: Mapping[str, float], amount: int) -> list[str]:
    """Give the rows with the highest scores, equals by id."""
    return [row for _, row in nsmallest(amount, ((-score, row) for row, score in scores.items()))]


def look(search: SearchRun, shelf: ItemFilters) -> ScoredCandidates:
    """Ask both channels about a shelf. When the text channel took too long, the answer goes without the other."""
    plan, settings = search.plan, search.engine.settings.recall
    close: set[str] = set()
    texts = _by_words(search, shelf, close) if plan.text else None
    late = plan.vector and search.question.vector is not None and _late(search)
    cosines, waiting = _by_meaning(search, shelf, texts, close) if plan.vector and not late else ({}, ())
    weight = settings.vector_weight if search.question.trusts_vectors or not (texts and texts.scores) else 0.0
    space = search.question.space
    unrelated = search.reader.unrelated(space) if space and cosines else None
    recipe = Recipe(weight, settings.text_weight, settings.fusion, settings.rrf_k, unrelated or fusion.USUAL)
    shares = texts.shares if texts else {}
    cut = len(shares) >= settings.candidates * search.depth
    return ScoredCandidates(fusion.fuse(cosines, texts, recipe, waiting), shares, late, cut, frozenset(close))


def _late(search: SearchRun) -> bool:
    waited = search.engine.clock.now() - search.question.started
    return waited.total_seconds() > search.engine.settings.recall.deadline_s


def _surrounding(search: SearchRun, shelf: ItemFilters) -> Sequence[ItemFilters]:
    """Give what of a shelf is where the asker is, or at a place like that."""
    return search.surroundings.views(shelf) if search.surroundings is not None else ()


def _by_words(search: SearchRun, shelf: ItemFilters, close: set[str]) -> TextScores | None:
    """Score the rows that share a word, also those of the time that the question names; notes those that are close."""
    words, settings, reader = search.question.query.words, search.engine.settings.recall, search.reader
    if not words or settings.text_weight == 0:
        return None
    terms = query_terms(words)
    most = settings.candidates * search.depth
    found = reader.text_candidates(terms, shelf, most)
    in_time = search.question.in_time(shelf) if len(found.rows) == most else ()
    more = [reader.text_candidates(terms, view, _SPECIAL).rows for view in in_time]
    around = [reader.text_candidates(terms, view, _SPECIAL).rows for view in _surrounding(search, shelf)]
    close.update(row.id for part in around for row in part)
    if more or around:
        rows = {row.id: row for part in (found.rows, *more, *around) for row in part}
        found = TextCandidates(list(rows.values()), found.frequencies, found.total)
    return bm25.score(found, words, search.question.query.extra)


def _by_meaning(
    search: SearchRun, shelf: ItemFilters, texts: TextScores | None, close: set[str]
) -> tuple[dict[str, float], Sequence[str]]:
    """Give the cosines of the nearest rows, and of the best rows by words; and which of these have no vector yet.

    Rows that are close to the asker are noted, and have their cosine too.
    """
    space, vector, reader = search.question.space, search.question.vector, search.reader
    if space is None or vector is None:
        return {}, ()
    usual = max(_NEAREST_PER_HIT[shelf.kind] * search.question.wish.limit, _NEAREST[shelf.kind])
    wanted = min(_MOST_NEAREST, usual) * search.depth
    near: dict[str, float] = {}
    for view in (shelf, *search.question.in_time(shelf)):
        near.update(reader.nearest(space, vector, view, wanted))
    for view in _surrounding(search, shelf):
        found = dict(reader.nearest(space, vector, view, wanted))
        near |= found
        close |= found.keys()
    if texts is None:
        return near, ()
    wanted_too = dict.fromkeys([*best(texts.scores, wanted), *sorted(close & texts.scores.keys())])
    further = [row for row in wanted_too if row not in near]
    near.update(reader.cosines(shelf.kind, space, vector, further))
    return near, [row for row in further if row not in near]


def add_cosines(search: SearchRun, shelf: ItemFilters, found: ScoredCandidates, ids: Sequence[str]) -> None:
    """Look up what the vector channel says about further rows, if it has a say."""
    space, vector = search.question.space, search.question.vector
    if space is not None and vector is not None and fusion.VECTOR in found.fused.channels:
        found.fused.add_cosines(search.reader.cosines(shelf.kind, space, vector, ids))
