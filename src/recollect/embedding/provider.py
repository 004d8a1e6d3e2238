"""An embedder behind a network: texts are made to fit, sent in requests that fit, and the answers checked.

The invariant: a failure says whose fault it is. ProviderUnavailable blames no text, TextRefused may blame one, and a
plain EmbeddingError means that an answer made no sense.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from threading import Lock
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol, TypeAlias

import numpy as np

from recollect.embedding.protocols import EmbeddingProtocol, EmbedResponse, unit_rows
from recollect.errors import EmbeddingError, ProviderUnavailable, TextRefused
from recollect.http_client import ApiKey, CircuitBreaker, Endpoint, HttpRequest, HttpResponse, RemoteError, RetryPolicy
from recollect.model.memories import Space, Vector
from recollect.model.messages import Usage
from recollect.ports import BulkEmbedder, Role, Tokenizer

_BLAME_A_TEXT: Final = frozenset((400, 413, 422))
_NOT_FOUND: Final = 404
_BAD_KEY: Final = ("api_key_invalid", "api key not valid", "incorrect api key", "invalid api key")
_BYTES_PER_NUMBER: Final = 32  # of JSON, written out and indented; base64 takes six
_MOST_DIMENSIONS: Final = 8_192  # of an unknown model
_ROOM: Final = 65_536  # for what else stands in an answer, and for what a server says about an error
_LONGEST_WAIT_S: Final = 5.0
_MOST_LETTERS_PER_TOKEN: Final = 16  # more than any language has on average
_MARGIN: Final = 0.97
_BYTES_PER_TOKEN: Final = 1.7  # of the densest there is, such as long hashes

# What is written before a text, so that a model knows a question from what might answer it. Vectors that were made with
# different prefixes must not be compared, so their name is part of an embedding space.
NONE: Final = "none"
GEMINI: Final = "gemini"  # no words: a field of the request says what the text is for
E5: Final = "e5"


class Prefix(NamedTuple):
    """What stands before a question, and before what might answer it."""

    query: str
    passage: str


PREFIXES: Final = MappingProxyType(
    {
        NONE: Prefix("", ""),
        E5: Prefix("query: ", "passage: "),
        "nomic": Prefix("search_query: ", "search_document: "),
        "bge": Prefix("Represent this sentence for searching relevant passages: ", ""),
        "gemma": Prefix("task: search result | query: ", "title: none | text: "),
    }
)
_BY_MODEL: Final = (
    (re.compile(r"(^|[/_-])e5-(?!.*instruct)"), E5),
    (re.compile(r"nomic-embed-text"), "nomic"),
    (re.compile(r"mxbai-embed-large|bge-.*\ben\b"), "bge"),
    (re.compile(r"embeddinggemma|gemini-embedding-2"), "gemma"),
)


def scheme_for(model: str) -> str:
    """Name the prefixes that a model was trained with."""
    return next((scheme for pattern, scheme in _BY_MODEL if pattern.search(model.lower())), NONE)


def prefixed(text: str, role: Role, scheme: str) -> str:
    """Write the prefix before a text. What a server or a field does by itself needs no words."""
    prefix = PREFIXES.get(scheme, PREFIXES[NONE])
    return (prefix.query if role == "query" else prefix.passage) + text


def fitted(text: str, longest_tokens: int | None, count: Callable[[str], int]) -> str:
    """Cut a text to what a model takes, at a character.

    A tokenizer takes its time, so it is asked only when it must be: a token has at least one byte, so a text of few
    bytes certainly fits.
    """
    if longest_tokens is None or _size(text) <= longest_tokens:
        return text
    text = text[: longest_tokens * _MOST_LETTERS_PER_TOKEN]
    while (tokens := count(text)) > longest_tokens:
        text = text[: int(len(text) * longest_tokens / tokens * _MARGIN)]
    return text


def requests(texts: Sequence[str], most_texts: int, most_tokens: int | None) -> Iterator[Sequence[str]]:
    """Split texts into requests, in order, by their size: one that only may be too large is not worth counting."""
    most_bytes = inf if most_tokens is None else most_tokens * _BYTES_PER_TOKEN
    start, size = 0, 0
    for end, text in enumerate(texts):
        size += _size(text)
        if end > start and (end - start == most_texts or size > most_bytes):
            yield texts[start:end]
            start, size = end, _size(text)
    if texts:
        yield texts[start:]


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


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


# A first question that makes sure who is there. Raises RemoteError, or ProviderUnavailable when another model answers.
ProviderProbe: TypeAlias = Callable[[Endpoint, ProviderProfile], None]


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
        if embedded.tokens is None and self._profile.price:  # where money is at stake, our own estimate
            return rows, sum(map(self._tokenizer.count, texts))
        return rows, embedded.tokens or 0

    def _learn(self, dimensions: int) -> None:
        with self._lock:
            if self._profile.dimensions is None:
                self._profile = replace(self._profile, dimensions=dimensions)
        if self._profile.dimensions != dimensions:
            raise EmbeddingError(
                f"{self._endpoint.host} gave vectors of {dimensions} numbers, before of {self._profile.dimensions}. "
                "Check that one model answers there."
            )


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
    breaker: CircuitBreaker | None = None,
) -> Endpoint:
    """Make the way to a provider. A long pause is for the caller to wait, and a refused text is no failure of it."""
    patience = RetryPolicy(timeout_s, retries, _LONGEST_WAIT_S, stubborn=False)

    def trips(error: RemoteError) -> bool:
        return isinstance(blamed(error), ProviderUnavailable)

    return Endpoint(url, key, patience, advice=advice, breaker=breaker, trips=trips)


def greet_e5(endpoint: Endpoint, profile: ProviderProfile) -> None:
    """Ask `GET /health` who is there. A server without it is believed to be the right one."""
    try:
        health = endpoint.ask(HttpRequest("/health", _ROOM, method="GET"), HttpResponse.parsed)
    except RemoteError as error:
        if error.status == _NOT_FOUND:
            return
        raise
    model = health.get("model")
    if isinstance(model, str) and model and _short(model) != _short(profile.model):
        raise ProviderUnavailable(
            f"The E5 server at {endpoint.host} runs {model}, expected {profile.model}. "
            "Start it with that model, or set embedding.model."
        )
    dimension = health.get("dimension")
    if isinstance(dimension, int) and profile.dimensions not in {None, dimension}:
        raise ProviderUnavailable(
            f"The E5 server at {endpoint.host} makes vectors of {dimension} numbers, expected {profile.dimensions}. "
            "Start it with the model of this store, or set embedding.model."
        )


def _short(model: str) -> str:
    return model.rpartition("/")[2].lower()
