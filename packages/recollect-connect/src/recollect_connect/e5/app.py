"""The three routes of the embedding server."""

from typing import Final

from fastapi import FastAPI, Response

from recollect._version import __version__
from recollect.web.body_limits import BodyLimitMiddleware
from recollect.web.problems import add_error_handlers
from recollect_connect.e5.bodies import (
    Health,
    ManyTexts,
    ManyVectors,
    OneText,
    OneVector,
    check_texts,
    many_vectors,
    one_vector,
)
from recollect_connect.e5.limits import EmbeddingServerLimits
from recollect_connect.e5.models import ServedModel
from recollect_connect.e5.request_queue import RequestQueue

_JSON: Final = "application/json"
_ROUTES: Final = "POST /embed, POST /batch, GET /health"


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
