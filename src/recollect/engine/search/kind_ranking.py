"""The ranking of one kind of item: the channels give the relevance, and factors raise or lower it.

A row is little more than an id and numbers until it is shown: only then is its score explained.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from math import prod
from typing import NamedTuple

from recollect.engine.base.context import VECTOR, Engine
from recollect.engine.drafts.memory_drafts import HAPPENINGS
from recollect.engine.places.search_location import PlaceScale, rescale
from recollect.engine.search import channels
from recollect.engine.search.channels import ScoredCandidates, SearchRun
from recollect.engine.search.prepared_query import PreparedQuery
from recollect.model.files import Chunk
from recollect.model.filters import ChunkFilters, Filters, ItemFilters, MessageFilters
from recollect.model.literals import ItemKind
from recollect.model.memories import FEEDBACK, MemoryRecord
from recollect.model.messages import MessagePosition
from recollect.model.places import PlacePart
from recollect.model.readings import PROPERTY, USER
from recollect.model.search import ChannelPart, ScoreParts
from recollect.ranking import additions, factors, geo
from recollect.ranking.additions import Additions
from recollect.ranking.factors import Fading
from recollect.ranking.fusion import Fused
from recollect.storage.base import StoreReader
from recollect.text.clean import letter_groups, plain_letters
from recollect.text.names import near_names
from recollect.text.query import file_names, without_times
from recollect.text.tables import read_words
from recollect.text.terms import Forms, query_terms, query_words

_SPARE = 15  # rows beyond the limit whose factors may lift them
_CHECKED = 400  # when the texts themselves decide
_LOCATED = 100  # when the search has a location
_MORE_SPARE = 60  # when the query names a time or a phrase, which counts for more
_RANKED_PER_HIT = 3  # a message's factors can lift it above twice as relevant ones
_SEEDS = 50  # the most relevant messages, whose neighbours are ranked too
_SEEDS_PER_HIT = 5
_LONGEST_COMPARED = 1_000  # characters of which the letters are compared

MESSAGE = "message"
FILE = "file"
NAME = "name"
SPEAKER = "speaker"
NEAR_NAME = "near name"
SUBJECT = "subject"
KIND = "kind"
LETTERS = "letters"
IN_COMMON = "in common"
SLOT = "slot"
_ANSWERS = 0.5  # the least relevance of what the question asks of the user by its name, as `home`
_AHEAD = 1.05  # times the best of all others
_UNSURE = 0.7  # of that for what has the property and was not sure enough to take its slot
_OWN = 0.1  # what the relevance of such a memory still counts
_SURE = 0.95
_MOST_VALUES = 5
_MOST_READ = 1_000  # characters of a memory that tell whom it is about


class RankedRow(NamedTuple):
    """A row in numbers: its relevance times its factors is the score of its content, which may be above 1.

    `score` is that, or the blend with the score of its place.
    """

    id: str
    kind: ItemKind
    content: float
    score: float
    factors: Mapping[str, float]
    source: MemoryRecord | Chunk | MessagePosition
    place: PlacePart | None = None

    @property
    def order(self) -> tuple[float, float, str]:
        """The sort key: the score as it is shown, then that of the content, then the id."""
        return -min(1.0, self.score), -self.content, self.id


@dataclass(frozen=True, slots=True)
class KindRanking:
    """The best rows of one kind, best first, and what it takes to explain their scores.

    `late` names the channels that took too long; `cut` means that there were more candidates than were ranked.
    """

    rows: list[RankedRow]
    fused: Fused
    smoothed: additions.Smoothed | None = None
    added: Additions | None = None
    answers: Mapping[str, float] = field(default_factory=dict)
    named_file_ids: frozenset[str] = frozenset()
    place_scale: PlaceScale | None = None
    late: tuple[str, ...] = ()
    cut: bool = False

    def has_more(self, min_score: float) -> bool:
        """Tell whether candidates that were not ranked could be good enough."""
        return self.cut and bool(self.rows) and self.rows[-1].score >= min_score

    def boost(self, row: RankedRow, name: str, factor: float) -> RankedRow:
        """Multiply the score of a row's content by one more factor."""
        content, place = row.content * factor, row.place
        if place is not None:
            place = rescale(place, content, self.place_scale)
        score = content if place is None else geo.blend(place)
        return row._replace(content=content, score=score, place=place, factors={**row.factors, name: factor})

    def lift_answers(self, best: float) -> "KindRanking":
        """Put the values that the question asks for by their name before all rows, whose best score this is."""
        rows = [
            self.boost(row, SLOT, _AHEAD * best / row.content)
            if row.id in self.answers and _holds_slot(row.source) and 0.0 < row.content < best
            else row
            for row in self.rows
        ]
        return replace(self, rows=sorted(rows, key=lambda row: row.order))

    def answerable(self, row_id: str) -> float:
        """Estimate how likely a row is an answer; the value of what a question asks for by its name is one."""
        return _SURE if row_id in self.answers else self.fused.answerable(row_id)

    def explain(self, row: RankedRow) -> ScoreParts:
        """Say how the score of a row came about."""
        if self.smoothed is not None:
            parts, relevance = self._message_channels(self.smoothed, row.id), self.smoothed.relevance[row.id]
        elif self.added is not None:
            parts, relevance = self._memory_channels(self.added, row.id), self.added.relevance.get(row.id, 0.0)
        else:
            parts = self.fused.parts(row.id) if row.id in self.fused.relevance else {}
            relevance = self.fused.relevance.get(row.id, 0.0)
        if row.id in self.answers:
            parts[SLOT] = ChannelPart(None, 1.0, 1.0, self.answers[row.id])
            relevance += self.answers[row.id]
        if isinstance(row.source, Chunk) and row.source.file_id in self.named_file_ids:
            parts[NAME] = ChannelPart(None, 1.0, 1.0, 1.0)
            relevance += 1
        return ScoreParts(parts, relevance, row.factors, row.place)

    def _memory_channels(self, added: Additions, row_id: str) -> dict[str, ChannelPart]:
        parts = self.fused.parts(row_id, added.scale)
        for name, part in added.parts.items():
            share = part.shares.get(row_id, 0.0)
            parts[name] = ChannelPart(None, share, share, part.weight)
        return parts

    def _message_channels(self, smoothed: additions.Smoothed, row_id: str) -> dict[str, ChannelPart]:
        parts = self.fused.parts(row_id, smoothed.scale)
        around = smoothed.around.get(row_id)
        if around is not None:
            neighbours, conversation = smoothed.weights(row_id)
            parts["neighbours"] = ChannelPart(None, around.neighbours, around.neighbours, neighbours)
            parts["conversation"] = ChannelPart(None, around.conversation, around.conversation, conversation)
        return parts


def rank(search: SearchRun, reader: StoreReader, filters: ItemFilters) -> KindRanking:
    """Rank the items of one kind, the best first."""
    scores = channels.match_words(search, reader, filters)
    channels.match_meaning(search, reader, filters, scores)
    candidates = channels.fuse(search, reader, filters.kind, scores, letters=_counts_letters(search, filters))
    if isinstance(filters, MessageFilters):
        ranking = _rank_messages(search, reader, filters, candidates)
    elif isinstance(filters, ChunkFilters):
        ranking = _rank_chunks(search, reader, filters, candidates)
    else:
        ranking = _rank_memories(search, reader, filters, candidates)
    rows, place_scale = _score_places(search, ranking.rows)
    rows.sort(key=lambda row: row.order)
    late = (VECTOR,) if candidates.late else ()
    cut = candidates.cut or len(candidates.fused.relevance) > len(rows)
    return replace(ranking, rows=rows, place_scale=place_scale, late=late, cut=cut)


def _counts_letters(search: SearchRun, filters: ItemFilters) -> bool:
    """Tell whether letters have a say: where both channels have one, among memories, whose texts are read anyway."""
    settings = search.engine.settings.recall
    return filters.kind == "memory" and settings.fusion == "weighted" and settings.text_weight > 0


def _score_places(search: SearchRun, rows: list[RankedRow]) -> tuple[list[RankedRow], PlaceScale | None]:
    """Blend the scores of the places into those of the contents, if the search has a location."""
    if search.places is None:
        return rows, None
    best = max((row.content for row in rows), default=0.0)
    places, scale = search.places.score([(row.source, row.content) for row in rows], best)
    scored = [
        row if place is None else row._replace(place=place, score=geo.blend(place))
        for row, place in zip(rows, places, strict=True)
    ]
    return scored, scale


def _spare(search: SearchRun) -> int:
    options, query = search.query.options, search.query.query
    if query.strict or query.unwanted or query.parties:
        spare = _CHECKED
    elif search.places is not None:
        spare = _LOCATED
    else:
        spare = _MORE_SPARE if query.spans or query.phrases or options.preferred or options.diverse else _SPARE
    return (options.limit + spare) * search.depth


def _row(
    source: MemoryRecord | Chunk | MessagePosition, kind: ItemKind, relevance: float, row_factors: Mapping[str, float]
) -> RankedRow:
    score = relevance * prod(row_factors.values())
    return RankedRow(source.id, kind, score, score, row_factors, source)


def _rank_memories(
    search: SearchRun, reader: StoreReader, filters: Filters, candidates: ScoredCandidates
) -> KindRanking:
    fused, fading, terms = candidates.fused, _fading(search.engine), _terms(search.query)
    records = reader.get(candidates.best(_spare(search)))
    added = None
    if candidates.letters and fused.nearest:
        added = _add_to_relevance(search, reader, fused, fused.nearest, records)
    relevance: Mapping[str, float] = fused.relevance if added is None else added.relevance
    asked = search.query.query.properties
    records = [*records, *_holders(reader, filters, asked, records)]
    answers = _answers(asked, records, relevance) if asked else {}
    rows = [
        _row(
            record,
            "memory",
            relevance.get(record.id, 0.0) + answers.get(record.id, 0.0),
            _memory_factors(search, record, fading, terms),
        )
        for record in records
    ]
    return KindRanking(rows, fused, added=added, answers=answers)


def _holds_slot(source: MemoryRecord | Chunk | MessagePosition) -> bool:
    return isinstance(source, MemoryRecord) and bool(source.key)


def _holders(
    reader: StoreReader, filters: Filters, asked: Iterable[str], records: Sequence[MemoryRecord]
) -> list[MemoryRecord]:
    """Give what holds the user's slots that a question asks for, where words and meaning have not found it."""
    if filters.key is not None or filters.subject not in (None, USER):
        return []
    found = {record.key for record in records if record.subject == USER}
    views = (replace(filters, subject=USER, key=name) for name in asked if name not in found)
    return [record for view in views for record in reader.select(view, _MOST_VALUES)]


def _answers(
    asked: frozenset[str], records: Sequence[MemoryRecord], relevance: Mapping[str, float]
) -> dict[str, float]:
    """Say what to add to the memories that answer a question by their property, so that no likeness outvotes them."""
    least = max(_ANSWERS, _AHEAD * max(relevance.values(), default=0.0))
    answers: dict[str, float] = {}
    for record in records:
        if record.subject == USER and record.type not in HAPPENINGS:
            share = 1.0 if record.key in asked else _UNSURE if record.metadata.get(PROPERTY) in asked else 0.0
            own = relevance.get(record.id, 0.0)
            lacking = share * least + (_OWN - 1.0) * own
            if share and lacking > 0.0:
                answers[record.id] = lacking
    return answers


def _add_to_relevance(
    search: SearchRun, reader: StoreReader, fused: Fused, nearest: float, records: Sequence[MemoryRecord]
) -> Additions:
    """Add what letters say, measured by the nearest meaning, and what a question's people have in common."""
    query = search.query.query
    texts = {record.id: plain_letters(record.content[:_LONGEST_COMPARED]) for record in records}
    added = Additions({record.id: fused.relevance[record.id] for record in records})
    added = added.plus(
        LETTERS, additions.shared_letters(letter_groups(query.text), texts), additions.LETTERS_WEIGHT * nearest
    )
    shares = _shares_in_common(search, reader, records, added.relevance) if query.parties else {}
    if not shares:
        return added
    return added.plus(IN_COMMON, shares, additions.IN_COMMON_WEIGHT * max(added.relevance.values()))


def _fading(engine: Engine) -> Fading:
    return Fading(engine.settings.recall.half_lives(), engine.settings.recall.recency_weight)


def _memory_factors(
    search: SearchRun, record: MemoryRecord, fading: Fading, query_terms: frozenset[str]
) -> dict[str, float]:
    query, settings = search.query, search.engine.settings.recall
    happened_at = record.occurred_at or record.created_at
    row_factors = {
        "recency": factors.recency(record.type, happened_at, query.started, fading),
        "importance": factors.importance(record.importance, settings.importance_weight),
        "confidence": factors.confidence(record.confidence, settings.confidence_weight),
        "trust": factors.trust(record.trust),
    }
    if record.metadata:
        row_factors["feedback"] = factors.feedback(record.metadata.get(FEEDBACK))
    if query.query.kinds and (record.key or record.metadata.get(PROPERTY)) in query.query.kinds:
        row_factors[KIND] = factors.KIND
    if record.type in query.options.preferred:
        row_factors["type"] = factors.PREFERRED
    if record.subject and _names(query_terms, record.subject):
        row_factors[SUBJECT] = factors.SUBJECT
    if query.query.spans:
        row_factors["time"] = _time_factor(query, happened_at)
    return _without_ones(row_factors)


def _without_ones(all_factors: Mapping[str, float]) -> dict[str, float]:
    return {name: factor for name, factor in all_factors.items() if factor != 1.0}


def _terms(query: PreparedQuery) -> frozenset[str]:
    return frozenset(query_terms(query.query.words))


def _time_factor(query: PreparedQuery, moment: datetime) -> float:
    spans = query.query.spans
    return max([factors.time(moment, span.since, span.until, yearly=span.yearly) for span in spans], default=1.0)


@lru_cache(maxsize=4_096)
def _words_of(name: str) -> tuple[Forms, ...]:
    words = name.replace("_", " ").replace(".", " ").split()
    titles = read_words("query", "titles")
    return query_words(" ".join(word for word in words if word.lower() not in titles) or " ".join(words))


def _names(query_terms: frozenset[str], name: str) -> bool:
    """Tell whether a query names something: by all of its words, or a person by the first name, titles aside."""
    named_words = [not query_terms.isdisjoint(forms) for forms in _words_of(name)]
    return bool(named_words) and (all(named_words) or (" " in name and named_words[0]))


def _rank_messages(
    search: SearchRun, reader: StoreReader, filters: MessageFilters, candidates: ScoredCandidates
) -> KindRanking:
    query, fused = search.query, candidates.fused
    seeds = candidates.best(max(_SEEDS, _SEEDS_PER_HIT * query.options.limit) * search.depth)
    positions = reader.around(seeds, additions.REACH if search.plan.context else 0, filters)
    unscored = [position.id for position in positions if position.id not in fused.relevance]
    channels.add_cosines(search, reader, filters, candidates, unscored)
    smoothed = _smooth(search, fused, positions)
    fading, speakers = _fading(search.engine), _named_speakers(query, positions)
    by_id = {position.id: position for position in positions}
    rows = []
    for row_id in candidates.best(_RANKED_PER_HIT * _spare(search), smoothed.relevance):
        row_factors = _message_factors(query, by_id[row_id], speakers, fading)
        row = _row(by_id[row_id], "message", smoothed.relevance[row_id], row_factors)
        if row.score > 0.0:
            rows.append(row)
    return KindRanking(rows, fused, smoothed)


def _smooth(search: SearchRun, fused: Fused, positions: Sequence[MessagePosition]) -> additions.Smoothed:
    """Let neighbours lend each other relevance, unless the search goes without context."""
    relevance = {position.id: fused.relevance.get(position.id, 0.0) for position in positions}
    if not search.plan.context:
        return additions.Smoothed(relevance)
    lent = {position.id: relevance[position.id] * _role_factor(search.query, position) for position in positions}
    return additions.smooth(fused.relevance, positions, lent)


def _rank_chunks(
    search: SearchRun, reader: StoreReader, filters: ChunkFilters, candidates: ScoredCandidates
) -> KindRanking:
    """Rank chunks of files. Those of a file that the query names come first."""
    fused, fading, spare = candidates.fused, _fading(search.engine), _spare(search)
    names = file_names(search.query.query.text)
    file_ids = [file.id for file in reader.files_called(names)] if names else []
    named_ids = frozenset(reader.chunks_in(file_ids, filters, spare) if file_ids else ())
    rows = []
    for chunk in reader.get_chunks([*dict.fromkeys((*candidates.best(spare), *named_ids))]):
        relevance = fused.relevance.get(chunk.id, 0.0) + (chunk.file_id in file_ids)
        rows.append(_row(chunk, "chunk", relevance, _chunk_factors(search.query, chunk, fading)))
    return KindRanking(rows, fused, named_file_ids=frozenset(file_ids))


def _chunk_factors(query: PreparedQuery, chunk: Chunk, fading: Fading) -> dict[str, float]:
    all_factors = {"trust": factors.trust(chunk.trust)}
    if chunk.dated_at is not None:  # a text without a date does not age
        all_factors["recency"] = factors.recency(FILE, chunk.dated_at, query.started, fading)
        all_factors["time"] = _time_factor(query, chunk.dated_at)
    return _without_ones(all_factors)


def _named_speakers(query: PreparedQuery, positions: Sequence[MessagePosition]) -> Mapping[str, str]:
    """Give the speakers whom a query names, with the factor that says how: by the name, or by one near it alone."""
    known, terms = {position.speaker for position in positions} - {""}, _terms(query)
    named = {name: SPEAKER for name in known if any(not terms.isdisjoint(forms) for forms in _words_of(name))}
    near = near_names(without_times(query.query.text, query.query.spans), known) if known else ()
    return {**dict.fromkeys(near, NEAR_NAME), **named}


def _message_factors(
    query: PreparedQuery, position: MessagePosition, speakers: Mapping[str, str], fading: Fading
) -> dict[str, float]:
    row_factors = {
        "recency": factors.recency(MESSAGE, position.said_at, query.started, fading),
        "trust": factors.trust(position.trust),
        "feedback": factors.feedback(position.feedback),
        "role": _role_factor(query, position),
        "question": factors.question(asks=position.asks),
        "time": _time_factor(query, position.said_at),
    }
    if position.speaker in speakers:
        row_factors[speakers[position.speaker]] = factors.SPEAKER
    return _without_ones(row_factors)


def _role_factor(query: PreparedQuery, position: MessagePosition) -> float:
    asked = query.query
    return factors.role(
        position.role, position.tokens, asked_of_assistant=asked.asks_assistant, personal=asked.personal
    )


def _shares_in_common(
    search: SearchRun, reader: StoreReader, records: Sequence[MemoryRecord], relevance: Mapping[str, float]
) -> Mapping[str, float]:
    """Say what each memory about one person shares with those about the others; nothing where that cannot be told."""
    parties, space = search.query.query.parties, search.query.space
    if space is None or not search.plan.vector:
        return {}
    texts = {record.id: _whose(record) for record in records}
    each = (frozenset(row_id for row_id, text in texts.items() if party.is_subject_of(text)) for party in parties)
    about = [row_ids for row_ids in each if row_ids]
    if len(about) < 2:  # noqa: PLR2004 - no one to compare with
        return {}
    vectors = reader.stored_vectors(space, sorted(frozenset().union(*about)))
    return additions.shares_in_common(vectors, about, relevance)


def _whose(record: MemoryRecord) -> str:
    """Give the text that tells whom a memory is about."""
    content = record.content[:_MOST_READ]
    return f"{record.subject.title()}: {content}" if record.subject else content
