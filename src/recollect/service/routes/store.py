"""The store itself: figures, status, whether it lives, and the documentation of all routes."""

from dataclasses import dataclass, fields
from http import HTTPStatus
from typing import Any, Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse

from recollect.model.stats import SearchFigures, Stats, Status
from recollect.service import answered as out
from recollect.service.answered_files import WatchedFolder, watched
from recollect.service.calls import Operating, Reading
from recollect.service.metrics import Metrics
from recollect.web.problems import MEDIA_TYPE
from recollect.web.reference import render

router = APIRouter(tags=["Store"])


@dataclass(frozen=True, slots=True)
class UserStats(Stats):
    """Figures about what a user has stored, and about the searches of the last seven days, if they are kept."""

    searches: tuple[SearchFigures, ...] = ()


@dataclass(frozen=True, slots=True)
class ServiceStatus(Status):
    """What runs on what, and the folders that are kept in step for the user."""

    folders: tuple[WatchedFolder, ...] = ()


@router.get("/api/stats")
def stats(call: Reading) -> UserStats:
    """Give figures about what the user has stored and, if `serve.search_log` is set, searched for."""
    found = call.me.stats()
    stored = {one.name: getattr(found, one.name) for one in fields(found)}
    return UserStats(**stored, searches=call.memory.operations.search_stats(call.user_id))


@router.get("/api/status")
def status(call: Operating) -> ServiceStatus:
    """Say what runs on what, what should be done about it, and how far the user's folders have drifted."""
    found = call.memory.status()
    known = {one.name: getattr(found, one.name) for one in fields(found)}
    return ServiceStatus(**known, folders=tuple(watched(one) for one in call.me.files.folders()))


@router.head("/livez", include_in_schema=False)
@router.get("/livez")
async def alive() -> out.Live:
    """Say that the service runs, however busy its threads are. The only route without a key."""
    return out.Live()


_AWAY: Final[dict[str, Any]] = {
    "model": out.Ready,
    "description": "Requests cannot be answered.",
    "content": {MEDIA_TYPE: {"schema": out.Problem.model_json_schema()}},  # when not even the key could be looked up
}


@router.get("/readyz", responses={HTTPStatus.SERVICE_UNAVAILABLE.value: _AWAY})
def ready(_: Reading, request: Request, response: Response) -> out.Ready:
    """Say whether requests can be answered: the store, the queue of what waits for a vector, the model."""
    metrics: Metrics = request.app.state.metrics
    found = metrics.health.examine()
    if found.status == "unavailable":
        response.status_code = HTTPStatus.SERVICE_UNAVAILABLE
    return found


@router.get("/openapi.json", include_in_schema=False)
def openapi(_: Reading, request: Request) -> Response:
    """Describe all routes for programs."""
    return JSONResponse(request.app.openapi())


@router.get("/docs", include_in_schema=False)
def docs(_: Reading, request: Request) -> Response:
    """Describe all routes for people."""
    return HTMLResponse(render(request.app.openapi(), str(request.base_url)))
