"""Which embedder the settings mean."""

from dataclasses import replace
from typing import Any

import pytest

from recollect.embedding import LocalEmbedder, create_embedding_provider, embedder_for
from recollect.embedding.provider import ProviderEmbedder
from recollect.errors import SettingsError
from recollect.model.memories import Space
from recollect.ports import RemoteEmbedder
from recollect.settings.sections import PROVIDERS, EmbeddingSettings
from tests.rows import every

KEYS = {"openai_api_key": "ok", "zai_api_key": "zk", "gemini_api_key": "gk", "compatible_api_key": "ck"}


def settings(**given: Any) -> EmbeddingSettings:
    return EmbeddingSettings(**given)


def made(configured: EmbeddingSettings, **named: Any) -> ProviderEmbedder:
    embedder = create_embedding_provider(configured, **named)
    assert isinstance(embedder, ProviderEmbedder)
    return embedder


def key_of(embedder: ProviderEmbedder) -> str:
    return embedder._endpoint._connection._key.value


def url_of(embedder: ProviderEmbedder) -> str:
    return embedder._endpoint._connection._url


def test_every_provider_can_be_created() -> None:
    configured = settings(**KEYS, compatible_endpoint="http://127.0.0.1:9/v1")
    for name in PROVIDERS:
        embedder = create_embedding_provider(configured, provider=name, model="m" if "compatible" in name else None)
        assert (embedder is None) == (name == "none")
        assert isinstance(embedder, RemoteEmbedder) == (name not in {"none", "local"})
    assert isinstance(create_embedding_provider(settings(threads=1)), LocalEmbedder)


def test_a_provider_may_go_by_the_name_of_the_plugin() -> None:
    embedder = made(settings(), provider="e5-local")
    assert embedder.space is not None
    assert embedder.space.provider == "e5"


def test_an_unknown_provider_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"^Unknown embedding provider: foo\. Known providers: local, openai"):
        create_embedding_provider(settings(), provider="foo")


@every("name", ["openai", "zai", "gemini"])
def test_a_missing_key_is_named(name: str) -> None:
    with pytest.raises(SettingsError, match=rf"needs a key\. Set embedding\.{name}_api_key\."):
        create_embedding_provider(settings(provider=name))


def test_a_missing_address_is_named() -> None:
    with pytest.raises(SettingsError, match=r"needs an address\. Set embedding\.compatible_endpoint\."):
        create_embedding_provider(settings(provider="openai-compatible", model="m"))


def test_a_missing_model_is_named() -> None:
    with pytest.raises(SettingsError, match=r"needs a model\. Set embedding\.model\."):
        create_embedding_provider(settings(provider="openai-compatible", compatible_endpoint="http://h/v1"))


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"ollama \(embedding\.endpoint\) is not a URL"):
        create_embedding_provider(settings(provider="ollama", endpoint="localhost:11434"))


def test_general_settings_are_those_of_the_provider_that_is_set() -> None:
    configured = settings(
        provider="openai",
        api_key="general",
        endpoint="https://proxy.example/v1/embeddings",
        model="text-embedding-3-large",
        dimensions=256,
        price=9.0,
        **KEYS,
    )
    own, other = made(configured), made(configured, provider="zai")
    assert (key_of(own), url_of(own), own.price) == ("general", "https://proxy.example/v1", 9.0)
    assert own.space == Space("openai", "text-embedding-3-large", "", "none", 256, normalised=True)
    assert (key_of(other), url_of(other), other.price) == ("zk", "https://api.z.ai/api/paas/v4", None)
    assert other.space == Space("zai", "embedding-3", "", "none", 1024, normalised=True)
    for embedder in (own, other):
        assert embedder._profile.provider in repr(embedder)


def test_what_is_asked_for_by_name_comes_first() -> None:
    configured = settings(provider="openai", model="text-embedding-3-large", api_key="k")
    embedder = made(configured, model="text-embedding-3-small", dimensions=64)
    assert embedder.space == Space("openai", "text-embedding-3-small", "", "none", 64, normalised=True)


@every(
    ("provider", "model", "dimensions", "words"),
    [
        ("openai", "text-embedding-3-small", 3072, "1 to 1536"),
        ("openai", "text-embedding-ada-002", 512, "1536"),
        ("zai", "embedding-3", 1000, "256, 512, 1024, 2048"),
        ("zai", "embedding-2", 512, "1024"),
        ("gemini", "gemini-embedding-001", 64, "128 to 3072"),
        ("e5", "intfloat/multilingual-e5-large", 512, "1024"),
    ],
)
def test_a_length_that_a_model_cannot_make_is_refused(provider: str, model: str, dimensions: int, words: str) -> None:
    with pytest.raises(SettingsError, match=f"embedding.dimensions is {dimensions}; .* of {words} numbers"):
        create_embedding_provider(settings(provider=provider, model=model, dimensions=dimensions, api_key="k"))


def test_the_prices_are_known() -> None:
    found = {name: made(settings(**KEYS), provider=name).price for name in ("openai", "gemini", "zai", "e5", "ollama")}
    assert found == {"openai": 0.02, "gemini": 0.15, "zai": None, "e5": 0.0, "ollama": 0.0}


def test_only_two_have_a_way_for_large_amounts() -> None:
    configured = settings(**KEYS, compatible_endpoint="http://h/v1")
    names = [name for name in PROVIDERS if name not in {"local", "none"}]
    found = {name for name in names if made(configured, provider=name, model="m").bulk}
    assert found == {"openai", "gemini"}


@every(
    ("space", "asked"),
    [
        (Space("openai", "text-embedding-3-small", "", "none", 1536, normalised=True), None),
        (Space("openai", "text-embedding-3-small", "", "none", 512, normalised=True), 512),
        (Space("openai", "text-embedding-ada-002", "", "none", 1536, normalised=True), None),
        (Space("zai", "embedding-3", "", "none", 1024, normalised=True), 1024),
        (Space("zai", "embedding-3", "", "none", 2048, normalised=True), 2048),
        (Space("gemini", "gemini-embedding-001", "", "gemini", 768, normalised=True), 768),
        (Space("ollama", "own-model", "", "nomic", 321, normalised=True), None),
        (Space("openai-compatible", "own-model", "", "bge", 321, normalised=True), None),
        (Space("e5", "intfloat/multilingual-e5-small", "", "e5", 384, normalised=True), None),
    ],
)
def test_the_embedder_of_a_space_is_made_from_it(space: Space, asked: int | None) -> None:
    embedder = embedder_for(settings(**KEYS, compatible_endpoint="http://h/v1"), space)
    assert isinstance(embedder, ProviderEmbedder)
    assert embedder.space == space
    assert getattr(embedder._wire, "dimensions", None) == asked


def test_a_length_that_the_settings_chose_is_asked_for() -> None:
    space = Space("openai-compatible", "own-model", "", "none", 321, normalised=True)
    chosen = settings(provider="openai-compatible", endpoint="http://h/v1", dimensions=321)
    embedder = embedder_for(chosen, space)
    assert getattr(embedder, "_wire").dimensions == 321  # noqa: B009


def test_the_local_encoder_serves_its_own_space_only() -> None:
    space = LocalEmbedder().space
    assert isinstance(embedder_for(settings(), space), LocalEmbedder)
    with pytest.raises(SettingsError, match="recollect reembed"):
        embedder_for(settings(), replace(space, revision="another"))


@every(
    ("space", "words"),
    [
        (Space("openai", "text-embedding-3-small", "", "none", 1536, normalised=True), "embedding.openai_api_key"),
        (Space("foo", "m", "", "none", 3, normalised=True), "Unknown embedding provider: foo"),
        (Space("none", "m", "", "none", 3, normalised=True), "No configured provider"),
        (Space("ollama", "m", "", "none", 3, normalised=False), "No configured provider"),
        (Space("ollama", "m", "", "gemini", 3, normalised=True), "prefixes gemini, which ollama does not have"),
        (Space("e5", "m", "", "none", 3, normalised=True), "prefixes none, which e5 does not have"),
        (Space("openai-compatible", "m", "", "none", 3, normalised=True), "embedding.compatible_endpoint"),
        (Space("zai", "embedding-3", "", "none", 3, normalised=True), "256, 512, 1024, 2048"),
    ],
)
def test_a_space_that_cannot_be_served_says_why(space: Space, words: str) -> None:
    configured = settings(zai_api_key="k")
    with pytest.raises(SettingsError, match=words):
        embedder_for(configured, space)
