"""A server on loopback that speaks the protocol of every provider, and misbehaves on demand.

    with ProviderServer() as server:
        endpoint = server.url("openai")
        server.fault = "nan"  # until it is set to something else; None is good behaviour
        with server.misbehaving("html", times=1): ...

`server.requests` holds what was asked, with headers and texts; `server.elsewhere.requests` what followed a redirect.
"""

import json
import re
import socket
import struct
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, Final, Self

from tests.providers import protocols
from tests.providers.activity import Activity
from tests.providers.batches import Batches, Plan
from tests.providers.faults import FAULTS, MORE_FAULTS
from tests.providers.protocols import Body, Mood, Refused

__all__ = ["FAULTS", "MORE_FAULTS", "Plan", "ProviderServer", "Recorded"]

POISON: Final = "POISON"
HUGE_BYTES: Final = 10_000_000
STALL_S: Final = 0.5
_PATHS: Final = {
    "openai": "/openai/v1",
    "zai": "/zai/api/paas/v4",
    "e5": "/e5",
    "ollama": "/ollama",
    "gemini": "/gemini/v1beta",
    "openai-compatible": "/compatible/v1",
}
_EMBED: Final[Mapping[tuple[str, str], Callable[[Body, Mood], Body]]] = {
    ("POST", "/openai/v1/embeddings"): protocols.openai,
    ("POST", "/compatible/v1/embeddings"): protocols.openai,
    ("POST", "/zai/api/paas/v4/embeddings"): protocols.zai,
    ("POST", "/e5/batch"): protocols.e5,
    ("GET", "/e5/health"): protocols.e5_health,
    ("POST", "/ollama/api/embed"): protocols.ollama,
}
_ODD: Final = frozenset(("stalled", "announced", "endless"))
_STATUS_FAULTS: Final = {
    "rate_limited_with_pause": 429,
    "rate_limited": 429,
    "error_500": 500,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "refused": 400,
}
_JUNK: Final = {
    "html": b"<!DOCTYPE html><html><body><h1>Sign in to the network</h1></body></html>",
    "huge": b"x" * HUGE_BYTES,
    "empty": b"",
}


@dataclass(frozen=True)
class Recorded:
    """What somebody asked: `texts` are those of a request for embeddings."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    texts: tuple[str, ...] = ()
    at: float = field(default_factory=time.monotonic)


class ProviderServer:
    """All providers behind one port. `latency_s` is how long every answer takes, `slow_s` a slow one."""

    def __init__(self, *, latency_s: float = 0.0, slow_s: float = 1.0) -> None:
        self.latency_s = latency_s
        self.slow_s = slow_s
        self.at_once = 1  # so many requests must have come together before one is answered
        self.retry_after_s = 2
        self.faulty_path = ""  # only what ends like this is met by the fault
        self.refusal = "as the fault has it"  # what an answer with an error says
        self.poison = POISON
        self.key: str | None = None  # the only one that is accepted, if any
        self.requests: list[Recorded] = []
        self.activity = Activity()
        self.batches = Batches()
        self.elsewhere = Elsewhere()
        self._fault: str | None = None
        self._fault_left: int | None = None
        self._lock = Lock()
        self._patience = Event()  # set when those who hang may let go
        self._listener: _Listener | None = None
        self._port = 0
        self._placeholder: socket.socket | None = None  # keeps the port while nobody listens

    def __enter__(self) -> Self:
        self.elsewhere.start()
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._patience.set()
        self._stop()
        self._let_go_of_port()
        self.elsewhere.stop()

    def url(self, provider: str) -> str:
        """Say where a provider is asked."""
        return f"http://127.0.0.1:{self._port}{_PATHS[provider]}"

    @property
    def texts(self) -> list[str]:
        """Every text that was asked for, in order."""
        return [text for request in self.requests for text in request.texts]

    @property
    def fault(self) -> str | None:
        """What it does wrong now."""
        return self._fault

    @fault.setter
    def fault(self, fault: str | None) -> None:
        if fault is not None and fault not in (*FAULTS, *MORE_FAULTS):
            raise ValueError(f"Unknown fault: {fault}")
        self._patience.set()  # whoever hangs from the last fault lets go
        self._fault, self._fault_left = fault, None
        self._patience = Event()
        if fault == "down":
            self._stop()
        elif self._listener is None:
            self._start()

    @contextmanager
    def misbehaving(self, fault: str, times: int | None = None) -> Iterator[None]:
        """Misbehave while the block runs, or for so many requests of it."""
        self.fault = fault
        self._fault_left = times
        try:
            yield
        finally:
            self.fault = None

    def fault_for(self, path: str) -> tuple[str | None, Event]:
        """Take the fault that a request meets."""
        with self._lock:
            if not path.endswith(self.faulty_path):
                return None, self._patience
            if self._fault_left is not None:
                if self._fault_left == 0:
                    return None, self._patience
                self._fault_left -= 1
            return self._fault, self._patience

    def answer(self, request: Recorded, content: bytes, fault: str | None) -> Body | bytes:
        """Answer as the provider does whose path it is. Raises Refused."""
        if self.key is not None and self.key not in " ".join(request.headers.values()).split():
            raise Refused("Incorrect API key provided.", 401)
        mood = Mood(fault, self.poison)
        if embed := _EMBED.get((request.method, request.path)):
            return embed(request.body, mood)
        if request.path.startswith(_PATHS["gemini"]):
            return self._gemini(request, request.path.removeprefix(_PATHS["gemini"]), mood)
        if request.path.startswith(_PATHS["openai"]):
            return self._openai_batch(request, content, mood)
        raise Refused(f"nothing at {request.path}", 404)

    def _gemini(self, request: Recorded, path: str, mood: Mood) -> Body:
        if request.method == "POST" and (match := re.fullmatch(r"/models/([^/:]+):(\w+)", path)):
            if match[2] == "batchEmbedContents":
                return protocols.gemini(request.body, mood, match[1])
            if match[2] == "asyncBatchEmbedContent":
                return self.batches.create_gemini(request.body, match[1])
        if request.method == "GET" and path.startswith("/batches/"):
            return self.batches.show_gemini(path[1:], mood)
        if request.method == "POST" and path.startswith("/batches/") and path.endswith(":cancel"):
            self.batches.cancel(path[1:].removesuffix(":cancel"))
            return {}
        if request.method == "DELETE" and path.startswith("/batches/"):
            return self.batches.delete_batch(path[1:])
        raise Refused(f"nothing at {request.path}", 404)

    def _openai_batch(self, request: Recorded, content: bytes, mood: Mood) -> Body | bytes:
        match [request.method, *request.path.removeprefix(_PATHS["openai"]).strip("/").split("/")]:
            case ["POST", "files"]:
                return self.batches.upload(content, request.headers.get("Content-Type", ""))
            case ["GET", "files", id, "content"] if id in self.batches.files:
                return self.batches.files[id]
            case ["DELETE", "files", id]:
                return self.batches.delete_file(id)
            case ["POST", "batches"]:
                return self.batches.create_openai(request.body)
            case ["GET", "batches", id]:
                return self.batches.show_openai(id, mood)
            case ["POST", "batches", id, "cancel"]:
                return self.batches.cancel_openai(id)
        raise Refused(f"nothing at {request.path}", 404)

    def _start(self) -> None:
        self._listener = _Listener(self._port, type("Handler", (_Handler,), {"owner": self}))
        self._port = self._listener.server_address[1]
        self._let_go_of_port()
        self._listener.start()

    def _stop(self) -> None:
        listener, self._listener = self._listener, None
        if listener:
            listener.stop()
            self._placeholder = socket.socket()
            self._placeholder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._placeholder.bind(("127.0.0.1", self._port))

    def _let_go_of_port(self) -> None:
        placeholder, self._placeholder = self._placeholder, None
        if placeholder:
            placeholder.close()


class Elsewhere:
    """Where a redirect points to. Nobody should ever ask here."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self._listener: _Listener | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        assert self._listener
        return f"http://127.0.0.1:{self._listener.server_address[1]}/stolen"

    def start(self) -> None:
        """Listen."""
        asked = self.requests

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked.append(str(self.headers))
                self.send_error(418)

            do_GET = do_POST  # noqa: N815 - the name is the protocol's

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._listener = _Listener(0, Handler)
        self._listener.start()

    def stop(self) -> None:
        """Stop listening."""
        if self._listener:
            self._listener.stop()


class _Listener(ThreadingHTTPServer):
    """A port that is listened to. Stopping it also cuts the connections that are open, as a crash would."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, port: int, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", port), handler)
        self._open: set[socket.socket] = set()
        self._thread = Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a connection that breaks is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    owner: ProviderServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        with self.owner.activity.request():
            content = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            fault, patience = self.owner.fault_for(self.path)  # first: who sees the request may send the next one
            request = self._recorded(content)
            self.owner.activity.wait_for(self.owner.at_once)
            time.sleep(self.owner.slow_s if fault == "slow" else self.owner.latency_s)
            if fault == "hang":
                patience.wait()
                self.close_connection = True
                return
            self._reply(request, content, fault, patience)

    do_GET = do_POST  # noqa: N815 - the name is the protocol's
    do_DELETE = do_POST  # noqa: N815 - the name is the protocol's

    def _recorded(self, content: bytes) -> Recorded:
        body = None
        with suppress(ValueError):
            body = json.loads(content)
        request = Recorded(self.command, self.path, dict(self.headers), body, _texts(body))
        self.owner.requests.append(request)
        return request

    def _reply(self, request: Recorded, content: bytes, fault: str | None, patience: Event) -> None:
        if fault in _STATUS_FAULTS:
            pause = {"Retry-After": str(self.owner.retry_after_s)} if fault == "rate_limited_with_pause" else {}
            return self._send(_error(self.owner.refusal), _STATUS_FAULTS[fault], pause)
        if fault == "redirect":
            return self._send(b"", 307, {"Location": self.owner.elsewhere.url})
        if fault in _JUNK:
            return self._send(_JUNK[fault], 200, {"Content-Type": "text/html"})
        try:
            answer = self.owner.answer(request, content, fault)
        except Refused as refused:
            return self._send(_error(refused.message), refused.status)
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        return self._odd(fault, patience) if fault in _ODD else self._spoiled(body, fault)

    def _spoiled(self, body: bytes, fault: str | None) -> None:
        match fault:
            case "truncated":
                self._send(body[: len(body) // 2])
            case "reset":
                self._send(body[: len(body) // 2], announced=len(body))
                linger = struct.pack("ii", 1, 0)  # close with a reset, not with a farewell
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                self.close_connection = True
            case "trickled":
                self._drip(b"HTTP/1.1 200 OK\r\nX-Slowly: " + b"x" * 2000)
            case "dripped":
                self._head(200, len(body), {})
                self._drip(body)
            case _:
                self._send(body)

    def _odd(self, fault: str | None, patience: Event) -> None:
        """Begin an answer that never comes to its end."""
        self.close_connection = True
        if fault == "stalled":
            time.sleep(STALL_S)
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slowly: ")
        elif fault == "announced":
            self._head(200, HUGE_BYTES, {})
        else:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            for _ in range(100 * HUGE_BYTES // len(_JUNK["huge"])):
                self.wfile.write(_JUNK["huge"])
            return
        patience.wait()

    def _send(
        self, body: bytes, status: int = 200, headers: Mapping[str, str] | None = None, announced: int | None = None
    ) -> None:
        self._head(status, len(body) if announced is None else announced, headers or {})
        self.wfile.write(body)

    def _head(self, status: int, length: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(length), **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _drip(self, content: bytes) -> None:
        self.close_connection = True
        for byte in content:
            self.wfile.write(bytes((byte,)))
            time.sleep(0.02)

    def log_message(self, format: str, *args: object) -> None:
        pass


def _texts(body: Any) -> tuple[str, ...]:
    """Find the texts of a request for embeddings, whoever's it is."""
    if not isinstance(body, dict):
        return ()
    found = body.get("input", body.get("texts"))
    if isinstance(body.get("requests"), list):
        found = [part["text"] for request in body["requests"] for part in request["content"]["parts"]]
    return tuple(found) if isinstance(found, list) else ()


def _error(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "provider_error"}}).encode()
