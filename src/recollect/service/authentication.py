"""Authentication and rate limit of requests, before a byte of the body is read.

Whether the principal may do what the request asks for is decided at the routes, by `authorize`.

The session of a browser is a cookie that no script can read, and a token that no foreign page can know. A request with
the cookie counts like one with a key. If it may change something, it must carry the token of the session in a header,
which only a page that could read an answer of this service knows.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Final

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect._version import __version__, is_compatible
from recollect.api.keys import SESSION_LIFE, Keys
from recollect.authorization import Principal
from recollect.errors import RecollectError, UnknownKey
from recollect.service.error_responses import problem_for
from recollect.web.body_limits import RateLimiter, rate_limit_exceeded
from recollect.web.problems import RequestRefused

PUBLIC_PATHS: Final = frozenset({"/", "/livez"})
PAGE_PATH: Final = "/page/"  # files without a user's data
SESSION_PATH: Final = "/api/session"  # to POST there is to log in

# A browser can be made to send a password with every request, also with those of a foreign page. So basic
# authentication is accepted only where nothing about a user can be read or changed.
BASIC_AUTH_PATHS: Final = frozenset({"/docs", "/openapi.json"})

CSRF_HEADER: Final = "X-Recollect-CSRF"
_COOKIE: Final = "recollect_session"
_PATH: Final = "/api"
_SAFE_METHODS: Final = frozenset({"GET", "HEAD"})

_LOGIN_COST: Final = 10  # of the rate limit of an address
_NO_KEY: Final = (
    "This needs a key. Send it as `Authorization: Bearer rk_…`. The first start of the service wrote one to a file, "
    "and `recollect keys create` makes more."
)


class AuthenticationMiddleware:
    """Middleware that identifies the principal of a request by its key, and limits its rate.

    `limited` is called when it does.
    """

    def __init__(
        self, app: ASGIApp, keys: Keys, limiter: RateLimiter, limited: Callable[[], None] = lambda: None
    ) -> None:
        self._app = app
        self._keys = keys
        self._limiter = limiter
        self._limited = limited

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its principal, or answer it at once."""
        if scope["type"] != "http" or scope["path"] in PUBLIC_PATHS or scope["path"].startswith(PAGE_PATH):
            await self._app(scope, receive, send)
            return
        try:
            if scope["path"] == SESSION_PATH and scope["method"] == "POST":
                self._limit(f"login from {(scope.get('client') or ('',))[0]}", _LOGIN_COST)
            else:
                await self._authenticate(scope)
        except RecollectError as error:
            refused = problem_for(error)
            if isinstance(error, UnknownKey) and scope["path"] in BASIC_AUTH_PATHS:
                challenge = {"WWW-Authenticate": 'Basic realm="recollect"'}
                refused = RequestRefused(refused.status, refused.detail, headers=challenge)
            await refused.answer()(scope, receive, send)
        except RequestRefused as refused:
            await refused.answer()(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _authenticate(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        _check_version(headers)
        # The session of a browser counts on the routes of the page only, and only without a key.
        of_page = "authorization" not in headers and scope["path"].startswith("/api/")
        if of_page and (session := read_session(headers)):
            check_csrf(scope["method"], headers, session)
            principal = await to_thread.run_sync(
                partial(self._session_principal, session, _named(headers, "X-Recollect-User"))
            )
        else:
            key = _read_key(headers, basic_auth=scope["path"] in BASIC_AUTH_PATHS and scope["method"] == "GET")
            principal = await to_thread.run_sync(partial(self._keys.identify, key))
        state = scope.setdefault("state", {})
        state["principal"] = principal
        state["principal_id"] = principal.id
        state["user"] = _named(headers, "X-Recollect-User")
        state["scope"] = _named(headers, "X-Recollect-Scope")
        state["zone"] = _named(headers, "X-Recollect-Zone")
        self._limit(principal.id)

    def _session_principal(self, session: str, user: str) -> Principal:
        principal = self._keys.identify_session(session)
        if user and principal.may("admin"):
            self._keys.note_view(principal, user)
        return principal

    def _limit(self, id: str, cost: int = 1) -> None:
        wait = self._limiter.take(id, cost)
        if wait > 0:
            self._limited()
            raise rate_limit_exceeded(wait)


def _check_version(headers: Headers) -> None:
    """Refuse a client whose version does not fit, before it stores what this service might misunderstand."""
    theirs = headers.get("x-recollect-version", "")
    if theirs and not is_compatible(theirs):
        raise RequestRefused(
            HTTPStatus.UPGRADE_REQUIRED,
            f"This service is Recollect {__version__}, and the client is of another release. Nothing was done; install "
            "the same version on both sides.",
        )


def _read_key(headers: Headers, *, basic_auth: bool) -> str:
    authorizations = headers.getlist("authorization")
    if len(authorizations) != 1:
        raise UnknownKey(_NO_KEY)
    scheme, _, rest = authorizations[0].partition(" ")
    if scheme.lower() == "bearer":
        return rest.strip()
    if scheme.lower() == "basic" and basic_auth:
        try:
            return base64.b64decode(rest.strip(), validate=True).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            raise UnknownKey(_NO_KEY) from None
    raise UnknownKey(_NO_KEY)


def _named(headers: Headers, header: str) -> str:
    """Read the user that an admin names, or a shared scope. A header is in Latin-1 on the wire; names are in UTF-8."""
    named = headers.getlist(header)
    if len(named) > 1 or not all(name.strip() for name in named):
        found = "more than once" if len(named) > 1 else "without a name"
        raise RequestRefused(HTTPStatus.BAD_REQUEST, f"{header} was sent {found}. Send it once, or leave it out.")
    try:
        return named[0].encode("latin-1").decode() if named else ""
    except UnicodeDecodeError:
        raise RequestRefused(HTTPStatus.BAD_REQUEST, f"{header} is not in UTF-8.") from None


def read_session(headers: Headers) -> str:
    """Give the session that a request presents, or ''. A request with two of them presents none."""
    parts = (part.strip().partition("=") for header in headers.getlist("cookie") for part in header.split(";"))
    found = [value.strip() for name, _, value in parts if name == _COOKIE]  # beside those of others on this host
    return found[0] if len(found) == 1 else ""


def csrf_token(session: str) -> str:
    """Give the token of a session. It tells nothing about the session's secret."""
    return hmac.digest(session.encode(), b"csrf", hashlib.sha256).hex()


def check_csrf(method: str, headers: Headers, session: str) -> None:
    """Refuse a request that may change something and does not carry the token of its session."""
    if method in _SAFE_METHODS:
        return
    sent = headers.get(CSRF_HEADER, "")
    if not hmac.compare_digest(sent.encode(), csrf_token(session).encode()):
        raise RequestRefused(
            HTTPStatus.FORBIDDEN, f"{CSRF_HEADER} is not the token of this session. Load the page again."
        )


def give_session(response: Response, session: str, *, secure: bool) -> None:
    """Have a browser keep a session."""
    _set(response, session, int(SESSION_LIFE.total_seconds()), secure=secure)


def end_session(response: Response, *, secure: bool) -> None:
    """Have a browser drop its session."""
    _set(response, "", 0, secure=secure)


def _set(response: Response, value: str, seconds: int, *, secure: bool) -> None:
    response.set_cookie(_COOKIE, value, max_age=seconds, path=_PATH, secure=secure, httponly=True, samesite="strict")
