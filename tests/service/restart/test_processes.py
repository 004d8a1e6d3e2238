"""The service as several processes: one that dies is replaced, a stop lets everybody finish, nobody is left behind."""

import signal
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path

import httpx2
import psutil
import psycopg
import pytest

from tests.reliability.opening import open_memory
from tests.service.operations.figures import parsed
from tests.service.restart.house import Service
from tests.sizes import sized
from tests.waiting import PATIENCE_S, until

STORES = "recollect_requests_total{method=POST,route=/api/memories/unified,status=2xx}"
SQLITE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.fixture
def crew(database: str, tmp_path: Path) -> Iterator[Service]:
    """Two processes on one port."""
    with Service(database, tmp_path, "--workers", "2") as running:
        until(lambda: len(running.workers()) == 2)
        yield running


def _assert_both_answer(crew: Service) -> None:
    assert (crew.said["workers"], crew.said["first_key"], crew.said["key_file"]) == (2, None, str(crew.key_file))
    for turn in range(20):
        with crew.user("ben") as ben:  # a new connection each time, so that both get some
            assert ben.post("/api/memories/unified", json={"content": f"Owns {turn} bicycles"}).status_code == 201
    with crew.user("ben") as ben, crew.client() as anybody:
        assert len(ben.get("/api/memories").json()["items"]) == 20
        assert anybody.get("/livez").json() == {"status": "alive"}
        assert anybody.get("/api/memories").status_code == 401


@SQLITE
def test_two_processes_answer_one_that_dies_is_replaced_and_none_outlives_their_parent(crew: Service) -> None:
    _assert_both_answer(crew)
    with crew.user("anna") as anna:
        anna.post("/api/memories/unified", json={"content": "Prefers window seats"})
    stored = 21
    _settle(crew, stored)
    deaths = sized(1, 2)
    for _ in range(deaths):
        first, second = crew.workers()
        first.kill()
        until(partial(_is_replaced, crew, first))
        assert second in crew.workers()
        assert _asked_anew(crew) == ["Prefers window seats"]
        _settle(crew, stored)
    workers = crew.workers()
    crew.signal(signal.SIGKILL)
    gone, alive = psutil.wait_procs(workers, timeout=PATIENCE_S)
    assert (len(gone), alive) == (2, [])
    exit_code, told = crew.ended()
    assert (exit_code, told.count("is replaced")) == (-signal.SIGKILL, deaths)


def _is_replaced(crew: Service, dead: psutil.Process) -> bool:
    workers = crew.workers()  # looked at once: between two looks the dead one would be counted first and gone next
    return len(workers) == 2 and dead not in workers


def _settle(crew: Service, stored: int) -> None:
    """Ask until everybody has written down what they counted, the dead too; no answer may be less than the last."""
    seen = 0.0

    def settled() -> bool:
        nonlocal seen
        try:
            with crew.user("anna") as admin:
                now = parsed(admin.get("/metrics").text)[STORES]
        except httpx2.TransportError:  # a connection of the one who died
            return False
        assert seen <= now <= stored
        seen = now
        return now == stored

    until(settled)


def _asked_anew(crew: Service) -> list[str]:
    """Ask until somebody answers: a connection that nobody had accepted yet may have gone with the one who died."""
    answers: list[str] = []

    def answered() -> bool:
        try:
            with crew.user("anna") as anna:
                answers[:] = [item["content"] for item in anna.get("/api/memories").json()["items"]]
        except httpx2.TransportError:
            return False
        return True

    until(answered)
    return answers


@pytest.mark.parametrize(("database", "workers"), [("sqlite", "1"), ("postgresql", "2")], indirect=["database"])
def test_a_stop_waits_for_what_is_under_way(database: str, tmp_path: Path, workers: str) -> None:
    patient = {"sqlite__busy_timeout_s": 60, "serve__drain_s": 60}
    with (
        Service(database, tmp_path, "--workers", workers, settings=patient) as service,
        service.user("anna") as anna,
    ):
        anna.post("/api/memories/unified", json={"content": "Runs on Sundays"})
        answers: list[int] = []

        def store() -> None:
            answer = anna.post("/api/memories/unified", json={"content": "Swims on Mondays"})
            answers.append(answer.status_code)

        slow = threading.Thread(target=store)
        with _held_up(database):
            slow.start()
            until(lambda: _is_inside(service))
            service.signal(signal.SIGTERM)
            until(lambda: _refuses(service))
            assert answers == []
        slow.join(PATIENCE_S)
        assert answers == [201]
        assert service.ended() == (0, "")
    with open_memory(database) as memory:
        kept = {item.content for item in memory.user("anna").list().items}
    assert kept == {"Runs on Sundays", "Swims on Mondays"}


@SQLITE
def test_a_stop_that_cannot_wait_answers_503(database: str, tmp_path: Path) -> None:
    hasty = {"sqlite__busy_timeout_s": 60, "serve__drain_s": 0}
    with Service(database, tmp_path, settings=hasty) as service, ThreadPoolExecutor(20) as crowd:
        with service.user("anna") as anna:
            anna.post("/api/memories/unified", json={"content": "Runs on Sundays"})

        def store(turn: int) -> httpx2.Response:
            with service.user("anna") as anna:
                return anna.post("/api/memories/unified", json={"content": f"Swims {turn} lengths"})

        with _held_up(database):
            answers = [crowd.submit(store, turn) for turn in range(20)]
            until(lambda: _in_flight(service) >= 21)
            service.signal(signal.SIGTERM)
            told = [answer.result(PATIENCE_S) for answer in answers]
        assert {(answer.status_code, answer.headers["retry-after"]) for answer in told} == {(503, "5")}
        assert all(answer.json()["detail"].startswith("The server stops") for answer in told)
        assert service.ended() == (0, "")


@pytest.mark.parametrize(
    ("database", "workers"),
    [pytest.param("sqlite", "1", marks=pytest.mark.slow), ("postgresql", "2")],
    indirect=["database"],
)
def test_a_stop_under_load_keeps_what_it_acknowledged(database: str, tmp_path: Path, workers: str) -> None:
    """Writers go on until they are let in no more; whenever the signal falls, no answer is a failure."""
    told: list[tuple[str, int]] = []

    def store(writer: int) -> None:
        for turn in count():
            content = f"Writer {writer} stores line {turn}"
            try:
                with service.user("anna") as anna:
                    told.append((content, anna.post("/api/memories/unified", json={"content": content}).status_code))
            except httpx2.TransportError:
                return

    with Service(database, tmp_path, "--workers", workers) as service, ThreadPoolExecutor(8) as crowd:
        writers = [crowd.submit(store, writer) for writer in range(8)]
        until(lambda: len(told) >= 40)
        service.signal(signal.SIGTERM)
        for writer in writers:
            writer.result(PATIENCE_S)
        assert service.ended() == (0, "")
    assert {status for _, status in told} <= {201, 503}
    with open_memory(database) as memory:
        kept = {item.content for item in memory.user("anna").list(limit=len(told)).items}
    assert {content for content, status in told if status == 201} <= kept


class _held_up:  # noqa: N801 - reads as the condition it is
    """Keep everybody from writing to a store."""

    def __init__(self, database: str) -> None:
        self._database = database

    def __enter__(self) -> None:
        if "://" in self._database:
            self._server = psycopg.connect(self._database)
            self._server.execute("LOCK TABLE memories IN SHARE MODE")
        else:
            self._file = sqlite3.connect(self._database, isolation_level=None)
            self._file.execute("BEGIN IMMEDIATE")

    def __exit__(self, *_: object) -> None:
        if "://" in self._database:
            self._server.close()
        else:
            self._file.close()


def _is_inside(service: Service) -> bool:
    """Tell whether a request is being served."""
    return _in_flight(service) >= 2


def _in_flight(service: Service) -> float:
    """Count the requests that are being served, this one included."""
    with service.user("anna") as admin:
        answer = admin.get("/metrics").text
    running = [line for line in answer.splitlines() if line.startswith("recollect_requests_in_flight")]
    return max(float(line.split()[-1]) for line in running)


def _refuses(service: Service) -> bool:
    """Tell whether nobody new is let in."""
    try:
        with service.client() as anybody:
            anybody.get("/livez")
    except httpx2.TransportError:
        return True
    return False


@SQLITE
def test_the_first_key_is_in_a_file_and_on_no_pipe(database: str, tmp_path: Path) -> None:
    with Service(database, tmp_path, as_json=False) as first:
        told = _told(first)
        secret = first.key_file.read_text().strip()
        assert str(first.key_file) in told
        assert secret not in told
        assert first.key_file.stat().st_mode & 0o777 == 0o600
        first.signal(signal.SIGTERM)
        assert first.ended() == (0, "")
    with Service(database, tmp_path) as second, second.client(secret) as admin:
        assert (second.said["first_key"], second.said["key_file"]) == (None, str(first.key_file))
        assert admin.get("/api/memories").status_code == 200
    raw = Path(database).read_bytes()
    assert secret[-20:].encode() not in raw


@SQLITE
def test_people_at_a_terminal_are_told_the_key_once(database: str, tmp_path: Path) -> None:
    told = []
    for _ in range(2):
        with Service(database, tmp_path, as_json=False, terminal=True) as service:
            told.append(_told(service))
    secret = (tmp_path / "admin.key").read_text().strip()
    assert [text.count(secret) for text in told] == [1, 0]
    assert all(str(tmp_path / "admin.key") in text for text in told)


def _told(service: Service) -> str:
    """Give what it says to people when it starts."""
    lines = [service.line()]
    while not lines[-1].startswith("All routes"):
        lines.append(service.line())
    return "".join(lines)
