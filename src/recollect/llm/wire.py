"""Responses of a chat endpoint, checked before they are used."""

import re
from typing import NamedTuple

from recollect.errors import LlmError
from recollect.http_client import HttpResponse, Transient
from recollect.model.messages import Usage

_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


class ChatCompletion(NamedTuple):
    """What a model said, why it stopped, and what it cost. Thoughts that it wrote down are left out."""

    text: str
    usage: Usage
    finish: str = ""


def read_answer(received: HttpResponse) -> ChatCompletion:
    """Read the first choice. Raises LlmError when the body is not what the protocol says."""
    try:
        body = received.parsed()
    except Transient as failure:
        # The address was typed by hand: an HTML page in its place is seldom a transient failure.
        raise LlmError(f"{failure.reason}. Check the address; it usually ends in /v1.") from failure
    usage = _usage(body.get("usage"))
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise LlmError(
            f"{received.host} answered without a choice: {received.excerpt}. "
            "Expected choices[0].message; check that the address is one of chat completions.",
            usage.tokens,
        )
    finish = "refusal" if message.get("refusal") else choice.get("finish_reason")
    text = _THOUGHTS.sub("", _text(message.get("content")), count=1).strip()
    return ChatCompletion(text, usage, finish if isinstance(finish, str) else "")


def _text(content: object) -> str:
    """Give the text of a message, which may come in parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def _usage(found: object) -> Usage:
    if not isinstance(found, dict):
        return Usage()
    return Usage(_tokens(found.get("prompt_tokens")), _tokens(found.get("completion_tokens")))


def _tokens(found: object) -> int:
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0
