"""Asking a language model through any endpoint that speaks OpenAI's chat-completions protocol.

The invariant: the key goes to the configured host in one header and nowhere else; not to another host, because no
redirect is followed, and not into a message, because what a server says is searched for it first.
"""

import random
import time
from collections.abc import Callable, Mapping
from threading import Lock
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from recollect.errors import LlmError, SettingsError
from recollect.llm.wire import Answer, Received, excerpt, read_answer

if TYPE_CHECKING:
    import httpx2

_RETRIED: Final = frozenset((408, 409, 429, 500, 502, 503, 504, 529))
_REDIRECTS: Final = range(300, 400)
_OK: Final = 200
_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 8.0
_LONGEST_RETRY_AFTER_S: Final = 30.0
_ADVICE: Final = {
    400: "The endpoint does not accept the request; check the model's name.",
    401: "Check the API key.",
    403: "Check the API key and what it may use.",
    404: "Check the address (it usually ends in /v1) and the model's name.",
    413: "The conversation is too long for this model; lower the compaction threshold.",
    429: "Wait, or raise the limits of the account.",
}


class _Retry(Exception):
    """Something went wrong that may go right next time; never leaves this module."""

    def __init__(self, reason: str, pause_s: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.pause_s = pause_s


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
        self._url = _checked_url(base_url)
        self._host = urlsplit(self._url).netloc
        self._model = model
        self._key = _checked_key(api_key)
        self._timeout_s = timeout_s
        self._retries = max(0, retries)
        self._max_response_bytes = max_response_bytes
        self._options = dict(options or {})
        self._sleep = sleep
        self._chance = chance
        self._lock = Lock()
        self._client: httpx2.Client | None = None

    def __repr__(self) -> str:
        return f"ChatClient({self._url!r}, model={self._model!r})"

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._model

    def ask(self, instructions: str, text: str) -> Answer:
        """Ask once and give the answer. Raises LlmError when there is none."""
        messages = [{"role": "system", "content": instructions}, {"role": "user", "content": text}]
        body = {**self._options, "model": self._model, "messages": messages, "stream": False}
        for attempt in range(self._retries + 1):
            try:
                received = self._post(body)
                return read_answer(received, self._safe)
            except _Retry as failure:
                if attempt == self._retries:
                    raise LlmError(f"{failure.reason} (asked {attempt + 1} times). Nothing was changed.") from failure
                self._sleep(self._pause_s(attempt, failure.pause_s))
        raise AssertionError("unreachable")

    def close(self) -> None:
        """Give back the connections. Asking again would open new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client:
            client.close()

    def _post(self, body: Mapping[str, object]) -> Received:
        import httpx2  # noqa: PLC0415  # takes 0.1 s that most commands need not spend

        deadline = time.monotonic() + self._timeout_s
        try:
            with self._opened().stream("POST", self._url, json=body, headers=self._headers()) as response:
                content = self._read(response, deadline)
        except httpx2.TimeoutException as error:
            raise _Retry(self._too_slow()) from error
        except httpx2.TransportError as error:
            found = self._safe(str(error)) or type(error).__name__
            raise _Retry(f"{self._host} could not be asked: {found}. Check the address and the network") from error
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            raise LlmError(f"{self._host} cannot be asked: {self._safe(str(error))}. Check the address.") from error
        return self._judged(response, content)

    def _read(self, response: "httpx2.Response", deadline: float) -> bytes:
        """Read a body that is neither too long nor too slow. It is not unpacked, so it cannot grow in our hands."""
        content = bytearray()
        for chunk in response.iter_raw():
            content += chunk
            if len(content) > self._max_response_bytes:
                raise LlmError(
                    f"{self._host} sent more than {self._max_response_bytes:,} bytes, which is no answer of a model. "
                    "Check the address."
                )
            if time.monotonic() > deadline:
                raise _Retry(self._too_slow())
        return bytes(content)

    def _judged(self, response: "httpx2.Response", content: bytes) -> Received:
        status = response.status_code
        received = Received(self._host, response.headers.get("content-type", ""), content)
        if status == _OK:
            return received
        found = f"{self._host} answered {status}: {excerpt(content, self._safe)}"
        if status in _REDIRECTS:
            target = urlsplit(response.headers.get("location", "")).netloc or "another path"
            raise LlmError(
                f"{self._host} answered {status}, a redirect to {self._safe(target)}, which is not followed "
                "because the key is not meant for it. Configure the final address."
            )
        if status in _RETRIED:
            raise _Retry(f"{found}. {_ADVICE.get(status, 'Try again later.')}", _retry_after_s(response))
        raise LlmError(f"{found}. {_ADVICE.get(status, 'Check the address and the model.')}")

    def _opened(self) -> "httpx2.Client":
        import httpx2  # noqa: PLC0415  # see above

        with self._lock:
            if self._client is None:
                # A proxy from the environment may carry what is encrypted, but never see a key in clear text.
                encrypted = self._url.startswith("https://")
                self._client = httpx2.Client(
                    timeout=self._timeout_s, follow_redirects=False, trust_env=encrypted, verify=True
                )
            return self._client

    def _headers(self) -> dict[str, str]:
        headers = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "recollect"}
        return {**headers, "Authorization": f"Bearer {self._key}"} if self._key else headers

    def _pause_s(self, attempt: int, asked_s: float | None) -> float:
        if asked_s is not None:
            return min(asked_s, _LONGEST_RETRY_AFTER_S)
        return min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0**attempt) * (0.5 + self._chance())

    def _too_slow(self) -> str:
        return f"{self._host} did not answer within {self._timeout_s:g} s. Try again, or raise the timeout"

    def _safe(self, text: str) -> str:
        return text.replace(self._key, "[key]") if self._key else text


def _checked_url(base_url: str) -> str:
    base = base_url.strip().rstrip("/").removesuffix("/chat/completions")
    try:
        parts = urlsplit(base)
        known = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    if not known:
        raise SettingsError(
            "The address of the language model is not a URL with http or https. "
            "Expected something like https://api.openai.com/v1."
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise SettingsError(
            f"The address of the language model at {parts.hostname} carries a login, a query or a fragment. "
            "Give the bare address, and the key as the API key."
        )
    return f"{base}/chat/completions"


def _checked_key(api_key: str | None) -> str | None:
    key = (api_key or "").strip()
    if not key.isascii() or not key.isprintable():
        raise SettingsError("The API key holds characters that no header can carry. Copy it again.")
    return key or None


def _retry_after_s(response: "httpx2.Response") -> float | None:
    """Give the pause the server asked for in seconds; a date would need a clock, and hardly anybody sends one."""
    try:
        return max(0.0, float(int(response.headers.get("retry-after", ""))))
    except ValueError:
        return None
