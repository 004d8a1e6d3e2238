"""Typed memories: facts, preferences, events, lessons and standing instructions to store."""

from collections.abc import Callable
from http import HTTPStatus

from fastapi import Response

from recollect.api.memory import UserMemory
from recollect.model.memories import MemoryRecord, Remembered
from recollect.service import requests_typed as requests
from recollect.service import responses as out
from recollect.service.idempotency import Reply, run_idempotent
from recollect.service.json_routes import json_router
from recollect.service.request_context import ApiCall, WriteAndReadCall, WriteCall

router = json_router("Knowledge")


@router.post("/api/facts", response_model=out.RememberedBody)
def store_fact(body: requests.FactBody, call: WriteCall) -> Response:
    """Store a fact about a thing. A new value for the same subject and key supersedes the old one."""
    return _store(call, body, lambda me: me.facts.set(**body.arguments()))


@router.post("/api/facts/settle", response_model=out.MemoryBody)
def settle_doubt(body: requests.SettleBody, call: WriteAndReadCall) -> Response:
    """Settle a doubt: say which of two memories that contradict each other is right, and give it.

    Nothing is deleted: the other one is in its history.
    """
    return run_idempotent(
        call,
        "settle",
        lambda me: me.facts.settle(**body.sent()),
        reply=lambda kept: Reply(out.dump(out.MemoryBody, kept)),
        committed=MemoryRecord,
        request=body,
        private=True,
    )


@router.post("/api/preferences", response_model=out.RememberedBody)
def store_preference(body: requests.PreferenceBody, call: WriteCall) -> Response:
    """Store what the user prefers, perhaps in a `context`. A new value supersedes the old one."""
    return _store(call, body, lambda me: me.preferences.set(**body.arguments()))


@router.post("/api/events", response_model=out.RememberedBody)
def store_event(body: requests.EventBody, call: WriteCall) -> Response:
    """Store an event that happened now, or at `occurred_at`."""
    return _store(call, body, lambda me: me.events.log(**body.arguments()))


@router.post("/api/lessons", response_model=out.RememberedBody)
def store_lesson(body: requests.LessonBody, call: WriteCall) -> Response:
    """Store a lesson, with the `context` it applies to and the `confidence` it deserves."""
    return _store(call, body, lambda me: me.lessons.add(**body.arguments()))


@router.post("/api/instructions", response_model=out.RememberedBody)
def store_instruction(body: requests.InstructionBody, call: WriteCall) -> Response:
    """Store an instruction that applies always: it is shown before every prompt."""
    return _store(call, body, lambda me: me.instructions.add(**body.arguments()))


def _store(call: ApiCall, body: requests.TypedBody, verb: Callable[[UserMemory], Remembered]) -> Response:
    return run_idempotent(
        call,
        "store",
        verb,
        reply=lambda stored: Reply(out.dump(out.RememberedBody, stored), HTTPStatus.OK),
        committed=Remembered,
        request=body,
    )
