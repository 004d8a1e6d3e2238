from collections.abc import Callable, Iterator

import pytest

from recollect.llm import ChatClient
from tests.llm.server import ChatServer

KEY = "sk-TOPSECRET-0123456789"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer().running() as running:
        yield running


@pytest.fixture
def pauses() -> list[float]:
    """The pauses that a client made, in seconds; none of them was waited for."""
    return []


@pytest.fixture
def client(server: ChatServer, pauses: list[float]) -> Iterator[ChatClient]:
    with_key = make_client(server.url, pauses.append)
    yield with_key
    with_key.close()


def make_client(url: str, sleep: Callable[[float], None], timeout_s: float = 60.0) -> ChatClient:
    return ChatClient(
        url,
        "test-model",
        KEY,
        timeout_s=timeout_s,
        retries=2,
        max_response_bytes=100_000,
        sleep=sleep,
        chance=lambda: 0.5,
    )
