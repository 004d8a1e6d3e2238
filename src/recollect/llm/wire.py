"""What comes back over the wire, checked before anybody believes it."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from recollect.errors import LlmError
from recollect.messages import Usage

_LONGEST_EXCERPT = 200
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_UNPRINTABLE = re.compile(r"[^\S ]+|[\x00-\x1f\x7f-\x9f]+")


class Received(NamedTuple):
    """The body of an answer with status 200."""

    host: str
    content_type: str
    content: bytes


class Answer(NamedTuple):
    """What a model said, why it stopped, and what it cost. Thoughts that it wrote down are left out."""

    text: str
    usage: Usage
    finish: str = ""


def excerpt(content: bytes, safe: Callable[[str], str]) -> str:
    """Give the beginning of a body for an error message, on one line and without the key."""
    # Cut after the key is gone; half a key is still half a secret.
    text = safe(content[: 20 * _LONGEST_EXCERPT].decode("utf-8", "replace"))
    line = " ".join(_UNPRINTABLE.sub(" ", text).split())
    shown = line[:_LONGEST_EXCERPT] + ("…" if len(line) > _LONGEST_EXCERPT else "")
    return shown.rstrip(".") or "(an empty body)"


def read_answer(received: Received, safe: Callable[[str], str]) -> Answer:
    """Read the first choice. Raises LlmError when the body is not what the protocol says."""
    body = _body(received, safe)
    usage = _usage(body.get("usage"))
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise LlmError(
            f"{received.host} answered without a choice: {excerpt(received.content, safe)}. "
            "Expected choices[0].message; check that the address is one of chat completions.",
            usage.tokens,
        )
    finish = "refusal" if message.get("refusal") else choice.get("finish_reason")
    text = _THOUGHTS.sub("", _text(message.get("content")), count=1).strip()
    return Answer(text, usage, finish if isinstance(finish, str) else "")


def _body(received: Received, safe: Callable[[str], str]) -> Mapping[str, Any]:
    try:
        body = json.loads(received.content)
    except (ValueError, RecursionError) as error:
        kind = received.content_type.partition(";")[0].strip() or "an unnamed type"
        raise LlmError(
            f"{received.host} answered with {safe(kind)[:80]} that is not JSON: {excerpt(received.content, safe)}. "
            "Check the address; it usually ends in /v1."
        ) from error
    if not isinstance(body, dict):
        raise LlmError(
            f"{received.host} answered with JSON that is no object: {excerpt(received.content, safe)}. "
            "Check the address."
        )
    return body


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
