"""Typed memories as people ask for them: facts about things, preferences, events, lessons.

They are memories like all others. These verbs only know which columns each of them uses.
"""

from datetime import datetime
from typing import Unpack

from recollect.api.scoped import Scoped, check_limit
from recollect.engine.memories import remember
from recollect.engine.search import about
from recollect.errors import InvalidMemory
from recollect.model.literals import MemoryType
from recollect.model.memories import About, CommonFields, MemoryRecord, NewMemory, Remembered
from recollect.text.clean import clean


class TypedVerbs(Scoped):
    """The verbs for facts, preferences, events and lessons."""

    def state_fact(
        self, subject: str, key: str, value: str, *, content: str = "", **fields: Unpack[CommonFields]
    ) -> Remembered:
        """Note a fact about a thing: `light.office`, `location`, `home office`.

        A new value for the same subject and key takes the place of the old one. Common keys are location, purpose,
        nickname, preference and schedule; any other will do.
        """
        _insist(subject=subject, key=key, value=value)
        said = content or f"{subject} {_words(key)}: {value}"
        return self._kept(NewMemory(said, type="fact", subject=subject, key=key, value=value, **fields))

    def set_preference(
        self, category: str, key: str, value: str, *, content: str = "", **fields: Unpack[CommonFields]
    ) -> Remembered:
        """Note what the user prefers: `lighting`, `evening_brightness`, `40%`, with `context="after_sunset"`."""
        _insist(category=category, key=key, value=value)
        context = fields.get("context", "")
        when = f" ({_words(context)})" if context else ""
        said = content or f"{category}: {_words(key)} {value}{when}"
        return self._kept(NewMemory(said, type="preference", subject=category, key=key, value=value, **fields))

    def log_event(
        self,
        summary: str,
        *,
        kind: str = "event",
        entity: str = "",
        details: str = "",
        occurred_at: datetime | None = None,
        **fields: Unpack[CommonFields],
    ) -> Remembered:
        """Note what happened, and when: now, unless `occurred_at` says otherwise.

        Kinds in use are state_change, user_action, automation and alert. `importance` decides what a look at the night
        shows; it is 0.5 unless you say otherwise.
        """
        moment = occurred_at or self._engine.clock.now()
        given: CommonFields = {"importance": 0.5, **fields}
        event = NewMemory(summary, type="event", subject=entity, key=kind, value=details, occurred_at=moment, **given)
        return self._kept(event)

    def learn_lesson(self, lesson: str, **fields: Unpack[CommonFields]) -> Remembered:
        """Note what was learned, with the `context` it applies to and the `confidence` it deserves."""
        return self._kept(NewMemory(lesson, type="lesson", **fields))

    def facts(
        self, subject: str | None = None, *, key: str | None = None, limit: int = 100
    ) -> tuple[MemoryRecord, ...]:
        """Give what is known for a fact, about one subject or about everything, newest first."""
        return self._typed("fact", subject, key, limit)

    def preferences(
        self, category: str | None = None, *, key: str | None = None, limit: int = 100
    ) -> tuple[MemoryRecord, ...]:
        """Give what the user prefers, the surest first."""
        found = self._typed("preference", category, key, limit)
        return tuple(sorted(found, key=lambda record: -record.confidence))

    def lessons(self, *, context: str | None = None, limit: int = 100) -> tuple[MemoryRecord, ...]:
        """Give what was learned, the surest first."""
        wanted = self._filters({"type": "lesson", "context": context})
        found = self._engine.store.read(self._scope, lambda reader: reader.select(wanted, check_limit(limit)))
        return tuple(sorted(found, key=lambda record: -record.confidence))

    def events(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        min_importance: float | None = None,
        entity: str | None = None,
        kind: str | None = None,
        limit: int = 100,
    ) -> tuple[MemoryRecord, ...]:
        """Give what happened, in order; the newest when there is more than the limit."""
        check_limit(limit)
        wanted = self._filters(
            {
                "type": "event",
                "since": since,
                "until": until,
                "min_importance": min_importance,
                "subject": entity,
                "key": kind,
            }
        )
        return tuple(self._engine.store.read(self._scope, lambda reader: reader.timeline(wanted, limit)))

    def about(self, topic: str, *, limit: int = 5) -> About:
        """Give all that is known about a topic: under its name, under what people call it, and by meaning."""
        return about.about(self._engine, self._scope, topic, limit=check_limit(limit))

    def _typed(self, type: MemoryType, subject: str | None, key: str | None, limit: int) -> tuple[MemoryRecord, ...]:
        check_limit(limit)
        wanted = self._filters({"type": type, "subject": subject, "key": key})
        return tuple(self._engine.store.read(self._scope, lambda reader: reader.select(wanted, limit)))

    def _kept(self, memory: NewMemory) -> Remembered:
        return remember.remember(self._engine, self._scope, memory)


def _insist(**given: str) -> None:
    for name, value in given.items():
        if not clean(value):
            raise InvalidMemory(f"The {name} is empty. Name what this is about, and say what is so.")


def _words(name: str) -> str:
    return name.replace("_", " ")
