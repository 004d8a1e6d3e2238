"""What is sent and what comes back: address and key, requests, responses, and what goes wrong in between.

A response is read no further than its limit; what a server says is shown without the key.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from recollect.errors import SettingsError


def checked_url(url: str, whose: str, example: str) -> str:
    """Give an address without its last slash. Raises SettingsError for one that no key may be sent to."""
    base = url.strip().rstrip("/")
    try:
        parts = urlsplit(base)
        known = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    if not known:
        raise SettingsError(
            f"The address of {whose} is not a URL with http or https. Expected something like {example}."
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise SettingsError(
            f"The address of {whose} at {parts.hostname} carries a login, a query or a fragment. "
            "Give the bare address, and the key as the API key."
        )
    return base


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key and the header it travels in. An empty one travels nowhere."""

    value: str = field(default="", repr=False)
    header: str = "Authorization"
    scheme: str = "Bearer "

    def __post_init__(self) -> None:
        value = self.value.strip()
        if not value.isascii() or not value.isprintable():
            raise SettingsError("The API key holds characters that no header can carry. Copy it again.")
        object.__setattr__(self, "value", value)

    @property
    def headers(self) -> dict[str, str]:
        """What a request carries."""
        return {self.header: f"{self.scheme}{self.value}"} if self.value else {}

    def hidden_in(self, text: str) -> str:
        """Give a text without the key."""
        return text.replace(self.value, "[key]") if self.value else text


class Transient(Exception):
    """Something went wrong that may go right next time. `pause_s` is what the server asked for, if it did."""

    def __init__(self, reason: str, pause_s: float | None = None, status: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.pause_s = pause_s
        self.status = status


class RemoteError(Exception):
    """A server could not be asked, or its answer cannot be used.

    `reason` says what was found and what to do. `transient` failures were tried again, `attempts` times in all; a call
    that was not made, because too many before it had failed, has none. `status` is what the server answered, if it did.
    """

    def __init__(
        self,
        reason: str,
        *,
        status: int | None = None,
        transient: bool = False,
        attempts: int = 1,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.transient = transient
        self.attempts = attempts
        self.retry_after_s = retry_after_s


_LONGEST_EXCERPT: Final = 200
_UNPRINTABLE: Final = re.compile(r"[^\S ]+|[\x00-\x1f\x7f-\x9f]+")


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One question. An answer longer than `most_bytes` is none; what is not `repeatable` is asked only once.

    `timeout_s` is how long an attempt may take, if that is less than usual.
    """

    path: str
    most_bytes: int
    content: bytes = b""
    content_type: str = "application/json"
    method: str = "POST"
    repeatable: bool = True
    timeout_s: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def json(cls, path: str, body: Mapping[str, object], most_bytes: int, *, repeatable: bool = True) -> "HttpRequest":
        """Make a question whose content is JSON. Half a character, which UTF-8 cannot say, becomes a question mark."""
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        return cls(path, most_bytes, content, repeatable=repeatable)


@dataclass(frozen=True, slots=True)
class RawResponse:
    """An answer of any status."""

    status: int
    headers: Mapping[str, str]
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """The body of an answer that says it is a good one."""

    host: str
    content_type: str
    content: bytes = field(repr=False)
    key: ApiKey

    @property
    def complaint(self) -> str:
        """What the body says went wrong, in its own words where they can be found."""
        try:
            body = json.loads(self.content)
        except (ValueError, RecursionError):
            return self.excerpt
        said = _said(body)
        return self._shown(said) if said else self.excerpt

    @property
    def excerpt(self) -> str:
        """The beginning of the body for an error message, on one line and without the key."""
        return self._shown(self.content[: 20 * _LONGEST_EXCERPT].decode("utf-8", "replace"))

    def _shown(self, said: str) -> str:
        # Cut after the key is gone; half a key is still half a secret.
        text = self.key.hidden_in(said[: 20 * _LONGEST_EXCERPT])
        line = " ".join(_UNPRINTABLE.sub(" ", text).split())
        shown = line[:_LONGEST_EXCERPT] + ("…" if len(line) > _LONGEST_EXCERPT else "")
        return shown.rstrip(".") or "(an empty body)"

    def parsed(self) -> Mapping[str, Any]:
        """Read the body as a JSON object. Raises Transient: what is none may be a page of a proxy in between."""
        body = self.value()
        if not isinstance(body, dict):
            raise Transient(f"{self.host} answered with JSON that is no object: {self.excerpt}")
        return body

    def value(self) -> object:
        """Read the body as JSON of any kind. Raises Transient."""
        try:
            body: object = json.loads(self.content)
        except (ValueError, RecursionError) as error:
            kind = self.content_type.partition(";")[0].strip() or "an unnamed type"
            shown = self.key.hidden_in(kind)[:80]
            raise Transient(f"{self.host} answered with {shown} that is not JSON: {self.excerpt}") from error
        return body


def _said(body: object) -> str:
    """Find the sentence in an error as providers, Ollama and RFC 9457 word it."""
    found = body if isinstance(body, dict) else {}
    error = found.get("error")
    inner = error.get("message") if isinstance(error, dict) else error
    return next((text for text in (inner, found.get("detail"), found.get("message")) if isinstance(text, str)), "")


def listed(
    received: HttpResponse, found: object, count: int, of: str, refused: Callable[[str], Exception]
) -> Sequence[Any]:
    """Give what was found in an answer, if it is a list as long as that of the texts. Raises what `refused` makes."""
    if not isinstance(found, list):
        raise refused(f"{received.host} answered without a list of {of}s: {received.excerpt}.")
    if len(found) != count:
        raise refused(f"{received.host} gave {len(found)} {of}s for {count} texts.")
    return found


def by_index(
    received: HttpResponse, found: object, count: int, of: str, refused: Callable[[str], Exception]
) -> list[Mapping[str, Any]]:
    """Give the objects of a list that numbers them, in the order of the numbers. Raises what `refused` makes."""
    ordered: dict[int, Mapping[str, Any]] = {}
    for item in listed(received, found, count, of, refused):
        fields = item if isinstance(item, Mapping) else {}
        index = fields.get("index")
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
            raise refused(f"{received.host} numbered a {of} {index!r}, expected a number from 0 to {count - 1}.")
        if index in ordered:
            raise refused(f"{received.host} gave two {of}s for text {index}.")
        ordered[index] = fields
    return [ordered[index] for index in range(count)]
