"""A model on loopback that speaks OpenAI's protocol, and does what the last request tells it.

`CALL tool {...}` in a request makes it call a tool and repeat what the tool said; anything else is answered "Noted.".
"""

import json
import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any, Final

from tests.openclaw.loopback import LoopbackServer

_CALL: Final = re.compile(r"CALL (\w+) (\{.*\})")
_INTERNAL: Final = "BEGIN_OPENCLAW_INTERNAL_CONTEXT"
_SUMMARIZER: Final = "context summarization assistant"
_SUMMARY: Final = "\n\n".join(
    f"## {heading}\n- none"
    for heading in ("Decisions", "Open TODOs", "Constraints/Rules", "Pending user asks", "Exact identifiers")
)
Message = dict[str, Any]


class ScriptedModel(LoopbackServer):
    """The model, while it is entered. `requests` holds what it was sent; `on_word` runs when a request has the word."""

    def __init__(self) -> None:
        self.requests: list[list[Message]] = []
        self.on_word: dict[str, Callable[[], None]] = {}
        super().__init__(_handler(self))

    @property
    def base_url(self) -> str:
        """The base address of its protocol."""
        return f"{self.url}/v1"

    def last_prompt(self) -> str:
        """Give the last request of a user, as the model saw it."""
        return text_of(_said_by_user(self.requests[-1])[-1])

    def answer(self, messages: list[Message]) -> tuple[dict[str, Any], str]:
        """Give what is said next: the delta of a chunk, and the reason for its end."""
        self.requests.append(messages)
        if _SUMMARIZER in text_of(messages[0]):
            return {"content": _SUMMARY}, "stop"
        request = _said_by_user(messages)[-1]
        for word, action in list(self.on_word.items()):
            if word in text_of(request):
                del self.on_word[word]
                action()
        results = [each for each in messages[messages.index(request) :] if each["role"] == "tool"]
        if results:
            return {"content": f"The tool said: {text_of(results[-1])}"}, "stop"
        call = _CALL.search(text_of(request))
        if call is None:
            return {"content": "Noted."}, "stop"
        function = {"name": call[1], "arguments": call[2]}
        wanted = {"index": 0, "id": f"call_{len(self.requests)}", "type": "function", "function": function}
        return {"tool_calls": [wanted]}, "tool_calls"


def text_of(message: Message) -> str:
    """Give the text of a message."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(block.get("text", "") for block in content)


def _said_by_user(messages: list[Message]) -> list[Message]:
    return [each for each in messages if each["role"] == "user" and _INTERNAL not in text_of(each)]


def _chunks(delta: dict[str, Any], reason: str) -> Iterator[bytes]:
    base = {"id": "scripted", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    usage = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105}
    said = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": None}
    over = {"index": 0, "delta": {}, "finish_reason": reason}
    for chunk in ({**base, "choices": [said]}, {**base, "choices": [over], "usage": usage}):
        yield f"data: {json.dumps(chunk)}\n\n".encode()
    yield b"data: [DONE]\n\n"


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            delta, reason = model.answer(body["messages"])
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for chunk in _chunks(delta, reason):
                self.wfile.write(chunk)
            self.close_connection = True

    return Handler
