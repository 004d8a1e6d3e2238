"""What the providers say: a request in, an answer out. Each function is one provider's protocol of embeddings."""

import base64
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from recollect.model.memories import Vector
from tests.providers.faults import spoil
from tests.providers.vectors import dimensions_of, vectors_of

Body = dict[str, Any]
E5_MODEL: Final = "intfloat/multilingual-e5-large"
_GEMINI_ROLES: Final = {"RETRIEVAL_QUERY": "query", "RETRIEVAL_DOCUMENT": "passage"}
_ZAI_DIMENSIONS: Final = (256, 512, 1024, 2048)


class Refused(Exception):
    """A request that this provider does not take, with the status it is answered with."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


@dataclass(frozen=True)
class Mood:
    """How the server is disposed: what it does wrong, and which word it cannot bear."""

    fault: str | None
    poison: str


def words_in(texts: list[str]) -> int:
    """Count as the providers bill: here a token is a word."""
    return sum(len(text.split()) for text in texts)


def require(texts: object, mood: Mood, most_texts: int, most_words: int) -> list[str]:
    """Give the texts of a request, unless one of them is a reason to refuse it."""
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
        raise Refused("input must be a list of strings that are not empty")
    if len(texts) > most_texts:
        raise Refused(f"{len(texts)} inputs, at most {most_texts}")
    if max(words_in([text]) for text in texts) > most_words:
        raise Refused(f"maximum context length is {most_words} tokens")
    if any(mood.poison in text for text in texts):
        raise Refused("invalid content in input")
    return texts


def openai(body: Body, mood: Mood, *, most_texts: int = 2048, most_words: int = 8191) -> Body:
    """Answer `POST /embeddings`, in base64 or in numbers."""
    texts = require(body.get("input"), mood, most_texts, most_words)
    if words_in(texts) > 300_000:
        raise Refused("maximum request size is 300000 tokens")
    model = body["model"]
    if "dimensions" in body and model == "text-embedding-ada-002":
        raise Refused("This model does not support specifying dimensions.")
    vectors = vectors_of(texts, "any", model, dimensions_of(model, body.get("dimensions")))
    encode = _base64 if body.get("encoding_format") == "base64" else _numbers
    listed = [
        {"object": "embedding", "index": index, "embedding": encode(vector)}
        for index, vector in spoil(mood.fault, vectors)
    ]
    tokens = words_in(texts)
    return {
        "object": "list",
        "data": listed,
        "model": model,
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def zai(body: Body, mood: Mood) -> Body:
    """Answer as OpenAI does, within Z.AI's limits."""
    if body.get("model") == "embedding-3" and body.get("dimensions", 2048) not in _ZAI_DIMENSIONS:
        raise Refused("dimensions must be 256, 512, 1024 or 2048")
    return openai({**body, "encoding_format": "float"}, mood, most_texts=64, most_words=3072)


def e5(body: Body, mood: Mood) -> Body:
    """Answer `POST /batch` of the E5 server, which writes the prefixes itself."""
    texts = require(body.get("texts"), mood, 10_000, 10**9)
    if body.get("type") not in {"query", "passage"}:
        raise Refused("type must be query or passage", 422)
    vectors = vectors_of(texts, body["type"], E5_MODEL, dimensions_of(E5_MODEL))
    return {"embeddings": _in_order(mood, vectors)}


def e5_health(body: Body, mood: Mood) -> Body:
    """Answer `GET /health`."""
    return {"status": "ok", "model": E5_MODEL, "dimension": dimensions_of(E5_MODEL)}


def ollama(body: Body, mood: Mood) -> Body:
    """Answer `POST /api/embed`."""
    texts = require(body.get("input"), mood, 10_000, 10**9)
    model = body["model"].partition(":")[0]
    vectors = vectors_of(texts, "any", model, dimensions_of(model, body.get("dimensions")))
    return {
        "model": body["model"],
        "embeddings": _in_order(mood, vectors),
        "total_duration": 14143917,
        "prompt_eval_count": words_in(texts),
    }


def gemini(body: Body, mood: Mood, model: str) -> Body:
    """Answer `POST /models/{model}:batchEmbedContents`."""
    requests = body.get("requests", [])
    require([_gemini_text(request) for request in requests], mood, 100, 8192 if "2" in model else 2048)
    vectors = [gemini_vector(request, model) for request in requests]
    return {"embeddings": [{"values": values} for values in _in_order(mood, vectors)]}


def gemini_vector(request: Body, model: str) -> Vector:
    """Make the vector of one request, which must name the model of the call."""
    if request.get("model") != f"models/{model}":
        raise Refused(f"model {request.get('model')} is not the one that was called, models/{model}")
    if "taskType" in request and model == "gemini-embedding-2":
        raise Refused("taskType is not supported by this model")
    role = _GEMINI_ROLES.get(request.get("taskType", ""), "any")
    dimensions = dimensions_of(model, request.get("outputDimensionality"))
    return vectors_of([_gemini_text(request)], role, model, dimensions)[0]


def _gemini_text(request: Body) -> str:
    return "".join(part["text"] for part in request["content"]["parts"])


def _in_order(mood: Mood, vectors: list[Vector]) -> list[list[float]]:
    """Give the numbers of vectors in a protocol without indices, where a wrong order could not be told from right."""
    return [_numbers(vector) for _, vector in sorted(spoil(mood.fault, vectors), key=lambda row: row[0])]


def _numbers(vector: Vector) -> list[float]:
    return [float(number) for number in vector]


def _base64(vector: Vector) -> str:
    return base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode()
