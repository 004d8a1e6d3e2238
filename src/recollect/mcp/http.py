"""The server as an ASGI application, to be mounted at `/mcp` behind the service's own guards.

Each request stands on its own: any worker process may answer it, nothing has to be kept between two of them, and a
restart loses nobody's session. That is what `stateless` means to the SDK. Answers are plain JSON, because no tool
here has anything to say before it is done. The SDK's checks of Host and Origin stay off: the service has made its own
before a request gets here, and they know the names it is called by.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import AbstractAsyncContextManager
from http import HTTPStatus
from typing import Any, Final, NamedTuple, TypeAlias

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from recollect.access import Principal
from recollect.api.memory import Memory
from recollect.errors import UnknownKey
from recollect.mcp.callers import Caller
from recollect.mcp.desk import Desk
from recollect.mcp.server import Context, create_server

AsgiScope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
AsgiApp: TypeAlias = Callable[[AsgiScope, Receive, Send], Awaitable[None]]

LARGEST_BODY: Final = 1_048_576


class Mcp(NamedTuple):
    """What to serve, and what must be entered while the service runs: `async with mcp.lifespan(): ...`, once.

    `app` does not look at the path. Give it a `Route("/mcp", endpoint=mcp.app)`: a `Mount` would not answer `/mcp`
    itself, which is what hosts ask for, but only `/mcp/`.
    """

    app: AsgiApp
    lifespan: Callable[[], AbstractAsyncContextManager[None]]


def create_mcp(memory: Callable[[], Memory], *, largest_body: int = LARGEST_BODY) -> Mcp:
    """Make the application. `memory` gives the store that is open while requests are answered.

    Whoever mounts it must have authenticated each request: `scope["state"]["principal"]` is the Principal, and
    `scope["state"]["user"]` the user they named, or an empty text. Without a principal nothing is answered.
    """

    def caller(ctx: Context) -> Caller:
        state = ctx.request.scope.get("state", {}) if ctx.request is not None else {}
        principal = state.get("principal")
        if not isinstance(principal, Principal):
            raise UnknownKey("This needs a key. Send it as `Authorization: Bearer rk_…`.")
        return Caller(principal, state.get("user", ""))

    desk = Desk(memory)
    manager = StreamableHTTPSessionManager(
        create_server(lambda: desk, caller),
        json_response=True,
        stateless=True,
        security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=largest_body,
    )
    return Mcp(_PostOnly(manager.handle_request), manager.run)


class _PostOnly:
    """Lets requests through that carry a message.

    For a GET the SDK would hold a stream open, as long as the client likes, on which nothing is ever said.
    """

    def __init__(self, inner: AsgiApp) -> None:
        self._inner = inner

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["method"] == "POST":
            await self._inner(scope, receive, send)
            return
        headers = [(b"allow", b"POST"), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": HTTPStatus.METHOD_NOT_ALLOWED, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
