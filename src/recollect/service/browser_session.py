"""The session of a browser: a cookie that no script can read, and a token that no foreign page can know.

A request with the cookie counts like one with a key. If it may change something, it must carry the token of the session
in a header, which only a page that could read an answer of this service knows.
"""

import hashlib
import hmac
from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import Response

from recollect.api.keys import SESSION_LIFE
from recollect.web.problems import RequestRefused

CSRF_HEADER: Final = "X-Recollect-CSRF"
_COOKIE: Final = "recollect_session"
_PATH: Final = "/api"
_SAFE_METHODS: Final = frozenset({"GET", "HEAD"})


def read_session(headers: Headers) -> str:
    """Give the session that a request presents, or ''. A request with two of them presents none."""
    found = [value for header in headers.getlist("cookie") for value in _values(header)]
    return found[0] if len(found) == 1 else ""


def _values(header: str) -> list[str]:
    """Give the values of our cookie in a header, which the cookies of others on this host may surround."""
    parts = (part.strip().partition("=") for part in header.split(";"))
    return [value.strip() for name, _, value in parts if name == _COOKIE]


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
