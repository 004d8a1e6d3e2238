"""Whether requests can be answered: said often, said soon, and for next to nothing."""

from collections.abc import Iterator

import httpx2
import pytest

from recollect import Memory
from recollect.service.metrics import readiness, store_gauges
from recollect.service.metrics.readiness import ReadinessProbe
from recollect.service.metrics.store_gauges import StoreGauges
from tests.fixtures import OpenMemory, Server, SteppingClock
from tests.providers.server import ProviderServer
from tests.service.conftest import Running
from tests.waiting import PATIENCE_S

SQLITE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
POSTGRESQL = pytest.mark.parametrize("database", ["postgresql"], indirect=True)
KEY = "sk-nobody-should-see-this"


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


@pytest.fixture
def remote(open_memory: OpenMemory, provider: ProviderServer) -> Memory:
    """A store whose vectors are made by a provider."""
    return open_memory(
        embedding__provider="openai",
        embedding__endpoint=provider.url("openai"),
        embedding__api_key=KEY,
        embedding__dimensions=24,
        embedding__retries=0,
    )


def health_of(memory: Memory, patience_s: float = 60.0) -> ReadinessProbe:
    return ReadinessProbe(memory, StoreGauges(memory), patience_s=patience_s)


@SQLITE
def test_all_is_well(anna: httpx2.Client, open_memory: OpenMemory) -> None:
    answer = anna.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ready", "checks": {"store": "ok", "queue": "ok", "model": "ok"}}
    assert health_of(open_memory(embedding__provider="none")).examine().status == "ready"


@SQLITE
def test_a_provider_is_asked_once_a_minute(
    remote: Memory, provider: ProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = health_of(remote)
    assert {found.examine().status for _ in range(20)} == {"ready"}
    assert len(provider.requests) == 1
    monkeypatch.setattr(readiness, "MODEL_CHECK_S", -1.0)
    found.examine()
    found._model._finished.wait(PATIENCE_S)
    assert len(provider.requests) == 2


@SQLITE
def test_a_provider_that_is_away(remote: Memory, provider: ProviderServer) -> None:
    with provider.misbehaving("error_500"):
        ready = health_of(remote).examine()
    assert ready.status == "degraded"
    assert (ready.checks["store"], ready.checks["queue"]) == ("ok", "ok")
    assert "searches go by words" in ready.checks["model"]
    assert KEY not in str(ready)
    assert provider.url("openai") not in str(ready)


@SQLITE
def test_nobody_waits_for_a_provider_that_hangs(remote: Memory, provider: ProviderServer) -> None:
    found = health_of(remote, patience_s=0.01)
    with provider.misbehaving("hang"):
        answers = [found.examine() for _ in range(5)]
        assert {one.checks["model"] for one in answers} == {"It has not answered yet."}
        assert {one.status for one in answers} == {"degraded"}
    assert len(provider.requests) <= 1
    found._model._finished.wait(PATIENCE_S)


def test_without_a_worker_the_queue_shows_it(
    open_memory: OpenMemory, clock: SteppingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_gauges, "REFRESH_S", -1.0)
    memory = open_memory()
    found = health_of(memory)
    memory.user("me").remember("Plays chess by post", wait=False)
    clock.advance(minutes=10)
    assert found.examine().checks["queue"] == "ok"
    clock.advance(minutes=10)
    ready = found.examine()
    assert ready.status == "degraded"
    assert ready.checks["queue"] == "What is stored waits long for its vector. Is a worker running?"
    memory.embed_waiting()
    assert found.examine().status == "ready"


@POSTGRESQL
def test_without_the_store_nothing_goes(open_memory: OpenMemory, database: str, server: Server) -> None:
    memory = open_memory(postgres__connect_timeout_s=5)
    found = health_of(memory)
    assert found.examine().status == "ready"
    server.drop(database)
    ready = found.examine()
    assert ready.status == "unavailable"
    assert ready.checks["store"] == "It cannot be reached."
    assert database not in str(ready)


@POSTGRESQL
def test_over_http_that_is_a_503(service: Running, anna: httpx2.Client, database: str, server: Server) -> None:
    assert anna.get("/readyz").status_code == 200
    server.drop(database)
    assert anna.get("/readyz").status_code == 503
    assert anna.get("/livez").status_code == 200
