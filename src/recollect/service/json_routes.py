"""Routes that encode their answers in the thread that made them, when it is the turn of their user.

FastAPI would validate an answer in another thread and encode it on the event loop, which takes as long as a small
search. Here the endpoint's own thread does both.
"""

from collections.abc import Awaitable, Callable
from functools import partial, wraps
from http import HTTPStatus
from inspect import iscoroutinefunction, signature
from typing import Any, Final

from fastapi import APIRouter, Response
from fastapi.datastructures import DefaultPlaceholder
from fastapi.routing import APIRoute
from pydantic import TypeAdapter

from recollect.service.body_model import StrictBody
from recollect.service.request_context import ApiCall

JSON: Final = "application/json"


class JsonRoute(APIRoute):
    """A route whose answer is the JSON of its value, in the shape of its response model or return annotation."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:  # noqa: ANN401 - FastAPI's
        if not iscoroutinefunction(endpoint):
            returned, model = signature(endpoint).return_annotation, options.get("response_model")
            if not (isinstance(returned, type) and issubclass(returned, Response)):
                shape = TypeAdapter(returned if isinstance(model, DefaultPlaceholder | None) else model)
                endpoint = _encoded(endpoint, shape, options.get("status_code") or HTTPStatus.OK)
            endpoint = _admitted(endpoint)
        super().__init__(path, endpoint, **options)


def json_router(tag: str) -> APIRouter:
    """Make a router of such routes."""
    return APIRouter(tags=[tag], route_class=JsonRoute)


def _admitted(endpoint: Callable[..., Any]) -> Callable[..., Awaitable[Response]]:
    """Let an endpoint run in a thread when it is the turn of the user whom its call is for."""

    @wraps(endpoint)
    async def admitted(*, call: ApiCall, **named: Any) -> Response:  # noqa: ANN401 - the endpoint's own
        body = named.get("body")
        texts = body.texts if isinstance(body, StrictBody) else 0
        return await call.admitted(texts, partial(endpoint, call=call, **named))

    return admitted


def _encoded(endpoint: Callable[..., Any], shape: TypeAdapter[Any], status: int) -> Callable[..., Response]:
    @wraps(endpoint)
    def encoded(*positional: Any, **named: Any) -> Response:  # noqa: ANN401 - the endpoint's own
        value = shape.validate_python(endpoint(*positional, **named))
        return Response(shape.dump_json(value), status, media_type=JSON)

    return encoded
