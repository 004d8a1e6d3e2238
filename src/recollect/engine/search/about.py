"""What is known about a topic: by the names of things, by what people call them, and by meaning."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from recollect.engine.base.context import Engine
from recollect.engine.search import recall
from recollect.engine.search.hits import moment
from recollect.engine.search.prepared_query import SearchOptions
from recollect.errors import InvalidInput
from recollect.model.literals import MemoryType
from recollect.model.memories import About, Filters, MemoryRecord, Scope
from recollect.ports import StoreReader
from recollect.text.clean import clean
from recollect.text.terms import index_terms, query_words

# Under these keys stands what something is called.
_NAMES = frozenset({"nickname", "name", "alias", "called", "friendly_name"})
_TOLD = frozenset({"fact", "entity", "decision", "preference", "event", "lesson"})
_MOST_OF_A_KIND = 200
_MOST_EVENTS = 20
_RELATED = 0.25  # what scores lower speaks of something else


def about(engine: Engine, scope: Scope, topic: str, *, limit: int) -> About:
    """Gather facts, preferences, events and lessons about what the topic names, and what else speaks of it."""
    asked = clean(topic)
    if not asked:
        raise InvalidInput("The topic is empty. Name a thing, a person or a place.")
    filters = Filters(now=engine.clock.now())
    kept, subjects = engine.store.read(scope, lambda reader: _recorded(reader, asked, filters))
    found = recall.recall(
        engine,
        scope,
        asked[: recall.MAX_QUERY],
        looking_at=[filters],
        wish=SearchOptions(min(limit + len(kept), recall.MAX_LIMIT), _RELATED, signs=False),
    )
    known = {record.id for record in kept if record.type in _TOLD}  # what is not told above may still be related
    strongest = max((hit.score for hit in found.hits), default=0.0)
    hits = tuple(hit for hit in found.hits if hit.id not in known and hit.score >= strongest / 2)[:limit]
    by_type: dict[MemoryType, list[MemoryRecord]] = {}
    for record in kept:
        by_type.setdefault(record.type, []).append(record)
    facts = [*by_type.get("fact", ()), *by_type.get("entity", ()), *by_type.get("decision", ())]
    return About(
        topic=asked,
        subjects=tuple(subjects),
        facts=tuple(facts),
        preferences=tuple(sorted(by_type.get("preference", ()), key=lambda record: -record.confidence)),
        events=tuple(sorted(by_type.get("event", ()), key=moment)[-_MOST_EVENTS:]),
        lessons=tuple(by_type.get("lesson", ())),
        hits=hits,
        degraded=found.degraded,
    )


def _recorded(reader: StoreReader, topic: str, filters: Filters) -> tuple[list[MemoryRecord], list[str]]:
    """Give all that is recorded under the subjects that the topic names."""
    named = _closest(topic, [subject for subject in reader.subjects(filters) if names(topic, subject)])
    called = [
        record.subject
        for record in reader.select(replace(filters, types=("fact", "entity")), _MOST_OF_A_KIND * 10)
        if record.subject and record.key in _NAMES and names(topic, record.value or record.content)
    ]
    subjects = list(dict.fromkeys((*named, *called)))
    return [record for subject in subjects for record in _of(reader, subject, filters)], subjects


def _closest(topic: str, subjects: Sequence[str]) -> list[str]:
    """Give those that hold most of the topic; what is a stop word in some language (`door`) may tell things apart."""
    asked = frozenset(chain.from_iterable(map(index_terms, topic.split())))
    held = {subject: len(asked & _words(subject)) for subject in subjects}
    most = max(held.values(), default=0)
    return [subject for subject in subjects if held[subject] == most]


def _of(reader: StoreReader, subject: str, filters: Filters) -> Sequence[MemoryRecord]:
    return reader.timeline(replace(filters, subject=subject), _MOST_OF_A_KIND)


def names(topic: str, name: str) -> bool:
    """Tell whether a name speaks of the topic: it holds every word of it, in whatever form.

    `light.garage` and `cover.garage_door` are both about the garage; only the second is about the garage door.
    """
    held = _words(name)
    asked = query_words(topic)
    return bool(asked) and all(any(form in held for form in word) for word in asked)


def _words(name: str) -> frozenset[str]:
    spaced = name.replace("_", " ").replace(".", " ")
    return frozenset((*index_terms(name), *index_terms(spaced)))
