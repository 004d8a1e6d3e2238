"""A Nominatim on loopback that answers as a real one does, or in one of the ways in which servers fail."""

import json
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Final, cast
from urllib.parse import parse_qs, urlsplit

HEALTHY: Final = "healthy"
FAULTS: Final[Sequence[str]] = ("down", "hanging", "5xx", "HTML", "50 MB", "redirect", "429")

_HUGE_PIECES: Final = 50
_PIECE: Final = b" " * 2**20
_LONGEST_HANG_S: Final = 30.0


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, mood: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.mood = mood
        self.over = Event()
        self.asked = 0


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        server = cast("_Listener", self.server)
        server.asked += 1
        with suppress(ConnectionError):
            match server.mood:
                case "hanging":
                    server.over.wait(_LONGEST_HANG_S)
                    self.close_connection = True
                case "5xx":
                    self._answer(503, "text/plain", b"busy")
                case "HTML":
                    self._answer(200, "text/html", b"<!DOCTYPE html><html><body>Sign in to the network</body></html>")
                case "50 MB":
                    self._pour()
                case "redirect":
                    self._answer(302, "text/plain", b"", ("Location", "http://127.0.0.1:9/elsewhere"))
                case "429":
                    self._answer(429, "text/plain", b"slower, please", ("Retry-After", "5"))
                case _:
                    self._answer(200, "application/json", self._place())

    def _place(self) -> bytes:
        asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        street = f"Street {asked.get('lat', '')} {asked.get('lon', '')}"
        return json.dumps({
            "lat": asked.get("lat"),
            "lon": asked.get("lon"),
            "name": street,
            "display_name": f"{street}, Brno, Czechia",
            "address": {"road": street, "city": "Brno", "country": "Czechia", "country_code": "cz"},
        }).encode()  # fmt: skip

    def _answer(self, status: int, kind: str, body: bytes, *more: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(body))), *more):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _pour(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(_HUGE_PIECES * len(_PIECE)))
        self.end_headers()
        for _ in range(_HUGE_PIECES):
            self.wfile.write(_PIECE)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@dataclass(frozen=True, slots=True)
class Running:
    """Where one is asked, and how often it was."""

    url: str
    listener: _Listener | None = None

    @property
    def asked(self) -> int:
        """How many questions have arrived."""
        return self.listener.asked if self.listener else 0


@contextmanager
def nominatim(mood: str) -> Iterator[Running]:
    """Run one in a mood. One that is down has an address at which nobody listens."""
    if mood == "down":
        with socket.socket() as placeholder:  # bound, so that nobody else gets the port meanwhile
            placeholder.bind(("127.0.0.1", 0))
            yield Running(f"http://127.0.0.1:{placeholder.getsockname()[1]}")
        return
    listener = _Listener(mood)
    thread = Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield Running(f"http://127.0.0.1:{listener.server_address[1]}", listener)
    finally:
        listener.over.set()
        listener.shutdown()
        listener.server_close()
        thread.join()
