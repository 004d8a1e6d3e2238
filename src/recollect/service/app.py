"""The application: all routes, and the middleware around them."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from anyio import TASK_STATUS_IGNORED, Lock, create_task_group, sleep_forever, to_thread
from anyio.abc import TaskGroup, TaskStatus
from fastapi import APIRouter, FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect import mcp, plugins
from recollect._version import __version__
from recollect.api.memory import Memory
from recollect.errors import SettingsError
from recollect.service.admission.admission import RequestAdmission, Requester
from recollect.service.authentication import AuthenticationMiddleware
from recollect.service.error_responses import add_error_handler
from recollect.service.live.subscriptions import LiveSubscriptions
from recollect.service.metrics.service_metrics import Metrics
from recollect.service.openapi_document import PROBLEM, DocumentedApp, operation_name
from recollect.service.request_context import RequiresPermission
from recollect.service.routes import (
    conversations,
    files,
    hooks,
    live,
    memories,
    page,
    places,
    scopes,
    search,
    sessions,
    store,
    transfer,
    typed,
)
from recollect.service.scheduled_backups import ScheduledBackups
from recollect.web.body_limits import RateLimiter
from recollect.web.limits import BodyLimits
from recollect.web.middleware import add_middleware
from recollect.web.problems import MEDIA_TYPE, add_error_handlers, problem

if TYPE_CHECKING:
    from recollect.mcp.http import Mcp, RunForUser

T = TypeVar("T")

_ABOUT: Final = """
Long-term memory for AI agents: what a person said, prefers, decided and did, found in milliseconds, and forgotten for
good when asked.

Every route but `/` and `/livez` needs a key: `Authorization: Bearer rk_…`. A key belongs to a user; an admin's key
names one in `X-Recollect-User`. Every request that changes something may carry an `Idempotency-Key`: sent again within
24 hours, it is answered as the first time, and nothing is done twice. A client that says in `X-Recollect-Version` for
which version it was made is refused with 426 by a service that does not fit. Errors are problem documents (RFC 9457).
"""

_LOST: Final = "GET /docs lists all routes"


def _document_permissions(routers: Iterable[APIRouter]) -> None:
    """Add to the description of each route which scope a key needs for it."""
    for route in (route for router in routers for route in router.routes if isinstance(route, APIRoute)):
        for needs in _permissions(route.dependant):
            scopes = " and ".join(f"`{scope}`" for scope in (needs.permission, needs.also) if scope)
            route.description = f"{route.description}\n\nThe key needs the scope {scopes}."


def _permissions(dependant: Dependant) -> Iterator[RequiresPermission]:
    if isinstance(dependant.call, RequiresPermission):
        yield dependant.call
    for inner in dependant.dependencies:
        yield from _permissions(inner)


_UPLOADS: Final = plugins.installed("routes", "uploads")
ROUTERS: Final[tuple[APIRouter, ...]] = (
    memories.router,
    search.router,
    typed.router,
    search.searching,
    *plugins.installed("routes", "federation"),
    conversations.router,
    hooks.router,
    hooks.forgetting,
    *(uploads.documents for uploads in _UPLOADS),
    files.router,
    *(uploads.originals for uploads in _UPLOADS),
    files.media,
    places.router,
    scopes.router,
    transfer.router,
    live.router,
    sessions.router,
    store.router,
    page.router,
)
_document_permissions(ROUTERS)


_PROBLEMS: Final = (
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
    HTTPStatus.UPGRADE_REQUIRED,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.INSUFFICIENT_STORAGE,
)
_USUAL: Final[dict[int | str, dict[str, Any]]] = {
    int(status): {"description": status.phrase, "content": {MEDIA_TYPE: {"schema": PROBLEM}}} for status in _PROBLEMS
}

_ROUTES: Final = APIRouter(
    responses=_USUAL, generate_unique_id_function=operation_name
)  # analysed once, however many applications a process makes
for _router in ROUTERS:
    _ROUTES.include_router(_router)


class DeferredMcp:
    """The part for agents: answers as the application that `create` makes, once, in a thread. Needs its `lifespan`.

    It is made at the first request: its SDK takes as long to import as half of the service.
    """

    def __init__(self, create: "Callable[[], Mcp]") -> None:
        self._create = create
        self._mcp: Mcp | None = None
        self._creating: Lock
        self._tasks: TaskGroup

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Enter it once, while the service runs."""
        self._creating = Lock()
        async with create_task_group() as self._tasks:
            yield
            self._tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        made = self._mcp or await self._made()
        await made.app(scope, receive, send)

    async def _made(self) -> "Mcp":
        async with self._creating:
            if self._mcp is None:
                made = await to_thread.run_sync(self._create)
                await self._tasks.start(_keep_open, made)
                self._mcp = made
            return self._mcp


async def _keep_open(made: "Mcp", *, task_status: TaskStatus[None] = TASK_STATUS_IGNORED) -> None:
    async with made.lifespan():
        task_status.started()
        await sleep_forever()


def create_app(memory: Memory, subscriptions: LiveSubscriptions, metrics: Metrics, limiter: RateLimiter) -> FastAPI:
    """Make the application for an open store, without its middleware. `limiter` is that of the authentication."""
    admission = RequestAdmission(memory, limiter, metrics)

    async def run_tool(key_id: str, user: str, work: Callable[[], T]) -> T:
        return await admission.run(Requester(key_id, user or key_id), 0, work)

    agents = _create_mcp(memory, run_tool)

    @asynccontextmanager
    async def alive(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            if agents is not None:
                await stack.enter_async_context(agents.lifespan())
            await stack.enter_async_context(subscriptions.open())
            stack.callback(metrics.close)
            yield

    app = DocumentedApp(
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
    app.state.subscriptions = subscriptions
    app.state.admission = admission
    add_error_handlers(app, _LOST)
    add_error_handler(app)
    app.router.routes.extend(_ROUTES.routes)
    for path in ("/mcp", "/mcp/"):
        app.router.routes.append(Route(path, _refuse_mcp if agents is None else agents, methods=["POST"]))
    return app


def _create_mcp(memory: Memory, run: "RunForUser") -> DeferredMcp | None:
    """Make the part for agents; None where its SDK is not installed, which is an extra."""
    try:
        mcp.require_sdk()
    except SettingsError:
        return None
    return DeferredMcp(lambda: mcp.create_mcp(lambda: memory, run=run))


async def _refuse_mcp(_: Request) -> Response:
    try:
        mcp.require_sdk()
    except SettingsError as error:
        return problem(HTTPStatus.NOT_IMPLEMENTED, str(error))
    return problem(HTTPStatus.NOT_IMPLEMENTED, "MCP was installed after the service had started. Restart it.")


def create_limiter(memory: Memory) -> RateLimiter:
    """Make the rate limit of the settings."""
    return RateLimiter(memory.settings.serve.requests_per_minute, memory.settings.serve.burst)


class ServiceWorker(Protocol):
    """What goes on while the service runs, such as watching folders."""

    def start(self) -> None:
        """Begin, if the settings ask for it."""

    def end(self) -> None:
        """Stop after what is under way."""

    def wait(self, timeout_s: float) -> None:
        """Wait for the end, not longer than this."""


@dataclass(frozen=True, slots=True)
class Service:
    """The application with its middleware. `end` ends live answers and the `workers`, which one process starts."""

    app: ASGIApp
    end: Callable[[], None]
    workers: Sequence[ServiceWorker]


def create_service(memory: Memory, shared: Path | None = None) -> Service:
    """Make the application with its middleware. `shared` is the folder in which worker processes exchange metrics."""
    subscriptions, metrics = LiveSubscriptions(memory), Metrics(memory, shared)
    service = memory.settings.serve
    limiter = create_limiter(memory)

    def authenticate(inner: ASGIApp) -> ASGIApp:
        return AuthenticationMiddleware(inner, memory.keys, limiter, partial(metrics.limited, "requests"))

    app = create_app(memory, subscriptions, metrics, limiter)
    larger = {transfer.IMPORT_PATH: transfer.MOST_BYTES}
    for uploads in _UPLOADS:
        larger |= uploads.largest(memory.settings)
    limits = BodyLimits(larger=larger, any_form=frozenset(larger))
    folders = [watched(memory, metrics.synced) for watched in plugins.installed("workers", "watched folders")]
    workers = (*folders, ScheduledBackups(memory, metrics.backed_up))

    def end() -> None:
        for worker in workers:
            worker.end()
        subscriptions.end()

    return Service(metrics.around(add_middleware(app, service, limits, authenticate=authenticate)), end, workers)
