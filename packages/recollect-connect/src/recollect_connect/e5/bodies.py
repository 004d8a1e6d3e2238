"""Requests and answers. Types are checked by their models, amounts by `check_texts`."""

import json
import re
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import Final

from pydantic import BaseModel, ConfigDict

from recollect.model.memories import Vector
from recollect.ports import Role
from recollect.web.problems import RequestRefused
from recollect_connect.e5.limits import EmbeddingServerLimits

_HALF: Final = re.compile("[\ud800-\udfff]")  # JSON may hold one half of what UTF-16 needs two for


class _EmbedRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")  # a mistyped `type` would quietly make passages of questions

    type: Role = "passage"


class OneText(_EmbedRequest):
    """A text to embed, and whether it is a question or what questions are about."""

    text: str


class ManyTexts(_EmbedRequest):
    """Texts to embed, all of one type."""

    texts: list[str]


class OneVector(BaseModel):
    """The vector of a text."""

    embedding: list[float]


class ManyVectors(BaseModel):
    """One vector per text, in their order."""

    embeddings: list[list[float]]


class Health(BaseModel):
    """Which model is served."""

    status: str
    model: str
    dimension: int


def check_texts(request: OneText | ManyTexts, limits: EmbeddingServerLimits) -> Sequence[str]:
    """Give the texts of a request, if they are not too many and each can be embedded. Raises RequestRefused."""
    if isinstance(request, ManyTexts) and len(request.texts) > limits.batch:
        raise RequestRefused(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"texts holds {len(request.texts):,}; at most {limits.batch:,} are taken at a time. Send several batches.",
        )
    for place, text in _numbered(request):
        if len(text) > limits.text_chars:
            raise RequestRefused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"{place} has {len(text):,} characters; at most {limits.text_chars:,} are taken. Cut it into passages.",
            )
        if not text.strip():
            raise RequestRefused(HTTPStatus.UNPROCESSABLE_ENTITY, f"{place} is empty; there is nothing to embed.")
        if _HALF.search(text):
            raise RequestRefused(
                HTTPStatus.UNPROCESSABLE_ENTITY, f"{place} is not valid Unicode: it holds half a character."
            )
    return request.texts if isinstance(request, ManyTexts) else [request.text]


def _numbered(request: OneText | ManyTexts) -> Iterator[tuple[str, str]]:
    if isinstance(request, OneText):
        yield "text", request.text
        return
    for position, text in enumerate(request.texts):
        yield f"texts[{position}]", text


def one_vector(vectors: Vector) -> bytes:
    """Encode the only row; read back as 32-bit floats it is the same, bit for bit."""
    return _encode({"embedding": vectors[0].tolist()})


def many_vectors(vectors: Vector) -> bytes:
    """Encode all rows."""
    return _encode({"embeddings": vectors.tolist()})


def _encode(answer: dict[str, list[float] | list[list[float]]]) -> bytes:
    return json.dumps(answer, allow_nan=False, separators=(",", ":")).encode()
