"""What an agent's host calls around a turn, and forgetting."""

from typing import Annotated, Any

from fastapi import Body, Response

from recollect.api.memory import UserMemory
from recollect.api.verbs import MemoryVerbs
from recollect.errors import InvalidInput
from recollect.model.memories import Remembered
from recollect.model.places import PLACE_FIELDS
from recollect.model.search import Forgotten, PromptContext, TurnOutcome
from recollect.service import requests
from recollect.service import responses as out
from recollect.service.idempotency import Reply, run_idempotent
from recollect.service.json_routes import json_router
from recollect.service.request_context import ForgetCall, ReadCall, WriteAndReadCall, WriteCall
from recollect.service.verb_fields import reading

router = json_router("Hooks")
forgetting = json_router("Memories")

_TARGETS = ("id", "query", "session", "source", "folder", "everything")


@router.post("/api/hooks/before-prompt", response_model=out.PromptBody)
def before_prompt(body: requests.BeforePromptBody, call: WriteAndReadCall) -> Response:
    """Search with what the user says, then save it, and give a block to put before the prompt.

    It does not fail because something is slow or broken: `degraded` says what is missing. A `location` is kept with
    what the user says, and what is near ranks higher. The block is never longer than `max_tokens`.
    """

    def verb(me: UserMemory) -> PromptContext:
        return me.before_prompt(body.prompt, location=body.place, **body.sent("whole", "prompt", *PLACE_FIELDS))

    def reply(context: PromptContext) -> Reply:
        shown = out.with_records(context, whole=body.whole)
        return Reply(out.dump(out.PromptBody, shown), replayable="saving" not in context.degraded)

    return run_idempotent(call, "before-prompt", verb, reply=reply, committed=PromptContext, request=body, private=True)


@reading(router, MemoryVerbs.start_session, out.PromptBody)
def session_start(*, call: ReadCall, whole: out.Whole = False, **given: Any) -> PromptContext:  # noqa: ANN401 - as the verb has it
    """Give what to show an agent when a session begins: what is known about a project, and what the user prefers.

    It saves nothing, and does not fail because something is slow or broken: `degraded` says what is missing.
    """
    return out.with_records(call.me.start_session(**given), whole=whole)


@router.post("/api/hooks/agent-end", response_model=out.TurnBody)
def agent_end(body: requests.AgentEndBody, call: WriteCall) -> Response:
    """Save what was said in a turn, and keep what can be learned from it. A turn that comes twice has one effect."""
    return run_idempotent(
        call,
        "agent-end",
        lambda me: me.after_turn(body.messages, **body.sent("messages")),
        reply=out.TurnBody,
        committed=TurnOutcome,
        request=body,
        private=True,
    )


@router.post("/api/hooks/session-end", response_model=out.SessionBody)
def session_end(body: requests.SessionEndBody, call: WriteCall) -> Response:
    """Keep a summary of a session as a memory, if `session_summaries` is set."""
    return run_idempotent(
        call,
        "session-end",
        lambda me: me.end_session(**body.sent()),
        reply=lambda summary: Reply(out.dump(out.SessionBody, {"summary": summary})),
        committed=Remembered,
        request=body,
    )


@forgetting.post("/api/forget", response_model=out.ForgottenBody)
def forget(body: Annotated[requests.ForgetBody, Body()], call: ForgetCall) -> Response:
    """Forget for good, with everything that was made from it.

    By `query`, everything that says it is forgotten: memories, sentences of messages, passages of files; summaries are
    made again. That happens at once only if the query says a memory itself; otherwise nothing is forgotten, unless
    `all` of it is meant: there are `candidates` to choose from by their ids, and `items` that say where it is said.
    That shows them, so it also needs a key that may read. `items` say in words what was forgotten, in this answer
    alone: one that is repeated by its `Idempotency-Key` has them without words. By `folder`, the files that were synced
    from it are forgotten; it is named by its root. What was forgotten comes back by no import, sync or redelivered
    history, unless `everything` is forgotten with `allow_again`. With `receipt` there is a signed statement of it,
    without content, if anything was forgotten.
    """
    given = body.sent("whole")
    named = sorted(name for name in _TARGETS if given.get(name))
    if "query" in named:
        call.require("read")
    if len(named) != 1:
        raise InvalidInput(f"Name exactly one of {', '.join(_TARGETS)}; the body names: {', '.join(named) or 'none'}.")

    def verb(me: UserMemory) -> Forgotten:
        # by its root and in no other way: a client must not find out what else is on this disk
        if "folder" in named and given["folder"] not in {one.folder.root for one in me.files.folders(look=False)}:
            return Forgotten("not_found", dry_run=given.get("dry_run", False))
        return me.forget(**given)

    return run_idempotent(
        call,
        "forget",
        verb,
        reply=lambda forgotten: Reply(out.dump(out.ForgottenBody, out.with_candidates(forgotten, whole=body.whole))),
        committed=Forgotten,
        request=body,
        private=True,
    )
