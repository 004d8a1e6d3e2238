"""Live search: matches among the changes of a user, in the order in which they were written.

The invariant: whether a change matches depends on nothing but its item and the query, so a client that reads later, or
again from an earlier position, sees the same: each match once. An item that is stored before its vector is matched by
its words when it is written, and by its vector when that comes, if the words did not match.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from recollect.engine.base.context import Engine
from recollect.engine.drafts import items
from recollect.engine.drafts.items import terms_of
from recollect.engine.search import hits, prepared_query
from recollect.engine.search.prepared_query import PreparedQuery, SearchOptions
from recollect.errors import InvalidInput
from recollect.model.literals import ITEM_KINDS, SOURCES, MemoryType, Source
from recollect.model.memories import Item, MemoryRecord, Scope
from recollect.model.scopes import shared_name
from recollect.model.search import ChannelPart, Hit, ScoreParts
from recollect.ranking.fusion import nearness
from recollect.storage.base import StoreChange, StoreReader

MIN_SCORE: Final = 0.5
_BATCH: Final = 25  # changes whose items are fetched together
_MAX_CHARACTERS: Final = 500_000  # of one answer; the rest is left for the next


@dataclass(frozen=True, slots=True)
class LiveQuery:
    """A query of a live search. Without text every new item matches."""

    prepared: PreparedQuery | None
    min_score: float
    sources: frozenset[Source]
    types: frozenset[MemoryType]
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LiveHit:
    """A match, with its number in the order of changes."""

    number: int
    hit: Hit


@dataclass(frozen=True, slots=True)
class LiveMatches:
    """Matches, and the position up to which changes were read.

    `more` says that there are further changes. `missed` says that changes after the given position are no longer known,
    or that there never was such a position.
    """

    hits: tuple[LiveHit, ...]
    position: int
    more: bool = False
    missed: bool = False


def watch(
    engine: Engine,
    scope: Scope,
    query: str,
    *,
    min_score: float,
    sources: Sequence[Source],
    types: Sequence[MemoryType],
) -> LiveQuery:
    """Prepare the query of a live search; it is embedded once."""
    unknown = [source for source in sources if source not in SOURCES]
    if unknown:
        raise InvalidInput(f"Unknown source: {unknown[0]}. Sources are: {', '.join(SOURCES)}.")
    if not 0 <= min_score <= 1:
        raise InvalidInput(f"min_score is {min_score}; it must be from 0 to 1, as scores are.")
    prepared: PreparedQuery | None = None
    degraded: tuple[str, ...] = ()
    if query:
        prepared, degraded = prepared_query.prepare(
            engine, scope, query, vector=None, item_filters=(), options=SearchOptions(1, min_score)
        )
    return LiveQuery(prepared, min_score, frozenset(sources), frozenset(types), degraded)


def position(engine: Engine, scope: Scope) -> int:
    """Give the number of the newest change."""
    return engine.store.read(scope, lambda reader: reader.last_change())


def news(engine: Engine, scope: Scope, query: LiveQuery, after: int, limit: int) -> LiveMatches:
    """Match the changes after a position, `limit` of them at most, and fewer if they are very long."""
    now, name = engine.clock.now(), shared_name(scope.user_id)

    def read(reader: StoreReader) -> LiveMatches:
        last, first = reader.last_change(), reader.first_change()
        if after >= last:
            return LiveMatches((), last, missed=after > last)
        missed = first is None or first > after + 1
        changes = reader.changes(after, limit)
        matches: list[LiveHit] = []
        length, reached = 0, last
        for part in items.batched(changes, _BATCH):
            for match in _match(reader, query, part, now):
                matches.append(replace(match, hit=replace(match.hit, scope=name)) if name else match)
                length += len(match.hit.content)
                if length >= _MAX_CHARACTERS:
                    return LiveMatches(tuple(matches), match.number, more=match.number < last, missed=missed)
            reached = part[-1].number
        return LiveMatches(tuple(matches), reached, more=reached < last, missed=missed)

    return engine.store.read(scope, read)


def _match(reader: StoreReader, query: LiveQuery, changes: Sequence[StoreChange], now: datetime) -> list[LiveHit]:
    by_id = {item.id: item for item in items.fetch(reader, [(change.kind, change.id) for change in changes])}
    cosines = _cosines(reader, query, changes)
    matches = []
    for change in changes:
        item = by_id.get(change.id)
        if item is None or not _wanted(query, item, now):
            continue
        hit = _match_item(query, change, item, cosines.get(change.id), reader)
        if hit is not None:
            matches.append(LiveHit(change.number, hit))
    return matches


def _wanted(query: LiveQuery, item: Item, now: datetime) -> bool:
    if items.source_of(item) not in query.sources:
        return False
    if not isinstance(item, MemoryRecord):
        return not query.types
    live = item.superseded_by is None and (item.expires_at is None or item.expires_at > now)
    return live and (not query.types or item.type in query.types)


def _cosines(reader: StoreReader, query: LiveQuery, changes: Sequence[StoreChange]) -> Mapping[str, float]:
    prepared = query.prepared
    if prepared is None or prepared.vector is None or prepared.space is None:
        return {}
    if reader.searched_space() != prepared.space:  # the model was changed: words only, until the watch begins anew
        return {}
    near: dict[str, float] = {}
    for kind in ITEM_KINDS:
        ids = [change.id for change in changes if change.kind == kind and change.what != "words"]
        near.update(reader.cosines(kind, prepared.space, prepared.vector, ids))
    return near


def _match_item(
    query: LiveQuery, change: StoreChange, item: Item, cosine: float | None, reader: StoreReader
) -> Hit | None:
    prepared = query.prepared
    if prepared is None:
        return None if change.what == "embedded" else hits.unmeasured(item)
    terms = frozenset(terms_of(item))
    required = all(terms.intersection(forms) for forms in prepared.query.required)
    if not required or not terms.isdisjoint(prepared.query.excluded) or not hits.matches_phrases(prepared.query, item):
        return None
    words = _coverage(prepared, terms)
    if change.what == "embedded" and words >= query.min_score:
        return None  # it matched when it was written
    if change.what == "words":  # even if the vector is there by now, so that all clients see it at the same position
        cosine = None
    near = None if cosine is None or prepared.space is None else nearness(cosine, reader.unrelated(prepared.space))
    score = max(words, near or 0.0)
    if score < query.min_score:
        return None
    channels = {"text": ChannelPart(None, words, words, 1.0 if words == score else 0.0)}
    if near is not None and cosine is not None:
        channels["vector"] = ChannelPart(None, cosine, near, 1.0 if words < score else 0.0)
    return hits.of_item(item, score, cosine, ScoreParts(channels, score, {}))


def _coverage(prepared: PreparedQuery, terms: frozenset[str]) -> float:
    """Give the share of the query's words that an item holds; words of time count only if there are no others."""
    query = prepared.query
    words = [forms for forms in query.words if forms not in query.extra] or query.words
    return sum(not terms.isdisjoint(forms) for forms in words) / len(words) if words else 0.0
