"""Errors as programs read them: problem documents (RFC 9457). None of them repeats what was sent."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

MEDIA_TYPE: Final = "application/problem+json"
FAILED: Final = "The server failed on this request. Its operator can see why."
_MOST_COMPLAINTS: Final = 3
_LONGEST_PLACE: Final = 100


class Refused(Exception):
    """A request that cannot be served, with the status and the sentence that say so.

    `headers` go on the answer, `members` into its document, for programs that want to know more than the sentence.
    """

    def __init__(
        self,
        status: HTTPStatus,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        members: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = headers
        self.members = members

    def answer(self) -> Response:
        """Make the answer that says so."""
        return problem(self.status, self.detail, self.headers, self.members)


def problem(
    status: int,
    detail: str,
    headers: Mapping[str, str] | None = None,
    members: Mapping[str, object] | None = None,
) -> Response:
    """Make the answer to a request that cannot be served. `members` are added to its document."""
    document = {"type": "about:blank", "title": _title(status), "status": int(status), "detail": detail}
    return Response(json.dumps({**document, **(members or {})}), status, dict(headers or {}), MEDIA_TYPE)


def answer_errors(app: FastAPI, routes: str) -> None:
    """Let an application answer every error with a problem document. `routes` tells the lost what there is."""
    app.add_exception_handler(Refused, show_refused)
    app.add_exception_handler(HTTPException, partial(show_http_error, routes=routes))
    app.add_exception_handler(RequestValidationError, show_invalid)
    app.add_exception_handler(Exception, show_failure)


async def show_refused(_: Request, error: Exception) -> Response:
    """Answer a request that the routes have refused."""
    if not isinstance(error, Refused):
        raise error
    return error.answer()


async def show_http_error(request: Request, error: Exception, *, routes: str) -> Response:
    """Answer what the framework refuses: an unknown route, a wrong method, a body that cannot be decoded."""
    if not isinstance(error, HTTPException):
        raise error
    match error.status_code:
        case HTTPStatus.NOT_FOUND:
            detail = f"There is nothing here. What there is: {routes}."
        case HTTPStatus.METHOD_NOT_ALLOWED:
            detail = f"{request.method} is not for this. What there is: {routes}."
        case HTTPStatus.BAD_REQUEST:
            detail = "The body cannot be read as JSON in UTF-8."
        case _:
            detail = str(error.detail)
    return problem(error.status_code, detail, error.headers)


async def show_invalid(_: Request, error: Exception) -> Response:
    """Answer a body that is no JSON, or not the JSON that was expected."""
    if not isinstance(error, RequestValidationError):
        raise error
    complaints: Sequence[Any] = error.errors()
    if any(complaint["type"] == "json_invalid" for complaint in complaints):
        return problem(HTTPStatus.BAD_REQUEST, "The body is not valid JSON.")
    shown = [f"{_place(complaint['loc'])}: {complaint['msg']}." for complaint in complaints[:_MOST_COMPLAINTS]]
    if len(complaints) > _MOST_COMPLAINTS:
        shown.append(f"And {len(complaints) - _MOST_COMPLAINTS} more.")
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, " ".join(shown))


async def show_failure(_request: Request, _error: Exception) -> Response:
    """Answer a request on which the server failed. What happened is nothing that strangers need to know."""
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, FAILED)


def _title(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:  # a number that nobody has named
        return "Error"


def _place(location: Sequence[str | int]) -> str:
    """Spell where something is wrong, as a program would: `messages[3].role`. A name that was made up may be endless.

    Which of several forms of a body was meant, by the name of its class, is nothing that was sent.
    """
    steps = [step for step in location[1:] if isinstance(step, int) or not step[:1].isupper()]
    inside = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return inside.removeprefix(".")[:_LONGEST_PLACE] or "The body"
