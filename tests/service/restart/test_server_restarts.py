"""PostgreSQL vanishes under load and comes back: nothing that was acknowledged is lost, and nothing is there twice."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from threading import Event, Thread

import httpx2
import pytest

from recollect import Memory, load_settings
from tests.providers.server import ProviderServer
from tests.reliability.figures import figure
from tests.service.live.radio import Radio
from tests.service.restart.house import FallibleServer, Service
from tests.service.restart.writers import Writers
from tests.sizes import sized
from tests.waiting import PATIENCE_S, until

_WRITERS = 6
_SOME = 25
_AWAY_S = sized(1, 4)
_USER = "default"


@pytest.fixture
def postgresql(tmp_path: Path) -> Iterator[FallibleServer]:
    server = FallibleServer(tmp_path / "postgresql")
    yield server
    server.close()


@pytest.fixture
def service(postgresql: FallibleServer, tmp_path: Path) -> Iterator[Service]:
    with ProviderServer() as provider:
        settings = {
            "embedding__provider": "openai-compatible",
            "embedding__model": "short-vectors",
            "embedding__endpoint": provider.url("openai-compatible"),
            "embedding__lease_s": 1,  # what was under way when the server went is taken up again at once
            "postgres__connect_timeout_s": 600,  # for a busy pool; nobody waits that long for a server that is away
        }
        with Service(postgresql.url, tmp_path, settings=settings) as running:
            yield running


class Listener:
    """Somebody who hears a live search, and comes back when it was cut."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._key = service.key_file.read_text().strip()
        self._end = Event()
        self._last: int | None = None
        self.heard: Counter[str] = Counter()
        self.cuts = 0
        self.ready = Event()
        self._thread = Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while not self._end.is_set():
            with suppress(OSError, HTTPException, AssertionError):
                self._hear_until_cut()
            self.cuts += 1
            time.sleep(0.1)

    def _hear_until_cut(self) -> None:
        with Radio(self._service.url, self._key, last=self._last) as radio:
            if radio.status != 200:
                return
            while (event := radio.hear()) is not None:
                self.ready.set()
                if event.id is not None:
                    self._last = event.id
                if event.name == "hit" and event.data is not None:
                    self.heard[event.data["content"]] += 1

    def end(self) -> None:
        """Do not come back any more."""
        self._end.set()


def _vanish(postgresql: FallibleServer, writers: Writers, service: Service, gone: Callable[[], None]) -> float:
    """Take the server away for a while; gives how long after its return somebody was served again."""
    before = writers.refused()
    gone()
    left = time.monotonic()
    until(lambda: writers.refused() >= before + _WRITERS)
    with service.user(_USER) as anna, service.client() as anybody:
        looked = anna.get("/api/memories/search", params={"query": "bicycle"})
        assert (looked.status_code, looked.headers["retry-after"]) == (503, "1")
        assert anybody.get("/livez").status_code == 200
    time.sleep(max(0.0, _AWAY_S - (time.monotonic() - left)))
    kept = len(writers.acknowledged)
    postgresql.start()
    back = time.monotonic()
    until(lambda: len(writers.acknowledged) > kept)
    return time.monotonic() - back


def test_it_vanishes_and_comes_back(postgresql: FallibleServer, service: Service) -> None:
    listener = Listener(service)
    assert listener.ready.wait(PATIENCE_S)
    writers = Writers(service, _USER, _WRITERS)
    healed_s = []
    for gone in (postgresql.kill, postgresql.stop):
        _go_on(writers)
        healed_s.append(_vanish(postgresql, writers, service, gone))
    _go_on(writers)
    writers.finish()

    assert set(writers.statuses) == {201, 503}
    assert writers.complaints == []
    assert {told["action"] for told in writers.acknowledged.values()} == {"created"}
    with service.user(_USER) as client:
        stored = _everything(client)
    assert {item["content"]: item["id"] for item in stored} == {
        content: told["id"] for content, told in writers.acknowledged.items()
    }
    assert len(stored) == len(writers.acknowledged)
    until(lambda: len(listener.heard) >= len(stored))
    listener.end()
    assert listener.heard == Counter(item["content"] for item in stored)
    counts = {"replayed": writers.replayed, "live_search_cut": listener.cuts, "refused": writers.refused()}
    healed_ms = round(max(healed_s) * 1000)
    figure(12, "away twice", crashes=2, acknowledged=len(stored), lost=0, healed_ms=healed_ms, **counts)
    _embedded(postgresql, len(stored))


def _go_on(writers: Writers) -> None:
    enough = len(writers.acknowledged) + _SOME
    until(lambda: len(writers.acknowledged) >= enough)


def _everything(client: httpx2.Client) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    cursor: str | None = None
    while True:
        page = client.get("/api/memories", params={"limit": 100, **({"cursor": cursor} if cursor else {})}).json()
        found += page["items"]
        cursor = page["cursor"]
        if cursor is None:
            return found


def _embedded(postgresql: FallibleServer, amount: int) -> None:
    """Wait until the service has embedded everything."""
    settings = load_settings(os.devnull, environ={}, overrides={"database": postgresql.url, "embedding.worker": False})
    with Memory.open(settings=settings) as memory:
        until(lambda: memory.stats().pending_jobs == 0)
        assert memory.stats().vectors == amount
        assert {problem.check for problem in memory.doctor()} <= {"embedder"}  # which the service has, not we
