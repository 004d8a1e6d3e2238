"""Access log: a line per request if wanted, and where the server failed. Never what was sent.

A request that a stop of the server cuts short is answered here, too: the server cancels it, and would answer 500.
"""

import asyncio
import json
import logging
import re
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import PurePath
from typing import Final, TypeAlias

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.web.problems import SERVER_FAILED, problem

_GONE: Final = 499  # as many servers note a client that did not wait
_PLAIN: Final = re.compile(r"[A-Za-z0-9._-]{1,32}")
_LONGEST_METHOD: Final = 16
_STOPPING: Final = (
    "The server stops, and could not finish this request in time. It may still have been carried out; send it again "
    "later, with the same Idempotency-Key if it had one."
)
_TO_THE_NEXT: Final = {"Retry-After": "5", "Connection": "close"}  # seconds until the next process answers

RequestLabel: TypeAlias = Callable[[Scope], str]


class ResponseRecorder:
    """Records the status and the length of a response that is sent."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0
        self.bytes = 0

    async def __call__(self, message: Message) -> None:
        self.status = message.get("status", self.status)
        self.bytes += len(message.get("body", b""))
        await self._send(message)


class AccessLogMiddleware:
    """Middleware that logs requests and answers failures. `label` names a request: not every path may be logged."""

    def __init__(self, app: ASGIApp, log: logging.Logger, label: RequestLabel) -> None:
        self._app = app
        self._log = log
        self._label = label

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        response = ResponseRecorder(send)
        try:
            await self._app(scope, receive, response)
        except asyncio.CancelledError:
            if response.status:
                raise
            stopping = problem(HTTPStatus.SERVICE_UNAVAILABLE, _STOPPING, _TO_THE_NEXT)
            await stopping(scope, receive, response)
        except Exception as error:  # noqa: BLE001 - the HTTP edge
            if not _is_gone(error):
                # no traceback: it ends with the message of the error, which may quote a text
                fields = {**self._request_fields(scope), "failure": _failure(error)}
                self._log.error("%(method)s %(place)s failed: %(failure)s", fields)
                if not response.status:
                    await problem(HTTPStatus.INTERNAL_SERVER_ERROR, SERVER_FAILED)(scope, receive, response)
        fields = {
            **self._request_fields(scope),
            "status": response.status or _GONE,
            "ms": round(1000 * (time.perf_counter() - started), 1),
            "bytes": response.bytes,
        }
        self._log.info("%(method)s %(place)s %(status)d %(ms).0f ms", fields)

    def _request_fields(self, scope: Scope) -> dict[str, object]:
        """Name a request: by its id and its key's, if it has them, and by its method and label."""
        state: Mapping[str, object] = scope.get("state") or {}
        known = {"request_id": state.get("request_id"), "key": state.get("principal_id")}
        return {
            **{name: value for name, value in known.items() if value is not None},
            "method": scope["method"][:_LONGEST_METHOD],
            "place": self._label(scope),
        }


def path_of(scope: Scope) -> str:
    """Give the path without the query, still encoded, so that it cannot break a line."""
    raw: bytes = scope.get("raw_path") or b""
    return raw.partition(b"?")[0].decode("ascii", "backslashreplace")


def route_of(scope: Scope) -> str:
    """Give the declared route of a request, without ids; or the first part of the path, if that is plain."""
    route = getattr(scope.get("route"), "path", None)
    if isinstance(route, str) and route:
        return route
    first = scope["path"].lstrip("/").partition("/")[0]
    return f"/{first}" if _PLAIN.fullmatch(first) else "/"


def log_to_stderr(log: logging.Logger, formatter: logging.Formatter, *, requests: bool) -> None:
    """Log to standard error: failures always, requests if they are wanted."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    log.handlers = [handler]
    log.propagate = False
    log.setLevel(logging.INFO if requests else logging.ERROR)


class JsonLogFormatter(logging.Formatter):
    """A log formatter: one JSON object per line."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def format(self, record: logging.LogRecord) -> str:
        """Format the fields of a record, or its sentence."""
        fields = record.args if isinstance(record.args, Mapping) else {"message": record.getMessage()}
        return json.dumps({"time": self.formatTime(record), "level": record.levelname.lower(), **fields}, default=str)


def _is_gone(error: BaseException) -> bool:
    """Tell whether the client merely went away."""
    if isinstance(error, BaseExceptionGroup):
        return all(_is_gone(inner) for inner in error.exceptions)
    return isinstance(error, ClientDisconnect)


def _failure(error: Exception) -> str:
    """Name the kind of an error, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
