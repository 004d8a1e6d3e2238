"""Routes that write their own answers, in the thread in which they were made.

The framework would hand an answer to another thread to check it once more and encode it in the one that serves all
requests. Ours are made by the models that describe them, so there is nothing left to check; it took as long as a small
search.
"""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from inspect import signature
from typing import Any, Final

from fastapi import APIRouter, Response
from fastapi.routing import APIRoute
from pydantic import TypeAdapter

_JSON: Final = "application/json"


class DirectRoute(APIRoute):
    """A route whose answer is JSON of what it returns, as its annotation describes it."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:  # noqa: ANN401 - the framework's
        super().__init__(path, _writing(endpoint, options.get("status_code") or HTTPStatus.OK), **options)


def direct(tag: str) -> APIRouter:
    """Make a collection of such routes."""
    return APIRouter(tags=[tag], route_class=DirectRoute)


def _writing(endpoint: Callable[..., Any], status: int) -> Callable[..., Any]:
    """Let a function write its answer, unless it does so already."""
    made = signature(endpoint).return_annotation
    if isinstance(made, type) and issubclass(made, Response):
        return endpoint
    described = TypeAdapter(made)

    @wraps(endpoint)
    def written(*given: Any, **named: Any) -> Response:  # noqa: ANN401 - whatever the route takes
        return Response(described.dump_json(endpoint(*given, **named)), status, media_type=_JSON)

    return written
