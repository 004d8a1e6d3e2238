"""What a user's memory holds, found without an answer to a query: about a topic, like a memory, and along time.

A topic is found by subject, by nickname, and by meaning; what is like a memory by its stored vector, without a model.
The store counts by quarters of an hour, on which every zone's hours begin; which of them make up a day depends on the
zone and its summer time.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain

from recollect.engine.base.context import VECTOR, Engine
from recollect.engine.drafts import items
from recollect.engine.search import hits, recall, times
from recollect.engine.search.hits import moment
from recollect.engine.search.prepared_query import MAX_LIMIT, MAX_QUERY, SearchOptions
from recollect.errors import InvalidInput
from recollect.model.filters import Filters
from recollect.model.literals import MemoryType
from recollect.model.memories import MemoryRecord, Scope
from recollect.model.scopes import shared_name
from recollect.model.search import About, ChannelPart, Recall, ScoreParts
from recollect.model.stats import TimelineBucket, TimelineUnit
from recollect.ranking.fusion import nearness
from recollect.storage.base import StoreReader
from recollect.text.clean import clean
from recollect.text.terms import index_terms, query_words
from recollect.text.topics import topic_of

_NAME_KEYS = frozenset({"nickname", "name", "alias", "called", "friendly_name"})
_LISTED_TYPES = frozenset({"fact", "entity", "decision", "preference", "event", "lesson"})
_MAX_OF_A_KIND = 200
_MAX_EVENTS = 20
_RELATED = 0.25  # hits that score lower speak of something else
_UNITS = ("hour", "day", "month", "year")
_MOST_BUCKETS = 5_000
_MONTHS = 12
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_ZONE_DIFFERENCE = timedelta(days=2)  # no zone is that far from UTC


def about(engine: Engine, scope: Scope, topic: str, *, limit: int) -> About:
    """Gather facts, preferences, events and lessons about what the topic names, and related hits."""
    cleaned = topic_of(clean(topic))
    if not cleaned:
        raise InvalidInput("The topic is empty. Name a thing, a person or a place.")
    filters = Filters(now=engine.clock.now())
    records, subjects = engine.store.read(scope, lambda reader: _records_about(reader, cleaned, filters))
    related = recall.recall(
        engine,
        scope,
        cleaned[:MAX_QUERY],
        item_filters=[filters],
        options=SearchOptions(min(limit + len(records), MAX_LIMIT), _RELATED, signs=False, rerank="off"),
    )
    listed_ids = {record.id for record in records if record.type in _LISTED_TYPES}
    best = max((hit.score for hit in related.hits), default=0.0)
    hits = tuple(hit for hit in related.hits if hit.id not in listed_ids and hit.score >= best / 2)[:limit]
    by_type: dict[MemoryType, list[MemoryRecord]] = {}
    for record in records:
        by_type.setdefault(record.type, []).append(record)
    facts = [*by_type.get("fact", ()), *by_type.get("entity", ()), *by_type.get("decision", ())]
    return About(
        topic=cleaned,
        subjects=tuple(subjects),
        facts=tuple(facts),
        preferences=tuple(sorted(by_type.get("preference", ()), key=lambda record: -record.confidence)),
        events=tuple(sorted(by_type.get("event", ()), key=moment)[-_MAX_EVENTS:]),
        lessons=tuple(by_type.get("lesson", ())),
        hits=hits,
        degraded=related.degraded,
    )


def _records_about(reader: StoreReader, topic: str, filters: Filters) -> tuple[list[MemoryRecord], list[str]]:
    """Give the memories of all subjects that the topic names, and these subjects."""
    by_subject = _closest(topic, [subject for subject in reader.subjects(filters) if names(topic, subject)])
    by_nickname = [
        record.subject
        for record in reader.select(replace(filters, types=("fact", "entity")), _MAX_OF_A_KIND * 10)
        if record.subject and record.key in _NAME_KEYS and names(topic, record.value or record.content)
    ]
    subjects = list(dict.fromkeys((*by_subject, *by_nickname)))
    timelines = [reader.timeline(replace(filters, subject=subject), _MAX_OF_A_KIND) for subject in subjects]
    return list(chain.from_iterable(timelines)), subjects


def _closest(topic: str, subjects: Sequence[str]) -> list[str]:
    """Give the subjects that share most terms; a stop word of some language (`door`) may tell things apart."""
    topic_terms = frozenset(chain.from_iterable(map(index_terms, topic.split())))
    shared = {subject: len(topic_terms & _terms_of_name(subject)) for subject in subjects}
    most = max(shared.values(), default=0)
    return [subject for subject in subjects if shared[subject] == most]


def names(topic: str, name: str) -> bool:
    """Tell whether a name speaks of the topic: it holds every word of it, in whatever form.

    `light.garage` and `cover.garage_door` are both about the garage; only the second is about the garage door.
    """
    name_terms, topic_words = _terms_of_name(name), query_words(topic)
    return bool(topic_words) and all(any(form in name_terms for form in word) for word in topic_words)


def _terms_of_name(name: str) -> frozenset[str]:
    spaced = name.replace("_", " ").replace(".", " ")
    return frozenset((*index_terms(name), *index_terms(spaced)))


def similar(engine: Engine, scope: Scope, memory_id: str, limit: int) -> Recall:
    """Give the current memories nearest to a memory, nearest first. Raises NotFound.

    While the memory has no vector in the space that is searched, there are no hits, and `vector` is degraded.
    """
    filters = Filters(now=engine.clock.now())

    def find(reader: StoreReader) -> Recall:
        items.memory(reader, memory_id)
        space = reader.searched_space()
        vector = None if space is None else reader.stored_vectors(space, [memory_id]).get(memory_id)
        if space is None or vector is None:
            return Recall((), (VECTOR,))
        near = [row for row in reader.nearest(space, vector, filters, limit + 1) if row.id != memory_id][:limit]
        records = {record.id: record for record in reader.get([row.id for row in near])}
        unrelated = reader.unrelated(space)
        found = []
        for rank, row in enumerate(near, start=1):
            score = nearness(row.cosine, unrelated)
            parts = ScoreParts({VECTOR: ChannelPart(rank, row.cosine, score, 1.0)}, score, {})
            hit = hits.of_item(records[row.id], score, nearness(row.cosine, None), parts)
            found.append(replace(hit, scope=shared_name(scope.user_id)))
        return Recall(tuple(found), answerable=found[0].score if found else 0.0)

    return engine.store.read(scope, find)


def timeline(
    engine: Engine, scope: Scope, unit: TimelineUnit, zone: str, *, since: datetime | None, until: datetime | None
) -> tuple[TimelineBucket, ...]:
    """Give the buckets in which there is something, in order."""
    if unit not in _UNITS:
        raise InvalidInput(f"Unknown unit {unit!r}. The units are: {', '.join(_UNITS)}.")
    local = times.checked_zone(zone) if zone else engine.timezone
    now = engine.clock.now()

    counts: dict[datetime, dict[str, int]] = {}
    for counted_at, kind, amount in engine.store.read(scope, lambda reader: reader.moments(since, until, now)):
        known = min(max(counted_at, _FIRST + _ZONE_DIFFERENCE), _LAST - _ZONE_DIFFERENCE)
        bucket = counts.setdefault(_start(known.astimezone(local), unit), {})
        bucket[kind] = bucket.get(kind, 0) + amount
    if len(counts) > _MOST_BUCKETS:
        raise InvalidInput(f"There are {len(counts):,} {unit}s to show. Take a longer unit, or less time at once.")
    return tuple(
        TimelineBucket(_utc(start), _end(start, unit), **amounts)
        for start, amounts in sorted(counts.items(), key=lambda bucket: _utc(bucket[0]))
    )


def _start(local: datetime, unit: TimelineUnit) -> datetime:
    start = local.replace(minute=0, second=0, microsecond=0)
    if unit == "hour":
        return start  # the hour that comes twice in autumn keeps its `fold`
    start = start.replace(hour=0, fold=0)
    if unit == "day":
        return start
    return start.replace(day=1) if unit == "month" else start.replace(month=1, day=1)


def _utc(start: datetime) -> datetime:
    try:
        return start.astimezone(UTC)
    except OverflowError:  # the year 1 begins earlier in the east
        return _FIRST


def _end(start: datetime, unit: TimelineUnit) -> datetime:
    try:
        return _next(start, unit).astimezone(UTC)
    except (OverflowError, ValueError):  # there is no year 10000
        return _LAST


def _next(start: datetime, unit: TimelineUnit) -> datetime:
    if unit == "hour":
        return (start.astimezone(UTC) + timedelta(hours=1)).astimezone(start.tzinfo)
    if unit == "day":
        return start + timedelta(days=1)  # by the clock on the wall
    if unit == "year" or start.month == _MONTHS:
        return start.replace(year=start.year + 1, month=1)
    return start.replace(month=start.month + 1)
