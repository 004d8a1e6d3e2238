"""Typed memories over HTTP. See `recollect.api.facts`, whose verbs these are."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Unpack

from recollect.client.arguments import refuse_vector
from recollect.client.decode import decode, decode_all
from recollect.client.scoped import ServiceScoped
from recollect.model.memories import CommonFields, Doubt, KeyedFields, MemoryRecord, Remembered
from recollect.model.places import with_location
from recollect.model.stats import TimelineBucket, TimelineUnit


class _ServiceTyped(ServiceScoped):
    def _list(self, path: str, **query: object) -> tuple[MemoryRecord, ...]:
        return decode_all(MemoryRecord, self._get(path, **query)["items"])

    def _store(self, path: str, fields: CommonFields, **body: object) -> Remembered:
        refuse_vector(fields.get("vector"))
        said: dict[str, Any] = {
            **{name: value for name, value in body.items() if value not in (None, "", ())},
            **with_location(fields),
        }
        said.pop("vector", None)
        return decode(Remembered, self._post(path, said))


class ServiceFacts(_ServiceTyped):
    """Facts about things."""

    def __call__(
        self, subject: str | None = None, *, key: str | None = None, limit: int = 100
    ) -> tuple[MemoryRecord, ...]:
        """List the current facts, about one subject or about all, newest first."""
        return self._list("/api/facts", subject=subject, key=key, limit=limit)

    def set(
        self, subject: str, key: str, value: str, *, content: str = "", **fields: Unpack[KeyedFields]
    ) -> Remembered:
        """Store a fact; a new value for the same subject and key supersedes the old one."""
        return self._store("/api/facts", fields, subject=subject, key=key, value=value, content=content)

    def doubts(self, subject: str | None = None) -> tuple[Doubt, ...]:
        """List memories that a later statement contradicts without replacing them."""
        return decode_all(Doubt, self._get("/api/facts/doubts", subject=subject)["items"])


class ServicePreferences(_ServiceTyped):
    """Preferences by category."""

    def __call__(
        self, category: str | None = None, *, key: str | None = None, limit: int = 100
    ) -> tuple[MemoryRecord, ...]:
        """List what the user prefers, the most confident first."""
        return self._list("/api/preferences", category=category, key=key, limit=limit)

    def set(
        self, category: str, key: str, value: str, *, content: str = "", **fields: Unpack[KeyedFields]
    ) -> Remembered:
        """Store what the user prefers, perhaps in a `context`; a new value supersedes."""
        return self._store("/api/preferences", fields, category=category, key=key, value=value, content=content)


class ServiceEvents(_ServiceTyped):
    """The timeline of what happened."""

    def __call__(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        min_importance: float | None = None,
        entity: str | None = None,
        kind: str | None = None,
        limit: int = 100,
    ) -> tuple[MemoryRecord, ...]:
        """List events in order of time; the newest ones when there are more than the limit."""
        query = {"since": since, "until": until, "min_importance": min_importance, "entity": entity, "kind": kind}
        return self._list("/api/events", **query, limit=limit)

    def log(
        self,
        summary: str,
        *,
        kind: str = "event",
        entity: str = "",
        details: str = "",
        participants: Sequence[str] = (),
        occurred_at: datetime | None = None,
        **fields: Unpack[CommonFields],
    ) -> Remembered:
        """Store an event that happened now, or at `occurred_at`."""
        said = {"summary": summary, "kind": kind, "entity": entity, "details": details, "occurred_at": occurred_at}
        return self._store("/api/events", fields, **said, participants=list(participants) or None)

    def timeline(
        self,
        *,
        unit: TimelineUnit = "day",
        since: datetime | None = None,
        until: datetime | None = None,
        zone: str = "",
    ) -> tuple[TimelineBucket, ...]:
        """Count events, other memories, messages and files by hours, days, months or years, in order of time."""
        found = self._get("/api/timeline", unit=unit, since=since, until=until, zone=zone or None)
        return decode_all(TimelineBucket, found["items"])


class ServiceLessons(_ServiceTyped):
    """Lessons learned."""

    def __call__(self, *, context: str | None = None, limit: int = 100) -> tuple[MemoryRecord, ...]:
        """List lessons, the most confident first."""
        return self._list("/api/lessons", context=context, limit=limit)

    def add(self, lesson: str, **fields: Unpack[CommonFields]) -> Remembered:
        """Store a lesson, with the `context` it applies to and the `confidence` it deserves."""
        return self._store("/api/lessons", fields, lesson=lesson)


class ServiceInstructions(_ServiceTyped):
    """How the assistant shall behave."""

    def __call__(self, *, limit: int = 100) -> tuple[MemoryRecord, ...]:
        """List instructions, newest first."""
        return self._list("/api/instructions", limit=limit)

    def add(self, instruction: str, **fields: Unpack[CommonFields]) -> Remembered:
        """Store an instruction that applies always."""
        return self._store("/api/instructions", fields, instruction=instruction)
