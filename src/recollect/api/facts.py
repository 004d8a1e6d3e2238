"""Typed memories: facts about things, preferences, events, lessons and instructions.

They are memories like all others; these namespaces know which fields each type uses. Calling a namespace lists:
`me.facts("light.office")`, `me.events(since=…)`.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Unpack

from recollect.api.scoped import Scoped, canonical, check_limit, new_memory
from recollect.errors import InvalidMemory
from recollect.model import kinds
from recollect.model.literals import MemoryType
from recollect.model.memories import CommonFields, Doubt, KeyedFields, MemoryRecord, Remembered
from recollect.model.readings import ASSISTANT, STANDING
from recollect.model.stats import TimelineBucket, TimelineUnit
from recollect.text.clean import clean
from recollect.verbs import route

if TYPE_CHECKING:
    from recollect.storage.base import StoreReader

_WITH_PROPERTIES: tuple[MemoryType, ...] = ("fact", "entity", "decision", "other")
_MOST_COMPARED = 1_000


class _TypedMemories(Scoped):
    def _select(
        self,
        type: MemoryType,
        subject: str | None = None,
        key: str | None = None,
        context: str | None = None,
        *,
        limit: int,
    ) -> tuple[MemoryRecord, ...]:
        check_limit(limit)
        filters = self._filters({"type": type, "subject": subject, "key": key, "context": context})
        return tuple(self._reading.store.read(self._scope, lambda reader: reader.select(filters, limit)))

    def _store(self, content: str, given: Mapping[str, Any], **own: object) -> Remembered:
        """Store a memory whose `own` fields the verb knows, with those that were given beside."""
        from recollect.engine.memories import remember

        if twice := given.keys() & own.keys():
            raise InvalidMemory(f"{', '.join(sorted(twice))} cannot be given here: this verb sets it.")
        return remember.remember(self._engine, self._scope, new_memory({"content": content, **own, **given}))


class UserFacts(_TypedMemories):
    """Facts about things: `me.facts.set("light.office", "location", "home office")`, `me.facts("light.office")`."""

    @route("GET /api/facts")
    def __call__(
        self, subject: kinds.OfSubject | None = None, *, key: kinds.OfKey | None = None, limit: kinds.Limit = 100
    ) -> tuple[MemoryRecord, ...]:
        """List the current facts, about one subject or about all, newest first."""
        return self._select("fact", subject, key, limit=limit)

    @route("POST /api/facts")
    def set(
        self,
        subject: kinds.FilledName,
        key: kinds.FilledName,
        value: kinds.FilledValue,
        *,
        content: kinds.OwnSentence = "",
        **fields: Unpack[KeyedFields],
    ) -> Remembered:
        """Store a fact; a new value for the same subject and key supersedes the old one.

        With `many=True` the key has several values, such as languages: this one and all later ones stand side by side,
        each with an id of its own to update or forget. Common keys are location, purpose, nickname, preference and
        schedule; any other will do.
        """
        _check_filled(subject=subject, key=key, value=value)
        text = content or f"{subject} {_words(key)}: {value}"
        return self._store(text, fields, type="fact", subject=subject, key=key, value=value)

    @route("GET /api/facts/doubts")
    def doubts(self, subject: kinds.OfSubject | None = None) -> tuple[Doubt, ...]:
        """List memories that a later statement contradicts without replacing them: its source is less trusted, it was
        captured and is not sure enough, or it says the same but for the one thing that there is at a time.

        `settle` one with the id of what is right, or rate that one; `update` or `forget` settle it, too.
        """
        from recollect.engine.memories.doubts import find_doubts, find_outranked

        rows = [row for kind in _WITH_PROPERTIES for row in self._select(kind, subject, limit=_MOST_COMPARED)]
        filters = replace(self._filters({"subject": subject}), unheld=True)

        def outranked(reader: "StoreReader") -> list[Doubt]:
            unheld = reader.select(filters, _MOST_COMPARED)
            holders = reader.get([row.superseded_by for row in unheld if row.superseded_by])
            return list(find_outranked(unheld, {holder.id: holder for holder in holders}))

        return (*find_doubts(rows), *self._reading.store.read(self._scope, outranked))

    @route("POST /api/facts/settle")
    def settle(self, id: kinds.ItemId) -> MemoryRecord:
        """Settle a doubt: of the two memories that contradict each other the one with this id is right.

        Returns the memory that holds. Nothing is deleted: the other one is in its `history`. Raises NotFound, and
        InvalidMemory when nothing contradicts it.
        """
        from recollect.engine.drafts import items
        from recollect.engine.memories import doubts

        right = canonical(id)
        record = self._engine.store.read(self._scope, lambda reader: items.memory(reader, right))
        about = [doubt for doubt in self.doubts(record.subject or None) if right in {one.id for one in doubt}]
        return doubts.settle(self._engine, self._scope, right, about)


class UserPreferences(_TypedMemories):
    """Preferences by category: `me.preferences.set("lighting", "evening_brightness", "40%")`."""

    @route("GET /api/preferences")
    def __call__(
        self, category: kinds.OfCategory | None = None, *, key: kinds.OfKey | None = None, limit: kinds.Limit = 100
    ) -> tuple[MemoryRecord, ...]:
        """List what the user prefers, the most confident first."""
        return _by_confidence(self._select("preference", category, key, limit=limit))

    @route("POST /api/preferences")
    def set(
        self,
        category: kinds.FilledName,
        key: kinds.FilledName,
        value: kinds.FilledValue,
        *,
        content: kinds.OwnSentence = "",
        **fields: Unpack[KeyedFields],
    ) -> Remembered:
        """Store what the user prefers, perhaps in a `context` such as `after_sunset`; a new value supersedes."""
        _check_filled(category=category, key=key, value=value)
        context = fields.get("context", "")
        when = f" ({_words(context)})" if context else ""
        text = content or f"{category}: {_words(key)} {value}{when}"
        return self._store(text, fields, type="preference", subject=category, key=key, value=value)


class UserEvents(_TypedMemories):
    """The timeline of what happened: `me.events.log("Garage door opened")`, `me.events(since=…)`."""

    @route("GET /api/events")
    def __call__(
        self,
        *,
        since: kinds.Since | None = None,
        until: kinds.Until | None = None,
        when: kinds.When | None = None,
        min_importance: kinds.LeastImportance | None = None,
        entity: kinds.OfEntity | None = None,
        kind: kinds.OfEventKind | None = None,
        limit: kinds.Limit = 100,
    ) -> tuple[MemoryRecord, ...]:
        """List events in order of time; the newest ones when there are more than the limit."""
        check_limit(limit)
        filters = self._filters(
            {
                "type": "event",
                "since": since,
                "until": until,
                "when": when,
                "min_importance": min_importance,
                "subject": entity,
                "key": kind,
            }
        )
        return tuple(self._reading.store.read(self._scope, lambda reader: reader.timeline(filters, limit)))

    @route("POST /api/events")
    def log(
        self,
        summary: kinds.MemoryText,
        *,
        kind: kinds.EventKind = "event",
        entity: kinds.EventEntity = "",
        details: kinds.EventDetails = "",
        participants: kinds.Participants = (),
        occurred_at: datetime | None = None,
        **fields: Unpack[CommonFields],
    ) -> Remembered:
        """Store an event that happened now, or at `occurred_at`. Its importance is 0.5 by default.

        Common kinds are state_change, user_action, automation and alert. `participants` are the names of those who
        took part; the event is found by them, too.
        """
        from recollect.engine.drafts.memory_drafts import checked_participants

        moment = occurred_at or self._engine.clock.now()
        given: CommonFields = {"importance": 0.5, **fields}
        if participants:
            given["metadata"] = {**given.get("metadata", {}), "participants": checked_participants(participants)}
        own = {"subject": entity, "key": kind, "value": details, "occurred_at": moment}
        return self._store(summary, given, type="event", **own)

    @route("GET /api/timeline")
    def timeline(
        self,
        *,
        unit: TimelineUnit = "day",
        since: kinds.Since | None = None,
        until: kinds.Until | None = None,
        when: kinds.When | None = None,
        zone: kinds.Zone = "",
    ) -> tuple[TimelineBucket, ...]:
        """Count events, other memories, messages and files by hours, days, months or years, in order of time.

        What is counted is the time that something is about, in the `zone` of that name or in that of the settings.
        Buckets without anything are left out.
        """
        from recollect.engine.search import browsing, times

        first, last = times.bounds(self._engine, since, until, when)
        return browsing.timeline(self._reading, self._scope, unit, zone, since=first, until=last)


class UserLessons(_TypedMemories):
    """Lessons learned: `me.lessons.add("Ask before restarting the router", context="home")`."""

    @route("GET /api/lessons")
    def __call__(self, *, context: kinds.OfContext | None = None, limit: kinds.Limit = 100) -> tuple[MemoryRecord, ...]:
        """List lessons, the most confident first."""
        return _by_confidence(self._select("lesson", context=context, limit=limit))

    @route("POST /api/lessons")
    def add(self, lesson: kinds.MemoryText, **fields: Unpack[CommonFields]) -> Remembered:
        """Store a lesson, with the `context` it applies to and the `confidence` it deserves."""
        return self._store(lesson, fields, type="lesson")


class UserInstructions(_TypedMemories):
    """How the assistant shall behave: `me.instructions.add("Always answer in lower case")`, `me.instructions()`."""

    @route("GET /api/instructions")
    def __call__(self, *, limit: kinds.Limit = 100) -> tuple[MemoryRecord, ...]:
        """List instructions, newest first; those with `metadata["standing"]` apply always, others at times."""
        return self._select("preference", ASSISTANT, limit=limit)

    @route("POST /api/instructions")
    def add(self, instruction: kinds.MemoryText, **fields: Unpack[CommonFields]) -> Remembered:
        """Store an instruction that applies always: `before_prompt` shows it before every prompt."""
        given: CommonFields = {"importance": 0.9, **fields}
        given["metadata"] = {**given.get("metadata", {}), STANDING: True}
        return self._store(instruction, given, type="preference", subject=ASSISTANT)


def _by_confidence(records: tuple[MemoryRecord, ...]) -> tuple[MemoryRecord, ...]:
    return tuple(sorted(records, key=lambda record: -record.confidence))


def _check_filled(**fields: str) -> None:
    for name, value in fields.items():
        if not clean(value):
            raise InvalidMemory(f"The {name} is empty. Name what this is about, and say what is so.")


def _words(name: str) -> str:
    return name.replace("_", " ")
