"""What was found, as it is shown: rows made into hits, repetitions folded, and spread out if that is wished for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.engine.drafts.memory_drafts import HAPPENINGS
from recollect.engine.drafts.searchable_text import message_passage
from recollect.engine.search.kind_ranking import RankedRow
from recollect.engine.search.prepared_query import PreparedQuery
from recollect.model.files import Chunk
from recollect.model.literals import SOURCE_OF
from recollect.model.memories import ChannelPart, Hit, Item, MemoryRecord, Place, ScoreParts
from recollect.model.messages import Message
from recollect.model.places import is_somewhere
from recollect.ports import StoreReader
from recollect.ranking import factors, variety
from recollect.text.clean import fingerprint_text
from recollect.text.query import Query, holds, normal
from recollect.text.sameness import repeats
from recollect.text.terms import index_terms

PHRASE = "phrase"
TIME = "time"
_BATCH = 5  # rows beyond the limit that are looked at together, because some are folded
_LOOKED_AT = 2_000  # characters: of longer texts only equal ones repeat each other


def show(reader: StoreReader, question: PreparedQuery, ranked: Sequence[RankedRow], balance: float) -> list[Hit]:
    """Make hits of the best rows: only with the phrase that must be there, each said once."""
    wish, query = question.wish, question.query
    wanted = wish.limit * 2 if wish.diverse else wish.limit
    if query.phrases or query.unwanted:
        ranked = _checked(reader, question, ranked)
    good = [row for row in ranked if min(1.0, row.score) >= wish.min_score]
    asked = fingerprint_text(query.text) if query.text.endswith("?") or not wish.signs else None
    found: list[Hit] = []
    kept: list[Hit] = []
    start, step = 0, wanted + _BATCH
    while start < len(good) and len(kept) < wanted:
        found += [hit for hit in _made(reader, good[start : start + step]) if not _repeats(hit, asked)]
        kept = _folded(found)
        start, step = start + step, step * 2  # where much is said often, there is much to look at
    return (_spread(kept[:wanted], balance) if wish.diverse else kept)[: wish.limit]


def _repeats(hit: Hit, asked: str | None) -> bool:
    """Tell whether a message only asks the question itself: that is no answer to it."""
    return asked is not None and hit.source == "request" and fingerprint_text(hit.content) == asked


def _items(reader: StoreReader, ranked: Sequence[RankedRow]) -> Iterator[tuple[RankedRow, Item]]:
    """Give the rows with what they stand for; one that is gone is left out."""
    unknown = [row.id for row in ranked if row.record is None]
    said = {message.id: message for message in reader.get_messages(unknown)} if unknown else {}
    for row in ranked:
        item = row.record or said.get(row.id)
        if item is not None:
            yield row, item


def _made(reader: StoreReader, ranked: Sequence[RankedRow]) -> list[Hit]:
    return [of_item(item, row.score, row.similarity, row.explained()) for row, item in _items(reader, ranked)]


def _checked(reader: StoreReader, question: PreparedQuery, ranked: Sequence[RankedRow]) -> list[RankedRow]:
    """Hold the texts against what the query quotes: what it must not hold, must hold, or had better hold."""
    query = question.query
    rows = []
    for row, item in _items(reader, ranked):
        text = normal(_text(item))
        quoted = bool(query.phrases) and all(holds(text, phrase) for phrase in query.phrases)
        if _unwanted(text, query) or (query.strict and not quoted):
            continue
        rows.append(_lifted(row) if quoted and not query.strict else row)
    return sorted(rows, key=lambda row: row.order)


def agrees(query: Query, item: Item) -> bool:
    """Tell whether an item holds what the query insists on word for word, and nothing that it does not want."""
    text = normal(_text(item)) if query.strict or query.unwanted else ""
    quoted = not query.strict or all(holds(text, phrase) for phrase in query.phrases)
    return quoted and not _unwanted(text, query)


def _unwanted(text: str, query: Query) -> bool:
    return any(holds(text, phrase) for phrase in query.unwanted)


def _lifted(row: RankedRow) -> RankedRow:
    def parts() -> ScoreParts:
        plain = row.parts()
        return replace(plain, factors={**plain.factors, PHRASE: factors.PHRASE})

    return replace(row, content=row.content * factors.PHRASE, parts=parts)


def _text(item: Item) -> str:
    if isinstance(item, MemoryRecord):
        return f"{item.content} {item.subject} {item.key} {item.value}"
    if isinstance(item, Chunk):
        return f"{item.content} {item.heading}"
    return item.content or message_passage(item)


def _folded(hits: Sequence[Hit]) -> list[Hit]:
    """Leave out what a better hit says already, and note it there."""
    texts = {hit.id: _text(hit.record) for hit in hits}
    groups = variety.fold(texts, {hit.id: _sayings(hit) for hit in hits}, _words(texts), _same(hits, texts))
    return [replace(hit, folded=tuple(groups[hit.id])) if groups[hit.id] else hit for hit in hits if hit.id in groups]


def _sayings(hit: Hit) -> tuple[str, ...]:
    """Say what makes two hits the same: what is said, by whom, and of what happens again and again also when."""
    record = hit.record
    if isinstance(record, MemoryRecord):
        when = record.occurred_at.isoformat() if record.type in HAPPENINGS and record.occurred_at else ""
        return (fingerprint_text(_text(record)), record.context, when)
    if isinstance(record, Chunk):
        return (fingerprint_text(record.content), record.role, "")
    return (fingerprint_text(_text(record)), record.speaker or record.role, "")


def _same(hits: Sequence[Hit], texts: Mapping[str, str]) -> Callable[[str, str], bool]:
    said = {hit.id: _sayings(hit)[1:] for hit in hits}

    def same(one: str, other: str) -> bool:
        longest = max(len(texts[one]), len(texts[other]))
        return longest <= _LOOKED_AT and said[one] == said[other] and repeats(texts[one], texts[other])

    return same


def _words(texts: Mapping[str, str]) -> Mapping[str, frozenset[str]]:
    return {row: frozenset(index_terms(text[:_LOOKED_AT])) for row, text in texts.items()}


def _spread(hits: Sequence[Hit], balance: float) -> list[Hit]:
    by_id = {hit.id: hit for hit in hits}
    words = _words({hit.id: _text(hit.record) for hit in hits})
    return [by_id[row] for row in variety.spread({hit.id: hit.score for hit in hits}, words, balance)]


def in_order(question: PreparedQuery, items: Sequence[Item]) -> list[Hit]:
    """Make hits of what happened at a time that was asked for, in the order in which it happened."""
    part = ChannelPart(None, 1.0, 1.0, 1.0)
    wanted = [item for item in items if not _unwanted(normal(_text(item)), question.query)]
    return [of_item(item, 1.0, None, ScoreParts({TIME: part}, 1.0, {})) for item in sorted(wanted, key=moment)]


def moment(item: Item) -> datetime:
    """Say when something happened."""
    if isinstance(item, Chunk):
        return item.dated_at or item.created_at
    return item.said_at if isinstance(item, Message) else item.occurred_at or item.created_at


def of_item(item: Item, score: float, similarity: float | None, parts: ScoreParts) -> Hit:
    """Make a hit."""
    bounded = min(1.0, max(0.0, score))
    if isinstance(item, Chunk):
        return _of_chunk(item, bounded, similarity, parts)
    if isinstance(item, Message):
        return _of_message(item, bounded, similarity, parts)
    return _of_memory(item, bounded, similarity, parts)


def _place(item: MemoryRecord | Message) -> Place | None:
    if not is_somewhere(item.lat, item.address, item.place_label):
        return None
    return Place(item.lat, item.lng, item.address, item.place_label)


def _of_memory(record: MemoryRecord, score: float, similarity: float | None, parts: ScoreParts) -> Hit:
    return Hit(
        id=record.id,
        source="memory",
        type=record.type,
        content=record.content,
        score=score,
        similarity=similarity,
        parts=parts,
        created_at=record.created_at,
        occurred_at=record.occurred_at,
        place=_place(record),
        trust=record.trust,
        metadata=record.metadata,
        record=record,
    )


def _of_message(message: Message, score: float, similarity: float | None, parts: ScoreParts) -> Hit:
    return Hit(
        id=message.id,
        source=SOURCE_OF[message.role],
        type=message.role,
        content=message.content or message_passage(message),
        score=score,
        similarity=similarity,
        parts=parts,
        created_at=message.created_at,
        occurred_at=message.said_at,
        place=_place(message),
        trust=message.trust,
        metadata=message.metadata,
        record=message,
    )


def _of_chunk(chunk: Chunk, score: float, similarity: float | None, parts: ScoreParts) -> Hit:
    told = {"path": chunk.path, "start_line": chunk.start_line, "end_line": chunk.end_line, "file_id": chunk.file_id}
    further = {"heading": chunk.heading, "role": chunk.role, "root": chunk.root}
    return Hit(
        id=chunk.id,
        source="file",
        type=chunk.kind,
        content=chunk.content,
        score=score,
        similarity=similarity,
        parts=parts,
        created_at=chunk.created_at,
        occurred_at=chunk.dated_at,
        place=None,
        trust=chunk.trust,
        metadata={**told, **{name: value for name, value in further.items() if value}},
        record=chunk,
    )
