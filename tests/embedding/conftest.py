from collections.abc import Callable, Iterator
from typing import Any

import pytest

from recollect.embedding import create_embedding_provider
from recollect.embedding.provider import ProviderEmbedder
from recollect.settings.sections import EmbeddingSettings
from tests.providers.server import ProviderServer

KEY = "sk-EMBEDDING-0123456789"
PROVIDERS = ("openai", "zai", "e5", "ollama", "gemini", "openai-compatible")
MakeEmbedder = Callable[..., ProviderEmbedder]


@pytest.fixture
def provider_server() -> Iterator[ProviderServer]:
    with ProviderServer() as running:
        yield running


def settings_for(server: ProviderServer, provider: str, **more: Any) -> EmbeddingSettings:
    """Settings that ask the test's server, once and for a short time."""
    usual = {"model": "some-model"} if provider == "openai-compatible" else {}
    given = {"api_key": KEY, "endpoint": server.url(provider), "timeout_s": 60.0, "retries": 0, **usual, **more}
    return EmbeddingSettings(provider=provider, **given)  # type: ignore[arg-type]


@pytest.fixture
def make(provider_server: ProviderServer) -> Iterator[MakeEmbedder]:
    made: list[ProviderEmbedder] = []

    def embedder(provider: str, **more: Any) -> ProviderEmbedder:
        created = create_embedding_provider(settings_for(provider_server, provider, **more))
        assert isinstance(created, ProviderEmbedder)
        made.append(created)
        return created

    yield embedder
    for each in made:
        each.close()
