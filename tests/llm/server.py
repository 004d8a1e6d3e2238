"""A server on loopback that speaks the chat-completions protocol, and fails in the ways that real ones do."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

HELLO = "Hello from the model."


@dataclass(frozen=True)
class Reply:
    """What the server answers. `announced` is a Content-Length that the body does not keep; `drip_s` a pause a byte."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    drip_s: float = 0.0
    announced: int | None = None
    content_type: str = "application/json"


def completion(text: object, *, finish: str | None = "stop", usage: object = None, **message: object) -> Reply:
    """Answer as a model does."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
    usage = {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150} if usage is None else usage
    return Reply(json.dumps({"object": "chat.completion", "choices": [choice], "usage": usage}).encode())


def failure(status: int, text: str = "overloaded", **headers: str) -> Reply:
    """Answer with an error, as most providers word it."""
    body = json.dumps({"error": {"message": text}}).encode()
    return Reply(body, status, {name.replace("_", "-"): value for name, value in headers.items()})


@dataclass
class Request:
    """What a client sent."""

    path: str
    headers: Mapping[str, str]
    body: Any


class ChatServer:
    """Answers with its replies in order, the last one again and again; or as `reply_to` says to the body of each."""

    def __init__(self, reply_to: Callable[[Any], Reply] | None = None) -> None:
        self.replies = [completion(HELLO)]
        self.requests: list[Request] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                body = json.loads(content)
                server.requests.append(Request(self.path, dict(self.headers), body))
                if reply_to is not None:
                    reply = reply_to(body)
                else:
                    reply = server.replies.pop(0) if len(server.replies) > 1 else server.replies[0]
                try:
                    self._answer(reply)
                except ConnectionError:
                    self.close_connection = True  # the client went away, which is what some tests are about

            def _answer(self, reply: Reply) -> None:
                time.sleep(reply.delay_s)
                self.send_response(reply.status)
                length = len(reply.body) if reply.announced is None else reply.announced
                for name, value in {
                    "Content-Type": reply.content_type,
                    "Content-Length": str(length),
                    **reply.headers,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                if reply.drip_s:
                    for byte in reply.body:
                        self.wfile.write(bytes((byte,)))
                        self.wfile.flush()
                        time.sleep(reply.drip_s)
                else:
                    self.wfile.write(reply.body)
                self.close_connection = reply.announced is not None

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @contextmanager
    def running(self) -> Iterator["ChatServer"]:
        """Serve until the block ends."""
        self._thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()
