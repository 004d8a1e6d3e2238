"""The ranking of one shelf: memories, or what was said. Relevance comes from the channels; here everything else joins.

A row is known by little more than its id until it is among the best.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache, partial
from math import prod

from recollect.engine.base.context import VECTOR, Engine
from recollect.engine.places.search_location import HasPlace
from recollect.engine.search import channels
from recollect.engine.search.channels import ScoredCandidates, SearchRun
from recollect.engine.search.prepared_query import PreparedQuery
from recollect.model.files import Chunk
from recollect.model.memories import ChannelPart, ChunkFilters, ItemFilters, MemoryRecord, MessageFilters, ScoreParts
from recollect.model.places import PlacePart
from recollect.ports import MessagePosition
from recollect.ranking import context, factors, geo
from recollect.ranking.factors import Fading
from recollect.ranking.fusion import Fused
from recollect.text.names import file_names
from recollect.text.terms import Forms, query_terms, query_words

_SPARE = 15  # rows beyond the limit whose other merits may bring them forward
_CHECKED = 400  # when the texts themselves decide
_PLACED = 100  # when it is known where the asker is
_MORE_SPARE = 60  # when a time or a phrase is asked for, which counts for more
_WEIGHED_PER_HIT = 3  # a message's merits can lift it above twice as relevant ones
_SEEDS = 50  # the most relevant messages, around which others are looked for
_SEEDS_PER_HIT = 5

MESSAGE = "message"
FILE = "file"
NAME = "name"


def _nowhere(_: float) -> None:
    """Say nothing about a place."""


@dataclass(frozen=True, slots=True)
class RankedRow:
    """A row with the score of its content, which may be above 1 until it is shown, how that came about, and whether it
    may answer. `place` says what where it is does to that.
    """

    id: str
    content: float
    similarity: float | None
    answerable: float
    parts: Callable[[], ScoreParts]
    record: MemoryRecord | Chunk | None = None
    spot: MessagePosition | None = None
    place: Callable[[float], PlacePart | None] = _nowhere

    @property
    def score(self) -> float:
        """The score: of the content alone, or of that and the place."""
        place = self.place(self.content)
        return self.content if place is None else geo.blended(place)

    @property
    def order(self) -> tuple[float, float, str]:
        """By what it is sorted: its score as it is shown, of equals its content, and then by id."""
        return -min(1.0, self.score), -self.content, self.id

    def explained(self) -> ScoreParts:
        """Say how the score came about."""
        place = self.place(self.content)
        return self.parts() if place is None else replace(self.parts(), place=place)


@dataclass(frozen=True, slots=True)
class KindRanking:
    """The best rows of a shelf, what was late, and whether there were more rows than were looked at."""

    rows: list[RankedRow]
    late: tuple[str, ...] = ()
    cut: bool = False

    def goes_on(self, min_score: float) -> bool:
        """Tell whether rows that were not looked at could be good enough."""
        return self.cut and bool(self.rows) and self.rows[-1].score >= min_score


def rank(search: SearchRun, shelf: ItemFilters) -> KindRanking:
    """Rank what a shelf has to say to a question, the best first."""
    found = channels.look(search, shelf)
    late = (VECTOR,) if found.late else ()
    if isinstance(shelf, MessageFilters):
        rows = _messages(search, shelf, found)
    else:
        rows = _chunks(search, shelf, found) if isinstance(shelf, ChunkFilters) else _memories(search, found)
    rows = _placed(search, rows)
    rows.sort(key=lambda row: row.order)
    return KindRanking(rows, late, found.cut or len(found.fused.relevance) > len(rows))


def _placed(search: SearchRun, rows: list[RankedRow]) -> list[RankedRow]:
    """Let places have their say, if it is known where the asker is."""
    if search.surroundings is None:
        return rows
    located = {row.id: row.record if isinstance(row.record, MemoryRecord) else row.spot for row in rows}
    best = max((row.content for row in rows), default=0.0)
    contents = {row.id: row.content for row in rows}
    somewhere = [(where, contents[row]) for row, where in located.items() if where is not None]
    judged = search.surroundings.judge(somewhere, best)
    return [row if (where := located[row.id]) is None else replace(row, place=_Told(judged, where)) for row in rows]


class _Told:
    """What a place does to a score, said once for each score of the content."""

    __slots__ = ("_judged", "_said", "_where")

    def __init__(self, judged: Callable[[HasPlace, float], PlacePart | None], where: HasPlace) -> None:
        self._judged = judged
        self._where = where
        self._said: tuple[float, PlacePart | None] | None = None

    def __call__(self, content: float) -> PlacePart | None:
        if self._said is None or self._said[0] != content:
            self._said = content, self._judged(self._where, content)
        return self._said[1]


def _spare(search: SearchRun) -> int:
    wish, query = search.question.wish, search.question.query
    if query.strict or query.unwanted:
        return (wish.limit + _CHECKED) * search.depth
    if search.surroundings is not None:
        return (wish.limit + _PLACED) * search.depth
    special = query.spans or query.phrases or wish.preferred or wish.diverse
    return (wish.limit + (_MORE_SPARE if special else _SPARE)) * search.depth


def _memories(search: SearchRun, found: ScoredCandidates) -> list[RankedRow]:
    fused, fading = found.fused, _fading(search.engine)
    rows = []
    for record in search.reader.get(found.best(_spare(search))):
        relevance = fused.relevance[record.id]
        merits = _of_memory(search, record, fading)
        score = relevance * prod(merits.values())
        parts = partial(_parts_of_memory, fused, record.id, merits)
        rows.append(_ranked(found, record.id, score, parts, record))
    return rows


def _ranked(
    found: ScoredCandidates,
    row: str,
    score: float,
    parts: Callable[[], ScoreParts],
    record: MemoryRecord | Chunk | None = None,
) -> RankedRow:
    return RankedRow(row, score, found.fused.similarity(row), found.answerable(row), parts, record)


def _parts_of_memory(fused: Fused, row: str, merits: Mapping[str, float]) -> ScoreParts:
    return ScoreParts(fused.parts(row), fused.relevance[row], merits)


def _fading(engine: Engine) -> Fading:
    return Fading(engine.settings.recall.half_lives(), engine.settings.recall.recency_weight)


def _of_memory(search: SearchRun, record: MemoryRecord, fading: Fading) -> dict[str, float]:
    question, settings = search.question, search.engine.settings.recall
    happened = record.occurred_at or record.created_at
    merits = {
        "recency": factors.recency(record.type, happened, question.started, fading),
        "importance": factors.importance(record.importance, settings.importance_weight),
        "confidence": factors.confidence(record.confidence, settings.confidence_weight),
        "trust": factors.trust(record.trust),
        "type": factors.PREFERRED if record.type in question.wish.preferred else 1.0,
        "subject": factors.SUBJECT if record.subject and _named(record.subject, _terms(question)) else 1.0,
        "time": _in_time(question, happened),
    }
    return _telling(merits)


def _telling(merits: Mapping[str, float]) -> dict[str, float]:
    return {name: factor for name, factor in merits.items() if factor != 1.0}


def _terms(question: PreparedQuery) -> frozenset[str]:
    return frozenset(query_terms(question.query.words))


def _in_time(question: PreparedQuery, moment: datetime) -> float:
    inside = any(span.since <= moment < span.until for span in question.query.spans)
    return factors.TIME if inside else 1.0


@lru_cache(maxsize=4_096)
def _words_of(name: str) -> tuple[Forms, ...]:
    return query_words(name.replace("_", " ").replace(".", " "))


def _named(name: str, asked: frozenset[str]) -> bool:
    """Tell whether a question names something: by all of its words, or a person by the first name."""
    held = [not asked.isdisjoint(forms) for forms in _words_of(name)]
    return bool(held) and (all(held) or (" " in name and held[0]))


def _messages(search: SearchRun, shelf: MessageFilters, found: ScoredCandidates) -> list[RankedRow]:
    question, fused = search.question, found.fused
    seeds = found.best(max(_SEEDS, _SEEDS_PER_HIT * question.wish.limit) * search.depth)
    spots = search.reader.around(seeds, context.REACH if search.plan.context else 0, shelf)
    channels.add_cosines(search, shelf, found, [spot.id for spot in spots if spot.id not in fused.relevance])
    lent = {spot.id: fused.relevance.get(spot.id, 0.0) * _role(question, spot) for spot in spots}
    smoothed = context.smooth(fused.relevance, spots, lent) if search.plan.context else _unsmoothed(fused, spots)
    asked, fading = _terms(question), _fading(search.engine)
    by_id = {spot.id: spot for spot in spots}
    rows = []
    for row in found.chosen(smoothed.relevance, _WEIGHED_PER_HIT * _spare(search)):
        merits = _of_message(question, by_id[row], asked, fading)
        score = smoothed.relevance[row] * prod(merits.values())
        if score > 0.0:
            parts = partial(_parts_of_message, fused, smoothed, row, merits)
            rows.append(replace(_ranked(found, row, score, parts), spot=by_id[row]))
    return rows


def _chunks(search: SearchRun, shelf: ChunkFilters, found: ScoredCandidates) -> list[RankedRow]:
    """Rank pieces of files. Those of a file that the question names come first, whatever else they say."""
    question, fused, fading = search.question, found.fused, _fading(search.engine)
    names = file_names(question.query.text)
    files = [file.id for file in search.reader.files_called(names)] if names else []
    named = frozenset(search.reader.chunks_in(files, shelf, _spare(search)) if files else ())
    rows = []
    for chunk in search.reader.get_chunks([*dict.fromkeys((*found.best(_spare(search)), *named))]):
        merits = _of_chunk(question, chunk, fading)
        relevance = fused.relevance.get(chunk.id, 0.0) + (chunk.file_id in files)
        parts = partial(_parts_of_chunk, fused, chunk.id, merits, named=chunk.file_id in files)
        rows.append(_ranked(found, chunk.id, relevance * prod(merits.values()), parts, chunk))
    return rows


def _parts_of_chunk(fused: Fused, row: str, merits: Mapping[str, float], *, named: bool) -> ScoreParts:
    channels_ = fused.parts(row) if row in fused.relevance else {}
    if named:
        channels_[NAME] = ChannelPart(None, 1.0, 1.0, 1.0)
    return ScoreParts(channels_, fused.relevance.get(row, 0.0) + named, merits)


def _of_chunk(question: PreparedQuery, chunk: Chunk, fading: Fading) -> dict[str, float]:
    merits = {"trust": factors.trust(chunk.trust)}
    if chunk.dated_at is not None:  # what has no date holds for good
        merits["recency"] = factors.recency(FILE, chunk.dated_at, question.started, fading)
        merits["time"] = _in_time(question, chunk.dated_at)
    return _telling(merits)


def _unsmoothed(fused: Fused, spots: Iterable[MessagePosition]) -> context.Smoothed:
    return context.Smoothed({spot.id: fused.relevance.get(spot.id, 0.0) for spot in spots})


def _parts_of_message(fused: Fused, smoothed: context.Smoothed, row: str, merits: Mapping[str, float]) -> ScoreParts:
    parts = fused.parts(row, smoothed.scale)
    around = smoothed.around.get(row)
    if around is not None:
        neighbours, conversation = smoothed.weights(row)
        parts["neighbours"] = ChannelPart(None, around.neighbours, around.neighbours, neighbours)
        parts["conversation"] = ChannelPart(None, around.conversation, around.conversation, conversation)
    return ScoreParts(parts, smoothed.relevance[row], merits)


def _of_message(
    question: PreparedQuery, spot: MessagePosition, asked: frozenset[str], fading: Fading
) -> dict[str, float]:
    merits = {
        "recency": factors.recency(MESSAGE, spot.said_at, question.started, fading),
        "trust": factors.trust(spot.trust),
        "role": _role(question, spot),
        "speaker": factors.SPEAKER if spot.speaker and _spoken_by(spot.speaker, asked) else 1.0,
        "question": factors.question(asks=spot.asks),
        "time": _in_time(question, spot.said_at),
    }
    return _telling(merits)


def _role(question: PreparedQuery, spot: MessagePosition) -> float:
    return factors.role(spot.role, spot.tokens, asked_of_assistant=question.query.asks_assistant)


def _spoken_by(speaker: str, asked: frozenset[str]) -> bool:
    return any(not asked.isdisjoint(forms) for forms in _words_of(speaker))
