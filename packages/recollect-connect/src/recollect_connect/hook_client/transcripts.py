"""Reads the end of a conversation that a host wrote down, as JSON lines in the manner of Claude Code.

Only the end is sent, a few turns more than are new: the service recognises by their ids what it has, and turns that
were interrupted are not missed.
"""

import os

from recollect_connect.hook_client import light_json

_TAIL_BYTES = 2_000_000
_MOST_MESSAGES = 200
_MOST_BYTES = 700_000  # of a request; the service takes a million
_SENT = ("role", "content", "id", "said_at", "model")
_LONGEST_OUTPUT = 20_000  # characters of what a tool returned
# Lines that are no part of the conversation.
_ASIDE = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")


def was_said(entry: "dict[str, object]") -> bool:
    """Tell whether a line of a transcript is a message of the conversation."""
    message = entry.get("message")
    return isinstance(message, dict) and "role" in message and not any(entry.get(mark) for mark in _ASIDE)


def message_of(entry: "dict[str, object]") -> "dict[str, object]":
    """Give the message of a line, with its id and time."""
    message = entry["message"]
    line = {"id": entry.get("uuid"), "said_at": entry.get("timestamp")}
    return {**(message if isinstance(message, dict) else {}), **{name: value for name, value in line.items() if value}}


def last_messages(path: str) -> "list[dict[str, object]]":
    """Give the newest messages of a transcript, oldest first, within the limits of a request."""
    chosen: list[dict[str, object]] = []
    size = 0
    for line in reversed(_last_lines(path)):
        try:
            entry = light_json.loads(line)
        except (ValueError, RecursionError):  # a line that is being written, or cut in two
            continue
        if not isinstance(entry, dict) or not was_said(entry):
            continue
        message = _sent(message_of(entry))
        size += len(light_json.dumps(message))
        if len(chosen) == _MOST_MESSAGES or (chosen and size > _MOST_BYTES):
            break
        if size <= _MOST_BYTES:
            chosen.append(message)
    return chosen[::-1]


def text_of(message: "dict[str, object]") -> str:
    """Give the text of a message, without calls of tools and what they returned."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def _last_lines(path: str) -> "list[bytes]":
    with open(os.path.expanduser(path), "rb") as file:  # noqa: PTH111, PTH123 - pathlib imports slowly
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL_BYTES))
        return file.read(_TAIL_BYTES).splitlines()


def _sent(message: "dict[str, object]") -> "dict[str, object]":
    """Give a message without what is of no use to a memory: pictures, and the end of long outputs."""
    sent = {name: value for name, value in message.items() if name in _SENT}
    content = sent.get("content")
    if isinstance(content, list):
        sent["content"] = [_shortened(block) for block in content if isinstance(block, dict)]
    return sent


def _shortened(block: "dict[str, object]") -> "dict[str, object]":
    if block.get("type") == "image":
        return {"type": "text", "text": "[image]"}
    content = block.get("content")
    if block.get("type") != "tool_result" or not content:
        return block
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "\n".join(text for text in texts if isinstance(text, str))
    text = str(content)
    return {**block, "content": text if len(text) <= _LONGEST_OUTPUT else f"{text[:_LONGEST_OUTPUT]}…"}
