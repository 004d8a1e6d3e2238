"""Turns what a host delivers into messages that any store can keep: read, cleaned, redacted, counted, analysed.

What is private never gets past here, nor do secrets or our own block of related information.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect import ids
from recollect.dialogue import blocks
from recollect.engine.base.context import Engine
from recollect.engine.drafts import memory_drafts, redaction
from recollect.engine.drafts.searchable_text import message_terms
from recollect.errors import InvalidMessage
from recollect.model.literals import MessageRole, Trust
from recollect.model.memories import MessageDraft
from recollect.model.messages import Content, Message, NewMessage, ToolCall
from recollect.model.places import check_coordinates
from recollect.text.clean import clean
from recollect.text.fence import without_recall_blocks
from recollect.text.private import without_private

MAX_CHARACTERS = 1_000_000
_MAX_BLOCKS = 4_000_000
_LONGEST_NAME = 256
_TOKENS_PER_MESSAGE = 4  # what models add to each for its role and its ends

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
    """A message that may be kept, but for its place in the conversation; None when nothing of it may be."""

    draft: MessageDraft | None
    sequence: int | None


def speak(engine: Engine, conversation: str, offered: NewMessage, now: datetime) -> DraftedMessage:
    """Prepare a message."""
    role = blocks.role_of(offered.role)
    parts = blocks.read_content(offered.content)
    calls = (*parts.calls, *blocks.tool_calls(offered.tool_calls))
    if not parts.text.strip() and not parts.blocks and not calls and role != "tool":
        raise InvalidMessage("The message is empty. Pass its text, its blocks or its tool calls.")
    _check(offered, role)
    text = kept_text(engine, _bounded(parts.text) if role == "tool" else parts.text)
    if (
        not text
        and not calls
        and role != "tool"
        and not any(block.get("type") not in (None, "text") for block in parts.blocks)
    ):
        return DraftedMessage(None, None)
    message = Message(
        id=ids.new(now),
        conversation=conversation,
        external_id=_name("id", offered.id),
        sequence=0,
        role=role,
        speaker=_speaker(engine, offered.speaker),
        content=text,
        blocks=_kept_blocks(engine, parts.blocks),
        tool_calls=tuple(_kept_call(engine, call) for call in calls),
        tool_call_id=_name("tool_call_id", offered.tool_call_id),
        tokens=0,
        status="active",
        trust=_TRUST[role],
        model=_name("model", offered.model),
        input_tokens=offered.input_tokens,
        output_tokens=offered.output_tokens,
        thinking_tokens=offered.thinking_tokens,
        feedback=None,
        metadata=memory_drafts.checked_mapping("metadata", redaction.public_values(engine, offered.metadata))
        if offered.metadata
        else {},
        said_at=now if offered.said_at is None else memory_drafts.utc(offered.said_at, "said_at"),
        created_at=now,
        **_where(engine, offered),
    )
    return DraftedMessage(finished(engine, message), offered.sequence)


def _where(engine: Engine, offered: NewMessage) -> dict[str, Any]:
    """Give where a message is said, as exactly as may be kept."""
    check_coordinates(offered.lat, offered.lng, InvalidMessage)
    texts = {"address": offered.address, "place_label": offered.place_label}
    kept = {
        name: memory_drafts.bounded(name, redaction.public_text(engine, text), InvalidMessage)
        for name, text in texts.items()
    }
    if offered.lat is None or offered.lng is None:
        return kept
    exact = {"lat": float(offered.lat), "lng": float(offered.lng)}
    return {**kept, **exact, **redaction.public_place(engine, offered.lat, offered.lng)}


def _bounded(output: str) -> str:
    """Cut what a tool gave to what is kept: nobody chose its length or its bytes, and the call needs its answer."""
    if len(output) > MAX_CHARACTERS:
        output = f"{output[: MAX_CHARACTERS - 1]}…"
    return output.encode("utf-8", "replace").decode() if not output.isascii() else output


def finished(engine: Engine, message: Message) -> MessageDraft:
    """Count the tokens and find the terms."""
    calls = sum(engine.tokenizer.count(f"{call.name} {call.arguments}") for call in message.tool_calls)
    text = engine.tokenizer.count(message.content) if message.content else 0
    return MessageDraft(message._replace(tokens=text + calls + _TOKENS_PER_MESSAGE), message_terms(message))


def plain_text(content: Content) -> str:
    """Give the text of a content."""
    return blocks.read_content(content).text


def kept_text(engine: Engine, text: str) -> str:
    """Give what of a text may reach the disk."""
    kept = clean(without_recall_blocks(text))
    if len(kept) > MAX_CHARACTERS:
        raise InvalidMessage(
            f"The message has {len(kept):,} characters; at most {MAX_CHARACTERS:,} are kept. Cut it, or store a file."
        )
    return redaction.public_text(engine, kept).strip()


def _kept_call(engine: Engine, call: ToolCall) -> ToolCall:
    arguments = _kept_arguments(engine, call.arguments)
    return ToolCall(_name("tool call id", call.id), _name("tool name", call.name), arguments)


def _kept_arguments(engine: Engine, arguments: str) -> str:
    """Clean the values and leave the form, so that what was JSON stays JSON."""
    try:
        values = json.loads(arguments)
    except (ValueError, RecursionError):
        return redaction.public_text(engine, clean(arguments))
    kept = redaction.public_values(engine, values)
    return clean(arguments if kept == values else json.dumps(kept, ensure_ascii=False))


def _kept_blocks(engine: Engine, given: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """Keep the parts as they came, without what is private or secret in any of their texts."""
    if not given or _hides_across(given):
        return ()
    plain = memory_drafts.checked_mapping("blocks", {"blocks": list(given)}, limit=_MAX_BLOCKS)["blocks"]
    return tuple(redaction.public_values(engine, redaction.each_text(plain, without_recall_blocks)))


def _hides_across(given: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a private part begins in one block and goes on in another; what lies between is private too."""
    texts = [block["text"] for block in given if isinstance(block.get("text"), str)]
    apart = "".join(map(without_private, texts))
    return "".join(apart.split()) != "".join(without_private("".join(texts)).split())


def _check(offered: NewMessage, role: MessageRole) -> None:
    if role == "tool" and not offered.tool_call_id:
        raise InvalidMessage("The result of a tool needs tool_call_id, the id of the call that it answers.")
    for name in ("sequence", "input_tokens", "output_tokens", "thinking_tokens"):
        number = getattr(offered, name)
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 2**53):
            raise InvalidMessage(f"{name} is {number!r}; it must be a whole number, not negative.")


def _name(field: str, value: object) -> str:
    name = clean(value) if isinstance(value, str) else clean(json.dumps(value))
    if len(name) > _LONGEST_NAME:
        raise InvalidMessage(f"The {field} has {len(name)} characters; at most {_LONGEST_NAME} are kept.")
    return name


def _speaker(engine: Engine, given: str) -> str:
    """Give a name as it may be kept, on one line: nobody speaks for somebody else by having a name of two."""
    return " ".join(redaction.public_text(engine, _name("speaker", given)).split()) if given else ""


def conversation_name(conversation: str) -> str:
    """Insist on an id that a conversation can have."""
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
