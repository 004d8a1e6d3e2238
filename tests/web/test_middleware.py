"""All guards together, around an application like the service's, over real HTTP."""

import asyncio
import gzip
import json
import logging
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

import httpx2
import pytest
from fastapi import APIRouter, FastAPI, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from recollect.settings.sections import ServeSettings
from recollect.web.limits import BodyLimits
from recollect.web.middleware import LOG, add_middleware
from recollect.web.problems import RequestRefused, add_error_handlers
from tests.waiting import PATIENCE_S
from tests.web.conftest import LOCAL, ask, connect, empty, serving, wait_for

MIB = 1024 * 1024
PAGE = "https://app.example.org"
PRIVATE = "the safe is behind the painting"
GUARDS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "cache-control": "no-store",
}


class House:
    """An application with a route of every kind, and what was seen inside."""

    def __init__(self) -> None:
        self.app = FastAPI(lifespan=self._life)
        self.go_on = asyncio.Event()
        self.left = threading.Event()
        self.is_open = False
        add_error_handlers(self.app, "GET /docs tells")
        self.app.include_router(self._routes())

    @asynccontextmanager
    async def _life(self, _app: FastAPI) -> AsyncIterator[None]:
        self.is_open = True
        yield
        self.is_open = False

    def _routes(self) -> APIRouter:
        routes = APIRouter(prefix="/api")

        @routes.post("/memories/{id}")
        async def change(id: str, body: dict[str, str], request: Request) -> dict[str, str]:
            request.state.principal_id = "k1"
            if "fail" in body:
                raise RuntimeError(body["fail"])
            return body

        @routes.post("/files")
        async def file(request: Request) -> int:
            return len(await request.body())

        @routes.get("/many")
        async def many() -> list[str]:
            return ["the same again"] * 1_000

        @routes.get("/kept")
        async def kept() -> Response:
            return Response(b"{}", headers={"Cache-Control": "max-age=5"}, media_type="application/json")

        @routes.get("/busy")
        async def busy() -> None:
            raise RequestRefused(HTTPStatus.TOO_MANY_REQUESTS, "Wait.", headers={"Retry-After": "3"})

        @routes.get("/stream")
        async def stream() -> StreamingResponse:
            return StreamingResponse(self._events(), media_type="text/event-stream")

        @routes.post("/go-on")
        async def go_on() -> None:
            self.go_on.set()

        return routes

    async def _events(self) -> AsyncIterator[bytes]:
        try:
            yield b"data: " + b"1" * 5_000 + b"\n\n"
            await self.go_on.wait()
            yield b"data: 2\n\n"
        finally:
            self.left.set()


@pytest.fixture
def house() -> House:
    return House()


@pytest.fixture
def http(house: House, log: pytest.LogCaptureFixture) -> Iterator[httpx2.Client]:
    limits = BodyLimits(larger={"/api/files": 2 * MIB})
    app = add_middleware(house.app, ServeSettings(allowed_origins=(PAGE,)), limits)
    with serving(app, lifespan="on") as client:
        yield client


def requests(log: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    records = [record for record in log.records if record.name == LOG.name and record.levelno == logging.INFO]
    return [record.args for record in records if isinstance(record.args, dict)]


def failures(log: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in log.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize(
    ("method", "path", "headers", "body", "status"),
    [
        ("GET", "/api/many", {}, None, 200),
        ("GET", "/nowhere", {}, None, 404),
        ("GET", "/api/busy", {}, None, 429),
        ("GET", "/api/many", {"Host": "evil.example"}, None, 421),
        ("GET", "/api/many", {"Host": "a@localhost"}, None, 400),
        ("GET", "/api/many", {"Origin": "null"}, None, 403),
        ("GET", "/api/many", {"Sec-Fetch-Site": "cross-site"}, None, 403),
        ("POST", "/api/memories/1", {"Content-Type": "text/plain"}, b"x", 415),
        ("POST", "/api/memories/1", {"Content-Type": "application/json"}, b"{", 400),
        ("POST", "/api/memories/1", {"Content-Type": "application/json"}, b"[]", 422),
        ("POST", "/api/memories/1", {"Content-Type": "application/json"}, b'"' + b"x" * MIB, 413),
        ("POST", "/mcp", {"Content-Type": "application/json"}, b'"' + b"x" * MIB, 413),
        ("DELETE", "/api/many", {"Content-Type": "application/json"}, b'"' + b"x" * MIB, 413),
        ("PATCH", "/api/many", {}, b"", 405),
        ("POST", "/api/memories/1", {"Content-Type": "application/json"}, b'{"fail": "now"}', 500),
    ],
)
def test_every_answer_is_stamped_and_noted(  # noqa: PLR0917 - one row of the table
    http: httpx2.Client,
    log: pytest.LogCaptureFixture,
    method: str,
    path: str,
    headers: dict[str, str],
    body: bytes | None,
    status: int,
) -> None:
    answer = http.request(method, path, headers={"X-Request-ID": "r1", **headers}, content=body)
    assert answer.status_code == status
    assert {name: answer.headers[name] for name in GUARDS} == GUARDS
    assert answer.headers["x-request-id"] == "r1"
    assert not any(name.startswith("access-control-") for name in answer.headers)
    if status >= 400:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == status
    wait_for(lambda: bool(requests(log)))  # it is written after the answer has gone
    (noted,) = requests(log)
    assert (noted["request_id"], noted["method"], noted["status"]) == ("r1", method, status)
    assert bool(failures(log)) == (status == 500)


def test_a_failure_that_nothing_else_has_caught_is_answered_like_all(log: pytest.LogCaptureFixture) -> None:
    async def failing(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError(PRIVATE)

    answer = ask(add_middleware(failing, ServeSettings()))
    assert (answer.status, json.loads(answer.body)["status"]) == (500, 500)
    assert {name: answer.headers[name] for name in GUARDS} == GUARDS
    assert answer.headers["x-request-id"] == requests(log)[0]["request_id"]
    assert len(failures(log)) == 1


def test_the_log_names_the_route_and_the_key_and_nothing_that_was_sent(
    http: httpx2.Client, log: pytest.LogCaptureFixture
) -> None:
    http.post("/api/memories/secret-id?q=secret-query", json={"a": PRIVATE})
    http.post("/api/memories/secret-id", json={"fail": PRIVATE})
    http.get("/secret/secret", headers={"Authorization": f"Bearer {PRIVATE}"})
    wait_for(lambda: len(requests(log)) == 3)
    places = [(line["place"], line.get("key")) for line in requests(log)]
    assert places == [("/api/memories/{id}", "k1"), ("/api/memories/{id}", "k1"), ("/secret", None)]
    assert PRIVATE not in log.text
    assert "secret-id" not in log.text
    assert "secret-query" not in log.text
    assert len(failures(log)) == 1


def test_long_answers_are_packed_for_who_can_unpack_them(http: httpx2.Client) -> None:
    packed = http.get("/api/many", headers={"Accept-Encoding": "gzip"})
    plain = http.get("/api/many", headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == "Accept-Encoding"
    assert "content-encoding" not in plain.headers
    assert packed.json() == plain.json()
    assert int(packed.headers["content-length"]) < len(plain.content) / 10
    with http.stream("GET", "/api/many", headers={"Accept-Encoding": "gzip"}) as answer:
        assert gzip.decompress(b"".join(answer.iter_raw())) == plain.content


def test_events_arrive_when_they_happen_unpacked(http: httpx2.Client) -> None:
    with http.stream("GET", "/api/stream", headers={"Accept-Encoding": "gzip"}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert "content-encoding" not in answer.headers
        lines = answer.iter_lines()
        assert next(lines) == "data: " + "1" * 5_000
        assert http.post("/api/go-on").status_code == 200  # the second event waits for this
        assert [line for line in lines if line] == ["data: 2"]


def test_who_stops_listening_is_no_failure(http: httpx2.Client, house: House, log: pytest.LogCaptureFixture) -> None:
    with connect(http) as connection:
        connection.sendall(b"GET /api/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(1).startswith(b"H")
        assert house.is_open
    assert house.left.wait(PATIENCE_S)
    assert http.get("/api/kept").status_code == 200
    assert failures(log) == []


def test_who_goes_away_while_sending_is_no_failure(http: httpx2.Client, log: pytest.LogCaptureFixture) -> None:
    with connect(http) as connection:
        connection.sendall(
            b"POST /api/files HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 100\r\n\r\n{"
        )
    wait_for(lambda: [line["status"] for line in requests(log)] == [499])
    assert http.get("/api/kept").status_code == 200
    assert failures(log) == []


def test_a_listed_page_may_ask_and_read(http: httpx2.Client) -> None:
    asked = {"Origin": PAGE, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    allowed = http.options("/api/memories/1", headers=asked)
    assert allowed.status_code == 204
    assert allowed.headers["access-control-allow-origin"] == PAGE
    answer = http.get("/api/many", headers={"Origin": PAGE, "Accept-Encoding": "gzip"})
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert set(answer.headers["vary"].split(", ")) == {"Accept-Encoding", "Origin"}
    refused = http.get("/nowhere", headers={"Origin": PAGE})
    assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (404, PAGE)


def test_no_web_socket_opens(http: httpx2.Client) -> None:
    wanted = (
        b"GET /api/many HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    with connect(http) as connection:
        connection.sendall(wanted)
        assert not connection.recv(12).endswith(b"101")


def test_a_web_socket_is_closed_even_if_a_server_offers_one() -> None:
    sent: list[object] = []

    async def nothing() -> dict[str, object]:
        return {"type": "websocket.connect"}

    async def send(message: object) -> None:
        sent.append(message)

    app = add_middleware(empty, ServeSettings())
    asyncio.run(app({"type": "websocket", "headers": [], "path": "/"}, nothing, send))  # type: ignore[arg-type]
    assert [message["type"] for message in sent if isinstance(message, dict)] == ["websocket.close"]


def test_the_address_that_is_listened_on_is_a_name_if_it_is_of_this_machine() -> None:
    there = ((b"host", b"127.0.0.2:80"),)
    assert ask(add_middleware(empty, ServeSettings()), headers=there).status == 421
    assert ask(add_middleware(empty, ServeSettings(host="127.0.0.2")), headers=there).status == 204
    open_settings = ServeSettings(host="192.168.1.7", allowed_hosts=("memory.example.org",))
    assert ask(add_middleware(empty, open_settings), headers=((b"host", b"192.168.1.7"),)).status == 421
    assert ask(add_middleware(empty, open_settings), headers=LOCAL).status == 204
    assert ask(add_middleware(empty, open_settings), headers=((b"host", b"memory.example.org"),)).status == 204
