"""An embedder behind a network: texts are made to fit, sent in requests that fit, and the answers checked.

The invariant: a failure says whose fault it is. ProviderUnavailable blames no text, TextRefused may blame one, and a
plain EmbeddingError means that an answer made no sense.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Final, Protocol

import numpy as np

from recollect.embedding.check_response import unit_rows
from recollect.embedding.prefixes import prefixed
from recollect.embedding.protocols import EmbeddingProtocol, EmbedResponse
from recollect.embedding.truncate import fitted, requests
from recollect.errors import EmbeddingError, ProviderUnavailable, TextRefused
from recollect.http_client import ApiKey, CircuitBreaker, Endpoint, HttpRequest, HttpResponse, RemoteError, RetryPolicy
from recollect.model.memories import Space, Vector
from recollect.model.messages import Usage
from recollect.ports import BulkEmbedder, Role, Tokenizer

_BLAME_A_TEXT: Final = frozenset((400, 413, 422))
_BAD_KEY: Final = ("api_key_invalid", "api key not valid", "incorrect api key", "invalid api key")
_BYTES_PER_NUMBER: Final = 32  # of JSON, written out and indented; base64 takes six
_MOST_DIMENSIONS: Final = 8_192  # of an unknown model
_ROOM: Final = 65_536  # for what else stands in an answer, and for what a server says about an error
_LONGEST_WAIT_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class ProviderProfile:
    """The provider, its model and its limits. `dimensions` is None while they are unknown.

    `scheme` names the prefixes of the space, `written` those that we write: some servers write them by themselves.
    """

    provider: str
    model: str
    scheme: str
    written: str
    dimensions: int | None
    most_texts: int
    most_tokens: int | None
    longest_tokens: int | None
    price: float | None


class ProviderProbe(Protocol):
    """A first question that makes sure who is there."""

    def __call__(self, endpoint: Endpoint, profile: ProviderProfile) -> None:
        """Ask. Raises RemoteError, or ProviderUnavailable when another model answers."""
        ...


class ClosingBulk(BulkEmbedder, Protocol):
    """A bulk embedder with connections of its own."""

    def close(self) -> None:
        """Give them back."""
        ...


class ProviderEmbedder:
    """Makes vectors by asking a provider. Threads may share one; nothing is opened before the first text."""

    def __init__(
        self,
        profile: ProviderProfile,
        wire: EmbeddingProtocol,
        endpoint: Endpoint,
        tokenizer: Tokenizer,
        *,
        bulk: ClosingBulk | None = None,
        greeting: ProviderProbe | None = None,
    ) -> None:
        """Take what belongs together; `greeting` is asked before the first text, and again after a failure."""
        self._profile = profile
        self._wire = wire
        self._endpoint = endpoint
        self._tokenizer = tokenizer
        self._bulk = bulk
        self._greeting = greeting
        self._greeted = greeting is None
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"ProviderEmbedder({self._profile.provider!r}, {self._profile.model!r}, at {self._endpoint.host!r})"

    @property
    def space(self) -> Space | None:
        profile = self._profile
        if profile.dimensions is None:
            return None
        return Space(profile.provider, profile.model, "", profile.scheme, profile.dimensions, normalised=True)

    @property
    def languages(self) -> frozenset[str] | None:
        """Any: which ones a model has learned is the provider's secret."""
        return None

    @property
    def batch_size(self) -> int:
        return self._profile.most_texts

    @property
    def price(self) -> float | None:
        return self._profile.price

    @property
    def bulk(self) -> BulkEmbedder | None:
        return self._bulk

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        return self.embed_metered(texts, role)[0]

    def embed_metered(self, texts: Sequence[str], role: Role) -> tuple[Vector, Usage]:
        profile, count = self._profile, self._tokenizer.count
        ready = [prepared(text, role, profile, count) for text in texts]
        batches = requests(ready, profile.most_texts, profile.most_tokens)
        parts = [self._asked(batch, role) for batch in batches]
        if not parts:
            return np.empty((0, profile.dimensions or 0), dtype=np.float32), Usage()
        return np.vstack([rows for rows, _ in parts]), Usage(sum(tokens for _, tokens in parts))

    def close(self) -> None:
        """Give back the connections; embedding again would open new ones."""
        self._endpoint.close()
        if self._bulk:
            self._bulk.close()

    def _asked(self, texts: Sequence[str], role: Role) -> tuple[Vector, int]:
        dimensions = self._profile.dimensions
        most_bytes = answer_bytes(len(texts), dimensions)
        request = HttpRequest.json(self._wire.path, self._wire.body(texts, role), most_bytes)

        def read(received: HttpResponse) -> tuple[EmbedResponse, Vector]:
            embedded = self._wire.read(received, len(texts))
            return embedded, unit_rows(embedded.raw, dimensions, received.host)

        try:
            if self._greeting and not self._greeted:
                self._greeting(self._endpoint, self._profile)
                self._greeted = True
            embedded, rows = self._endpoint.ask(request, read)
        except RemoteError as error:
            self._greeted = self._greeting is None
            raise blamed(error) from error
        self._learn(rows.shape[1])
        return rows, self._tokens(embedded, texts)

    def _learn(self, dimensions: int) -> None:
        with self._lock:
            if self._profile.dimensions is None:
                self._profile = replace(self._profile, dimensions=dimensions)
        if self._profile.dimensions != dimensions:
            raise EmbeddingError(
                f"{self._endpoint.host} gave vectors of {dimensions} numbers, before of {self._profile.dimensions}. "
                "Check that one model answers there."
            )

    def _tokens(self, embedded: EmbedResponse, texts: Sequence[str]) -> int:
        """Give what the provider counted; where it says nothing and money is at stake, our own estimate."""
        if embedded.tokens is not None:
            return embedded.tokens
        return sum(map(self._tokenizer.count, texts)) if self._profile.price else 0


def prepared(text: str, role: Role, profile: ProviderProfile, count: Callable[[str], int]) -> str:
    """Give a text as it is sent: with its prefix, and as much of it as the model takes."""
    return fitted(prefixed(text, role, profile.written), profile.longest_tokens, count)


def answer_bytes(count: int, dimensions: int | None) -> int:
    """Say how long an answer with so many vectors can be; a longer one is something else."""
    return _ROOM + count * (dimensions or _MOST_DIMENSIONS) * _BYTES_PER_NUMBER


def blamed(error: RemoteError) -> EmbeddingError:
    """Say whose fault a failure is, in the terms of the port."""
    if error.status in _BLAME_A_TEXT and not any(mark in error.reason.lower() for mark in _BAD_KEY):
        return TextRefused(error.reason)
    asked = f" (asked {error.attempts} times)." if error.attempts > 1 else ""
    return ProviderUnavailable(f"{error.reason}{asked}", error.retry_after_s)


def provider_endpoint(
    url: str,
    key: ApiKey,
    advice: Mapping[int, str],
    *,
    timeout_s: float,
    retries: int,
    sleep: Callable[[float], None] = time.sleep,
    breaker: CircuitBreaker | None = None,
) -> Endpoint:
    """Make the way to a provider. A long pause is for the caller to wait, and a refused text is no failure of it."""
    patience = RetryPolicy(timeout_s, retries, _LONGEST_WAIT_S, stubborn=False)
    return Endpoint(
        url,
        key,
        patience,
        advice=advice,
        breaker=breaker,
        trips=lambda error: isinstance(blamed(error), ProviderUnavailable),
        sleep=sleep,
    )
