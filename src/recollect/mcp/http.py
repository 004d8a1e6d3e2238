"""The server as an ASGI application, to be mounted at `/mcp` behind the middleware of the service.

It is stateless: any worker process may answer any request, and a restart loses no session. Answers are plain JSON: no
tool has anything to say before it is done but that it is at work. The SDK's checks of Host and Origin are off: the
service has made its own, which know its names.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import AbstractAsyncContextManager
from http import HTTPStatus
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, TypeVar

from anyio import to_thread
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from recollect.api.memory import Memory
from recollect.authorization import Principal
from recollect.errors import UnknownKey
from recollect.mcp.dispatch import Dispatcher
from recollect.mcp.permissions import Caller
from recollect.mcp.server import McpContext, create_server

AsgiScope: TypeAlias = MutableMapping[str, Any]
AsgiMessage: TypeAlias = MutableMapping[str, Any]
AsgiReceive: TypeAlias = Callable[[], Awaitable[AsgiMessage]]
AsgiSend: TypeAlias = Callable[[AsgiMessage], Awaitable[None]]
AsgiApp: TypeAlias = Callable[[AsgiScope, AsgiReceive, AsgiSend], Awaitable[None]]

T = TypeVar("T")

LARGEST_BODY: Final = 1_048_576


class Mcp(NamedTuple):
    """The application, and the lifespan to enter once while the service runs.

    `app` does not look at the path. Give it a `Route("/mcp", endpoint=mcp.app)`: a `Mount` would answer only `/mcp/`.
    """

    app: AsgiApp
    lifespan: Callable[[], AbstractAsyncContextManager[None]]


class RunForUser(Protocol):
    """Runs work in a thread, when it is the turn of a user."""

    async def __call__(self, key_id: str, user: str, work: Callable[[], T], /) -> T:
        """Run it."""


async def _run_at_once(_key_id: str, _user: str, work: Callable[[], T], /) -> T:
    return await to_thread.run_sync(work)


def create_mcp(memory: Callable[[], Memory], *, run: RunForUser = _run_at_once) -> Mcp:
    """Make the application. `memory` gives the store that is open while requests are answered.

    `run` runs their work, given the id of the key and the user it names or belongs to, which may be an empty text.

    The service must have authenticated each request: `scope["state"]["principal"]` is the Principal, and
    `scope["state"]["user"]` the user it names, or an empty text. Without a principal nothing is answered.
    """

    def caller(ctx: McpContext) -> Caller:
        state = ctx.request.scope.get("state", {}) if ctx.request is not None else {}
        principal = state.get("principal")
        if not isinstance(principal, Principal):
            raise UnknownKey("This needs a key. Send it as `Authorization: Bearer rk_…`.")
        return Caller(principal, state.get("user", ""), state.get("zone", ""))

    async def run_in_turn(ctx: McpContext, work: Callable[[], T], /) -> T:
        known = caller(ctx)
        return await run(known.principal.id, known.user or known.principal.user_id, work)

    dispatcher = Dispatcher(memory)
    manager = StreamableHTTPSessionManager(
        create_server(
            lambda: dispatcher, caller, run_in_turn, federated=lambda: bool(memory().settings.federation.nodes)
        ),
        json_response=True,
        stateless=True,
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=LARGEST_BODY,
    )
    return Mcp(_PostOnly(manager.handle_request), manager.run)


class _PostOnly:
    """Refuses a GET, for which the SDK would hold a stream open on which nothing is ever sent."""

    def __init__(self, inner: AsgiApp) -> None:
        self._inner = inner

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        if scope["method"] == "POST":
            await self._inner(scope, receive, send)
            return
        headers = [(b"allow", b"POST"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": HTTPStatus.METHOD_NOT_ALLOWED, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
