"""By which names the service may be called, and by which web pages.

Any page that somebody opens can send requests to this machine, and can let a name of its own mean this machine. Both
are seen here, before anything else happens: by the name that was called, and by the page that browsers report.
"""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.web.hosts import Hosts, Origins, host_of
from recollect.web.listening import ServerError, addresses
from recollect.web.problems import Refused

_METHODS: Final = "GET, POST, PATCH, DELETE"
_REQUEST_HEADERS: Final = (
    "Authorization, Content-Type, Idempotency-Key, X-Recollect-User, If-Match, If-None-Match, Last-Event-ID, "
    "X-Request-ID, Mcp-Session-Id, Mcp-Protocol-Version"
)
_ANSWER_HEADERS: Final = "ETag, Retry-After, X-Request-ID, Mcp-Session-Id"
_REMEMBERED_S: Final = 600


class Callers:
    """Lets in who called a name of the service, and no web page but those that were allowed."""

    def __init__(self, app: ASGIApp, hosts: Hosts, origins: Origins) -> None:
        self._app = app
        self._hosts = hosts
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it at once."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "There are no web sockets here."})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            self._check_host(headers)
            origin = self._check_page(headers)
        except Refused as refused:
            await refused.answer()(scope, receive, send)
            return
        if origin is not None:
            send = _shared_with(origin, send)
            if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
                await _preflight()(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _check_host(self, headers: Headers) -> None:
        named = headers.getlist("host")
        host = host_of(named[0]) if len(named) == 1 else None
        if host is None:
            raise Refused(HTTPStatus.BAD_REQUEST, "The request needs exactly one Host header, with a name and a port.")
        if host not in self._hosts:
            raise Refused(
                HTTPStatus.MISDIRECTED_REQUEST,
                "The service does not go by this name. Its operator can allow it: serve.allowed_hosts.",
            )

    def _check_page(self, headers: Headers) -> str | None:
        """Give the origin of the page that asks, if it is one and may."""
        claimed = headers.getlist("origin")
        if len(claimed) == 1 and claimed[0] in self._origins:
            return claimed[0]
        if claimed or any(site.strip().lower() == "cross-site" for site in headers.getlist("sec-fetch-site")):
            raise Refused(
                HTTPStatus.FORBIDDEN,
                "This web page may not call the service. Its operator can allow it: serve.allowed_origins.",
            )
        return None


def refuse_open_address(host: str, allowed_hosts: Iterable[str]) -> None:
    """Raise ServerError when other machines could reach an address, and nobody said by which names they may."""
    if any(allowed_hosts):
        return
    reachable = [address for address in addresses(host) if not address.is_loopback]
    if reachable:
        raise ServerError(
            f"{host} can be reached from other machines, and serve.allowed_hosts is empty. Say by which names clients "
            "call the service (--allow-host NAME, or RECOLLECT_SERVE_ALLOWED_HOSTS), or listen on 127.0.0.1."
        )


def _preflight() -> Response:
    allowed = {
        "Access-Control-Allow-Methods": _METHODS,
        "Access-Control-Allow-Headers": _REQUEST_HEADERS,
        "Access-Control-Max-Age": str(_REMEMBERED_S),
    }
    return Response(status_code=HTTPStatus.NO_CONTENT, headers=allowed)


def _shared_with(origin: str, send: Send) -> Send:
    """Let the page of an origin read the answer."""

    async def shared(message: Message) -> None:
        if message["type"] == "http.response.start":
            message.setdefault("headers", [])
            headers = MutableHeaders(scope=message)
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = _ANSWER_HEADERS
            headers.add_vary_header("Origin")
        await send(message)

    return shared
