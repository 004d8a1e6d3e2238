"""Drafts of messages: parsed, cleaned, redacted, counted and analysed, so that any store can keep them.

The invariant: private text, secrets, our own recall blocks and what a host adds to a user's words never get past here.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from recollect import ids
from recollect.dialogue import blocks
from recollect.engine.base.context import Engine
from recollect.engine.base.scopes import authored_metadata
from recollect.engine.drafts import memory_drafts, redaction
from recollect.engine.drafts.items import message_terms
from recollect.engine.drafts.media import with_checked_media
from recollect.errors import InvalidMessage
from recollect.model.literals import MessageRole, Trust
from recollect.model.media import Media
from recollect.model.memories import MessageDraft, Scope
from recollect.model.messages import Message, NewMessage, ToolCall
from recollect.model.places import check_coordinates
from recollect.text.clean import clean
from recollect.text.fence import without_host_notes, without_recall_blocks
from recollect.text.private import without_private

MAX_CHARACTERS = 1_000_000
MAX_BLOCK_CHARACTERS = 4_000_000
MAX_NAME = 256
_TOKENS_PER_MESSAGE = 4  # that models add for the role and the ends

# A tool may have read anything. What the assistant says is its own conclusion.
_TRUST: Mapping[MessageRole, Trust] = {
    "user": Trust.STATED,
    "system": Trust.STATED,
    "assistant": Trust.INFERRED,
    "reasoning": Trust.INFERRED,
    "tool": Trust.EXTERNAL,
}


@dataclass(frozen=True, slots=True)
class DraftedMessage:
    """A message without its place in the conversation; the draft is None when nothing of it may be kept."""

    draft: MessageDraft | None
    sequence: int | None


def draft_message(
    engine: Engine, scope: Scope, conversation: str, offered: NewMessage, now: datetime
) -> DraftedMessage:
    """Draft a message."""
    offered = with_checked_media(engine, scope, offered)
    role = blocks.role_of(offered.role)
    parts = blocks.read_content(offered.content)
    calls = (*parts.calls, *blocks.tool_calls(offered.tool_calls))
    if not (parts.text.strip() or parts.blocks or calls or offered.media) and role != "tool":
        raise InvalidMessage("The message is empty. Pass its text, its blocks, its media or its tool calls.")
    _check(offered, role)
    text = clean_text(engine, _truncate(parts.text) if role == "tool" else parts.text, role)
    has_media = bool(offered.media) or any(block.get("type") not in (None, "text") for block in parts.blocks)
    if not text and not calls and role != "tool" and not has_media:
        return DraftedMessage(None, None)
    message = Message(
        id=ids.new(now),
        conversation=conversation,
        external_id=_name("id", offered.id),
        sequence=0,
        role=role,
        speaker=_speaker(engine, offered.speaker),
        content=text,
        blocks=_clean_blocks(engine, parts.blocks, role),
        tool_calls=tuple(
            ToolCall(
                _name("tool call id", call.id),
                _name("tool name", call.name),
                _clean_arguments(engine, call.arguments),
            )
            for call in calls
        ),
        tool_call_id=_name("tool_call_id", offered.tool_call_id),
        tokens=0,
        status="active",
        trust=_TRUST[role],
        model=_name("model", offered.model),
        input_tokens=offered.input_tokens,
        output_tokens=offered.output_tokens,
        thinking_tokens=offered.thinking_tokens,
        feedback=None,
        metadata=_metadata(engine, offered),
        said_at=now if offered.said_at is None else memory_drafts.utc(offered.said_at, "said_at"),
        created_at=now,
        **_place_fields(engine, offered),
        media=cast("tuple[Media, ...]", offered.media) or (),  # checked above
    )
    return DraftedMessage(finish(engine, message), offered.sequence)


def _metadata(engine: Engine, offered: NewMessage) -> Mapping[str, Any]:
    given: Mapping[str, Any] = {}
    if offered.metadata:
        given = memory_drafts.checked_mapping("metadata", redaction.public_values(engine, offered.metadata))
    return authored_metadata(engine, given)


def _place_fields(engine: Engine, offered: NewMessage) -> dict[str, Any]:
    """Give the place of a message, with the precision of the settings."""
    check_coordinates(offered.lat, offered.lng, InvalidMessage)
    texts = {"address": offered.address, "place_label": offered.place_label}
    fields = {
        name: memory_drafts.bounded(name, redaction.public_text(engine, text), InvalidMessage)
        for name, text in texts.items()
    }
    if offered.lat is None or offered.lng is None:
        return fields
    exact = {"lat": float(offered.lat), "lng": float(offered.lng)}
    return {**fields, **exact, **redaction.public_place(engine, offered.lat, offered.lng)}


def _truncate(output: str) -> str:
    """Truncate the output of a tool, and replace what is not text."""
    if len(output) > MAX_CHARACTERS:
        output = f"{output[: MAX_CHARACTERS - 1]}…"
    return output.encode("utf-8", "replace").decode() if not output.isascii() else output


def finish(engine: Engine, message: Message) -> MessageDraft:
    """Count the tokens and find the terms."""
    calls = sum(engine.tokenizer.count(f"{call.name} {call.arguments}") for call in message.tool_calls)
    text = engine.tokenizer.count(message.content) if message.content else 0
    return MessageDraft(message._replace(tokens=text + calls + _TOKENS_PER_MESSAGE), message_terms(message))


def clean_text(engine: Engine, text: str, role: MessageRole = "assistant") -> str:
    """Clean and redact a text. Of a user's it leaves out what a host added to their words."""
    cleaned = clean(_foreign_to(role)(text))
    length = len(cleaned)
    if length > MAX_CHARACTERS:
        raise InvalidMessage(
            f"The message has {length:,} characters; at most {MAX_CHARACTERS:,} are kept. Cut it, or store a file."
        )
    return redaction.public_text(engine, cleaned).strip()


def _foreign_to(role: MessageRole) -> Callable[[str], str]:
    """Give what takes the text out of a message that its author did not write."""
    return without_host_notes if role == "user" else without_recall_blocks


def _clean_arguments(engine: Engine, arguments: str) -> str:
    """Redact the values and leave the form, so that JSON stays JSON."""
    public = redaction.change_json(arguments, lambda values: redaction.public_values(engine, values))
    return redaction.public_text(engine, clean(arguments)) if public is None else clean(public)


def _clean_blocks(
    engine: Engine, content_blocks: Sequence[Mapping[str, Any]], role: MessageRole
) -> tuple[Mapping[str, Any], ...]:
    if not content_blocks or _is_private_across(content_blocks):
        return ()
    plain = memory_drafts.checked_mapping("blocks", {"blocks": list(content_blocks)}, limit=MAX_BLOCK_CHARACTERS)[
        "blocks"
    ]
    return tuple(redaction.public_values(engine, redaction.each_text(plain, _foreign_to(role))))


def _is_private_across(content_blocks: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether a private passage begins in one block and ends in another."""
    texts = [block["text"] for block in content_blocks if isinstance(block.get("text"), str)]
    single = "".join(map(without_private, texts))
    return "".join(single.split()) != "".join(without_private("".join(texts)).split())


def _check(offered: NewMessage, role: MessageRole) -> None:
    if role == "tool" and not offered.tool_call_id:
        raise InvalidMessage("The result of a tool needs tool_call_id, the id of the call that it answers.")
    for name in ("sequence", "input_tokens", "output_tokens", "thinking_tokens"):
        number = getattr(offered, name)
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 2**53):
            raise InvalidMessage(f"{name} is {number!r}; it must be a whole number, not negative.")


def _name(field: str, value: object) -> str:
    name = clean(value) if isinstance(value, str) else clean(json.dumps(value))
    if len(name) > MAX_NAME:
        raise InvalidMessage(f"The {field} has {len(name)} characters; at most {MAX_NAME} are kept.")
    return name


def _speaker(engine: Engine, name: str) -> str:
    """Redact a speaker's name, on one line: a second line could pass for another speaker."""
    return " ".join(redaction.public_text(engine, _name("speaker", name)).split()) if name else ""


def conversation_name(conversation: str) -> str:
    """Check the id of a conversation."""
    if not isinstance(conversation, str) or not conversation or clean(conversation) != conversation:
        raise InvalidMessage(
            f"The conversation id {conversation!r} cannot be used: it must be a text without control characters or "
            "outer spaces."
        )
    if len(conversation) > memory_drafts.LONGEST_SESSION:
        raise InvalidMessage(
            f"The conversation id has {len(conversation)} characters; at most {memory_drafts.LONGEST_SESSION} are kept."
        )
    return conversation
