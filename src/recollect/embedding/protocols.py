"""The protocols of the providers: how texts are asked for, and where the vectors stand in the answer.

The invariant: what `unit_rows` gives is one finite row of unit length per text, in the order of the texts. Whatever
cannot be made that is refused with what was found, never repaired.
"""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Protocol
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from recollect.errors import EmbeddingError
from recollect.http_client import HttpResponse, by_index, listed
from recollect.model.memories import Vector
from recollect.ports import Role

_NUMBERS = frozenset("fiu")


class EmbedResponse(NamedTuple):
    """The embeddings of an answer as they came, one per text, and the tokens it says they cost."""

    raw: Sequence[object]
    tokens: int | None


class EmbeddingProtocol(Protocol):
    """How one provider is asked."""

    @property
    def path(self) -> str:
        """Where texts are sent to, below the provider's address."""
        ...

    def body(self, texts: Sequence[str], role: Role) -> Mapping[str, object]:
        """Ask for the vectors of texts."""
        ...

    def read(self, received: HttpResponse, count: int) -> EmbedResponse:
        """Find them in the answer. Raises EmbeddingError when they are not there."""
        ...


@dataclass(frozen=True, slots=True)
class OpenAiProtocol:
    """`POST /embeddings`, as OpenAI has it and many others do."""

    model: str
    encoding: Literal["base64", "float"] | None
    dimensions: int | None = None

    path: ClassVar = "/embeddings"

    def body(self, texts: Sequence[str], role: Role) -> Mapping[str, object]:  # noqa: ARG002 - it knows no roles
        """Ask; a length is asked for only where one was chosen, because not every model can."""
        body: dict[str, object] = {"model": self.model, "input": list(texts)}
        if self.encoding:
            body["encoding_format"] = self.encoding
        if self.dimensions:
            body["dimensions"] = self.dimensions
        return body

    def read(self, received: HttpResponse, count: int) -> EmbedResponse:
        """Read either encoding: some servers ignore which one they were asked for."""
        body = received.parsed()
        raw = [item.get("embedding") for item in by_index(received, body.get("data"), count, "vector", _refused)]
        usage = body.get("usage")
        return EmbedResponse(raw, token_count(usage.get("prompt_tokens")) if isinstance(usage, dict) else None)


@dataclass(frozen=True, slots=True)
class E5Protocol:
    """`POST /batch` of an E5 server, which writes the prefixes by itself."""

    path: ClassVar = "/batch"

    def body(self, texts: Sequence[str], role: Role) -> Mapping[str, object]:
        return {"texts": list(texts), "type": role}

    def read(self, received: HttpResponse, count: int) -> EmbedResponse:
        return EmbedResponse(_embeddings(received, received.parsed(), count), None)


@dataclass(frozen=True, slots=True)
class OllamaProtocol:
    """`POST /api/embed` of Ollama."""

    model: str
    dimensions: int | None = None

    path: ClassVar = "/api/embed"

    def body(self, texts: Sequence[str], role: Role) -> Mapping[str, object]:  # noqa: ARG002 - it knows no roles
        """Ask; what is too long is cut there."""
        body: dict[str, object] = {"model": self.model, "input": list(texts), "truncate": True}
        return {**body, "dimensions": self.dimensions} if self.dimensions else body

    def read(self, received: HttpResponse, count: int) -> EmbedResponse:
        body = received.parsed()
        return EmbedResponse(_embeddings(received, body, count), token_count(body.get("prompt_eval_count")))


@dataclass(frozen=True, slots=True)
class GeminiProtocol:
    """`POST /models/{model}:batchEmbedContents` of Gemini. With `tasks` the model is told what a text is for."""

    model: str
    dimensions: int | None = None
    tasks: bool = True

    @property
    def path(self) -> str:
        return f"/models/{quote(self.model, safe='')}:batchEmbedContents"

    def body(self, texts: Sequence[str], role: Role) -> Mapping[str, object]:
        """Ask for each text in a request of its own, all of them in one."""
        return {"requests": [self.request(text, role) for text in texts]}

    def request(self, text: str, role: Role) -> Mapping[str, object]:
        request: dict[str, object] = {"model": f"models/{self.model}", "content": {"parts": [{"text": text}]}}
        if self.tasks:
            request["taskType"] = "RETRIEVAL_QUERY" if role == "query" else "RETRIEVAL_DOCUMENT"
        if self.dimensions:
            request["outputDimensionality"] = self.dimensions
        return request

    def read(self, received: HttpResponse, count: int) -> EmbedResponse:
        body = received.parsed()
        items = _embeddings(received, body, count)
        return EmbedResponse([values_of(item) for item in items], gemini_tokens(body))


def _embeddings(received: HttpResponse, body: Mapping[str, Any], count: int) -> Sequence[Any]:
    """Give the list `embeddings` of an answer, which is in the order of the texts."""
    return listed(received, body.get("embeddings"), count, "vector", _refused)


def values_of(embedding: Any) -> object:  # noqa: ANN401 - whatever the server sent
    """Give the numbers of Gemini's embeddings, or whatever stands in their place."""
    return embedding.get("values") if isinstance(embedding, dict) else embedding


def gemini_tokens(body: Mapping[str, Any]) -> int | None:
    """Find what an answer of Gemini cost; not every one says."""
    usage = body.get("usageMetadata")
    return token_count(usage.get("promptTokenCount")) if isinstance(usage, dict) else None


def _refused(said: str) -> EmbeddingError:
    return EmbeddingError(f"{said} Nothing was stored of it. Check the model and the address.")


def unit_rows(raw: Sequence[object], dimensions: int | None, host: str) -> Vector:
    """Give one row of unit length per embedding, each of them `dimensions` long if that is known."""
    rows = [_numbers(item, number, host) for number, item in enumerate(raw, start=1)]
    expected = dimensions or (len(rows[0]) if rows else 0)
    for number, row in enumerate(rows, start=1):
        if len(row) != expected:
            raise EmbeddingError(
                f"{host} gave a vector of {len(row)} numbers for text {number}, expected {expected}. "
                "Check the model and embedding.dimensions."
            )
    matrix = np.vstack(rows) if rows else np.empty((0, expected))
    finite = np.isfinite(matrix).all(axis=1)
    if not finite.all():
        raise _refused(f"{host} gave a vector for text {int(np.argmin(finite)) + 1} that holds NaN or infinity.")
    peaks = np.abs(matrix).max(axis=1, initial=0.0, keepdims=True)
    if not peaks.all():
        raise _refused(f"{host} gave a vector of zeros for text {int(np.argmin(peaks)) + 1}.")
    level = matrix / peaks  # so that squares neither overflow nor vanish
    return np.asarray(level / np.linalg.norm(level, axis=1, keepdims=True), dtype=np.float32)


def token_count(found: object) -> int | None:
    """Read a number of tokens; None when there is none."""
    if isinstance(found, str) and found.isascii() and found.isdigit():
        found = int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None


def _numbers(raw: object, number: int, host: str) -> NDArray[np.float64]:
    """Read numbers that come as a list, or as the base64 of little-endian floats."""
    try:
        if isinstance(raw, str):
            row = np.frombuffer(base64.b64decode(raw, validate=True), dtype="<f4")
        else:
            row = np.asarray(raw if isinstance(raw, list) else None)
    except (ValueError, OverflowError, binascii.Error) as error:
        raise _refused(f"{host} gave an unreadable vector for text {number}: {error}.") from error
    if row.ndim != 1 or row.dtype.kind not in _NUMBERS or not len(row):
        raise _refused(f"{host} gave no list of numbers for text {number}, but a {type(raw).__name__}.")
    return row.astype(np.float64)
