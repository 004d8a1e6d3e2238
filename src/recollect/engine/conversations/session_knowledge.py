"""What is worth knowing when a session begins: the user's preferences, and a project by its name."""

from recollect.engine.base.context import Engine
from recollect.engine.conversations import silence
from recollect.engine.search import browsing, hits
from recollect.engine.search.prepared_query import MAX_QUERY
from recollect.model.filters import Filters
from recollect.model.literals import MemoryType, Trust
from recollect.model.memories import MemoryRecord, Scope
from recollect.model.search import Hit, Recall, ScoreParts
from recollect.text.clean import clean

MOST_ITEMS = 12
_MOST_PREFERENCES = 6
_TOPIC_HITS = 8
_ABOUT_USER: tuple[MemoryType, ...] = ("preference",)


def known(engine: Engine, scope: Scope, project: str) -> Recall:
    """Give what is known about a project, then the weightiest preferences, then standing instructions."""
    named = clean(project)[:MAX_QUERY]
    topic = browsing.about(engine, scope, named, limit=_TOPIC_HITS) if named else None
    records = (*topic.facts, *topic.preferences, *topic.lessons) if topic else ()
    related = [*map(_as_hit, records), *(topic.hits if topic else ())]
    filters = Filters(now=engine.clock.now(), types=_ABOUT_USER, min_trust=Trust.FILE)
    preferences = engine.store.read(scope, lambda reader: reader.select(filters, 10 * _MOST_PREFERENCES))
    weightiest = sorted(preferences, key=lambda record: -record.importance)[:_MOST_PREFERENCES]
    trusted = [hit for hit in related if hit.trust >= Trust.FILE][: MOST_ITEMS - len(weightiest)]
    chosen = {hit.id: hit for hit in (*trusted, *map(_as_hit, weightiest))}
    found = Recall(tuple(chosen.values()), topic.degraded if topic else ())
    return silence.with_standing(engine, scope, found)


def _as_hit(record: MemoryRecord) -> Hit:
    return hits.of_item(record, 1.0, None, ScoreParts({}, 1.0, {}))
