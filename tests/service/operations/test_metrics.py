"""What Prometheus is told: requests, searches, what waits, what is stored; and nothing about anybody."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import httpx2
import pytest
from starlette.types import Message, Receive, Scope, Send

from recollect import Memory
from recollect.model import TextPiece
from recollect.service.metrics.service_metrics import Metrics
from tests.fixtures import OpenMemory, Server, SteppingClock
from tests.service.conftest import Running
from tests.service.operations.conftest import Operator
from tests.service.operations.figures import parsed

SQLITE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
POSTGRESQL = pytest.mark.parametrize("database", ["postgresql"], indirect=True)
USER = "anna"
PLACE = "zanzibar"


@pytest.fixture
def anna(service: Running) -> Iterator[httpx2.Client]:
    with service.client(service.key(USER)) as client:
        yield client


@SQLITE
def test_requests_refusals_and_the_stages_of_searches_are_counted(
    service: Running, anna: httpx2.Client, operator: Operator
) -> None:
    ids = [anna.post("/api/memories/unified", json={"content": f"Number {n}"}).json()["id"] for n in range(3)]
    for one in ids:
        anna.get(f"/api/memories/{one}")
    anna.get("/api/memories/nothing-like-it")
    anna.post("/api/memories/unified", json={"nonsense": 1})
    for question in ("which number?", "number 2?"):
        anna.get("/api/memories/search", params={"query": question})
    with service.client() as nobody:
        nobody.get("/api/memories")
        nobody.get("/api/stats")
    assert anna.get("/metrics").status_code == 403
    figures = operator.figures()
    stored = "recollect_requests_total{method=POST,route=/api/memories/unified,status="
    assert (figures[stored + "2xx}"], figures[stored + "4xx}"]) == (3, 1)
    looked = "recollect_requests_total{method=GET,route=/api/memories/{id},status="
    assert (figures[looked + "2xx}"], figures[looked + "4xx}"]) == (3, 1)
    assert figures["recollect_request_seconds_count{route=/api/memories/{id}}"] == 4
    assert figures["recollect_request_seconds_bucket{le=+Inf,route=/api/memories/unified}"] == 4
    assert 0 < figures["recollect_request_seconds_sum{route=/api/memories/{id}}"] < 60
    assert figures["recollect_requests_in_flight"] == 1  # the scrape itself
    assert [figures[f"recollect_refusals_total{{status={status}}}"] for status in (401, 403, 429)] == [2, 1, 0]
    assert figures["recollect_requests_total{method=GET,route=other,status=4xx}"] == 2
    stages = ("embed", "store", "rank", "total")
    assert [figures[f"recollect_recall_seconds_count{{stage={one}}}"] for one in stages] == [2, 2, 2, 2]
    embed, store, rank, total = (figures[f"recollect_recall_seconds_sum{{stage={one}}}"] for one in stages)
    assert min(embed, store, rank) > 0
    assert embed + store + rank <= total


@SQLITE
def test_nothing_that_somebody_sent_is_shown(service: Running, anna: httpx2.Client, operator: Operator) -> None:
    stored = anna.post("/api/memories/unified", json={"content": f"Moved to {PLACE}", "subject": PLACE}).json()["id"]
    anna.get(f"/api/memories/{stored}")
    anna.get("/api/memories/search", params={"query": PLACE})
    anna.get(f"/{PLACE}/{PLACE}")
    anna.get(f"/mcp/{PLACE}")
    anna.request(PLACE.upper(), "/api/memories")
    anna.delete(f"/docs/{PLACE}")
    text = operator.get("/metrics").text
    assert PLACE not in text.lower()
    assert stored not in text
    assert USER not in text
    assert "rk_" not in text
    figures = parsed(text)
    assert figures["recollect_requests_total{method=GET,route=other,status=4xx}"] == 1
    assert figures["recollect_requests_total{method=DELETE,route=other,status=4xx}"] == 1
    assert figures["recollect_requests_total{method=GET,route=/mcp,status=4xx}"] == 1
    assert [one for one in figures if one.startswith("recollect_requests_total{method=other")] != []


def test_what_is_stored_and_what_waits(open_memory: OpenMemory, clock: SteppingClock) -> None:
    memory = open_memory()
    memory.user("a").remember("Grows tomatoes on the balcony")
    memory.user("b").remember("Plays the cello", wait=False)
    memory.user("b").conversation("talk").append("user", "Do you still play?")
    memory.user("b").files.add_pieces("cello.md", [TextPiece("Rosin", "", 1, 1), TextPiece("Strings", "", 3, 3)])
    clock.advance(seconds=90)
    figures = parsed(Metrics(memory).show().decode())
    assert figures["recollect_up"] == 1
    assert (figures["recollect_users"], figures["recollect_memories"], figures["recollect_messages"]) == (2, 2, 1)
    assert (figures["recollect_files"], figures["recollect_chunks"]) == (1, 2)
    assert figures["recollect_folder_syncs_total{state=failed}"] == 0
    assert figures["recollect_queue_items"] > 0
    assert 90 <= figures["recollect_queue_lag_seconds"] < 100
    assert figures["recollect_parked_items"] == 0
    assert figures["recollect_coverage_ratio{kind=memory}"] <= 0.5
    assert figures["recollect_store_bytes"] > 10_000
    memory.embed_waiting()
    after = parsed(Metrics(memory).show().decode())
    assert (after["recollect_queue_items"], after["recollect_queue_lag_seconds"]) == (0, 0)
    assert after["recollect_coverage_ratio{kind=memory}"] == 1


@POSTGRESQL
def test_a_store_that_is_away_is_a_figure(open_memory: OpenMemory, database: str, server: Server) -> None:
    memory = open_memory(postgres__connect_timeout_s=5)
    metrics = Metrics(memory)
    server.drop(database)
    figures = parsed(metrics.show().decode())
    assert figures["recollect_up"] == 0
    assert "recollect_memories" not in figures
    assert figures["recollect_processes"] == 1


@SQLITE
def test_what_answers_go_without(open_memory: OpenMemory) -> None:
    memory = open_memory(recall__deadline_s=1e-6)
    metrics = Metrics(memory)
    memory.user("a").remember("Likes rye bread")
    degraded = memory.user("a").recall("which bread?").degraded
    assert degraded == ("vector",)
    figures = parsed(metrics.show().decode())
    assert figures["recollect_degraded_total{part=vector}"] == 1
    assert figures["recollect_degraded_total{part=text}"] == 0


@dataclass
class Talk:
    """One request to an application that is given by hand, to be looked at while it goes on."""

    metrics: Metrics
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    status: int = 200

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.status:
            await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        self.during = parsed(self.metrics.show().decode())
        if self.status:
            await send({"type": "http.response.body", "body": b""})

    async def held(self) -> None:
        sent: list[Message] = []

        async def keep(message: Message) -> None:
            sent.append(message)

        async def nothing() -> Message:
            return {"type": "http.disconnect"}

        scope = {"type": "http", "method": "GET", "path": "/somewhere", "headers": []}
        await self.metrics.around(self._app)(scope, nothing, keep)
        assert [message.get("status") for message in sent] == ([self.status, None] if self.status else [])


@SQLITE
def test_however_a_request_ends_it_is_counted(memory: Memory) -> None:
    metrics = Metrics(memory)
    stream = Talk(metrics, [(b"content-type", b"text/event-stream; charset=utf-8")])
    asyncio.run(stream.held())
    assert stream.during["recollect_streams_open{route=other}"] == 1
    assert stream.during["recollect_requests_in_flight"] == 0
    for status in (401, 403, 429, 0):  # the last one did not wait for an answer
        asyncio.run(Talk(metrics, status=status).held())

    async def failing(scope: Scope, receive: Receive, send: Send) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        asyncio.run(metrics.around(failing)({"type": "http", "method": "GET", "path": "/", "headers": []}, None, None))  # type: ignore[arg-type]
    with ThreadPoolExecutor(4) as threads:
        for _ in range(40):
            threads.submit(lambda: asyncio.run(Talk(metrics).held()))
    after = parsed(metrics.show().decode())
    assert [after[f"recollect_refusals_total{{status={status}}}"] for status in (401, 403, 429)] == [1, 1, 1]
    ended = "recollect_requests_total{method=GET,route=other,status="
    assert {status: after[f"{ended}{status}}}"] for status in ("2xx", "4xx", "5xx", "gone")} == {
        "2xx": 41,
        "4xx": 3,
        "5xx": 1,
        "gone": 1,
    }
    assert (after["recollect_streams_open{route=other}"], after["recollect_requests_in_flight"]) == (0, 0)


@SQLITE
def test_scrapes_do_not_wear_out_the_store_and_tell_of_addresses(open_memory: OpenMemory) -> None:
    memory = open_memory(
        embedding__provider="none", places__geocoder="nominatim", places__nominatim_url="http://127.0.0.1:9"
    )
    metrics = Metrics(memory)
    first = parsed(metrics.show().decode())
    memory.user("a").remember("Parked here", lat=49.2, lng=16.6)
    memory.user("b").remember("At home", lat=49.2, lng=16.6, address="Home 1")
    assert parsed(metrics.show().decode())["recollect_memories"] == first["recollect_memories"] == 0
    figures = parsed(Metrics(memory).show().decode())
    assert figures["recollect_memories"] == 2
    assert (figures["recollect_addresses_waiting"], figures["recollect_addresses_parked"]) == (1, 0)
