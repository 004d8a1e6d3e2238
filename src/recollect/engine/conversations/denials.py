"""Memories that a message corrects by its words, whatever their keys: what it denies, and what it says is over.

The invariant: a memory is corrected by what its user said, never by a less trusted source, and goes to the history.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.engine.base.context import Engine
from recollect.model.filters import Filters
from recollect.model.literals import Trust
from recollect.model.memories import MemoryRecord, Scope
from recollect.model.readings import PROPERTY, Captured
from recollect.storage.base import StoreReader, StoreWriter
from recollect.text.terms import index_terms

_LOOKED_AT = 50
_CORRECTION = "correction"
_SURE = 0.9
# What a person may stop having or doing; of others "I left Brno" says something else.
_MAY_END = frozenset(
    (
        *("car", "device", "tool", "possession", "pet", "job", "employer", "school", "medicine", "hobby", "sport"),
        *("habit", "account", "partner", "project"),
    )
)


@dataclass(frozen=True, slots=True)
class Lesson:
    """Something captured, and the ids of memories that it sends to the history."""

    captured: Captured
    replaced: tuple[str, ...] = ()


def find(engine: Engine, scope: Scope, text: str, found: Sequence[Captured]) -> tuple[Lesson, ...]:
    """Give what a message teaches, with the memories that it corrects or ends."""
    from recollect.text.capture.denials import denied_values, ends  # noqa: PLC0415 - as in `capture`

    denied, over = denied_values(text), any(ends(one.content) for one in found)
    if not denied and not over:
        return tuple(map(Lesson, found))

    def look(reader: StoreReader) -> tuple[Lesson, ...]:
        now = engine.clock.now()
        lessons = [Lesson(one, _ended_by(reader, now, one)) for one in found]
        old = _denied(reader, now, text, denied)
        return _corrected(text, old, lessons) if old else tuple(lessons)

    return engine.store.read(scope, look)


def retire(writer: StoreWriter, new: MemoryRecord, old_ids: Sequence[str]) -> None:
    """Let memories go to the history because of a new one, as far as they are current and no better trusted."""
    for old in writer.get([one for one in old_ids if one != new.id]):
        if old.superseded_by is None and old.trust <= new.trust:
            writer.retire(old.id, max(new.valid_from, old.valid_from), new.id)


def _denied(reader: StoreReader, now: datetime, text: str, values: Sequence[str]) -> MemoryRecord | None:
    """Find the memory whose value a message denies: of several the one with which it has most words in common."""
    from recollect.text.capture.denials import denied_part  # noqa: PLC0415 - as in `capture`

    terms = tuple(dict.fromkeys(term for value in values for term in index_terms(value)))
    rows = reader.select(Filters(now, holding=(terms,)), _LOOKED_AT) if terms else ()
    meant = [row for row in rows if row.trust <= Trust.STATED and denied_part(row.value, values)]
    said = {*index_terms(text)}
    return max(meant, key=lambda row: (len(said & {*index_terms(row.content)}), row.created_at), default=None)


def _corrected(text: str, old: MemoryRecord, lessons: Sequence[Lesson]) -> tuple[Lesson, ...]:
    """Let the new value take the place of the old one: "not 40 %, I want 60 % in the evening"."""
    from recollect.text.capture.denials import denied_part, denied_values, said_instead  # noqa: PLC0415 - as in `capture`

    part = denied_part(old.value, denied_values(text))
    instead = said_instead(text, part)
    if not instead:
        return tuple(lessons)
    value = old.value.replace(part, instead)
    told = next((lesson for lesson in lessons if instead in lesson.captured.content), None)
    new = told.captured if told else Captured(text, old.type, rule=_CORRECTION, importance=old.importance)
    new = replace(new, type=old.type, subject=old.subject, key=old.key, context=old.context, value=value, many=False)
    new = replace(new, property=str(old.metadata.get(PROPERTY, "")), confidence=max(new.confidence, _SURE))
    return Lesson(new, (old.id,)), *(lesson for lesson in lessons if lesson is not told)


def _ended_by(reader: StoreReader, now: datetime, captured: Captured) -> tuple[str, ...]:
    """Find the memories of which something captured says that this is over: "I sold the Skoda"."""
    from recollect.text.capture.denials import ends  # noqa: PLC0415 - as in `capture`

    if not ends(captured.content):
        return ()
    said = frozenset(index_terms(captured.content))
    rows = reader.select(Filters(now, subject=captured.subject, holding=(tuple(said),)), _LOOKED_AT)
    over = (row for row in rows if _may_end(row) and said.issuperset(index_terms(row.value)))
    return tuple(row.id for row in over if not ends(row.content))


def _may_end(record: MemoryRecord) -> bool:
    return bool(record.value) and (record.key or record.metadata.get(PROPERTY)) in _MAY_END
