"""Typed memories: facts, preferences, events, lessons and standing instructions to store, by the fields of each."""

from collections.abc import Callable
from typing import Any

from fastapi import Response
from pydantic import ConfigDict

from recollect.api.facts import UserEvents, UserFacts, UserInstructions, UserLessons, UserPreferences
from recollect.api.memory import UserMemory
from recollect.model.memories import Remembered
from recollect.service import responses as out
from recollect.service.body_model import EXAMPLES, StrictBody
from recollect.service.idempotency import answer_changed, run_idempotent
from recollect.service.json_routes import json_router
from recollect.service.request_context import ApiCall, WriteAndReadCall, WriteCall
from recollect.service.request_locations import StoredBody
from recollect.service.requests import JsonObject, MediaList
from recollect.service.verb_fields import taking

router = json_router("Knowledge")


class TypedBody(StoredBody):
    """What all typed memories may have. Without a field, the default of its type counts."""

    metadata: JsonObject | None = None
    media: MediaList | None = None

    def arguments(self) -> dict[str, Any]:
        """Give the keyword arguments of the verb: what was said."""
        return {name: value for name, value in self.model_dump().items() if value not in (None, "")}


@taking(UserFacts.set)
class FactBody(TypedBody):
    """A fact about a thing."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["FactBody"])


@taking(UserFacts.settle, "id")
class SettleBody(StrictBody):
    """Which of two memories that contradict each other is right."""


@taking(UserPreferences.set)
class PreferenceBody(TypedBody):
    """What the user prefers."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["PreferenceBody"])


@taking(UserEvents.log)
class EventBody(TypedBody):
    """Something that happened."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["EventBody"])


@taking(UserLessons.add)
class LessonBody(TypedBody):
    """Something that was learned."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["LessonBody"])


@taking(UserInstructions.add)
class InstructionBody(TypedBody):
    """How the assistant shall behave."""

    model_config = ConfigDict(json_schema_extra=EXAMPLES["InstructionBody"])


@router.post("/api/facts", response_model=out.RememberedBody)
def store_fact(body: FactBody, call: WriteCall) -> Response:
    """Store a fact about a thing. A new value for the same subject and key supersedes the old one."""
    return _store(call, body, lambda me: me.facts.set(**body.arguments()))


@router.post("/api/facts/settle", response_model=out.MemoryBody)
def settle_doubt(body: SettleBody, call: WriteAndReadCall) -> Response:
    """Settle a doubt: say which of two memories that contradict each other is right, and give it.

    Nothing is deleted: the other one is in its history.
    """
    return answer_changed(call, "settle", body, lambda me: me.facts.settle(**body.sent()))


@router.post("/api/preferences", response_model=out.RememberedBody)
def store_preference(body: PreferenceBody, call: WriteCall) -> Response:
    """Store what the user prefers, perhaps in a `context`. A new value supersedes the old one."""
    return _store(call, body, lambda me: me.preferences.set(**body.arguments()))


@router.post("/api/events", response_model=out.RememberedBody)
def store_event(body: EventBody, call: WriteCall) -> Response:
    """Store an event that happened now, or at `occurred_at`."""
    return _store(call, body, lambda me: me.events.log(**body.arguments()))


@router.post("/api/lessons", response_model=out.RememberedBody)
def store_lesson(body: LessonBody, call: WriteCall) -> Response:
    """Store a lesson, with the `context` it applies to and the `confidence` it deserves."""
    return _store(call, body, lambda me: me.lessons.add(**body.arguments()))


@router.post("/api/instructions", response_model=out.RememberedBody)
def store_instruction(body: InstructionBody, call: WriteCall) -> Response:
    """Store an instruction that applies always: it is shown before every prompt."""
    return _store(call, body, lambda me: me.instructions.add(**body.arguments()))


def _store(call: ApiCall, body: TypedBody, verb: Callable[[UserMemory], Remembered]) -> Response:
    return run_idempotent(call, "store", verb, reply=out.RememberedBody, committed=Remembered, request=body)
