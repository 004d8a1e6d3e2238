"""Hits, as they are shown: made of the best rows, near-duplicates folded, diversified on request."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Any

from recollect.engine.drafts.memory_drafts import HAPPENINGS
from recollect.engine.drafts.searchable_text import message_passage
from recollect.engine.search.kind_ranking import KindRanking, RankedRow
from recollect.engine.search.prepared_query import PreparedQuery
from recollect.model.files import Chunk
from recollect.model.literals import SOURCE_OF, ItemKind, Source
from recollect.model.memories import Item, MemoryRecord, participants_of
from recollect.model.messages import Message
from recollect.model.places import is_somewhere
from recollect.model.search import ChannelPart, Hit, Place, ScoreParts
from recollect.ports import MessagePosition, StoreReader
from recollect.ranking import factors, variety
from recollect.text.clean import fingerprint_text
from recollect.text.near_duplicates import repeats
from recollect.text.query import ParsedQuery, holds, normal
from recollect.text.terms import index_terms

PHRASE = "phrase"
TIME = "time"
_BATCH = 5  # rows beyond the limit, because some are folded
_LONGEST_COMPARED = 2_000  # characters; longer texts are duplicates only if they are equal


def show(
    reader: StoreReader, prepared: PreparedQuery, rankings: Mapping[ItemKind, KindRanking], balance: float
) -> list[Hit]:
    """Make hits of the best rows of all kinds: only with the phrases that must be there, near-duplicates folded."""
    options, query = prepared.options, prepared.query
    limit = options.limit * 2 if options.diverse else options.limit
    rows = sorted(chain.from_iterable(ranking.rows for ranking in rankings.values()), key=lambda row: row.order)
    if query.phrases or query.unwanted:
        rows = _match_phrases(reader, query, rows, rankings)
    good_rows = [row for row in rows if min(1.0, row.score) >= options.min_score]
    own_text = fingerprint_text(query.text) if query.text.endswith("?") or not options.signs else None
    hits: list[Hit] = []
    unique: list[Hit] = []
    start, step = 0, limit + _BATCH
    while start < len(good_rows) and len(unique) < limit:
        batch = _items(reader, good_rows[start : start + step])
        made = [of_item(item, row.score, row.similarity, rankings[row.kind].explain(row)) for row, item in batch]
        hits += [hit for hit in made if not _is_query(hit, own_text)]
        unique = _fold(hits)
        start, step = start + step, step * 2  # where much is repeated, there is much to look at
    return (_spread(unique[:limit], balance) if options.diverse else unique)[: options.limit]


def _is_query(hit: Hit, own_text: str | None) -> bool:
    """Tell whether a message only asks the query itself: that is no answer to it."""
    return own_text is not None and hit.source == "request" and fingerprint_text(hit.content) == own_text


def _items(reader: StoreReader, rows: Sequence[RankedRow]) -> Iterator[tuple[RankedRow, Item]]:
    """Give rows with their items; one that is gone is left out."""
    message_ids = [row.id for row in rows if row.kind == "message"]
    messages = {message.id: message for message in reader.get_messages(message_ids)} if message_ids else {}
    for row in rows:
        item = messages.get(row.id) if isinstance(row.source, MessagePosition) else row.source
        if item is not None:
            yield row, item


def _match_phrases(
    reader: StoreReader, query: ParsedQuery, rows: Sequence[RankedRow], rankings: Mapping[ItemKind, KindRanking]
) -> list[RankedRow]:
    """Check texts for the quoted phrases of the query: unwanted, required, or preferred ones."""
    matching_rows = []
    for row, item in _items(reader, rows):
        text = normal(searched_text(item))
        quoted = bool(query.phrases) and all(holds(text, phrase) for phrase in query.phrases)
        if _unwanted(text, query) or (query.strict and not quoted):
            continue
        boosted = quoted and not query.strict
        matching_rows.append(rankings[row.kind].boost(row, PHRASE, factors.PHRASE) if boosted else row)
    return sorted(matching_rows, key=lambda row: row.order)


def matches_phrases(query: ParsedQuery, item: Item) -> bool:
    """Tell whether an item holds the phrases that the query requires, and none that it excludes."""
    text = normal(searched_text(item)) if query.strict or query.unwanted else ""
    quoted = not query.strict or all(holds(text, phrase) for phrase in query.phrases)
    return quoted and not _unwanted(text, query)


def _unwanted(text: str, query: ParsedQuery) -> bool:
    return any(holds(text, phrase) for phrase in query.unwanted)


def searched_text(item: Item) -> str:
    """Give the words that an item is found by."""
    if isinstance(item, MemoryRecord):
        return " ".join((item.content, item.subject, item.key, item.value, *participants_of(item.metadata)))
    if isinstance(item, Chunk):
        return f"{item.content} {item.heading}"
    return item.content or message_passage(item)


def _fold(hits: Sequence[Hit]) -> list[Hit]:
    """Leave out near-duplicates of a better hit, and note their ids there."""
    texts = {hit.id: searched_text(hit.record) for hit in hits}
    statements = {hit.id: _statement(hit) for hit in hits}

    def same(first_id: str, other_id: str) -> bool:
        longest = max(len(texts[first_id]), len(texts[other_id]))
        same_origin = statements[first_id][1:] == statements[other_id][1:]
        return longest <= _LONGEST_COMPARED and same_origin and repeats(texts[first_id], texts[other_id])

    groups = variety.fold(texts, statements, _words(texts), same)
    return [replace(hit, folded=tuple(groups[hit.id])) if groups[hit.id] else hit for hit in hits if hit.id in groups]


def _statement(hit: Hit) -> tuple[str, ...]:
    """Give what makes two hits the same: the text, its speaker or context, and of events also the time."""
    record = hit.record
    if isinstance(record, MemoryRecord):
        occurred = record.occurred_at.isoformat() if record.type in HAPPENINGS and record.occurred_at else ""
        return (fingerprint_text(searched_text(record)), record.context, occurred)
    if isinstance(record, Chunk):
        return (fingerprint_text(record.content), record.role, "")
    return (fingerprint_text(searched_text(record)), record.speaker or record.role, "")


def _words(texts: Mapping[str, str]) -> Mapping[str, frozenset[str]]:
    return {row: frozenset(index_terms(text[:_LONGEST_COMPARED])) for row, text in texts.items()}


def _spread(hits: Sequence[Hit], balance: float) -> list[Hit]:
    by_id = {hit.id: hit for hit in hits}
    words = _words({hit.id: searched_text(hit.record) for hit in hits})
    return [by_id[row] for row in variety.spread({hit.id: hit.score for hit in hits}, words, balance)]


def in_order(prepared: PreparedQuery, items: Sequence[Item]) -> list[Hit]:
    """Make hits of what happened at a time that the query names, in the order in which it happened."""
    part = ChannelPart(None, 1.0, 1.0, 1.0)
    wanted = [item for item in items if not _unwanted(normal(searched_text(item)), prepared.query)]
    return [of_item(item, 1.0, None, ScoreParts({TIME: part}, 1.0, {})) for item in sorted(wanted, key=moment)]


def moment(item: Item) -> datetime:
    """Say when something happened."""
    if isinstance(item, Chunk):
        return item.dated_at or item.created_at
    return item.said_at if isinstance(item, Message) else item.occurred_at or item.created_at


def of_item(item: Item, score: float, similarity: float | None, parts: ScoreParts) -> Hit:
    """Make a hit."""
    source: Source
    if isinstance(item, MemoryRecord):
        source, content = "memory", item.content
    elif isinstance(item, Message):
        source, content = SOURCE_OF[item.role], item.content or message_passage(item)
    else:
        source, content = "file", item.content
    return Hit(
        id=item.id,
        source=source,
        type=item.role if isinstance(item, Message) else item.kind if isinstance(item, Chunk) else item.type,
        content=content,
        score=min(1.0, max(0.0, score)),
        similarity=similarity,
        parts=parts,
        created_at=item.created_at,
        occurred_at=_occurred_at(item),
        place=_place(item),
        trust=item.trust,
        metadata=_chunk_metadata(item) if isinstance(item, Chunk) else item.metadata,
        record=item,
    )


def _occurred_at(item: Item) -> datetime | None:
    if isinstance(item, Chunk):
        return item.dated_at
    return item.said_at if isinstance(item, Message) else item.occurred_at


def _place(item: Item) -> Place | None:
    if not is_somewhere(item.lat, item.address, item.place_label):
        return None
    return Place(item.lat, item.lng, item.address, item.place_label)


def _chunk_metadata(chunk: Chunk) -> dict[str, Any]:
    source = {"path": chunk.path, "start_line": chunk.start_line, "end_line": chunk.end_line, "file_id": chunk.file_id}
    further = {"heading": chunk.heading, "role": chunk.role, "root": chunk.root}
    return {**source, **{name: value for name, value in further.items() if value}}
