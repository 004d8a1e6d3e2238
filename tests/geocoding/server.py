"""A Nominatim on loopback that knows two places, and misbehaves on demand.

with NominatimServer() as server:
    geocoder = NominatimGeocoder(server.url)
    server.fault = "html"  # until it is set to something else; None is good behaviour
"""

import json
import socket
import struct
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from threading import Event
from typing import Any, Final, Self
from urllib.parse import parse_qs, urlsplit

from tests.providers.server import Elsewhere, _Listener

BRNO: Final = {
    "place_id": 1,
    "licence": "Data © OpenStreetMap contributors, ODbL 1.0",
    "lat": "49.1952000",
    "lon": "16.6080000",
    "category": "highway",
    "type": "residential",
    "name": "Česká",
    "display_name": "Česká, Veveří, Brno, okres Brno-město, Jihomoravský kraj, 602 00, Česko",
    "address": {
        "road": "Česká",
        "city": "Brno",
        "state": "Jihomoravský kraj",
        "country": "Česko",
        "country_code": "cz",
    },
}
NOWHERE: Final = {"error": "Unable to geocode"}
HUGE_BYTES: Final = 50_000_000

_STATUSES: Final = {"error_500": 500, "unavailable": 503, "rate_limited": 429, "not_found": 404, "refused": 400}
_BODIES: Final = {
    "html": b"<!DOCTYPE html><html><body><h1>Sign in to the network</h1></body></html>",
    "empty": b"",
    "truncated": json.dumps(BRNO).encode()[:100],
    "invalid_utf8": b'{"display_name": "\xff\xfe", "lat": "1", "lon": "1"}',
    "nested": b"[" * 100_000,
    "nested_object": b'{"a":' * 40_000,
    "other_kind": b'"Brno"',
    "no_place": b"[17]",
    "nan": json.dumps({**BRNO, "lat": float("nan")}).encode(),
    "nan_text": json.dumps({**BRNO, "lat": "nan"}).encode(),
    "infinite": json.dumps({**BRNO, "lon": "1e999"}).encode(),
    "too_far_north": json.dumps({**BRNO, "lat": "90.5"}).encode(),
    "no_coordinates": json.dumps({"display_name": "Brno"}).encode(),
    "true_coordinates": json.dumps({**BRNO, "lat": True}).encode(),
    "no_name": json.dumps({**BRNO, "display_name": 17}).encode(),
    "blank_name": json.dumps({**BRNO, "display_name": " \n\t"}).encode(),
    "odd_address": json.dumps({**BRNO, "address": ["Brno"]}).encode(),
    "odd_error": json.dumps({"error": {"message": "the database is asleep"}}).encode(),
}
FAULTS: Final = (
    "down", "hang", "slow", "reset", "dripped", "redirect", "huge", "endless", *_STATUSES, *_BODIES,
)  # fmt: skip


@dataclass(frozen=True)
class Recorded:
    """What somebody asked."""

    path: str
    fields: Mapping[str, str]
    headers: Mapping[str, str]


class NominatimServer:
    """A server whose answers are `reverse` and `search`; `slow_s` is how long a slow one takes."""

    def __init__(self, *, slow_s: float = 1.0) -> None:
        self.slow_s = slow_s
        self.retry_after: str | None = None
        self.reverse: object = BRNO
        self.search: object = [BRNO]
        self.requests: list[Recorded] = []
        self.elsewhere = Elsewhere()
        self._fault: str | None = None
        self.patience = Event()  # set when those who hang may let go
        self._listener: _Listener | None = None
        self._port = 0
        self._placeholder: socket.socket | None = None  # keeps the port while nobody listens

    def __enter__(self) -> Self:
        self.elsewhere.start()
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self.patience.set()
        self._stop()
        self._let_go_of_port()
        self.elsewhere.stop()

    @property
    def url(self) -> str:
        """Where it is asked."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def fault(self) -> str | None:
        """What it does wrong now."""
        return self._fault

    @fault.setter
    def fault(self, fault: str | None) -> None:
        if fault is not None and fault not in FAULTS:
            raise ValueError(f"Unknown fault: {fault}")
        self.patience.set()
        self.patience = Event()
        self._fault = fault
        if fault == "down":
            self._stop()
        elif self._listener is None:
            self._start()

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


class _Handler(BaseHTTPRequestHandler):
    owner: NominatimServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        fields = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self.owner.requests.append(Recorded(parts.path, fields, dict(self.headers)))
        fault, patience = self.owner.fault, self.owner.patience
        if fault == "hang":
            patience.wait()
            self.close_connection = True
            return
        if fault == "slow":
            patience.wait(self.owner.slow_s)
        with suppress(OSError):  # whoever asked may be gone
            self._answer(parts.path, fault, patience)

    def _answer(self, path: str, fault: str | None, patience: Event) -> None:
        if fault in _STATUSES:
            pause = {"Retry-After": self.owner.retry_after} if self.owner.retry_after else {}
            self._send(b'{"error": {"message": "as the fault has it"}}', _STATUSES[fault], pause)
        elif fault in _BODIES:
            self._send(_BODIES[fault])
        elif fault == "redirect":
            self._send(b"", 302, {"Location": self.owner.elsewhere.url})
        elif fault in {"huge", "endless"}:
            self._flood(announced=fault == "huge")
        elif fault == "reset":
            self._head(200, 1_000, {})
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
        elif fault == "dripped":
            self._drip(json.dumps(BRNO).encode(), patience)
        elif path in {"/reverse", "/search"}:
            said = self.owner.reverse if path == "/reverse" else self.owner.search
            self._send(json.dumps(said).encode())
        else:
            self._send(b"{}", 404)

    def _flood(self, *, announced: bool) -> None:
        self.close_connection = True
        if announced:
            self._head(200, HUGE_BYTES, {})
        else:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        for _ in range(HUGE_BYTES // 65_536):
            self.wfile.write(b"x" * 65_536)

    def _drip(self, content: bytes, patience: Event) -> None:
        self.close_connection = True
        self._head(200, len(content), {})
        for byte in content:
            self.wfile.write(bytes((byte,)))
            if patience.is_set():
                return
            time.sleep(0.02)

    def _send(self, body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        self._head(status, len(body), headers or {})
        self.wfile.write(body)

    def _head(self, status: int, length: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(length), **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass
