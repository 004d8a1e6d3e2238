"""Admission: what a request costs, users who take turns, and bulk work that gives way."""

import asyncio
import os
import threading
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from typing import Any

import httpx2
import numpy as np
import pytest

from recollect import Memory, load_settings
from recollect.engine.base.threads import WorkPriority
from recollect.engine.maintenance import maintain
from recollect.model.memories import Space, Vector
from recollect.service.admission.admission import FEW_TEXTS
from recollect.service.admission.fair_queue import FairQueue, QueueFull
from tests.service.conftest import Running, Serve, serving
from tests.service.operations.figures import parsed
from tests.waiting import PATIENCE_S

ON_SQLITE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


class _Line:
    """A queue whose turns are written down, and end when they are told to."""

    def __init__(self, *limits: int) -> None:
        self.queue = FairQueue(*limits)
        self.begun: list[str] = []
        self._going: dict[str, asyncio.Event] = {}

    async def work(self, user: str, name: str) -> None:
        async with self.queue.turn(user):
            self.begun.append(name)
            self._going[name] = asyncio.Event()
            await self._going[name].wait()

    def begin(self, *named: tuple[str, str]) -> "list[asyncio.Task[None]]":
        return [asyncio.create_task(self.work(user, name)) for user, name in named]

    async def end_all(self) -> None:
        while self._going:
            name, event = next(iter(self._going.items()))
            del self._going[name]
            event.set()
            await _settled()


async def _settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_users_take_turns_however_much_each_asks_for() -> None:
    async def tell() -> list[str]:
        line = _Line(1)
        waiting = line.begin(
            ("anna", "a1"), ("anna", "a2"), ("anna", "a3"), ("ben", "b1"), ("ben", "b2"), ("eva", "e1")
        )
        await _settled()
        await line.end_all()
        await asyncio.gather(*waiting)
        assert line.queue.length == 0
        return line.begun

    assert asyncio.run(tell()) == ["a1", "a2", "b1", "e1", "a3", "b2"]


def test_a_turn_of_a_client_that_went_away_is_passed_on() -> None:
    async def tell() -> list[str]:
        line = _Line(1)
        first, gone, last, granted = line.begin(("anna", "a"), ("ben", "b"), ("eva", "e"), ("ida", "i"))
        await _settled()
        gone.cancel()
        await _settled()
        line._going.pop("a").set()
        await _settled()  # eva's turn has come
        last.cancel()
        await _settled()
        await line.end_all()
        for task in (first, gone, last, granted):
            with suppress(asyncio.CancelledError):
                await task
        again = line.begin(("anna", "again"))
        await _settled()
        await line.end_all()
        await asyncio.gather(*again)
        return line.begun

    assert asyncio.run(tell()) == ["a", "e", "i", "again"]


def test_no_user_fills_the_queue_alone() -> None:
    async def tell() -> list[bool]:
        line, full = _Line(1, 4), []
        waiting = line.begin(*(("anna", f"a{number}") for number in range(3)))  # one works, two wait
        await _settled()
        for user in ("anna", "ben", "ben", "eva"):
            task = asyncio.create_task(line.work(user, user))
            await _settled()
            if task.done():
                error = task.exception()
                assert isinstance(error, QueueFull)
                full.append(error.own)
            else:
                waiting.append(task)
        await line.end_all()
        await asyncio.gather(*waiting)
        return full

    assert asyncio.run(tell()) == [True, False], "anna has her half; for eva there is no room"


def test_patient_work_waits_for_urgent_calls() -> None:
    priority, began = WorkPriority(PATIENCE_S), threading.Event()
    told: list[object] = []

    def load() -> None:
        with priority.patient():
            for part in priority.slices(range(4), 2):
                began.set()
                told.append(list(part))

    with priority.urgent():
        patient = threading.Thread(target=load)
        patient.start()
        assert list(priority.slices(range(4), 2)) == [range(4)], "a thread that is not patient is not cut"
        assert not began.wait(0.05)
        told.append("urgent")
    patient.join(PATIENCE_S)
    assert told == ["urgent", [0, 1], [2, 3]]


def test_patient_work_gets_its_part_of_a_busy_process() -> None:
    priority = WorkPriority(0.001)
    with priority.urgent(), priority.patient():
        assert [list(part) for part in priority.slices(range(3), 2)] == [[0, 1], [2]]


class _Counting:
    """An embedder that notes how many texts it gets at a time."""

    languages: frozenset[str] | None = None
    space = Space("test", "counting", "1", "none", 4, normalised=True)

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def embed(self, texts: Sequence[str], role: str) -> Vector:
        if role == "passage":
            self.sizes.append(len(texts))
        return np.ones((len(texts), 4), np.float32)

    def close(self) -> None:
        """Have nothing to let go of."""


@ON_SQLITE
def test_the_worker_begins_after_the_call_that_woke_it(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    began = threading.Event()

    def keep_up(*_: object) -> None:
        told.append("worker")
        began.set()

    monkeypatch.setattr(maintain, "keep_up", keep_up)
    settings = load_settings(os.devnull, environ={}, overrides={"database": database})
    with Memory.open(settings=settings, embedder=_Counting()) as memory:
        priority = memory.operations.priority
        monkeypatch.setattr(priority, "_longest_pause_s", PATIENCE_S)
        with priority.urgent():
            memory.user("anna").before_prompt("Where is the pump?", session="s1")
            assert not began.wait(0.05)
            told.append("urgent")
        assert began.wait(PATIENCE_S)
    assert told == ["urgent", "worker"]


@ON_SQLITE
def test_bulk_texts_are_embedded_a_few_at_a_time(database: str) -> None:
    counting = _Counting()
    settings = load_settings(os.devnull, environ={}, overrides={"database": database, "embedding.worker": False})
    with ExitStack() as stack:
        memory = stack.enter_context(Memory.open(settings=settings, embedder=counting))
        memory.user("anna").remember_many(_texts(20))
        assert counting.sizes == [20], "where nothing is urgent, nothing is cut"
        counting.sizes.clear()
        running = stack.enter_context(serving(memory))
        anna = stack.enter_context(running.client(running.key()))
        assert _bulk(anna, FEW_TEXTS, "few").status_code == 200
        assert _bulk(anna, 20, "many").status_code == 200
    assert counting.sizes == [FEW_TEXTS, *[2] * 10]


@ON_SQLITE
def test_the_rate_limit_counts_texts(serve: Serve) -> None:
    running = serve(embedding__provider="none", serve__burst=130, serve__requests_per_minute=60)
    with running.client(running.key()) as anna, running.client(running.key("ben")) as ben, _operator(running) as admin:
        assert _bulk(anna, 100, "first").status_code == 200
        refused = _bulk(anna, 100, "second")
        assert (refused.status_code, refused.json()["detail"][:32]) == (429, "This key has sent too many texts")
        assert 60 <= int(refused.headers["retry-after"]) <= 71
        assert anna.get("/api/memories").status_code == 200, "what costs little goes on"
        said = anna.post("/api/conversations/c/messages", json={"messages": _said(50)})
        assert said.status_code == 429
        assert anna.post("/api/files", params={"name": "a.md"}, content=b"long " * 20_000).status_code == 429
        assert _bulk(ben, 100, "own").status_code == 200
        figures = parsed(admin.get("/metrics").text)
    assert figures["recollect_limited_total{reason=texts}"] == 3
    assert figures["recollect_waiting{work=bulk}"] == 0
    assert figures["recollect_waiting_seconds_count{work=bulk}"] == 2


@ON_SQLITE
def test_quotas_of_users(serve: Serve) -> None:
    running = serve(
        embedding__provider="none",
        limits__memories=5,
        limits__texts_per_minute=10,
        limits__users=["ben: memories=0 texts_per_minute=0"],
    )
    with running.client(running.key()) as anna, running.client(running.key("ben")) as ben, _operator(running) as admin:
        assert _bulk(anna, 4, "first").status_code == 200
        full = _bulk(anna, 4, "second")
        assert (full.status_code, full.headers["content-type"]) == (507, "application/problem+json")
        assert full.json()["detail"].startswith("This user's memory is full: it holds 5 memories")
        slow = _bulk(anna, 4, "third")
        assert (slow.status_code, "retry-after" in slow.headers) == (429, True)
        for _ in range(12):
            assert anna.get("/api/memories/search", params={"query": "shelf"}).status_code == 200
        assert _bulk(ben, 100, "own").status_code == 200
        figures = parsed(admin.get("/metrics").text)
    limited = {reason: figures[f"recollect_limited_total{{reason={reason}}}"] for reason in ("memories", "texts")}
    assert limited == {"memories": 1, "texts": 1}


def _operator(running: Running) -> httpx2.Client:
    return running.client(running.key(scopes=("admin",)))


def _texts(amount: int, name: str = "Shelf") -> list[str]:
    return [f"{name} {number} holds jar {number}" for number in range(amount)]


def _said(amount: int) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text} for text in _texts(amount)]


def _bulk(client: httpx2.Client, amount: int, name: str) -> httpx2.Response:
    return client.post("/api/memories/bulk", json={"memories": [{"content": text} for text in _texts(amount, name)]})
