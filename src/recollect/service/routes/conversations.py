"""Conversations: what was said, what of it to show a model, and what the user thought of it."""

from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Annotated

from fastapi import Path, Query, Response

from recollect.errors import NotFound
from recollect.model.messages import Appended, Compaction, ConversationInfo, Message, NewMessage
from recollect.service import answered as out
from recollect.service import asked
from recollect.service.calls import Reading, Showing, Shown, Work, Writing, carry_out, only
from recollect.service.direct import direct
from recollect.service.strict import BARE

router = direct("Conversations")

# A conversation may have any name, also one with a slash in it: so what stands behind the name comes first.

Id = Annotated[asked.Session, Path(description="The name of a conversation.")]
MessageId = Annotated[str, Path(min_length=1, max_length=100, description="The id of a message.")]


@router.post("/api/conversations/{id:path}/messages", status_code=HTTPStatus.CREATED, response_model=out.AppendedMany)
def append(body: asked.OneOrSeveral, call: Writing, id: Id) -> Response:
    """Add messages to a conversation, all or none; it begins with the first.

    The body is one message, or `{"messages": [...]}` with up to 100.
    """
    given = body.messages if isinstance(body, asked.MessagesBody) else [body]
    messages = [NewMessage(**message.model_dump()) for message in given]

    def show(values: tuple[Appended, ...]) -> Shown:
        return Shown(out.appended(values), HTTPStatus.CREATED)

    def written(result: object) -> Shown | None:
        fits = isinstance(result, tuple) and all(isinstance(one, Appended) for one in result)
        return show(result) if fits else None  # type: ignore[arg-type] # the line above says so

    return carry_out(call, Work("say", show, written), body, lambda me: me.conversation(id).extend(messages))


@router.get("/api/conversations")
def listing(
    call: Reading,
    limit: Annotated[int, Query(ge=1, le=asked.MOST_ITEMS), BARE] = 50,
    cursor: Annotated[
        str | None, Query(max_length=200, pattern=r"^[0-9]{1,17}\.", description="The cursor of the page before.")
    ] = None,
) -> out.ConversationPage:
    """List conversations, the one that was spoken in last first."""
    found = call.me.conversations(limit=limit + 1, before=_place(cursor))
    shown = found[:limit]
    following = _cursor(shown[-1]) if len(found) > limit else None
    return out.ConversationPage(items=[out.conversation_body(one) for one in shown], cursor=following)


@router.get("/api/conversations/{id:path}/window")
def window(
    call: Reading,
    id: Id,
    max_tokens: Annotated[int | None, Query(ge=1, le=10_000_000), BARE] = None,
    reasoning: bool = False,  # noqa: FBT001, FBT002 - a query parameter
) -> out.WindowBody:
    """Give what of a conversation to show a model: system prompts, the live summary, the newest turns that fit."""
    return out.window_body(call.me.conversation(id).window(max_tokens, reasoning=reasoning))


@router.get("/api/conversations/{id:path}")
def get(
    call: Reading,
    id: Id,
    limit: Annotated[int, Query(ge=1, le=asked.MOST_ITEMS), BARE] = 50,
    cursor: Annotated[str | None, Query(pattern=r"^[0-9]{1,18}$", description="The cursor of the page before.")] = None,
) -> out.ConversationAnswer:
    """Give a conversation with its last messages, in order, and a cursor for those before them."""
    info = call.me.conversation(id).info()
    if info is None:
        raise NotFound(f"No conversation {id!r}. See which there are with GET /api/conversations.")
    messages = call.me.conversation(id).messages(limit=limit, before=_sequence(cursor))
    earlier = str(messages[0].sequence) if len(messages) == limit and messages[0].sequence > 1 else None
    return out.ConversationAnswer(
        conversation=out.conversation_body(info),
        messages=[out.message_body(message) for message in messages],
        cursor=earlier,
    )


@router.post("/api/conversations/{id:path}/compact", response_model=out.CompactionBody)
def compact(call: Showing, id: Id, body: asked.CompactBody | None = None) -> Response:
    """Fold the older part of a conversation into a summary. The originals stay, and search still finds them."""
    keep_recent = body.keep_recent if body else None

    def show(value: Compaction) -> Shown:
        return Shown(out.compaction_body(value))

    def written(result: object) -> Shown | None:
        return show(Compaction("compacted", summary=result)) if isinstance(result, Message) else None

    work = Work("compact", show, written, private=True)
    return carry_out(call, work, body, lambda me: me.conversation(id).compact(keep_recent=keep_recent))


@router.post("/api/messages/{id}/feedback", response_model=out.MessageAnswer)
def feedback(body: asked.FeedbackBody, call: Showing, id: MessageId) -> Response:
    """Note what the user thought of a message."""

    def show(message: Message) -> Shown:
        return Shown(out.message_body(message))

    work = Work("feedback", show, only(Message, show), private=True)
    return carry_out(call, work, body, lambda me: me.messages.rate(id, body.feedback))


@router.get("/api/messages/{id}")
def message(call: Reading, id: MessageId) -> out.MessageAnswer:
    """Give one message."""
    return out.message_body(call.me.messages.get(id))


def _cursor(info: ConversationInfo) -> str:
    return f"{info.updated_at.timestamp() * 1_000_000:.0f}.{info.id}"


def _place(cursor: str | None) -> tuple[datetime, str] | None:
    if cursor is None:
        return None
    micros, _, name = cursor.partition(".")
    return datetime.fromtimestamp(0, UTC) + timedelta(microseconds=int(micros)), name


def _sequence(cursor: str | None) -> int | None:
    return None if cursor is None else int(cursor)
