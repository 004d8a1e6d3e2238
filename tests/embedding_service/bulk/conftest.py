"""A store whose provider has a batch API, behind real HTTP."""

from collections.abc import Iterator

import pytest

from recollect import Memory
from tests.embedding_service.bulk.looking import Open
from tests.fixtures import OpenMemory
from tests.providers.server import ProviderServer


@pytest.fixture
def host() -> Iterator[ProviderServer]:
    with ProviderServer() as running:
        yield running


@pytest.fixture(params=["openai", "gemini"])
def provider(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def opened(open_memory: OpenMemory, host: ProviderServer, provider: str) -> Open:
    """Open the store with a provider that has a batch API, which is always used unless the test says otherwise."""

    def opener(**more: object) -> Memory:
        usual: dict[str, object] = {
            "embedding__provider": provider,
            "embedding__api_key": "secret-key",
            "embedding__endpoint": host.url(provider),
            "embedding__dimensions": 128,
            "embedding__bulk": "always",
            "embedding__retries": 0,
        }
        return open_memory(**{**usual, **more})

    return opener
