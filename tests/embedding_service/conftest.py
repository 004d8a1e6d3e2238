"""A store whose vectors are made by a provider behind real HTTP, and which may misbehave."""

from collections.abc import Iterator

import pytest

from recollect import Memory
from tests.embedding_service.looking import KEY, astray
from tests.fixtures import OpenMemory
from tests.providers.activity import Activity
from tests.providers.server import ProviderServer

DIMENSIONS = 24


@pytest.fixture(scope="module")
def listening() -> Iterator[ProviderServer]:
    """One server for all tests of a module."""
    with ProviderServer() as server:
        yield server


@pytest.fixture
def provider(listening: ProviderServer) -> Iterator[ProviderServer]:
    """The server, well and without a memory of what was asked before. After each test: no key has gone astray."""
    listening.fault = None
    listening.latency_s = 0.0
    listening.at_once, listening.activity = 1, Activity()
    listening.poison = "POISON"
    listening.faulty_path = ""
    listening.requests.clear()
    yield listening
    listening.fault = None
    assert listening.elsewhere.requests == []
    assert astray(listening.requests) == []


@pytest.fixture
def open_service(open_memory: OpenMemory, provider: ProviderServer) -> OpenMemory:
    """Open the test's store, as often as needed, with `openai` for its vectors, which is asked once and patiently."""
    usual = {
        "embedding__provider": "openai",
        "embedding__endpoint": provider.url("openai"),
        "embedding__api_key": KEY,
        "embedding__dimensions": DIMENSIONS,
        "embedding__timeout_s": 60.0,
        "embedding__retries": 0,
        "recall__deadline_s": 120.0,
    }

    def opener(**overrides: object) -> Memory:
        return open_memory(**{**usual, **overrides})

    return opener
