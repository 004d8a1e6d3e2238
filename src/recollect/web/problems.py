"""Errors as problem documents (RFC 9457). None of them repeats what was sent."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from http import HTTPStatus
from http.client import responses
from typing import Any, Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

MEDIA_TYPE: Final = "application/problem+json"
SERVER_FAILED: Final = "The server failed on this request. Its operator can see why."
_MOST_COMPLAINTS: Final = 3
_LONGEST_PATH: Final = 100


class RequestRefused(Exception):
    """A request that is refused, with a status and a sentence; `members` are added to the problem document."""

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
        """Make the response."""
        return problem(self.status, self.detail, self.headers, self.members)


def problem(
    status: int, detail: str, headers: Mapping[str, str] | None = None, members: Mapping[str, object] | None = None
) -> Response:
    """Make the response to a request that is refused."""
    document = {"type": "about:blank", "title": responses.get(status, "Error"), "status": int(status), "detail": detail}
    return Response(json.dumps({**document, **(members or {})}), status, dict(headers or {}), MEDIA_TYPE)


def add_error_handlers(app: FastAPI, routes: str) -> None:
    """Let an application answer every error with a problem document. `routes` names what there is."""
    app.add_exception_handler(RequestRefused, show_refused)
    app.add_exception_handler(HTTPException, partial(show_http_error, routes=routes))
    app.add_exception_handler(RequestValidationError, show_invalid)
    app.add_exception_handler(Exception, show_failure)


async def show_refused(_: Request, error: Exception) -> Response:
    """Answer a request that was refused."""
    if not isinstance(error, RequestRefused):
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
    details = [f"{_path(complaint['loc'])}: {_words(complaint['msg'])}." for complaint in complaints[:_MOST_COMPLAINTS]]
    if len(complaints) > _MOST_COMPLAINTS:
        details.append(f"And {len(complaints) - _MOST_COMPLAINTS} more.")
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, " ".join(details))


def _words(complaint: str) -> str:
    """Give a complaint without the name of the check that made it."""
    return complaint.removeprefix("Value error, ").removeprefix("Assertion failed, ").rstrip(".")


async def show_failure(_request: Request, _error: Exception) -> Response:
    """Answer a request on which the server failed, without saying why."""
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, SERVER_FAILED)


def _path(location: Sequence[str | int]) -> str:
    """Give the path of an invalid field, such as `messages[3].role`, cut because a name may be endless.

    Upper-case steps are names of classes, which distinguish forms of a body and were not sent.
    """
    steps = [step for step in location[1:] if isinstance(step, int) or not step[:1].isupper()]
    inside = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return inside.removeprefix(".")[:_LONGEST_PATH] or "The body"
