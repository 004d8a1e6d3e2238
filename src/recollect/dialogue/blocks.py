"""Reads what hosts call the content of a message: a plain text, or blocks in the manner of one of the model providers.

The invariant: nothing of the content is dropped silently. Text becomes the text, tool calls and results become what
they are, thinking becomes reasoning, and any other block (an image, a file) is kept as it is and named in the text.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from recollect.errors import InvalidMessage
from recollect.model.literals import ROLES, MessageRole
from recollect.model.messages import Content, NewMessage, ToolCall
from recollect.model.places import PLACE_FIELDS, PlaceFields, with_location

# What hosts call the roles.
_ROLES: Mapping[str, MessageRole] = {
    **{role: role for role in ROLES},
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
    "developer": "system",
    "function": "tool",
    "toolresult": "tool",
    "tool_result": "tool",
    "thinking": "reasoning",
}
_MILLISECONDS = 1e11  # what is larger cannot be seconds: that would be the year 5138
_CALLS = frozenset({"tool_use", "toolCall", "tool_call", "function_call"})
_RESULTS = frozenset({"tool_result", "toolResult", "function_call_output"})
_THINKING = frozenset({"thinking", "reasoning"})
_TEXTS = frozenset({"text", "input_text", "output_text"})
_NAMED_BLOCK = re.compile(r"^\[\w+\]$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ToolResultBlock:
    """What a tool answered, when it stands inside a message of another role."""

    tool_call_id: str
    content: Content


@dataclass(frozen=True, slots=True)
class ContentParts:
    """What a content consists of."""

    text: str
    blocks: tuple[Mapping[str, Any], ...] = ()
    calls: tuple[ToolCall, ...] = ()
    thinking: str = ""
    results: tuple[ToolResultBlock, ...] = ()


def role_of(name: object) -> MessageRole:
    """Understand a host's word for a role."""
    role = _ROLES.get(str(name).lower())
    if role is None:
        raise InvalidMessage(f"Unknown role {name!r}. Roles are: {', '.join(ROLES)}.")
    return role


def read_content(content: Content) -> ContentParts:
    """Take a content apart."""
    if isinstance(content, str):
        return ContentParts(content)
    if isinstance(content, Mapping) or not isinstance(content, Sequence):
        raise InvalidMessage(f"The content is a {type(content).__name__}; pass a text or a list of blocks.")
    blocks = tuple({"type": "text", "text": block} if isinstance(block, str) else _checked(block) for block in content)
    texts = [text for block in blocks if (text := _shown(block))]
    thinking = [
        str(block.get("thinking") or block.get("text") or block.get("reasoning") or "")
        for block in blocks
        if block.get("type") in _THINKING
    ]
    return ContentParts(
        text="\n".join(texts),
        blocks=() if all(block.get("type") in _TEXTS for block in blocks) else blocks,
        calls=tuple(_call(block) for block in blocks if block.get("type") in _CALLS),
        thinking="\n".join(filter(None, thinking)),
        results=tuple(_result(block) for block in blocks if block.get("type") in _RESULTS),
    )


def tool_calls(calls: Sequence[ToolCall | Mapping[str, Any]]) -> tuple[ToolCall, ...]:
    """Understand tool calls as hosts pass them."""
    return tuple(call if isinstance(call, ToolCall) else _call(_checked(call)) for call in calls)


def messages_of(offered: NewMessage | Mapping[str, Any]) -> Iterator[NewMessage]:
    """Give the messages that a host's message stands for: before it what was thought, and what tools answered."""
    message = offered if isinstance(offered, NewMessage) else _from_mapping(offered)
    parts = read_content(message.content)
    if parts.thinking and message.role == "assistant":
        yield NewMessage(
            "reasoning", parts.thinking, id=_derived(message.id, "thinking"), said_at=message.said_at,
            model=message.model, thinking_tokens=message.thinking_tokens, speaker=message.speaker,
        )  # fmt: skip
    for position, result in enumerate(parts.results):
        yield NewMessage(
            "tool", result.content, id=_derived(message.id, f"result{position}"), tool_call_id=result.tool_call_id,
            said_at=message.said_at,
        )  # fmt: skip
    says = parts.text.strip() or message.tool_calls or parts.calls or message.media
    if says or not (parts.thinking or parts.results):
        yield message


def _derived(message_id: str, part: str) -> str:
    return f"{message_id}#{part}" if message_id else ""


def _from_mapping(offered: Mapping[str, Any]) -> NewMessage:
    """Read a message in the manner of OpenAI, Anthropic or OpenClaw."""
    if not isinstance(offered, Mapping) or "role" not in offered:
        raise InvalidMessage("A message needs a role and a content, for example {'role': 'user', 'content': 'Hello'}.")
    counted = offered.get("usage")
    usage: Mapping[str, Any] = counted if isinstance(counted, Mapping) else {}
    role = role_of(offered["role"])
    content, media = offered.get("content"), offered.get("media")
    names = (offered.get("speaker"), None if role == "tool" else offered.get("name"))  # a result's is that of the tool
    message = NewMessage(
        role,
        "" if content is None else content,
        id=_id(offered),
        tool_calls=offered.get("tool_calls") or (),
        tool_call_id=str(offered.get("tool_call_id") or offered.get("toolCallId") or ""),
        said_at=_moment(offered.get("said_at") or offered.get("timestamp") or offered.get("created_at")),
        model=str(offered.get("model") or ""),
        input_tokens=_own(offered, "input_tokens", _tokens(usage, "input_tokens", "prompt_tokens", "input")),
        output_tokens=_own(offered, "output_tokens", _tokens(usage, "output_tokens", "completion_tokens", "output")),
        thinking_tokens=_own(offered, "thinking_tokens", _tokens(usage, "thinking_tokens", "reasoning_tokens")),
        metadata=offered.get("metadata") or {},
        speaker=next((name for name in names if isinstance(name, str) and name), ""),
        media=media if isinstance(media, list | tuple) else (),  # other hosts call other things so
        **_place(offered),
    )
    return replace(message, sequence=offered["sequence"]) if "sequence" in offered else message


def _id(offered: Mapping[str, Any]) -> str:
    """Give the host's own id of a message. OpenClaw has it in `__openclaw`, or names what a user says by a key."""
    noted = offered.get("__openclaw")
    notes: Mapping[str, Any] = noted if isinstance(noted, Mapping) else {}
    names = (offered.get("id"), offered.get("message_id"), notes.get("id"), offered.get("idempotencyKey"))
    return str(next(filter(None, names), ""))


def _place(offered: Mapping[str, Any]) -> PlaceFields:
    """Give where a message was said: its own fields, or those of its `location`."""
    where = {name: offered.get(name) for name in PLACE_FIELDS}
    location = offered.get("location")
    if isinstance(location, Mapping):  # that of a host may have more fields
        location = {name: location[name] for name in PLACE_FIELDS if name in location} or None
    where = with_location({**where, "location": location})
    address, label = where.get("address") or "", where.get("place_label") or ""
    if not isinstance(address, str) or not isinstance(label, str):
        raise InvalidMessage("The address and the place_label of a message are texts.")
    return {"lat": where.get("lat"), "lng": where.get("lng"), "address": address, "place_label": label}


def _own(offered: Mapping[str, Any], name: str, counted: int | None) -> int | None:
    """Give the count that the message itself has, or else the one of its usage. A wrong one is refused later."""
    own: int | None = offered.get(name)
    return counted if own is None else own


def _tokens(usage: Mapping[str, Any], *names: str) -> int | None:
    found = (usage[name] for name in names if isinstance(usage.get(name), int))
    return next(found, None)


def _moment(value: object) -> datetime | None:
    """Understand a moment: aware, as ISO 8601, or as seconds or milliseconds since 1970."""
    if value is None or isinstance(value, datetime):
        return value
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            seconds = value / 1000 if value > _MILLISECONDS else value
            return datetime.fromtimestamp(seconds, UTC)
        moment = datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidMessage(f"The time of a message is {value!r}; pass ISO 8601 or seconds since 1970.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _checked(block: object) -> Mapping[str, Any]:
    if not isinstance(block, Mapping):
        raise InvalidMessage(f"A block is a {type(block).__name__}; it must be a mapping, as in {{'type': 'text', …}}.")
    return block


def without_named_blocks(text: str) -> str:
    """Leave out the lines that only name a block, such as an image: they are no words of a question."""
    return _NAMED_BLOCK.sub("", text)


def _shown(block: Mapping[str, Any]) -> str:
    """Give what a block says in the text of its message."""
    kind = block.get("type")
    if kind in _TEXTS or (kind is None and "text" in block):
        return str(block.get("text") or "")
    if kind in _CALLS or kind in _RESULTS or kind in _THINKING or kind == "redacted_thinking":
        return ""
    return f"[{kind or 'block'}]"


def _call(block: Mapping[str, Any]) -> ToolCall:
    inner = block.get("function")
    function: Mapping[str, Any] = inner if isinstance(inner, Mapping) else block
    name, given = function.get("name"), function.get("arguments", function.get("input", {}))
    call_id = block.get("id") or block.get("call_id")
    if not name or not call_id:
        raise InvalidMessage(f"A tool call needs an id and a name; found id {call_id!r} and name {name!r}.")
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=str)
    return ToolCall(str(call_id), str(name), arguments)


def _result(block: Mapping[str, Any]) -> ToolResultBlock:
    call_id = block.get("tool_use_id") or block.get("toolCallId") or block.get("call_id") or block.get("tool_call_id")
    if not call_id:
        raise InvalidMessage("A tool result names no tool call. Add tool_use_id.")
    content = block.get("content", block.get("output", ""))
    return ToolResultBlock(str(call_id), "" if content is None else content)
