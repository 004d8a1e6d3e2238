"""What the operator sees: a line per request when asked for, and where the server failed. Never what was sent."""

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

from recollect.web.problems import FAILED, problem

_GONE: Final = 499  # what many servers note when nobody waited for an answer
_PLAIN: Final = re.compile(r"[A-Za-z0-9._-]{1,32}")
_LONGEST_METHOD: Final = 16

Place: TypeAlias = Callable[[Scope], str]


class Journal:
    """The outermost room: no failure leaves it, and requests are noted on the way out.

    `place` says how a request is named, since not every path may stand in a log.
    """

    def __init__(self, app: ASGIApp, log: logging.Logger, place: Place) -> None:
        self._app = app
        self._log = log
        self._place = place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request be served, whatever comes of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        sent = _Sent(send)
        try:
            await self._app(scope, receive, sent)
        except Exception as error:  # noqa: BLE001 - the HTTP edge
            if not _is_gone(error):
                # no traceback: it ends with the message of the error, which may quote a text
                fields = {**self._named(scope), "failure": _whereabouts(error)}
                self._log.error("%(method)s %(place)s failed: %(failure)s", fields)
                if not sent.status:
                    await problem(HTTPStatus.INTERNAL_SERVER_ERROR, FAILED)(scope, receive, sent)
        fields = {
            **self._named(scope),
            "status": sent.status or _GONE,
            "ms": round(1000 * (time.perf_counter() - started), 1),
            "bytes": sent.bytes,
        }
        self._log.info("%(method)s %(place)s %(status)d %(ms).0f ms", fields)

    def _named(self, scope: Scope) -> dict[str, object]:
        """Say which request is meant: by its number and its key's, if it has them, and by what it is for."""
        state: Mapping[str, object] = scope.get("state") or {}
        known = {"request_id": state.get("request_id"), "key": state.get("principal_id")}
        return {
            **{name: value for name, value in known.items() if value is not None},
            "method": scope["method"][:_LONGEST_METHOD],
            "place": self._place(scope),
        }


class _Sent:
    """Passes an answer on, and knows its status and how long it was."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0
        self.bytes = 0

    async def __call__(self, message: Message) -> None:
        self.status = message.get("status", self.status)
        self.bytes += len(message.get("body", b""))
        await self._send(message)


def path_of(scope: Scope) -> str:
    """Give the path as it was sent, without the query; it cannot break a line, since it is still encoded."""
    raw: bytes = scope.get("raw_path") or b""
    return raw.partition(b"?")[0].decode("ascii", "backslashreplace")


def route_of(scope: Scope) -> str:
    """Give the route that served a request, as it was declared: the ids in a path are not for those who read a log.

    Without a route it is the first part of the path, if that is plain.
    """
    route = getattr(scope.get("route"), "path", None)
    if isinstance(route, str) and route:
        return route
    first = scope["path"].lstrip("/").partition("/")[0]
    return f"/{first}" if _PLAIN.fullmatch(first) else "/"


def write_to_standard_error(log: logging.Logger, formatter: logging.Formatter, *, requests: bool) -> None:
    """Let a log be seen: failures always, requests if they are asked for."""
    shown = logging.StreamHandler(sys.stderr)
    shown.setFormatter(formatter)
    log.handlers = [shown]
    log.propagate = False
    log.setLevel(logging.INFO if requests else logging.ERROR)


class JsonLines(logging.Formatter):
    """One JSON object per line: when, how bad, and what was noted."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def format(self, record: logging.LogRecord) -> str:
        """Write what was noted by its fields, or as the sentence it is."""
        noted = record.args if isinstance(record.args, Mapping) else {"message": record.getMessage()}
        return json.dumps({"time": self.formatTime(record), "level": record.levelname.lower(), **noted}, default=str)


def _is_gone(error: BaseException) -> bool:
    """Tell whether all that happened is that the client went away."""
    if isinstance(error, BaseExceptionGroup):
        return all(_is_gone(inner) for inner in error.exceptions)
    return isinstance(error, ClientDisconnect)


def _whereabouts(error: Exception) -> str:
    """Say what kind of error it was, and where."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
