"""Checks of Host and Origin, against DNS rebinding and requests of foreign web pages.

Any page that a user opens can send requests to this machine, and can let a name of its own resolve to it. Both are
refused before anything else happens. A header that is not well-formed parses to None, which is never on a list.
"""

import re
from collections.abc import Iterable
from http import HTTPStatus
from ipaddress import AddressValueError, IPv6Address
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.errors import SettingsError
from recollect.web.problems import RequestRefused
from recollect.web.server import ServerError, resolve_host

_PREFLIGHT: Final = {
    "Access-Control-Allow-Methods": "GET, POST, PATCH, DELETE",
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, X-Recollect-User, "
    "X-Recollect-Scope, X-Recollect-Version, If-Match, If-None-Match, Last-Event-ID, X-Request-ID, Mcp-Session-Id, "
    "Mcp-Protocol-Version",
    "Access-Control-Max-Age": "600",  # seconds
}
_RESPONSE_HEADERS: Final = "ETag, Retry-After, X-Request-ID, Mcp-Session-Id"
LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
_LABEL: Final = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_AUTHORITY: Final = re.compile(
    rf"(?P<host>\[[0-9A-Fa-f:.]{{2,45}}\]|{_LABEL}(?:\.{_LABEL}){{0,126}}\.?)(?::(?P<port>[0-9]{{1,5}}))?"
)
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,31}")
_LONGEST_NAME: Final = 253
_LARGEST_PORT: Final = 65_535
_USUAL_PORTS: Final = {"http": "80", "https": "443"}


class AllowedHosts:
    """The host names of a service: those of this machine, and those that were allowed."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        listed = [entry.strip() for entry in allowed]
        self._exact = frozenset(LOOPBACK) | {_listed_host(entry) for entry in listed if not entry.startswith("*.")}
        self._endings = tuple(f".{_listed_host(entry[2:])}" for entry in listed if entry.startswith("*."))

    def __contains__(self, host: str) -> bool:
        """Tell whether a name, as `host_of` gives it, is on the list."""
        return host in self._exact or host.endswith(self._endings)


class AllowedOrigins:
    """The web origins whose pages may call a service."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self._exact = frozenset(_listed_origin(entry.strip()) for entry in allowed)

    def __contains__(self, origin: str) -> bool:
        """Tell whether the origin of a header is on the list."""
        return parse_origin(origin) in self._exact


class HostCheckMiddleware:
    """Middleware that checks the Host and the Origin of requests, and answers CORS preflights."""

    def __init__(self, app: ASGIApp, hosts: AllowedHosts, origins: AllowedOrigins) -> None:
        self._app = app
        self._hosts = hosts
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "There are no web sockets here."})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            self._check_host(headers)
            origin = self._check_origin(headers)
        except RequestRefused as refused:
            await refused.answer()(scope, receive, send)
            return
        if origin is not None:
            send = _with_cors(origin, send)
            if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
                await Response(status_code=HTTPStatus.NO_CONTENT, headers=_PREFLIGHT)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _check_host(self, headers: Headers) -> None:
        hosts = headers.getlist("host")
        host = parse_host(hosts[0]) if len(hosts) == 1 else None
        if host is None:
            raise RequestRefused(
                HTTPStatus.BAD_REQUEST, "The request needs exactly one Host header, with a name and a port."
            )
        if host not in self._hosts:
            raise RequestRefused(
                HTTPStatus.MISDIRECTED_REQUEST,
                "The service does not go by this name. Its operator can allow it: serve.allowed_hosts.",
            )

    def _check_origin(self, headers: Headers) -> str | None:
        """Give the origin of the page that sent the request, if there is a foreign one and it is allowed."""
        origins = headers.getlist("origin")
        if len(origins) == 1 and origins[0] in self._origins:
            return origins[0]
        if len(origins) == 1 and _is_own(origins[0], headers["host"]):
            return None
        if origins or any(site.strip().lower() == "cross-site" for site in headers.getlist("sec-fetch-site")):
            raise RequestRefused(
                HTTPStatus.FORBIDDEN,
                "This web page may not call the service. Its operator can allow it: serve.allowed_origins.",
            )
        return None


def _is_own(origin: str, host: str) -> bool:
    """Tell whether an origin is that of the service itself, under the name that was called; a proxy may add TLS."""
    scheme = origin.partition("://")[0].lower()
    return scheme in _USUAL_PORTS and parse_origin(origin) == parse_origin(f"{scheme}://{host}")


def check_listen_address(host: str, allowed_hosts: Iterable[str]) -> None:
    """Raise ServerError when other machines could reach an address, and no host name is allowed."""
    if any(allowed_hosts):
        return
    reachable = [address for address in resolve_host(host) if not address.is_loopback]
    if reachable:
        raise ServerError(
            f"{host} can be reached from other machines, and serve.allowed_hosts is empty. Say by which names clients "
            "call the service (--allow-host NAME, or RECOLLECT_SERVE_ALLOWED_HOSTS), or listen on 127.0.0.1."
        )


def _with_cors(origin: str, send: Send) -> Send:
    """Let the pages of an origin read the answer."""

    async def send_with_cors(message: Message) -> None:
        if message["type"] == "http.response.start":
            message.setdefault("headers", [])
            headers = MutableHeaders(scope=message)
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = _RESPONSE_HEADERS
            headers.add_vary_header("Origin")
        await send(message)

    return send_with_cors


def parse_host(header: str) -> str | None:
    """Give the host of a Host header, in lower case and without its port; None if the header is malformed."""
    parts = _split_authority(header)
    return parts[0] if parts else None


def parse_origin(text: str) -> str | None:
    """Give an origin as browsers spell it: lower case, without the usual port. None if it is malformed, or `null`."""
    scheme, _, authority = text.partition("://")
    parts = _split_authority(authority)
    if parts is None or not _SCHEME.fullmatch(scheme):
        return None
    host, port = parts
    scheme = scheme.lower()
    return f"{scheme}://{host}" if port in ("", _USUAL_PORTS.get(scheme)) else f"{scheme}://{host}:{port}"


def _split_authority(authority: str) -> tuple[str, str] | None:
    match = _AUTHORITY.fullmatch(authority)
    if not match or len(match["host"]) > _LONGEST_NAME:
        return None
    if match["port"] and int(match["port"]) > _LARGEST_PORT:
        return None
    port = str(int(match["port"])) if match["port"] else ""
    if not match["host"].startswith("["):
        return match["host"].lower(), port
    try:
        return f"[{IPv6Address(match['host'][1:-1]).compressed}]", port
    except AddressValueError:
        return None


def _listed_host(entry: str) -> str:
    host = parse_host(f"[{entry}]") if entry.count(":") > 1 and not entry.startswith("[") else parse_host(entry)
    if host is None:
        raise SettingsError(
            f"serve.allowed_hosts holds {entry!r}, which is no name of a host. "
            "Expected names such as memory.example.org, *.example.org or 192.168.1.7."
        )
    return host


def _listed_origin(entry: str) -> str:
    origin = parse_origin(entry)
    if origin is None:
        raise SettingsError(
            f"serve.allowed_origins holds {entry!r}, which is no web origin. "
            "Expected a scheme, a host and perhaps a port, such as https://app.example.org."
        )
    return origin
