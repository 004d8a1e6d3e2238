"""Everything known about a topic: by subject, by nickname, and by meaning."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from recollect.engine.base.context import Engine
from recollect.engine.search import recall
from recollect.engine.search.hits import moment
from recollect.engine.search.prepared_query import MAX_LIMIT, MAX_QUERY, SearchOptions
from recollect.errors import InvalidInput
from recollect.model.filters import Filters
from recollect.model.literals import MemoryType
from recollect.model.memories import MemoryRecord, Scope
from recollect.model.search import About
from recollect.storage.base import StoreReader
from recollect.text.clean import clean
from recollect.text.terms import index_terms, query_words

_NAME_KEYS = frozenset({"nickname", "name", "alias", "called", "friendly_name"})
_LISTED_TYPES = frozenset({"fact", "entity", "decision", "preference", "event", "lesson"})
_MAX_OF_A_KIND = 200
_MAX_EVENTS = 20
_RELATED = 0.25  # hits that score lower speak of something else


def about(engine: Engine, scope: Scope, topic: str, *, limit: int) -> About:
    """Gather facts, preferences, events and lessons about what the topic names, and related hits."""
    cleaned = clean(topic)
    if not cleaned:
        raise InvalidInput("The topic is empty. Name a thing, a person or a place.")
    filters = Filters(now=engine.clock.now())
    records, subjects = engine.store.read(scope, lambda reader: _records_about(reader, cleaned, filters))
    related = recall.recall(
        engine,
        scope,
        cleaned[:MAX_QUERY],
        item_filters=[filters],
        options=SearchOptions(min(limit + len(records), MAX_LIMIT), _RELATED, signs=False, rerank_s=0.0),
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
    shared = {subject: len(topic_terms & _terms(subject)) for subject in subjects}
    most = max(shared.values(), default=0)
    return [subject for subject in subjects if shared[subject] == most]


def names(topic: str, name: str) -> bool:
    """Tell whether a name speaks of the topic: it holds every word of it, in whatever form.

    `light.garage` and `cover.garage_door` are both about the garage; only the second is about the garage door.
    """
    name_terms, topic_words = _terms(name), query_words(topic)
    return bool(topic_words) and all(any(form in name_terms for form in word) for word in topic_words)


def _terms(name: str) -> frozenset[str]:
    spaced = name.replace("_", " ").replace(".", " ")
    return frozenset((*index_terms(name), *index_terms(spaced)))
