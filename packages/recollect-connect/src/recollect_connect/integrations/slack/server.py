"""Requests of Slack: over HTTP, signed and each taken once, or over a socket that the bot opens itself.

A signature holds for five minutes; within them a copy of a request is refused because its signature was seen.
"""

from asyncio import to_thread
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Final, NamedTuple

import uvicorn
from slack_bolt import App, BoltRequest
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk.signature import SignatureVerifier
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

_LARGEST_BODY: Final = 1_048_576
_SIGNATURE_S: Final = 301.0  # a little more than Slack's signatures hold
_EVENTS: Final = "/slack/events"


class ServedBot(NamedTuple):
    """Where a bot can be reached."""

    url: str


class _SeenSignatures:
    """Signatures of the last minutes, each of which is good for one request."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, float] = OrderedDict()
        self._lock = Lock()

    def is_new(self, signature: str) -> bool:
        """Tell whether a signature comes for the first time, and note it."""
        now = monotonic()
        with self._lock:
            while self._seen and next(iter(self._seen.values())) < now - _SIGNATURE_S:
                self._seen.popitem(last=False)
            if signature in self._seen:
                return False
            self._seen[signature] = now
            return True


def http_app(app: App, signing_secret: str) -> Starlette:
    """Make the ASGI application that Slack sends its requests to: `POST /slack/events`."""
    verifier, seen = SignatureVerifier(signing_secret), _SeenSignatures()

    async def receive(request: Request) -> Response:
        body = bytearray()
        async for piece in request.stream():
            body += piece
            if len(body) > _LARGEST_BODY:
                return JSONResponse({"error": "too large"}, 413)
        headers = dict(request.headers)
        signature = headers.get("x-slack-signature", "")
        if not verifier.is_valid_request(bytes(body), headers) or not seen.is_new(signature):
            return JSONResponse({"error": "invalid request"}, 401)
        asked = BoltRequest(body=body.decode("utf-8"), headers=dict(headers))
        answered = await to_thread(app.dispatch, asked)
        return Response(answered.body, answered.status, headers=answered.first_headers_without_set_cookie())

    return Starlette(routes=[Route(_EVENTS, receive, methods=["POST"])])


def serve_http(
    app: App, signing_secret: str, *, host: str, port: int, ready: Callable[[ServedBot], None] = lambda _: None
) -> None:
    """Serve the bot over HTTP until it is told to end."""
    config = uvicorn.Config(http_app(app, signing_secret), host=host, port=port, log_level="warning", access_log=False)
    with config.bind_socket() as socket:
        ready(ServedBot(f"http://{host}:{socket.getsockname()[1]}{_EVENTS}"))
        uvicorn.Server(config).run(sockets=[socket])


def serve_socket(app: App, app_token: str) -> SocketModeHandler:
    """Connect the bot over Socket Mode; it needs no port. Returns when it is connected: `close` ends it."""
    handler = SocketModeHandler(app, app_token)
    handler.connect()  # type: ignore[no-untyped-call]
    return handler
