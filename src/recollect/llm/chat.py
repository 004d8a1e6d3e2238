"""Asking a language model through any endpoint that speaks OpenAI's chat-completions protocol."""

import random
import re
import time
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from recollect.errors import LlmError, ReaderError, SummaryError
from recollect.http_client import (
    ApiKey,
    Endpoint,
    HttpRequest,
    HttpResponse,
    RemoteError,
    RetryPolicy,
    Transient,
    checked_url,
)
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
    counted = body.get("usage")
    counts: Mapping[str, object] = counted if isinstance(counted, dict) else {}
    usage = Usage(_tokens(counts.get("prompt_tokens")), _tokens(counts.get("completion_tokens")))
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


def _tokens(found: object) -> int:
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0


_PATH: Final = "/chat/completions"
_ADVICE: Final = {
    400: "The endpoint does not accept the request; check the model's name.",
    401: "Check the API key.",
    403: "Check the API key and what it may use.",
    404: "Check the address (it usually ends in /v1) and the model's name.",
    413: "The conversation is too long for this model; lower the compaction threshold.",
    429: "Wait, or raise the limits of the account.",
}


class ChatClient:
    """A model behind `POST {base_url}/chat/completions`. Threads may share one."""

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str | None = None,
        *,
        timeout_s: float = 60.0,
        retries: int = 2,
        max_response_bytes: int = 1_000_000,
        options: Mapping[str, object] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """Take note of where to ask; nothing is loaded or opened before the first question.

        `timeout_s` is how long one attempt may take in all, `retries` how many follow the first. `options` go into the
        request as they are, such as `temperature`: by default none does, because some models refuse some.
        """
        base = base_url.strip().rstrip("/").removesuffix(_PATH)
        self._url = checked_url(base, "the language model", "https://api.openai.com/v1")
        self.model = model
        self._max_response_bytes = max_response_bytes
        self._options = dict(options or {})
        self._endpoint = Endpoint(
            self._url,
            ApiKey(api_key or ""),
            RetryPolicy(timeout_s, max(0, retries)),
            advice=_ADVICE,
            sleep=sleep,
            chance=chance,
        )

    def __repr__(self) -> str:
        return f"ChatClient({self._url!r}, model={self.model!r})"

    def ask(self, instructions: str, text: str) -> ChatCompletion:
        """Ask once and give the answer. Raises LlmError when there is none."""
        messages = [{"role": "system", "content": instructions}, {"role": "user", "content": text}]
        body = {**self._options, "model": self.model, "messages": messages, "stream": False}
        try:
            return self._endpoint.ask(HttpRequest.json(_PATH, body, self._max_response_bytes), read_answer)
        except RemoteError as error:
            asked = f" (asked {error.attempts} times). Nothing was changed." if error.transient else ""
            raise LlmError(f"{error.reason}{asked}") from error

    def close(self) -> None:
        """Give back the connections. Asking again would open new ones."""
        self._endpoint.close()


class ChatTask:
    """What asks a model for a port of its own: a reader, a summarizer."""

    costs = True

    def __init__(self, client: ChatClient) -> None:
        self._client = client

    @property
    def name(self) -> str:
        return self._client.model

    def close(self) -> None:
        self._client.close()

    def _ask(self, instructions: str, text: str, error: type[ReaderError | SummaryError]) -> ChatCompletion:
        try:
            return self._client.ask(instructions, text)
        except LlmError as failure:
            raise error(str(failure), failure.usage_tokens) from failure
