"""The lock: nobody comes in without a key, before a single byte of their body is read.

It finds out who somebody is and how often they have come. Whether they may do what they ask for is decided where the
routes are, by the one `authorize` of all doors.
"""

import base64
import binascii
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Final

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect.access import Principal
from recollect.errors import RecollectError, UnknownKey
from recollect.service.failures import refusal
from recollect.web.problems import Refused
from recollect.web.throttle import Throttle, too_many

OPEN: Final = frozenset({"/livez"})

# A browser can be made to send a password with every request, also with those that a page of somebody else makes. So
# one is taken only where nothing about anybody can be read or changed.
BROWSABLE: Final = frozenset({"/docs", "/openapi.json"})

_NO_KEY: Final = (
    "This needs a key. Send it as `Authorization: Bearer rk_…`. The first start of the service wrote one to a file, "
    "and `recollect keys create` makes more."
)


class Lock:
    """Lets those in who have a key, and not too often."""

    def __init__(self, app: ASGIApp, identify: Callable[[str], Principal], throttle: Throttle) -> None:
        self._app = app
        self._identify = identify
        self._throttle = throttle

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its principal, or answer it at once."""
        if scope["type"] != "http" or scope["path"] in OPEN:
            await self._app(scope, receive, send)
            return
        try:
            await self._admit(scope)
        except RecollectError as error:
            await _refused(error, scope).answer()(scope, receive, send)
        except Refused as refused:
            await refused.answer()(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _admit(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        presented = _presented(headers, browsable=scope["path"] in BROWSABLE and scope["method"] == "GET")
        principal = await to_thread.run_sync(partial(self._identify, presented))
        state = scope.setdefault("state", {})
        state["principal"] = principal
        state["principal_id"] = principal.id
        state["user"] = _named_user(headers)
        wait = self._throttle.take(principal.id)
        if wait > 0:
            raise too_many(wait)


def _presented(headers: Headers, *, browsable: bool) -> str:
    given = headers.getlist("authorization")
    if len(given) != 1:
        raise UnknownKey(_NO_KEY)
    scheme, _, rest = given[0].partition(" ")
    if scheme.lower() == "bearer":
        return rest.strip()
    if scheme.lower() == "basic" and browsable:
        return _password(rest.strip())
    raise UnknownKey(_NO_KEY)


def _password(encoded: str) -> str:
    try:
        return base64.b64decode(encoded, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        raise UnknownKey(_NO_KEY) from None


def _named_user(headers: Headers) -> str:
    """Give the user that an admin names. A header is in Latin-1 on the wire; names are in UTF-8."""
    named = headers.getlist("x-recollect-user")
    if len(named) > 1 or not all(name.strip() for name in named):
        found = "more than once" if len(named) > 1 else "without a name"
        raise Refused(HTTPStatus.BAD_REQUEST, f"X-Recollect-User was sent {found}. Send it once, or leave it out.")
    try:
        return named[0].encode("latin-1").decode() if named else ""
    except UnicodeDecodeError:
        raise Refused(HTTPStatus.BAD_REQUEST, "X-Recollect-User is not in UTF-8.") from None


def _refused(error: RecollectError, scope: Scope) -> Refused:
    refused = refusal(error)
    if isinstance(error, UnknownKey) and scope["path"] in BROWSABLE:
        return Refused(refused.status, refused.detail, headers={"WWW-Authenticate": 'Basic realm="recollect"'})
    return refused
