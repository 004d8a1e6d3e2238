"""The application: all routes, and everything that stands around them."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from fastapi import APIRouter, FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.routing import Route
from starlette.types import ASGIApp

from recollect._version import __version__
from recollect.api.memory import Memory
from recollect.mcp import create_mcp
from recollect.service.answered import Problem
from recollect.service.calls import Needs
from recollect.service.failures import answer_our_errors
from recollect.service.folders import Folders
from recollect.service.lock import Lock
from recollect.service.metrics import Metrics
from recollect.service.routes import conversations, files, knowledge, memories, operations, places, store, stream, turns
from recollect.service.stream import Switchboard
from recollect.service.uploads import Uploads
from recollect.web.guarded import guarded
from recollect.web.limits import BodyLimits
from recollect.web.problems import MEDIA_TYPE, answer_errors
from recollect.web.throttle import Throttle

_ABOUT: Final = """
Long-term memory for AI agents: what a person said, prefers, decided and did, found in milliseconds, and forgotten for
good when asked.

Every route but `/livez` needs a key: `Authorization: Bearer rk_…`. A key belongs to a user; an admin's key names one in
`X-Recollect-User`. Every request that changes something may carry an `Idempotency-Key`: sent again within 24 hours, it
is answered as the first time, and nothing is done twice. Errors are problem documents (RFC 9457).
"""

_LOST: Final = "GET /docs lists all routes"


def _say_what_is_needed(routers: Iterable[APIRouter]) -> None:
    """Add to what is said about each route which scope a key needs for it."""
    for route in (route for router in routers for route in router.routes if isinstance(route, APIRoute)):
        for needs in _needed(route.dependant):
            scopes = " and ".join(f"`{scope}`" for scope in (needs.permission, needs.also) if scope)
            route.description = f"{route.description}\n\nThe key needs the scope {scopes}."


def _needed(dependant: Dependant) -> Iterator[Needs]:
    if isinstance(dependant.call, Needs):
        yield dependant.call
    for inner in dependant.dependencies:
        yield from _needed(inner)


ROUTERS: Final = (
    memories.router,
    knowledge.router,
    knowledge.searching,
    conversations.router,
    turns.router,
    turns.forgetting,
    files.router,
    places.router,
    stream.router,
    store.router,
    operations.router,
)
_say_what_is_needed(ROUTERS)


def _problems(*statuses: HTTPStatus) -> dict[int | str, dict[str, Any]]:
    content = {MEDIA_TYPE: {"schema": Problem.model_json_schema()}}
    return {int(status): {"description": status.phrase, "content": content} for status in statuses}


_USUAL: Final = _problems(
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.GONE,
    HTTPStatus.PRECONDITION_FAILED,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    HTTPStatus.MISDIRECTED_REQUEST,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.SERVICE_UNAVAILABLE,
)

_ROUTES: Final = APIRouter(responses=_USUAL)  # analysed once, however many applications a process makes
for _router in ROUTERS:
    _ROUTES.include_router(_router)


def create_app(memory: Memory, switchboard: Switchboard, metrics: Metrics) -> FastAPI:
    """Make the application for an open store, without what stands before it."""
    mcp = create_mcp(lambda: memory)

    @asynccontextmanager
    async def alive(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(mcp.lifespan())
            await stack.enter_async_context(switchboard.open())
            stack.callback(metrics.close)
            yield

    app = FastAPI(
        title="Recollect",
        version=__version__,
        description=_ABOUT,
        docs_url=None,  # those pages load scripts from elsewhere; ours are in the routes
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        responses=_USUAL,
        lifespan=alive,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # errors that are reported may quote a text
    )
    app.state.memory = memory
    app.state.metrics = metrics
    app.state.switchboard = switchboard
    app.state.uploads = Uploads()
    answer_errors(app, _LOST)
    answer_our_errors(app)
    app.router.routes.extend(_ROUTES.routes)
    for path in ("/mcp", "/mcp/"):
        app.router.routes.append(Route(path, mcp.app, methods=["POST"]))
    return app


@dataclass(frozen=True, slots=True)
class Service:
    """The application with all that stands before it. `end` brings answers to an end that have none of their own.

    `folders` are kept in step once they are started, which one process of several does.
    """

    guarded: ASGIApp
    end: Callable[[], None]
    folders: Folders


def create_service(memory: Memory, shared: Path | None = None) -> Service:
    """Put the guards, the lock and, around all of it, the counting before the application.

    `shared` is a folder in which several processes that serve the same store leave their figures for each other.
    """
    switchboard, metrics = Switchboard(memory), Metrics(memory, shared)
    service = memory.settings.serve
    throttle = Throttle(service.requests_per_minute, service.burst)

    def lock(inner: ASGIApp) -> ASGIApp:
        return Lock(inner, memory.keys.identify, throttle)

    app = create_app(memory, switchboard, metrics)
    limits = BodyLimits(
        larger={files.ADDRESS: files.most_sent_bytes(memory.settings)}, any_form=frozenset({files.ADDRESS})
    )
    folders = Folders(memory, metrics.synced)

    def end() -> None:
        folders.end()
        switchboard.end()

    return Service(metrics.around(guarded(app, service, limits, lock=lock)), end, folders)
