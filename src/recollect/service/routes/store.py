"""The store and the service: figures, status, health checks, metrics, and the documentation of all routes."""

from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse

from recollect.service import requests
from recollect.service import responses as out
from recollect.service.json_routes import JSON
from recollect.service.metrics.service_metrics import CONTENT_TYPE, Metrics
from recollect.service.openapi_document import PROBLEM
from recollect.service.request_context import AdminCall, ReadCall
from recollect.web.problems import MEDIA_TYPE
from recollect.web.reference import render

router = APIRouter(tags=["Store"])


@router.get("/api/stats", response_model=out.UserStatsBody)
def get_stats(call: ReadCall) -> Response:
    """Give figures about what the user has stored and, if `serve.search_log` is set, searched for."""
    searches = () if call.scope else call.memory.operations.search_stats(call.user_id)
    return _json(out.dump(out.UserStatsBody, {**asdict(call.me.stats()), "searches": searches}))


@router.get("/api/status", response_model=out.ServiceStatusBody)
def get_status(call: AdminCall) -> Response:
    """Say what runs on what, what should be done about it, and how far the user's folders have drifted."""
    folders = call.me.files.folders()
    return _json(out.dump(out.ServiceStatusBody, {**asdict(call.memory.status()), "folders": folders}))


@router.post("/api/verify-erasure", response_model=out.ErasureCheckBody)
def verify_erasure(body: Annotated[requests.VerifyErasureBody, Body()], call: AdminCall) -> Response:
    """Check that nothing of what a receipt of forgetting tells of is left in the store.

    Looks into every table and text column, indexes, statistics and originals, and on SQLite into every byte of the
    file and its log; names the older backups in the folder of the settings. A receipt that was changed, or is of
    another store or a newer version, is refused.
    """
    return _json(out.dump(out.ErasureCheckBody, call.memory.verify_erasure(body.receipt)))


@router.head("/livez", include_in_schema=False)
@router.get("/livez", response_model=out.LiveBody)
async def get_liveness() -> dict[str, str]:
    """Say that the service runs, however busy its threads are. The only route without a key."""
    return {"status": "alive"}


_UNAVAILABLE: Final[dict[str, Any]] = {
    "model": out.ReadyBody,
    "description": "Requests cannot be answered.",
    "content": {MEDIA_TYPE: {"schema": PROBLEM}},  # when no key could be looked up
}


@router.get("/readyz", response_model=out.ReadyBody, responses={503: _UNAVAILABLE})
def get_readiness(_: ReadCall, request: Request) -> Response:
    """Say whether requests can be answered: the store, the queue of what waits for a vector, the model."""
    figures: Metrics = request.app.state.metrics
    readiness = figures.readiness.examine()
    status = HTTPStatus.SERVICE_UNAVAILABLE if readiness.status == "unavailable" else HTTPStatus.OK
    return _json(out.dump(out.ReadyBody, readiness), status)


@router.get("/openapi.json", include_in_schema=False)
def openapi(_: ReadCall, request: Request) -> Response:
    """Describe all routes for programs."""
    return JSONResponse(request.app.openapi())


@router.get("/docs", include_in_schema=False)
def docs(_: ReadCall, request: Request) -> Response:
    """Describe all routes for people."""
    return HTMLResponse(render(request.app.openapi(), str(request.base_url)))


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "All figures."}},
)
def get_metrics(_: AdminCall, request: Request) -> Response:
    """Give figures for Prometheus: requests, searches, what waits, what is stored. Numbers only, for a whole store."""
    figures: Metrics = request.app.state.metrics
    return Response(figures.show(), media_type=CONTENT_TYPE)


def _json(body: str, status: int = HTTPStatus.OK) -> Response:
    return Response(body, status, media_type=JSON)
