"""Requests and responses; a response is read no further than its limit."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from recollect.http_client.address import ApiKey
from recollect.http_client.failures import Transient

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
