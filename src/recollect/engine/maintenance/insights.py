"""Insights into a user's memory: what is asked of it and with what result, what it holds, what is never recalled, and
what could go.

The search log is read once, a bounded number of lines, and counted here; so both stores count alike. What could go is
suggested, and goes only when the caller names it. The rules go by form and age alone, so a suggestion is no judgement
of worth. What is in a slot, was rated up, or has taught something is never suggested. Conversations of long ago are
archived: a summary takes their place in the window, and their messages stay.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Final, Literal, NamedTuple

from recollect.engine.base.context import Engine
from recollect.engine.conversations import compact, message_log
from recollect.engine.drafts import items
from recollect.engine.forgetting import forget
from recollect.engine.search import recall
from recollect.engine.vectors import model_change
from recollect.model.calibration import KNOWN
from recollect.model.filters import Filters
from recollect.model.insights import (
    TIDY_RULES,
    AgentFigures,
    Insights,
    MonthGrowth,
    QueryFigures,
    RecalledItem,
    Tidying,
    TidyRule,
    TidySuggestion,
)
from recollect.model.literals import ITEM_KINDS
from recollect.model.memories import Item, MemoryRecord, Scope
from recollect.model.messages import Message
from recollect.model.readings import STANDING
from recollect.storage.base import SearchNote, StoreReader, UserRows
from recollect.text.repetition import SHORT, noise_rule

_MONTHS: Final = 36
_PAGE: Final = 500
_LOOKED_AT: Final = 100  # of the items that were recalled most often, some of which may be gone
_SETTLED: Final = timedelta(days=30)  # a message that is younger may be part of what is going on
_OLD: Final = timedelta(days=365)
_CANDIDATES: Final = 5_000
_EXCERPT: Final = 300
_CONVERSATIONS: Final = 1_000


def insights(engine: Engine, scope: Scope, *, days: int, limit: int) -> Insights:
    """Collect what there is to see, with `limit` entries in each list."""
    engine.search.notes.flush()
    now, space = engine.clock.now(), engine.space
    since = now - min(timedelta(days=days), recall.LOG_KEPT)

    def look(reader: StoreReader) -> Insights:
        notes = reader.searches(since, recall.MOST_LOGGED)
        stats = reader.stats(space, now)
        recalled = _recalled(note for note in notes if not _is_unanswered(note))
        older = Filters(now=now, until=notes[-1].asked_at if notes else since)
        unrecalled, never = _unrecalled(reader, recalled, older, limit)
        logged = engine.settings.serve.search_log != "off"
        first = sorted(recalled, key=lambda item_id: (-recalled[item_id].times, item_id))[:_LOOKED_AT]
        known = {item.id: item for item in items.fetch(reader, ((kind, one) for kind in ITEM_KINDS for one in first))}
        there = [known[item_id] for item_id in first if item_id in known and not _is_past(known[item_id])]
        grown = {kind: reader.growth(kind) for kind in ITEM_KINDS}
        months = sorted({month for counts in grown.values() for month in counts})[-_MONTHS:]
        return Insights(
            since=since,
            log=engine.settings.serve.search_log,
            searches=tuple(reader.search_figures(since)),
            popular=_queries(notes, limit),
            unanswered=_queries(filter(_is_unanswered, notes), limit),
            agents=_agents(notes, limit),
            degraded=dict(Counter(part for note in notes for part in note.degraded.split()).most_common()),
            often=tuple(_shown(item, *recalled[item.id]) for item in there[:limit]),
            never=never if logged else (),
            unrecalled=unrecalled if logged else None,
            coverage=tuple(reader.coverage(space)),
            growth=tuple(MonthGrowth(month, *(grown[kind].get(month, 0) for kind in ITEM_KINDS)) for month in months),
            waiting=stats.pending_jobs,
            parked=stats.parked_jobs,
            model=model_change.label(space) if space else "",
        )

    return engine.store.read(scope, look)


def _is_unanswered(note: SearchNote) -> bool:
    return note.hits == 0 or note.answerable < KNOWN


def _queries(notes: Iterable[SearchNote], limit: int) -> tuple[QueryFigures, ...]:
    """Count queries, whatever their case and spaces, as they were typed last; notes come newest first."""
    grouped: dict[str, list[SearchNote]] = {}
    for note in notes:
        if note.query:
            grouped.setdefault(" ".join(note.query.casefold().split()), []).append(note)
    figures = [
        QueryFigures(several[0].query, len(several), sum(map(_is_unanswered, several)), several[0].asked_at)
        for several in grouped.values()
    ]
    return tuple(sorted(figures, key=lambda one: (-one.searches, -one.last_at.timestamp()))[:limit])


def _agents(notes: Iterable[SearchNote], limit: int) -> tuple[AgentFigures, ...]:
    last: dict[str, datetime] = {}
    counts: Counter[str] = Counter()
    for note in notes:
        last.setdefault(note.user_agent, note.asked_at)
        counts[note.user_agent] += 1
    return tuple(AgentFigures(agent, searches, last[agent]) for agent, searches in counts.most_common(limit))


class _Recalls(NamedTuple):
    """How often an item was shown, and when last."""

    times: int
    last_at: datetime


def _recalled(notes: Iterable[SearchNote]) -> dict[str, _Recalls]:
    found: dict[str, _Recalls] = {}
    for note in notes:
        for item_id in note.found.split():
            known = found.get(item_id)
            found[item_id] = _Recalls(known.times + 1, known.last_at) if known else _Recalls(1, note.asked_at)
    return found


def _unrecalled(
    reader: StoreReader, recalled: Mapping[str, object], older: Filters, limit: int
) -> tuple[int, tuple[RecalledItem, ...]]:
    """Count the memories from before the log that were never shown since, and give some, the newest first."""
    shown_ids = list(recalled)
    shown = [
        record
        for some in items.batched(shown_ids, _PAGE)
        for record in reader.get(some)
        if not _is_past(record) and older.until and (record.occurred_at or record.created_at) < older.until
    ]
    never: list[RecalledItem] = []
    before: str | None = None
    while len(never) < limit and (page := reader.select(older, _PAGE, before)):
        never += [_shown(record, 0) for record in page if record.id not in recalled]
        before = page[-1].id
    return max(0, reader.count(older) - len(shown)), tuple(never[:limit])


def _is_past(item: Item) -> bool:
    return isinstance(item, MemoryRecord) and item.superseded_by is not None


def _shown(item: Item, times: int, last_at: datetime | None = None) -> RecalledItem:
    return RecalledItem(items.source_of(item), item.id, item.content[:_EXCERPT], times, last_at)


class TidyRequest(NamedTuple):
    """What to look for, how much of it, and the ids of what is to go."""

    rules: tuple[TidyRule, ...] = TIDY_RULES
    limit: int = 100
    apply: frozenset[str] = frozenset()


def tidy(engine: Engine, scope: Scope, request: TidyRequest) -> Tidying:
    """Suggest what could go; of what is named, forget or archive what is suggested still."""
    now = engine.clock.now()
    if not request.apply:
        return Tidying(tuple(islice(_suggested(engine, scope, request.rules, now), request.limit)))
    suggested = [one for one in _suggested(engine, scope, request.rules, now) if one.id in request.apply]
    chats = [one.id for one in suggested if one.action == "archive"]
    archived = tuple(chat for chat in chats if compact.archive(engine, scope, chat).action == "compacted")
    ids = [one.id for one in suggested if one.action == "forget"]
    if not ids:
        return Tidying((), archived=archived)

    def choose(rows: UserRows) -> Sequence[str]:
        """Leave out what was changed a moment ago."""
        found: list[MemoryRecord | Message] = [*rows.get(ids), *rows.get_messages(ids)]
        return [item.id for item in found if noise_rule(item.content)]

    gone = forget.forget_chosen(engine, scope, choose)
    return Tidying((), gone.ids, archived, gone.pending)


def _suggested(engine: Engine, scope: Scope, rules: Sequence[TidyRule], now: datetime) -> Iterator[TidySuggestion]:
    yield from engine.store.read(scope, lambda reader: _empty_texts(reader, rules, now))
    if "old_chat" not in rules:
        return
    # Conversations in which nothing was said for long, and whose messages are still active.
    for known in message_log.listing(engine, scope, _CONVERSATIONS, (now - _OLD, "")):
        messages = engine.store.read(scope, partial(compact.foldable, conversation=known.id))
        if messages:
            excerpt = messages[0].content[:_EXCERPT]
            yield TidySuggestion("old_chat", "archive", "conversation", known.id, excerpt, known.updated_at)


def _empty_texts(rows: StoreReader, rules: Sequence[TidyRule], now: datetime) -> list[TidySuggestion]:
    """Give memories and messages that say nothing, the oldest first."""
    messages = rows.untidy_messages(SHORT, _CANDIDATES, now - _SETTLED)
    taught = {made.source_id for made in rows.made_from([message.id for message in messages])}
    free: list[tuple[Literal["memory", "message"], MemoryRecord | Message, datetime]] = [
        ("memory", memory, memory.created_at)
        for memory in rows.untidy_memories(SHORT, _CANDIDATES)
        if not (memory.subject or memory.key or memory.metadata.get(STANDING))
    ]
    free += [("message", message, message.said_at) for message in messages if message.id not in taught]
    found = ((noise_rule(item.content), source, item, moment) for source, item, moment in free)
    return [
        TidySuggestion(rule, "forget", source, item.id, item.content[:_EXCERPT], moment)
        for rule, source, item, moment in found
        if rule is not None and rule in rules
    ]
