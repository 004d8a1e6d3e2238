"""Typed memories over HTTP. See `recollect.api.facts`, whose verbs these are."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Unpack

from recollect.api.facts import UserEvents, UserFacts, UserInstructions, UserLessons, UserPreferences
from recollect.client.arguments import refuse_vector
from recollect.client.decode import decode
from recollect.client.scoped import ServiceScoped
from recollect.client.sent import sent
from recollect.model.memories import CommonFields, KeyedFields, Remembered
from recollect.model.places import with_location


class _ServiceTyped(ServiceScoped):
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

    __call__ = sent(UserFacts.__call__)

    def set(
        self, subject: str, key: str, value: str, *, content: str = "", **fields: Unpack[KeyedFields]
    ) -> Remembered:
        """Store a fact; a new value for the same subject and key supersedes the old one."""
        return self._store("/api/facts", fields, subject=subject, key=key, value=value, content=content)

    doubts = sent(UserFacts.doubts)


class ServicePreferences(_ServiceTyped):
    """Preferences by category."""

    __call__ = sent(UserPreferences.__call__)

    def set(
        self, category: str, key: str, value: str, *, content: str = "", **fields: Unpack[KeyedFields]
    ) -> Remembered:
        """Store what the user prefers, perhaps in a `context`; a new value supersedes."""
        return self._store("/api/preferences", fields, category=category, key=key, value=value, content=content)


class ServiceEvents(_ServiceTyped):
    """The timeline of what happened."""

    __call__ = sent(UserEvents.__call__)

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

    timeline = sent(UserEvents.timeline)


class ServiceLessons(_ServiceTyped):
    """Lessons learned."""

    __call__ = sent(UserLessons.__call__)

    def add(self, lesson: str, **fields: Unpack[CommonFields]) -> Remembered:
        """Store a lesson, with the `context` it applies to and the `confidence` it deserves."""
        return self._store("/api/lessons", fields, lesson=lesson)


class ServiceInstructions(_ServiceTyped):
    """How the assistant shall behave."""

    __call__ = sent(UserInstructions.__call__)

    def add(self, instruction: str, **fields: Unpack[CommonFields]) -> Remembered:
        """Store an instruction that applies always."""
        return self._store("/api/instructions", fields, instruction=instruction)
