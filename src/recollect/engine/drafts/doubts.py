"""Which of two current memories casts doubt on the other: they answer one question in two ways.

The invariant: a doubt drops nothing. Both memories are kept and found, the later one first, until a user settles it:
by an update, by forgetting one, or by a rating.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from recollect.engine.drafts.memory_drafts import HAPPENINGS
from recollect.model.memories import FEEDBACK, MemoryRecord, is_many
from recollect.model.readings import PROPERTY, SINGLE_VALUED
from recollect.text.clean import fingerprint_text
from recollect.text.outdated import may_outdate, names_several, opening

_NAMED = frozenset({"name", "home", "employer"})


def says_otherwise(later: MemoryRecord, earlier: MemoryRecord) -> bool:
    """Tell whether a later memory may outdate an earlier one: of one property, or in the same words but for a thing."""
    if {later.type, earlier.type} & {*HAPPENINGS, "preference", "lesson"} or is_many(later) or is_many(earlier):
        return False
    if (later.subject, later.context) != (earlier.subject, earlier.context) or later.trust < earlier.trust:
        return False
    settled = earlier.metadata.get(FEEDBACK) == 1 or later.metadata.get(FEEDBACK) == -1
    if settled or later.valid_from <= earlier.valid_from:  # told together
        return False
    asked, before = property_of(later), property_of(earlier)
    if asked and asked == before:
        return _differ(later, earlier) and not names_several(later.content)
    return not (later.key or earlier.key) and may_outdate(later.content, earlier.content)


def property_of(record: MemoryRecord) -> str:
    """Name the property of one value at a time that a memory gives; empty where it is none."""
    name = record.key or record.metadata.get(PROPERTY)
    return name if isinstance(name, str) and name in SINGLE_VALUED else ""


def _differ(later: MemoryRecord, earlier: MemoryRecord) -> bool:
    """Tell whether two clear values are given, and neither says what the other does and more."""
    said = later.value or later.content
    words, others = (frozenset(fingerprint_text(one).split()) for one in (said, earlier.value))
    return _is_clear(earlier) and (_is_clear(later) or not later.value) and not (words <= others or others <= words)


def _is_clear(record: MemoryRecord) -> bool:
    """Tell whether a value is what its property asks for: an address or a name, and not "alone"."""
    value, name = record.value, property_of(record)
    if name == "email":
        return "@" in value
    if name in _NAMED:
        return value[:1].isupper() or (bool(value) and record.content == record.content.lower())
    return any(map(str.isdigit, value))


def find_pairs(records: Iterable[MemoryRecord]) -> Iterator[tuple[MemoryRecord, MemoryRecord]]:
    """Give memories with the latest one that may outdate each; what does not begin alike is not compared."""
    groups: defaultdict[tuple[str, str], list[MemoryRecord]] = defaultdict(list)
    for record in sorted(records, key=lambda one: (one.valid_from, one.id)):
        groups[record.subject, property_of(record) or opening(record.content)].append(record)
    for group in groups.values():
        for place, earlier in enumerate(group):
            later = (one for one in reversed(group[place + 1 :]) if says_otherwise(one, earlier))
            if (now := next(later, None)) is not None:
                yield earlier, now
