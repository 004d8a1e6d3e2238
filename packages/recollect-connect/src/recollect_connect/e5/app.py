"""The three routes of the embedding server: requests and answers, and the queue before the model.

Types are checked by the models of requests, amounts by `check_texts`. One thread computes: a call uses all cores, and
two calls would share them.
"""

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Final

from fastapi import FastAPI, Response
from pydantic import BaseModel, ConfigDict

from recollect._version import __version__
from recollect.model.memories import Vector
from recollect.ports import Role
from recollect.web.body_limits import BodyLimitMiddleware
from recollect.web.problems import RequestRefused, add_error_handlers
from recollect_connect.e5.limits import EmbeddingServerLimits
from recollect_connect.e5.models import ServedModel

_HALF: Final = re.compile("[\ud800-\udfff]")  # JSON may hold one half of what UTF-16 needs two for

_JSON: Final = "application/json"
_ROUTES: Final = "POST /embed, POST /batch, GET /health"


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


VectorEncoder = Callable[[Vector], bytes]


class RequestQueue:
    """Computes vectors for one request after the other, first come, first served."""

    def __init__(self, model: ServedModel) -> None:
        self._model = model
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="e5-model")

    async def serve(self, texts: Sequence[str], role: Role, encode: VectorEncoder) -> bytes:
        """Embed texts and encode the answer, both off the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._work, texts, role, encode)

    def _work(self, texts: Sequence[str], role: Role, encode: VectorEncoder) -> bytes:
        return encode(self._model.embed(texts, role))

    def close(self) -> None:
        """End the thread after its current request."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def create_app(model: ServedModel, queue: RequestQueue, limits: EmbeddingServerLimits) -> FastAPI:
    """Make the application that serves one model."""
    app = FastAPI(
        title="Recollect embedding server",
        version=__version__,
        docs_url=None,  # those pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # errors that are reported may quote a text
    )
    app.add_middleware(BodyLimitMiddleware, limits=limits)
    add_error_handlers(app, _ROUTES)
    _add_routes(app, model, queue, limits)
    return app


def _add_routes(app: FastAPI, model: ServedModel, queue: RequestQueue, limits: EmbeddingServerLimits) -> None:
    @app.post("/embed", response_model=OneVector)
    async def embed(request: OneText) -> Response:
        """Embed one text."""
        return Response(await queue.serve(check_texts(request, limits), request.type, one_vector), media_type=_JSON)

    @app.post("/batch", response_model=ManyVectors)
    async def batch(request: ManyTexts) -> Response:
        """Embed several texts."""
        return Response(await queue.serve(check_texts(request, limits), request.type, many_vectors), media_type=_JSON)

    @app.get("/health")
    async def health() -> Health:
        """Say which model is served, and how long its vectors are."""
        return Health(status="ok", model=model.name, dimension=model.dimension)
