"""The protocols of the providers: how texts are asked for, and where the vectors stand in the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol
from urllib.parse import quote

from recollect.embedding.check_response import by_index, listed, tokens
from recollect.http_client import HttpResponse
from recollect.ports import Role


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

    @property
    def path(self) -> str:
        """The same for every model."""
        return "/embeddings"

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
        raw = by_index(received, body, count)
        usage = body.get("usage")
        return EmbedResponse(raw, tokens(usage.get("prompt_tokens")) if isinstance(usage, dict) else None)


@dataclass(frozen=True, slots=True)
class E5Protocol:
    """`POST /batch` of an E5 server, which writes the prefixes by itself."""

    @property
    def path(self) -> str:
        """The only one."""
        return "/batch"

    def body(self, texts: Sequence[str], role: Role) -> Mapping[str, object]:
        """Ask, and say what the texts are."""
        return {"texts": list(texts), "type": role}

    def read(self, received: HttpResponse, count: int) -> EmbedResponse:
        """Read the list, which is in the order of the texts."""
        return EmbedResponse(listed(received, received.parsed().get("embeddings"), count), None)


@dataclass(frozen=True, slots=True)
class OllamaProtocol:
    """`POST /api/embed` of Ollama."""

    model: str
    dimensions: int | None = None

    @property
    def path(self) -> str:
        """The only one that takes several texts."""
        return "/api/embed"

    def body(self, texts: Sequence[str], role: Role) -> Mapping[str, object]:  # noqa: ARG002 - it knows no roles
        """Ask; what is too long is cut there."""
        body: dict[str, object] = {"model": self.model, "input": list(texts), "truncate": True}
        return {**body, "dimensions": self.dimensions} if self.dimensions else body

    def read(self, received: HttpResponse, count: int) -> EmbedResponse:
        """Read the list, which is in the order of the texts."""
        body = received.parsed()
        return EmbedResponse(listed(received, body.get("embeddings"), count), tokens(body.get("prompt_eval_count")))


@dataclass(frozen=True, slots=True)
class GeminiProtocol:
    """`POST /models/{model}:batchEmbedContents` of Gemini. With `tasks` the model is told what a text is for."""

    model: str
    dimensions: int | None = None
    tasks: bool = True

    @property
    def path(self) -> str:
        """The model is part of it."""
        return f"/models/{quote(self.model, safe='')}:batchEmbedContents"

    def body(self, texts: Sequence[str], role: Role) -> Mapping[str, object]:
        """Ask for each text in a request of its own, all of them in one."""
        return {"requests": [self.request(text, role) for text in texts]}

    def request(self, text: str, role: Role) -> Mapping[str, object]:
        """Ask for one text."""
        request: dict[str, object] = {"model": f"models/{self.model}", "content": {"parts": [{"text": text}]}}
        if self.tasks:
            request["taskType"] = "RETRIEVAL_QUERY" if role == "query" else "RETRIEVAL_DOCUMENT"
        if self.dimensions:
            request["outputDimensionality"] = self.dimensions
        return request

    def read(self, received: HttpResponse, count: int) -> EmbedResponse:
        """Read the list, which is in the order of the texts."""
        body = received.parsed()
        items = listed(received, body.get("embeddings"), count)
        return EmbedResponse([values_of(item) for item in items], gemini_tokens(body))


def values_of(embedding: Any) -> object:  # noqa: ANN401 - whatever the server sent
    """Give the numbers of Gemini's embeddings, or whatever stands in their place."""
    return embedding.get("values") if isinstance(embedding, dict) else embedding


def gemini_tokens(body: Mapping[str, Any]) -> int | None:
    """Find what an answer of Gemini cost; not every one says."""
    usage = body.get("usageMetadata")
    return tokens(usage.get("promptTokenCount")) if isinstance(usage, dict) else None
