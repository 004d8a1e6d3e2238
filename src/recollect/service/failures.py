"""What our errors are over HTTP: a status, and the sentence they carry anyway."""

from http import HTTPStatus
from math import ceil
from typing import Final

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from recollect.errors import (
    GeocoderUnavailable,
    InvalidInput,
    NotFound,
    NotPermitted,
    RecollectError,
    StaleVersion,
    StoreUnavailable,
    UnknownKey,
)
from recollect.web.problems import Refused

RETRY_AFTER_S: Final = 1

_STATUS: Final = (
    (UnknownKey, HTTPStatus.UNAUTHORIZED),
    (NotPermitted, HTTPStatus.FORBIDDEN),
    (NotFound, HTTPStatus.NOT_FOUND),
    (StaleVersion, HTTPStatus.PRECONDITION_FAILED),
    (InvalidInput, HTTPStatus.UNPROCESSABLE_ENTITY),
)


def refusal(error: RecollectError) -> Refused:
    """Put an error into the terms of HTTP. What the store says about itself is nothing that strangers need to know."""
    for kind, status in _STATUS:
        if isinstance(error, kind):
            headers = {"WWW-Authenticate": 'Bearer realm="recollect"'} if kind is UnknownKey else None
            return Refused(status, str(error), headers=headers)
    if isinstance(error, StoreUnavailable):
        return Refused(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "The store cannot be reached right now. Nothing was lost; send the request again, with the same "
            "Idempotency-Key if it had one.",
            headers={"Retry-After": str(RETRY_AFTER_S)},
        )
    if isinstance(error, GeocoderUnavailable):
        wait_s = error.retry_after_s
        return Refused(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "Whoever knows the names of places cannot be asked right now. Give lat and lng, or send the request again "
            "later.",
            headers=None if wait_s is None else {"Retry-After": str(max(1, ceil(wait_s)))},
        )
    raise error


async def show_failure(_: Request, error: Exception) -> Response:
    """Answer a request that the façade refused."""
    if not isinstance(error, RecollectError):
        raise error
    return refusal(error).answer()


def answer_our_errors(app: FastAPI) -> None:
    """Let an application answer our errors as what they are."""
    app.add_exception_handler(RecollectError, show_failure)
