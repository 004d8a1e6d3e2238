"""Groups of similar memories, from stored vectors and terms, without a model, in portions that give way to others.

The memories are read a page at a time, so no transaction is long. What was found is kept for as long as nothing of the
user was written; of a user with many memories for some minutes more, and while it is being found for one caller, others
wait for it. A caller who does not wait loses nothing: the next one gets what was found.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime, timedelta
from operator import methodcaller
from typing import Final, NamedTuple

import numpy as np

from recollect.engine.base.context import VECTOR, CachedGroups, Engine, MemoryGroup
from recollect.engine.drafts.items import batched
from recollect.engine.memories.repetition import merge_order
from recollect.model.filters import Filters
from recollect.model.insights import Cluster, Clusters, DuplicatePair
from recollect.model.kinds import MOST_CLUSTERS, MOST_EXAMPLES
from recollect.model.memories import MemoryRecord, Scope, lapsed
from recollect.ranking.groups.grouping import TextGrouper, TextGroups, place_circles
from recollect.storage.base import EmbeddedMemory, StoreReader
from recollect.text.terms import every_form

_MOST_COMPARED: Final = 100_000  # the newest; it bounds the memory that this takes
_MANY: Final = 5_000  # memories, from which a result is used again though something was written
_GOOD_FOR: Final = timedelta(minutes=10)
_PAGE: Final = 2_000
_NAMING_EXAMPLES: Final = 12
_NAME_WORDS: Final = 3
_WORD: Final = re.compile(r"\w[\w'-]+")
_CHECKED_PAIRS: Final = 100


class _EmbeddedPage(NamedTuple):
    generation: int
    memories: int
    rows: Sequence[EmbeddedMemory]


def clusters(engine: Engine, scope: Scope, *, limit: int, examples: int) -> Clusters:
    """Give the largest groups of similar memories, and pairs that say the same."""
    groups = _groups(engine, scope)
    shown = groups.largest[:limit]
    wanted = [memory_id for group in shown for memory_id in group.ids[: max(examples, _NAMING_EXAMPLES)]]
    records = _current(engine, scope, wanted)
    sizes = np.array([group.size for group in shown], np.float32)
    places, radii = place_circles(np.array([group.mean for group in shown]), sizes) if shown else ((), ())
    found = []
    for group, (x, y), radius in zip(shown, places, radii, strict=True):
        members = [records[memory_id] for memory_id in group.ids if memory_id in records]
        if members:
            name = _words(group.terms, members[:_NAMING_EXAMPLES])
            found.append(Cluster(name, group.size, tuple(members[:examples]), float(x), float(y), float(radius)))
    return Clusters(
        tuple(found),
        _duplicates(engine, scope, groups, limit),
        groups.memories,
        groups.grouped,
        groups.total,
        groups.found_at,
        groups.degraded,
    )


def _groups(engine: Engine, scope: Scope) -> CachedGroups:
    """Find the groups, unless they are known; of users with many memories for one caller at a time."""
    now = engine.clock.now()
    filters = Filters(now=now)
    generation, count = engine.store.read(scope, lambda reader: (reader.generation(), reader.count(filters)))
    with engine.search.grouping if count > _MANY else nullcontext():
        known = engine.search.groups.find(scope, "")
        if known is not None and _holds(known, generation, count, now):
            return known
        with engine.priority.patient():
            found = _find(engine, scope, filters)
        engine.search.groups.keep(scope, "", found)
        return found


def _holds(known: CachedGroups, generation: int, count: int, now: datetime) -> bool:
    young = timedelta(0) <= now - known.found_at < _GOOD_FOR
    return young and (known.generation == generation or count > _MANY)


def _find(engine: Engine, scope: Scope, filters: Filters) -> CachedGroups:
    first, ids, grouper = _EmbeddedPage(0, 0, ()), list[str](), None
    for number, page in enumerate(_pages(engine, scope, filters)):
        first = page if number == 0 else first
        if page.rows:
            grouper = grouper or TextGrouper(len(page.rows[0].vector), engine.priority.give_way)
            grouper.add(np.stack([row.vector for row in page.rows]), (row.terms for row in page.rows))
            ids += [row.id for row in page.rows]
    found = grouper.group(MOST_CLUSTERS) if grouper else TextGroups((), (), (), np.zeros(0, np.int64))
    largest = tuple(
        MemoryGroup(tuple(ids[row] for row in group.rows[:MOST_EXAMPLES]), size, group.mean, group.terms)
        for group, size in zip(found.largest, found.sizes, strict=False)
    )
    return CachedGroups(
        first.generation,
        filters.now,
        largest,
        tuple((ids[pair.one], ids[pair.other], pair.cosine) for pair in found.pairs),
        memories=len(ids),
        grouped=sum(found.sizes),
        total=len(found.sizes),
        degraded=(VECTOR,) if len(ids) < min(first.memories, _MOST_COMPARED) else (),
    )


def _pages(engine: Engine, scope: Scope, filters: Filters) -> Iterator[_EmbeddedPage]:
    """Read the newest memories with their vectors, each page from a snapshot of its own."""
    space = engine.store.read(scope, lambda reader: reader.searched_space())
    before: str | None = None
    for _ in range(0, _MOST_COMPARED, _PAGE):

        def load(reader: StoreReader, before: str | None = before) -> _EmbeddedPage:
            rows = () if space is None else reader.embedded(space, filters, _PAGE, before)
            return _EmbeddedPage(reader.generation(), reader.count(filters) if before is None else 0, rows)

        page = engine.store.read(scope, load)
        yield page
        if len(page.rows) < _PAGE:
            return
        before = page.rows[-1].id
        engine.priority.give_way()


def _current(engine: Engine, scope: Scope, ids: Sequence[str]) -> Mapping[str, MemoryRecord]:
    """Give memories by id, without what was superseded, has lapsed or was forgotten since groups were found."""
    now = engine.clock.now()
    records: dict[str, MemoryRecord] = {}
    wanted = tuple(dict.fromkeys(ids))
    for some in batched(wanted, _PAGE):
        found: Sequence[MemoryRecord] = engine.store.read(scope, methodcaller("get", some))
        records |= {one.id: one for one in found if one.superseded_by is None and not lapsed(one, now)}
    return records


def _words(terms: Sequence[str], members: Sequence[MemoryRecord]) -> tuple[str, ...]:
    """Give the words behind terms, as members spell them most often; terms may be stems."""
    spelled = Counter(word for member in members for word in dict.fromkeys(_WORD.findall(member.content)))
    forms = {word: every_form(word) for word in spelled}
    words: dict[str, None] = {}
    seen: set[str] = set()
    for term in terms:
        if term in seen:
            continue
        behind = [word for word in spelled if term in forms[word]]
        if behind:
            word = max(behind, key=lambda one: (spelled[one], -len(one), one))
            words[word] = None
            seen |= forms[word].union(*(forms[one] for one in behind))
        if len(words) == _NAME_WORDS:
            break
    return tuple(words)


def _duplicates(engine: Engine, scope: Scope, groups: CachedGroups, limit: int) -> tuple[DuplicatePair, ...]:
    """Check pairs whose vectors nearly coincide by what they say, the most alike first. A memory is in one pair."""
    found: list[DuplicatePair] = []
    taken: set[str] = set()
    for pairs in batched(groups.pairs, _CHECKED_PAIRS):
        records = _current(engine, scope, [memory_id for one, other, _ in pairs for memory_id in (one, other)])
        for one, other, cosine in pairs:
            if len(found) == limit:
                return tuple(found)
            if one in records and other in records and taken.isdisjoint((one, other)):
                order = merge_order(records[one], records[other])
                if order is not None:
                    found.append(DuplicatePair(*order, cosine))
                    taken |= {one, other}
    return tuple(found)
