"""Hits, as they are shown: made of the best rows, near-duplicates folded, diversified on request."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, islice
from typing import Any

from recollect.engine.drafts.items import message_passage, source_of
from recollect.engine.drafts.memory_drafts import HAPPENINGS
from recollect.engine.search.kind_ranking import KindRanking, RankedRow
from recollect.engine.search.prepared_query import PreparedQuery
from recollect.model.files import Chunk
from recollect.model.literals import SEALED, SOURCE_OF, ItemKind
from recollect.model.media import media_names, media_texts
from recollect.model.memories import Item, MemoryRecord, participants_of
from recollect.model.messages import Message, MessagePosition
from recollect.model.places import is_somewhere
from recollect.model.search import ChannelPart, Hit, Place, ScoreParts
from recollect.ranking import factors, ordering
from recollect.storage.base import StoreReader
from recollect.text.clean import fingerprint_text
from recollect.text.query import ParsedQuery, holds, normal
from recollect.text.repetition import wording
from recollect.text.telling import only_asks, says_nothing
from recollect.text.terms import index_terms

PHRASE = "phrase"
TIME = "time"
_BATCH = 5  # rows beyond the limit, because some are folded
_LONGEST_COMPARED = 2_000  # characters; longer texts are duplicates only if they are equal


def show(
    reader: StoreReader,
    prepared: PreparedQuery,
    rankings: Mapping[ItemKind, KindRanking],
    balance: float,
    pool: int = 0,
) -> list[Hit]:
    """Make hits of the best rows of all kinds: only with the phrases that must be there, near-duplicates folded.

    With a `pool` so many are given, for a reranker to choose from.
    """
    options, query = prepared.options, prepared.query
    limit = pool or (options.limit * 2 if options.diverse else options.limit)
    rows = sorted(chain.from_iterable(ranking.rows for ranking in rankings.values()), key=lambda row: row.order)
    if query.phrases or query.unwanted:
        rows = _match_phrases(reader, query, rows, rankings)
    good_rows = [row for row in rows if min(1.0, row.score) >= options.min_score]
    own_text = fingerprint_text(query.text) if query.text.endswith("?") or not options.signs else None
    found: dict[str, tuple[RankedRow, Item]] = {}
    groups: dict[str, list[str]] = {}
    start, step = 0, limit + _BATCH
    while start < len(good_rows) and len(groups) < limit:
        batch = _items(reader, good_rows[start : start + step])
        found |= {row.id: (row, item) for row, item in batch if not _is_query(item, own_text)}
        groups = _fold({row_id: item for row_id, (_, item) in found.items()})
        start, step = start + step, step * 2  # where much is repeated, there is much to look at
    hits = [_hit(*found[row_id], rankings, groups[row_id]) for row_id in islice(groups, limit)]
    if pool:
        return hits
    return (spread(hits, balance) if options.diverse else hits)[: options.limit]


def _hit(row: RankedRow, item: Item, rankings: Mapping[ItemKind, KindRanking], folded: Sequence[str]) -> Hit:
    ranking = rankings[row.kind]
    return of_item(item, row.score, ranking.fused.similarity(row.id), ranking.explain(row), tuple(folded))


def kind_of(hit: Hit) -> ItemKind:
    """Give the kind of item that a hit is."""
    return "memory" if hit.source == "memory" else "chunk" if hit.source == "file" else "message"


def _is_query(item: Item, own_text: str | None) -> bool:
    """Tell whether a message only asks the query itself: that is no answer to it."""
    if own_text is None or not isinstance(item, Message) or SOURCE_OF[item.role] != "request":
        return False
    return fingerprint_text(searched_text(item)) == own_text


def tells(item: Item) -> bool:
    """Tell whether an item is more than a message that only asks or acknowledges."""
    return (
        not isinstance(item, Message) or bool(item.media) or not (only_asks(item.content) or says_nothing(item.content))
    )


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
        about = (item.subject, item.key, item.value, *participants_of(item.metadata), *media_texts(item.media))
        return " ".join((item.content, *about))
    if isinstance(item, Chunk):
        return f"{item.content} {item.heading}"
    return message_passage(item)


def _fold(items: Mapping[str, Item]) -> dict[str, list[str]]:
    """Give the ids of items, best first as they come, without near-duplicates of a better one, and the ids of those."""
    texts = {row_id: searched_text(item) for row_id, item in items.items()}
    statements = {row_id: _statement(item, texts[row_id]) for row_id, item in items.items()}
    wordings = {
        row_id: (wording(text), *statements[row_id][1:]) if len(text) <= _LONGEST_COMPARED else row_id
        for row_id, text in texts.items()
    }
    return ordering.fold(texts, statements, _LazyTerms(texts), lambda row, other: wordings[row] == wordings[other])


def _statement(item: Item, text: str) -> tuple[str, ...]:
    """Give what makes two hits the same: the text, its speaker or context, and of events also the time."""
    if isinstance(item, MemoryRecord):
        occurred = item.occurred_at.isoformat() if item.type in HAPPENINGS and item.occurred_at else ""
        return (fingerprint_text(text), item.context, occurred, *media_names(item.media))
    if isinstance(item, Chunk):
        return (fingerprint_text(item.content), item.role, "")
    return (fingerprint_text(text), item.speaker or item.role, "", *media_names(item.media))


class _LazyTerms(dict[str, frozenset[str]]):
    """The terms of texts, each analysed when it is first asked for."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__()
        self._texts = texts

    def __missing__(self, row_id: str) -> frozenset[str]:
        terms = self[row_id] = frozenset(index_terms(self._texts[row_id][:_LONGEST_COMPARED]))
        return terms


def spread(hits: Sequence[Hit], balance: float) -> list[Hit]:
    """Order hits so that each says something other than those before it."""
    by_id = {hit.id: hit for hit in hits}
    words = _LazyTerms({hit.id: searched_text(hit.record) for hit in hits})
    return [by_id[row] for row in ordering.spread({hit.id: hit.score for hit in hits}, words, balance)]


def in_order(prepared: PreparedQuery, items: Sequence[Item]) -> list[Hit]:
    """Make hits of what happened at a time that the query names, in the order in which it happened."""
    wanted = [item for item in items if not _unwanted(normal(searched_text(item)), prepared.query)]
    return [unmeasured(item, TIME) for item in sorted(wanted, key=moment)]


def moment(item: Item) -> datetime:
    """Say when something happened."""
    return _occurred_at(item) or item.created_at


def unmeasured(item: Item, *channels: str) -> Hit:
    """Make a hit that is shown for what it is and not for its score, in the name of these channels."""
    parts = {name: ChannelPart(None, 1.0, 1.0, 1.0) for name in channels}
    return of_item(item, 1.0, None, ScoreParts(parts, 1.0, {}))


def of_item(item: Item, score: float, similarity: float | None, parts: ScoreParts, folded: tuple[str, ...] = ()) -> Hit:
    """Make a hit."""
    content = item.content or (message_passage(item) if isinstance(item, Message) else "")
    return Hit(
        id=item.id,
        source=source_of(item),
        type=item.role if isinstance(item, Message) else item.kind if isinstance(item, Chunk) else item.type,
        content=content,
        score=min(1.0, max(0.0, score)),
        similarity=similarity,
        parts=parts,
        created_at=item.created_at,
        occurred_at=_occurred_at(item),
        place=_place(item),
        trust=item.trust,
        metadata=_chunk_metadata(item) if isinstance(item, Chunk) else _shown_metadata(item.metadata),
        record=item,
        folded=folded,
    )


def _occurred_at(item: Item) -> datetime | None:
    if isinstance(item, Chunk):
        return item.dated_at
    return item.said_at if isinstance(item, Message) else item.occurred_at


def _place(item: Item) -> Place | None:
    if not is_somewhere(item.lat, item.address, item.place_label):
        return None
    return Place(item.lat, item.lng, item.address, item.place_label)


def _shown_metadata(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Leave out what is encrypted: it says nothing to those who search."""
    return {name: value for name, value in metadata.items() if name != SEALED} if SEALED in metadata else metadata


def _chunk_metadata(chunk: Chunk) -> dict[str, Any]:
    source = {"path": chunk.path, "start_line": chunk.start_line, "end_line": chunk.end_line, "file_id": chunk.file_id}
    further = {"heading": chunk.heading, "role": chunk.role, "root": chunk.root}
    return {**source, **{name: value for name, value in further.items() if value}}
