"""Our errors over HTTP: each has a status, and its sentence becomes the detail of a problem document."""

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
    QuotaExceeded,
    ReaderError,
    RecollectError,
    StaleVersion,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
    UnknownKey,
)
from recollect.web.problems import RequestRefused

RETRY_AFTER_S: Final = 1

_STATUS: Final = (
    (UnknownKey, HTTPStatus.UNAUTHORIZED),
    (NotPermitted, HTTPStatus.FORBIDDEN),
    (NotFound, HTTPStatus.NOT_FOUND),
    (StaleVersion, HTTPStatus.PRECONDITION_FAILED),
    (QuotaExceeded, HTTPStatus.INSUFFICIENT_STORAGE),
    (InvalidInput, HTTPStatus.UNPROCESSABLE_ENTITY),
)


def problem_for(error: RecollectError) -> RequestRefused:
    """Translate an error into HTTP. What the store says about itself is not shown to clients."""
    for kind, status in _STATUS:
        if isinstance(error, kind):
            headers = {"WWW-Authenticate": 'Bearer realm="recollect"'} if kind is UnknownKey else None
            members = {"quota": error.quota} if isinstance(error, QuotaExceeded) else None
            return RequestRefused(status, str(error), headers=headers, members=members)
    if isinstance(error, StoreUnavailable):
        return RequestRefused(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "The store cannot be reached right now. Nothing was lost; send the request again, with the same "
            "Idempotency-Key if it had one.",
            headers={"Retry-After": str(RETRY_AFTER_S)},
        )
    if isinstance(error, StoreReadOnly):
        return RequestRefused(
            HTTPStatus.SERVICE_UNAVAILABLE, "The store is read-only: it can be searched, but nothing can be changed."
        )
    if isinstance(error, StoreFull):
        return RequestRefused(
            HTTPStatus.INSUFFICIENT_STORAGE, "The disk of the service is full: nothing of this request was kept."
        )
    if isinstance(error, GeocoderUnavailable):
        wait_s = error.retry_after_s
        return RequestRefused(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "The geocoder cannot be asked right now. Give lat and lng, or send the request again later.",
            headers=None if wait_s is None else {"Retry-After": str(max(1, ceil(wait_s)))},
        )
    if isinstance(error, ReaderError):
        return RequestRefused(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "The message cannot be read right now: the reader of this service failed. Send the request again later.",
        )
    raise error


async def show_failure(_: Request, error: Exception) -> Response:
    """Answer a request that raised one of our errors."""
    if not isinstance(error, RecollectError):
        raise error
    return problem_for(error).answer()


def add_error_handler(app: FastAPI) -> None:
    """Let an application answer our errors."""
    app.add_exception_handler(RecollectError, show_failure)
