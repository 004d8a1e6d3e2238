"""Live search: what is new and matches, in the order in which it was written.

The order of changes is the truth. Whether a change matches depends on nothing but its item and the query, so that
whoever looks later, or again from an earlier place, sees the same: each match once.

An item that is stored before its vector is judged twice: by its words when it is written, and by its vector when that
comes. The second time counts only if the first did not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from recollect.engine.base import items
from recollect.engine.base.context import Engine
from recollect.engine.drafts.searchable_text import terms_of
from recollect.engine.search import hits, prepared_query
from recollect.engine.search.prepared_query import PreparedQuery, SearchOptions
from recollect.errors import InvalidInput
from recollect.model.files import Chunk
from recollect.model.literals import ITEM_KINDS, SOURCE_OF, SOURCES, MemoryType, Source
from recollect.model.memories import Item, Scope
from recollect.model.messages import Message
from recollect.model.search import ChannelPart, Hit, ScoreParts
from recollect.ports import StoreChange, StoreReader
from recollect.ranking.fusion import nearness

MIN_SCORE: Final = 0.5
_AT_ONCE: Final = 25  # changes whose items are fetched together
_ENOUGH: Final = 500_000  # characters, after which the rest is left for the next time
_ALL = ScoreParts({}, 1.0, {})


@dataclass(frozen=True, slots=True)
class LiveQuery:
    """What somebody waits for. Without a question everything that is new matches."""

    question: PreparedQuery | None
    min_score: float
    sources: frozenset[Source]
    types: frozenset[MemoryType]
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LiveHit:
    """A match, with its place in the order of changes."""

    number: int
    hit: Hit


@dataclass(frozen=True, slots=True)
class LiveMatches:
    """What matched, and the place up to which has been looked.

    `more` says that there was too much for one time. `missed` says that changes after the place that was asked for are
    no longer known, or that there never was such a place.
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
    """Prepare a query to be held against what is new; its vector is made once."""
    unknown = [source for source in sources if source not in SOURCES]
    if unknown:
        raise InvalidInput(f"Unknown source: {unknown[0]}. Sources are: {', '.join(SOURCES)}.")
    if not 0 <= min_score <= 1:
        raise InvalidInput(f"min_score is {min_score}; it must be from 0 to 1, as scores are.")
    question: PreparedQuery | None = None
    degraded: tuple[str, ...] = ()
    if query:
        question, degraded = prepared_query.prepare(
            engine, scope, query, vector=None, item_filters=(), options=SearchOptions(1, min_score)
        )
    return LiveQuery(question, min_score, frozenset(sources), frozenset(types), degraded)


def position(engine: Engine, scope: Scope) -> int:
    """Give the place of the newest change."""
    return engine.store.read(scope, lambda reader: reader.last_change())


def news(engine: Engine, scope: Scope, watched: LiveQuery, after: int, limit: int) -> LiveMatches:
    """Give what matches among the changes after a place, `limit` of them at most, and fewer if they are very long."""
    now = engine.clock.now()

    def look(reader: StoreReader) -> LiveMatches:
        last, first = reader.last_change(), reader.first_change()
        if after >= last:
            return LiveMatches((), last, missed=after > last)
        missed = first is None or first > after + 1
        found = reader.changes(after, limit)
        matches: list[LiveHit] = []
        length, reached = 0, last
        for start in range(0, len(found), _AT_ONCE):
            part = found[start : start + _AT_ONCE]
            for match in _matching(reader, watched, part, now):
                matches.append(match)
                length += len(match.hit.content)
                if length >= _ENOUGH:
                    return LiveMatches(tuple(matches), match.number, more=match.number < last, missed=missed)
            reached = part[-1].number
        return LiveMatches(tuple(matches), reached, more=reached < last, missed=missed)

    return engine.store.read(scope, look)


def _matching(reader: StoreReader, watched: LiveQuery, found: Sequence[StoreChange], now: datetime) -> list[LiveHit]:
    found_items = {item.id: item for item in items.fetch(reader, [(one.kind, one.id) for one in found])}
    cosines = _cosines(reader, watched, found)
    matches = []
    for change in found:
        item = found_items.get(change.id)
        if item is None or not _wanted(watched, item, now):
            continue
        hit = _judged(watched, change, item, cosines.get(change.id), reader)
        if hit is not None:
            matches.append(LiveHit(change.number, hit))
    return matches


def _wanted(watched: LiveQuery, item: Item, now: datetime) -> bool:
    if isinstance(item, Chunk):
        return "file" in watched.sources and not watched.types
    if isinstance(item, Message):
        return SOURCE_OF[item.role] in watched.sources and not watched.types
    live = item.superseded_by is None and (item.expires_at is None or item.expires_at > now)
    return live and "memory" in watched.sources and (not watched.types or item.type in watched.types)


def _cosines(reader: StoreReader, watched: LiveQuery, found: Sequence[StoreChange]) -> Mapping[str, float]:
    question = watched.question
    if question is None or question.vector is None or question.space is None:
        return {}
    if reader.searched_space() != question.space:  # the model was changed: words only, until the watch begins anew
        return {}
    near: dict[str, float] = {}
    for kind in ITEM_KINDS:
        ids = [one.id for one in found if one.kind == kind and one.what != "words"]
        near.update(reader.cosines(kind, question.space, question.vector, ids))
    return near


def _judged(
    watched: LiveQuery, change: StoreChange, item: Item, cosine: float | None, reader: StoreReader
) -> Hit | None:
    question = watched.question
    if question is None:
        return None if change.what == "embedded" else hits.of_item(item, 1.0, None, _ALL)
    terms = frozenset(terms_of(item))
    if not _allowed(question, terms) or not hits.matches_phrases(question.query, item):
        return None
    words = _coverage(question, terms)
    if change.what == "embedded" and words >= watched.min_score:
        return None  # it was given when it was written
    if change.what == "words":  # even if the vector is there by now, so that everybody sees it at the same place
        cosine = None
    near = None if cosine is None or question.space is None else nearness(cosine, reader.unrelated(question.space))
    score = max(words, near or 0.0)
    if score < watched.min_score:
        return None
    channels = {"text": ChannelPart(None, words, words, 1.0 if words == score else 0.0)}
    if near is not None and cosine is not None:
        channels["vector"] = ChannelPart(None, cosine, near, 1.0 if words < score else 0.0)
    return hits.of_item(item, score, cosine, ScoreParts(channels, score, {}))


def _allowed(question: PreparedQuery, terms: frozenset[str]) -> bool:
    required = all(terms.intersection(forms) for forms in question.query.required)
    return required and terms.isdisjoint(question.query.excluded)


def _coverage(question: PreparedQuery, terms: frozenset[str]) -> float:
    """Say what part of the query's words an item holds. Words of time need not be there, unless there are no others."""
    query = question.query
    words = [forms for forms in query.words if forms not in query.extra] or query.words
    return sum(not terms.isdisjoint(forms) for forms in words) / len(words) if words else 0.0
