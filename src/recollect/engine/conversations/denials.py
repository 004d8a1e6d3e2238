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
from recollect.model.readings import PROPERTY, USER, Captured
from recollect.storage.base import StoreReader, StoreWriter
from recollect.text.terms import index_terms

_LOOKED_AT = 50
_MOST_BEFORE = 400  # characters of the turn before: its end
_CORRECTION = "correction"
_SURE = 0.9


@dataclass(frozen=True, slots=True)
class Lesson:
    """Something captured, and the ids of memories that it sends to the history."""

    captured: Captured
    replaced: tuple[str, ...] = ()


def find(engine: Engine, scope: Scope, text: str, before: str, found: Sequence[Captured]) -> tuple[Lesson, ...]:
    """Give what a message teaches after the turn before it, with the memories that it corrects or ends."""
    from recollect.text.capture.denials import denied_values, ended  # noqa: PLC0415 - as in `capture`

    denied, over = denied_values(text), any(ended(one.content) for one in found)
    if not denied and not over:
        return tuple(map(Lesson, found))

    def look(reader: StoreReader) -> tuple[Lesson, ...]:
        now = engine.clock.now()
        lessons = [Lesson(one, _ended_by(reader, now, one)) for one in found]
        old = _denied(reader, now, f"{text} {before[-_MOST_BEFORE:]}", denied)
        return _corrected(text, old, lessons) if old else tuple(lessons)

    return engine.store.read(scope, look)


def retire(writer: StoreWriter, new: MemoryRecord, old_ids: Sequence[str]) -> None:
    """Let memories go to the history because of a new one, as far as they are current and no better trusted."""
    for old in writer.get([one for one in old_ids if one != new.id]):
        if old.superseded_by is None and old.trust <= new.trust:
            writer.retire(old.id, max(new.valid_from, old.valid_from), new.id)


def _denied(reader: StoreReader, now: datetime, said: str, values: Sequence[str]) -> MemoryRecord | None:
    """Find the memory whose value a message denies: of several the one with which it has most words in common.

    The value alone names none: "not blue but green" may be about anything.
    """
    from recollect.text.capture.denials import denied_part  # noqa: PLC0415 - as in `capture`

    terms = tuple(dict.fromkeys(term for value in values for term in index_terms(value)))
    rows = reader.select(Filters(now, holding=(terms,)), _LOOKED_AT) if terms else ()
    meant = [
        (_shared(said, row, part), row.created_at, row.id, row)
        for row in rows
        if row.trust <= Trust.STATED and (part := denied_part(row.value, values))
    ]
    shared, *_, row = max(meant, default=(0, None))
    return row if shared else None


def _shared(said: str, row: MemoryRecord, denied: str) -> int:
    """Count the words that are said and that a memory has beside what is denied of it."""
    named = f"{row.content} {row.subject} {row.key} {row.context}".replace("_", " ")
    words = {*index_terms(named)} & {*index_terms(said)} - {*index_terms(denied), USER}
    return sum(not word.isdigit() for word in words)


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
    from recollect.text.capture.denials import ended  # noqa: PLC0415 - as in `capture`

    over = ended(captured.content)
    if not over:
        return ()
    said = frozenset(index_terms(captured.content))
    rows = reader.select(Filters(now, subject=captured.subject, holding=(tuple(said),)), _LOOKED_AT)
    named = (row for row in rows if row.value and (row.key or row.metadata.get(PROPERTY)) in over)
    return tuple(row.id for row in named if said.issuperset(index_terms(row.value)) and not ended(row.content))
