"""Finding: candidates from each channel, one ranking, and an answer that says what did not work.

The store only offers candidates; every score is computed here, so both stores rank alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from itertools import chain

from recollect.engine.context import TEXT, VECTOR, Engine
from recollect.engine.passages import message_passage
from recollect.errors import EmbeddingError, InvalidInput, StoreError
from recollect.messages import Message
from recollect.ports import Reader
from recollect.rank.bm25 import TextScores, score
from recollect.rank.fusion import Fused, Weights, fuse
from recollect.text.clean import clean
from recollect.text.terms import Forms, query_terms, query_words
from recollect.types import Filters, Hit, MemoryRecord, Parts, Place, Recall, Scope, Vector, VectorLike, Wanted
from recollect.vectors import as_unit
from recollect.vocabulary import SOURCE_OF

MAX_QUERY = 2_000
MAX_LIMIT = 1_000
_MOST_WORDS = 64
NEIGHBOURS = 50


@dataclass(frozen=True, slots=True)
class Question:
    """A query, ready to be asked: its words, its vector when there is one, and what may be answered."""

    words: Sequence[Forms]
    vector: Vector | None
    filters: Wanted
    limit: int
    min_score: float


def recall(
    engine: Engine,
    scope: Scope,
    query: str,
    *,
    vector: VectorLike | None,
    filters: Filters,
    limit: int,
    min_score: float,
) -> Recall:
    """Answer a query with the best memories."""
    question, degraded = prepare(engine, query, vector=vector, filters=filters, limit=limit, min_score=min_score)
    return answer(engine, scope, [question], degraded)


def prepare(
    engine: Engine, query: str, *, vector: VectorLike | None, filters: Wanted, limit: int, min_score: float
) -> tuple[Question, tuple[str, ...]]:
    """Check a query and take it apart; says what could not be done."""
    asked = _checked_query(query)
    _check_bounds(limit, min_score)
    embedded, degraded = _query_vector(engine, asked, vector)
    return Question(query_words(asked)[:_MOST_WORDS], embedded, filters, limit, min_score), degraded


def answer(engine: Engine, scope: Scope, questions: Sequence[Question], degraded: tuple[str, ...]) -> Recall:
    """Answer one question put to several shelves, from one snapshot: the best hits of all."""
    try:
        return Recall(_asked(engine, scope, questions), degraded)
    except StoreError:
        return _answer_from_one_channel(engine, scope, questions, degraded)


def _checked_query(query: str) -> str:
    cleaned = clean(query)
    if not cleaned:
        raise InvalidInput("The query is empty. Ask with at least one word.")
    if len(cleaned) > MAX_QUERY:
        raise InvalidInput(f"The query has {len(cleaned)} characters; at most {MAX_QUERY} are searched.")
    return cleaned


def _check_bounds(limit: int, min_score: float) -> None:
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"limit is {limit}; it must be from 1 to {MAX_LIMIT}.")
    if not 0 <= min_score <= 1:
        raise InvalidInput(f"min_score is {min_score}; it must be from 0 to 1, as scores are.")


def _query_vector(engine: Engine, query: str, given: VectorLike | None) -> tuple[Vector | None, tuple[str, ...]]:
    if engine.space is None:
        return None, ()
    if given is not None:
        return as_unit(given, engine.space.dimensions), ()
    try:
        return engine.embed([query], "query")[0], ()
    except EmbeddingError:
        return None, (VECTOR,)


def _answer(engine: Engine, reader: Reader, question: Question) -> list[Hit]:
    texts = _text_channel(engine, reader, question)
    cosines = _vector_channel(engine, reader, question, texts)
    settings = engine.settings.recall
    ranked = fuse(cosines, texts, Weights(settings.vector_weight, settings.text_weight), question.limit)
    chosen = [fused for fused in ranked if fused.relevance >= question.min_score]
    wanted = [fused.id for fused in chosen]
    if question.filters.kind == "message":
        said = {message.id: message for message in reader.get_messages(wanted)}
        return [_message_hit(said[fused.id], fused) for fused in chosen if fused.id in said]
    records = {record.id: record for record in reader.get(wanted)}
    return [_hit(records[fused.id], fused) for fused in chosen if fused.id in records]


def _text_channel(engine: Engine, reader: Reader, question: Question) -> TextScores | None:
    if not question.words:
        return None
    candidates = reader.text_candidates(
        query_terms(question.words), question.filters, engine.settings.recall.candidates
    )
    return score(candidates, question.words)


def _vector_channel(
    engine: Engine, reader: Reader, question: Question, texts: TextScores | None
) -> Mapping[str, float]:
    """Give the cosines of the nearest rows, and of the best rows by words that are not among them."""
    space, vector = engine.space, question.vector
    if space is None or vector is None:
        return {}
    wanted = max(question.limit, NEIGHBOURS)
    near = dict(reader.nearest(space, vector, question.filters, wanted))
    if texts is not None:
        best = nsmallest(wanted, texts.scores.keys() - near, key=lambda row: (-texts.scores[row], row))
        near.update(reader.cosines(question.filters.kind, space, vector, best))
    return near


def _answer_from_one_channel(
    engine: Engine, scope: Scope, questions: Sequence[Question], degraded: tuple[str, ...]
) -> Recall:
    """A part of the store failed: answer from the channel that works, and say which one does not."""
    try:
        hits = _asked(engine, scope, [replace(question, vector=None) for question in questions])
        return Recall(hits, tuple(dict.fromkeys((*degraded, VECTOR))))
    except StoreError:
        hits = _asked(engine, scope, [replace(question, words=()) for question in questions])
        return Recall(hits, tuple(dict.fromkeys((*degraded, TEXT))))


def _asked(engine: Engine, scope: Scope, questions: Sequence[Question]) -> tuple[Hit, ...]:
    def work(reader: Reader) -> list[Hit]:
        return list(chain.from_iterable(_answer(engine, reader, question) for question in questions))

    hits = engine.store.read(scope, work)
    if len(questions) > 1:
        hits.sort(key=lambda hit: (-hit.score, hit.id))
    return tuple(hits[: max(question.limit for question in questions)])


def _hit(record: MemoryRecord, fused: Fused) -> Hit:
    located = record.lat is not None or record.address or record.place_label
    return Hit(
        id=record.id,
        source="memory",
        type=record.type,
        content=record.content,
        score=fused.relevance,
        similarity=fused.similarity,
        parts=Parts(fused.parts, fused.relevance, {}),
        created_at=record.created_at,
        occurred_at=record.occurred_at,
        place=Place(record.lat, record.lng, record.address, record.place_label) if located else None,
        trust=record.trust,
        metadata=record.metadata,
        record=record,
    )


def _message_hit(message: Message, fused: Fused) -> Hit:
    return Hit(
        id=message.id,
        source=SOURCE_OF[message.role],
        type=message.role,
        content=message.content or message_passage(message),
        score=fused.relevance,
        similarity=fused.similarity,
        parts=Parts(fused.parts, fused.relevance, {}),
        created_at=message.created_at,
        occurred_at=message.said_at,
        place=None,
        trust=message.trust,
        metadata=message.metadata,
        record=message,
    )
