"""Conversations: messages, the window to show a model, compaction, and feedback."""

from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Annotated

from fastapi import Path, Query, Response

from recollect.errors import NotFound
from recollect.model.messages import Compaction, Message, NewMessage, Window
from recollect.service import requests
from recollect.service import responses as out
from recollect.service.body_model import PLAIN_NUMBER
from recollect.service.idempotency import Reply, run_idempotent
from recollect.service.json_routes import json_router
from recollect.service.request_context import ReadCall, WriteAndReadCall, WriteCall

router = json_router("Conversations")

# A conversation may have any name, also one with a slash in it: so what stands behind the name comes first.

ConversationName = Annotated[requests.SessionName, Path(description="The name of a conversation.")]
Neighbours = Annotated[int, Query(ge=0, le=50), PLAIN_NUMBER]
MessageId = Annotated[str, Path(min_length=1, max_length=100, description="The id of a message.")]


@router.post("/api/conversations/{id:path}/messages", status_code=HTTPStatus.CREATED,
             response_model=out.AppendedManyBody)  # fmt: skip
def append_messages(body: requests.MessageOrMessages, call: WriteCall, id: ConversationName) -> Response:
    """Add messages to a conversation, all or none; it begins with the first.

    The body is one message, or `{"messages": [...]}` with up to 100.
    """
    sent = body.messages if isinstance(body, requests.MessagesBody) else [body]
    messages = [NewMessage(**message.model_dump()) for message in sent]
    return run_idempotent(
        call,
        "say",
        lambda me: me.conversation(id).extend(messages),
        reply=lambda results: Reply(out.dump(out.AppendedManyBody, {"results": results}), HTTPStatus.CREATED),
        committed=tuple,
        request=body,
    )


@router.get("/api/conversations", response_model=out.ConversationPageBody)
def list_conversations(
    call: ReadCall,
    limit: requests.QueryLimit = 50,
    cursor: Annotated[
        str | None, Query(max_length=200, pattern=r"^-?[0-9]{1,17}\.", description="The cursor of the page before.")
    ] = None,
) -> dict[str, object]:
    """List conversations, the one that was spoken in last first."""
    listed = call.me.conversations(limit=limit + 1, before=_place(cursor))
    last = listed[limit - 1] if len(listed) > limit else None
    cursor = None if last is None else f"{last.updated_at.timestamp() * 1_000_000:.0f}.{last.id}"
    return {"items": listed[:limit], "cursor": cursor}


@router.get("/api/conversations/{id:path}/window", response_model=out.WindowBody)
def conversation_window(
    call: ReadCall,
    id: ConversationName,
    max_tokens: Annotated[int | None, Query(ge=1, le=10_000_000), PLAIN_NUMBER] = None,
    reasoning: bool = False,  # noqa: FBT001, FBT002 - a query parameter
) -> Window:
    """Give what of a conversation to show a model: system prompts, the live summary, the newest turns that fit."""
    return call.me.conversation(id).window(max_tokens, reasoning=reasoning)


@router.get("/api/conversations/{id:path}/summary", response_model=out.SummaryBody)
def conversation_summary(call: ReadCall, id: ConversationName) -> dict[str, object]:
    """Give the live summary of a conversation, if there is one; `GET /api/messages/{id}/originals` has its sources."""
    return {"summary": call.me.conversation(id).summary()}


@router.get("/api/conversations/{id:path}/learned", response_model=out.LearnedBody)
def conversation_learned(call: ReadCall, id: ConversationName) -> out.Items:
    """Give the memories that were captured from the messages of a conversation, oldest first."""
    return out.Items(call.me.conversation(id).learned())


@router.put("/api/conversations/{id:path}/private", response_model=out.PrivateBody)
def make_private(body: requests.PrivateSwitch, call: WriteCall, id: ConversationName) -> Response:
    """Switch the storing of what is said in a conversation off, or on again. What was stored before stays."""
    return run_idempotent(
        call,
        "private",
        lambda me: me.conversation(id).set_private(body.private),
        reply=lambda _: Reply(out.dump(out.PrivateBody, {"id": id, "private": body.private})),
        committed=type(None),
        request=body,
    )


@router.get("/api/conversations/{id:path}", response_model=out.ConversationDetailBody)
def get_conversation(
    call: ReadCall,
    id: ConversationName,
    limit: requests.QueryLimit = 50,
    cursor: Annotated[str | None, Query(pattern=r"^[0-9]{1,18}$", description="The cursor of the page before.")] = None,
) -> dict[str, object]:
    """Give a conversation with its last messages, in order, and a cursor for those before them."""
    info = call.me.conversation(id).info()
    if info is None:
        raise NotFound(f"No conversation {id!r}. See which there are with GET /api/conversations.")
    messages = call.me.conversation(id).messages(limit=limit, before=None if cursor is None else int(cursor))
    earlier = str(messages[0].sequence) if len(messages) == limit and messages[0].sequence > 1 else None
    return {"conversation": info, "messages": messages, "cursor": earlier}


@router.post("/api/conversations/{id:path}/compact", response_model=out.CompactionBody)
def compact_conversation(
    call: WriteAndReadCall, id: ConversationName, body: requests.CompactBody | None = None
) -> Response:
    """Fold the older part of a conversation into a summary. The originals stay, and search still finds them."""

    def reply(result: Compaction | Message) -> Reply:
        outcome = result if isinstance(result, Compaction) else Compaction("compacted", summary=result)
        return Reply(out.dump(out.CompactionBody, outcome))

    return run_idempotent(
        call,
        "compact",
        lambda me: me.conversation(id).compact(keep_recent=body.keep_recent if body else None),
        reply=reply,
        committed=Message,
        request=body,
        private=True,
    )


@router.post("/api/messages/{id}/feedback", response_model=out.StoredMessageBody)
def rate_message(body: requests.FeedbackBody, call: WriteAndReadCall, id: MessageId) -> Response:
    """Note what the user thought of a message."""
    return run_idempotent(
        call,
        "feedback",
        lambda me: me.messages.rate(id, **body.model_dump()),
        reply=out.StoredMessageBody,
        committed=Message,
        request=body,
        private=True,
    )


@router.get("/api/messages", response_model=out.StoredMessagesBody)
def list_messages(
    call: ReadCall, since: requests.QueryTime = None, until: requests.QueryTime = None, limit: requests.QueryLimit = 50
) -> out.Items:
    """Give the newest messages of a time, of all conversations, in the order in which they were said."""
    return out.Items(call.me.messages.between(since=since, until=until, limit=limit))


@router.get("/api/messages/{id}/around", response_model=out.StoredMessagesBody)
def messages_around(call: ReadCall, id: MessageId, before: Neighbours = 2, after: Neighbours = 2) -> out.Items:
    """Give a message with those before and after it, in order."""
    return out.Items(call.me.messages.around(id, before=before, after=after))


@router.get("/api/messages/{id}/originals", response_model=out.StoredMessagesBody)
def summarized_messages(call: ReadCall, id: MessageId) -> out.Items:
    """Give the messages that a summary was made from, through all earlier summaries, in order."""
    summary = call.me.messages.get(id)
    return out.Items(call.me.conversation(summary.conversation).originals(summary.id))


@router.get("/api/messages/{id}", response_model=out.StoredMessageBody)
def get_message(call: ReadCall, id: MessageId) -> Message:
    """Give one message."""
    return call.me.messages.get(id)


def _place(cursor: str | None) -> tuple[datetime, str] | None:
    if cursor is None:
        return None
    micros, _, name = cursor.partition(".")
    return datetime.fromtimestamp(0, UTC) + timedelta(microseconds=int(micros)), name
