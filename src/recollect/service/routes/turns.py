"""What an agent's host calls around a turn, and forgetting."""

from typing import Annotated

from fastapi import APIRouter, Body, Response

from recollect.api.memory import UserMemory
from recollect.errors import InvalidInput
from recollect.model.memories import Remembered
from recollect.model.search import Forgotten, PromptContext, TurnOutcome
from recollect.service import answered as out
from recollect.service import asked
from recollect.service.calls import Forgetting, Showing, Shown, Work, Writing, carry_out, only

router = APIRouter(tags=["Hooks"])
forgetting = APIRouter(tags=["Memories"])


@router.post("/api/hooks/before-prompt", response_model=out.PromptBody)
def before_prompt(body: asked.BeforePromptBody, call: Showing) -> Response:
    """Search with what the user says, then save it, and give a block to put before the prompt.

    It does not fail because something is slow or broken: `degraded` says what is missing. A `location` is kept with
    what the user says, and what is near ranks higher.
    """

    def show(value: PromptContext) -> Shown:
        return Shown(out.prompt_body(value), lasting="saving" not in value.degraded)

    def verb(me: UserMemory) -> PromptContext:
        return me.before_prompt(
            body.prompt,
            session=body.session,
            id=body.id,
            speaker=body.speaker,
            metadata=body.metadata,
            location=body.whereabouts,
        )

    return carry_out(call, Work("before-prompt", show, only(PromptContext, show), private=True), body, verb)


@router.post("/api/hooks/agent-end", response_model=out.TurnBody)
def agent_end(body: asked.AgentEndBody, call: Writing) -> Response:
    """Save what was said in a turn, and keep what can be learned from it. A turn that comes twice has one effect."""

    def show(value: TurnOutcome) -> Shown:
        return Shown(out.turn_body(value))

    work = Work("agent-end", show, only(TurnOutcome, show), private=True)
    return carry_out(call, work, body, lambda me: me.after_turn(body.messages, session=body.session))


@router.post("/api/hooks/session-end", response_model=out.SessionBody)
def session_end(body: asked.SessionEndBody, call: Writing) -> Response:
    """Keep a summary of a session as a memory, if `session_summaries` is set."""

    def show(value: Remembered | None) -> Shown:
        return Shown(out.SessionBody(summary=out.remembered(value) if value else None))

    return carry_out(
        call, Work("session-end", show, only(Remembered, show)), body, lambda me: me.end_session(body.session)
    )


@forgetting.post("/api/forget", response_model=out.ForgottenBody)
def forget(body: Annotated[asked.ForgetBody, Body()], call: Forgetting) -> Response:
    """Forget for good, with everything that was made from it.

    By `query`, only what clearly matches is forgotten; otherwise there are `candidates` to choose from by their ids.
    That shows them, so it also needs a key that may read. By `folder`, the files that were synced from it are
    forgotten; it is named by its root.
    """
    if body.query is not None:
        call.insist_on("read")
    given = body.model_dump(exclude_unset=True)
    dry_run = given.pop("dry_run", False)
    named = {name: value for name, value in given.items() if value not in (None, False)}
    if len(named) != 1:
        found = ", ".join(sorted(named)) or "none"
        raise InvalidInput(
            f"Name exactly one of id, query, session, source, folder, everything; the body names: {found}."
        )

    def show(value: Forgotten) -> Shown:
        return Shown(out.forgotten(value))

    def verb(me: UserMemory) -> Forgotten:
        # by its root and in no other way: whoever asks must not find out what else is on this disk
        if body.folder is not None and body.folder not in {one.folder.root for one in me.files.folders(look=False)}:
            return Forgotten("not_found", dry_run=dry_run)
        return me.forget(**named, dry_run=dry_run)

    return carry_out(call, Work("forget", show, only(Forgotten, show), private=True), body, verb)
