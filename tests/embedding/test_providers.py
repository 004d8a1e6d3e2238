"""Every provider over its real protocol: what is sent, and what becomes of the answer."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from recollect.embedding import create_embedding_provider, embedder_for
from recollect.embedding.provider import ProviderEmbedder
from recollect.errors import EmbeddingError, ProviderUnavailable, TextRefused
from recollect.model.memories import Space, Vector
from recollect.model.messages import Usage
from recollect.ports import RemoteEmbedder, Role
from tests.embedding.conftest import KEY, PROVIDERS, MakeEmbedder, settings_for
from tests.providers.server import POISON, ProviderServer
from tests.providers.vectors import vector_of
from tests.rows import every
from tests.waiting import PATIENCE_S

TEXTS = [
    "the roof is made of wood",
    "the roof needs paint",
    "tea without sugar",
    "das Dach aus Holz",
    "крыша из дерева",
]
DIMENSIONS = {
    "openai": 1536,
    "zai": 1024,
    "e5": 1024,
    "ollama": 768,
    "gemini": 3072,
    "openai-compatible": 96,
}
MODELS = {
    "openai": "text-embedding-3-small",
    "zai": "embedding-3",
    "e5": "intfloat/multilingual-e5-large",
    "ollama": "nomic-embed-text",
    "gemini": "gemini-embedding-001",
    "openai-compatible": "some-model",
}
SCHEMES = {"e5": "e5", "ollama": "nomic", "gemini": "gemini"}


def expected(provider: str, texts: list[str], role: Role) -> Vector:
    """What the server makes of texts, computed without asking it."""
    seen = role if provider in {"e5", "gemini"} else "any"
    prefix = {"query": "search_query: ", "passage": "search_document: "}[role] if provider == "ollama" else ""
    rows = [vector_of(prefix + text, seen, MODELS[provider], DIMENSIONS[provider]) for text in texts]
    return np.vstack(rows)


@every("role", ["query", "passage"])
@every("provider", PROVIDERS)
def test_vectors_are_those_of_the_texts_in_their_order(make: MakeEmbedder, provider: str, role: Role) -> None:
    embedder = make(provider)
    rows = embedder.embed(TEXTS, role)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows, expected(provider, TEXTS, role), atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)


@every("provider", PROVIDERS)
def test_the_space_says_who_made_them(make: MakeEmbedder, provider: str) -> None:
    embedder = make(provider)
    space = Space(provider, MODELS[provider], "", SCHEMES.get(provider, "none"), DIMENSIONS[provider], normalised=True)
    assert embedder.space == (None if provider == "openai-compatible" else space)
    embedder.embed(TEXTS[:1], "query")
    assert embedder.space == space
    assert isinstance(embedder, RemoteEmbedder)
    assert embedder.languages is None


@every("provider", PROVIDERS)
def test_the_key_is_in_one_header_and_nowhere_else(
    provider_server: ProviderServer, make: MakeEmbedder, provider: str
) -> None:
    provider_server.requests.clear()
    provider_server.key = KEY
    embedder = make(provider)
    embedder.embed(TEXTS, "passage")
    for request in provider_server.requests:
        carried = {name for name, value in request.headers.items() if KEY in value}
        assert carried == {"x-goog-api-key" if provider == "gemini" else "Authorization"}
        assert KEY not in request.path
        assert KEY not in str(request.body)
    assert KEY not in repr(embedder)


@every(
    ("provider", "usage"),
    [
        ("openai", Usage(13)),
        ("zai", Usage(13)),
        ("ollama", Usage(16)),
        ("e5", Usage(0)),
        ("openai-compatible", Usage(13)),
    ],
)
def test_what_it_cost_is_known(make: MakeEmbedder, provider: str, usage: Usage) -> None:
    _, found = make(provider).embed_metered(TEXTS[:3], "passage")
    assert found == usage


def test_where_money_is_at_stake_and_nothing_is_said_the_cost_is_estimated(make: MakeEmbedder) -> None:
    _, usage = make("gemini").embed_metered(["one two three"], "passage")
    assert usage.input_tokens == 3
    assert make("gemini").price == 0.15


def test_the_body_is_the_one_of_the_protocol(provider_server: ProviderServer, make: MakeEmbedder) -> None:
    for provider in PROVIDERS:
        make(provider).embed(["tea"], "query")
    bodies = {request.path: request.body for request in provider_server.requests}
    request: dict[str, Any] = {"model": "models/gemini-embedding-001", "content": {"parts": [{"text": "tea"}]}}
    assert bodies == {
        "/openai/v1/embeddings": {"model": "text-embedding-3-small", "input": ["tea"], "encoding_format": "base64"},
        "/zai/api/paas/v4/embeddings": {"model": "embedding-3", "input": ["tea"], "dimensions": 1024},
        "/e5/health": None,
        "/e5/batch": {"texts": ["tea"], "type": "query"},
        "/ollama/api/embed": {"model": "nomic-embed-text", "input": ["search_query: tea"], "truncate": True},
        "/gemini/v1beta/models/gemini-embedding-001:batchEmbedContents": {
            "requests": [{**request, "taskType": "RETRIEVAL_QUERY"}]
        },
        "/compatible/v1/embeddings": {"model": "some-model", "input": ["tea"], "encoding_format": "float"},
    }


@every(
    ("provider", "model", "field"),
    [
        ("openai", "text-embedding-3-large", "dimensions"),
        ("zai", "embedding-3", "dimensions"),
        ("openai-compatible", "any", "dimensions"),
        ("ollama", "nomic-embed-text", "dimensions"),
        ("gemini", "gemini-embedding-001", "outputDimensionality"),
    ],
)
def test_a_length_that_was_chosen_is_asked_for(
    provider_server: ProviderServer, make: MakeEmbedder, provider: str, model: str, field: str
) -> None:
    embedder = make(provider, model=model, dimensions=256)
    assert embedder.space is not None
    assert embedder.space.dimensions == 256
    assert embedder.embed(["tea"], "passage").shape == (1, 256)
    body = provider_server.requests[-1].body
    assert (body["requests"][0] if provider == "gemini" else body)[field] == 256


@every(("provider", "model"), [("openai", "text-embedding-ada-002"), ("zai", "embedding-2")])
def test_a_model_of_one_length_is_not_asked_for_it(
    provider_server: ProviderServer, make: MakeEmbedder, provider: str, model: str
) -> None:
    make(provider, model=model, dimensions={"openai": 1536, "zai": 1024}[provider]).embed(["tea"], "passage")
    assert "dimensions" not in provider_server.requests[-1].body


def test_the_newer_gemini_is_told_in_words_what_a_text_is_for(
    provider_server: ProviderServer, make: MakeEmbedder
) -> None:
    embedder = make("gemini", model="gemini-embedding-2")
    assert embedder.space is not None
    assert embedder.space.prefix_scheme == "gemma"
    embedder.embed(["tea"], "query")
    embedder.embed(["tea"], "passage")
    assert provider_server.texts == ["task: search result | query: tea", "title: none | text: tea"]
    assert "taskType" not in provider_server.requests[0].body["requests"][0]


@every(
    ("prefix", "query", "passage"),
    [
        ("e5", "query: tea", "passage: tea"),
        ("none", "tea", "tea"),
        ("bge", "Represent this sentence for searching relevant passages: tea", "tea"),
        ("gemma", "task: search result | query: tea", "title: none | text: tea"),
    ],
)
def test_the_settings_may_name_the_prefixes(
    provider_server: ProviderServer, make: MakeEmbedder, prefix: str, query: str, passage: str
) -> None:
    provider_server.requests.clear()
    embedder = make("ollama", prefix=prefix)
    embedder.embed(["tea"], "query")
    embedder.embed(["tea"], "passage")
    assert provider_server.texts == [query, passage]
    assert embedder.space is not None
    assert embedder.space.prefix_scheme == prefix


@every(
    ("provider", "sizes"),
    [("openai", [2048, 52]), ("zai", [64, 64, 6]), ("gemini", [100, 100]), ("e5", [32, 32, 6]), ("ollama", [32, 1])],
)
def test_no_request_holds_more_texts_than_the_provider_takes(
    provider_server: ProviderServer, make: MakeEmbedder, provider: str, sizes: list[int]
) -> None:
    provider_server.requests.clear()
    texts = [f"text number {number}" for number in range(sum(sizes))]
    embedder = make(provider, prefix="none", dimensions=None if provider == "e5" else 256)
    assert len(embedder.embed(texts, "passage")) == len(texts)
    assert [len(request.texts) for request in provider_server.requests if request.texts] == sizes
    assert provider_server.texts == texts
    assert embedder.batch_size == sizes[0]


def test_no_request_holds_more_tokens_than_the_provider_takes(
    provider_server: ProviderServer, make: MakeEmbedder
) -> None:
    texts = [f"{number} " + "tea " * 8000 for number in range(40)]  # 320,000 tokens
    embedder = make("openai", dimensions=8)
    assert embedder.embed(texts, "passage").shape == (40, 8)
    assert provider_server.texts == texts
    assert 2 <= len(provider_server.requests) <= 5


@every(("provider", "limit"), [("openai", 8191), ("zai", 3072), ("gemini", 2048)])
def test_a_text_that_is_too_long_is_cut(
    provider_server: ProviderServer, make: MakeEmbedder, provider: str, limit: int
) -> None:
    provider_server.requests.clear()
    text = "tea " * 40_000
    embedder = make(provider)
    embedder.embed([text], "passage")  # the server refuses more words than the model takes
    [sent] = provider_server.texts
    assert text.startswith(sent)
    assert limit * 0.9 < len(sent.split()) <= limit


def test_no_texts_are_not_asked_for(provider_server: ProviderServer, make: MakeEmbedder) -> None:
    rows, usage = make("openai").embed_metered([], "passage")
    assert rows.shape == (0, 1536)
    assert usage == Usage()
    assert provider_server.requests == []


@every("provider", PROVIDERS)
def test_a_text_that_is_refused_is_known_to_be_the_reason(make: MakeEmbedder, provider: str) -> None:
    embedder = make(provider)
    with pytest.raises(TextRefused, match="invalid content"):
        embedder.embed(["tea", f"a {POISON} b"], "passage")
    assert embedder.embed(["tea"], "passage").shape == (1, DIMENSIONS[provider])


def test_refused_texts_do_not_open_the_breaker(provider_server: ProviderServer, make: MakeEmbedder) -> None:
    embedder = make("openai")
    for _ in range(12):
        with pytest.raises(TextRefused):
            embedder.embed([POISON], "passage")
    assert len(provider_server.requests) == 12


def test_a_length_once_learned_must_stay(provider_server: ProviderServer, make: MakeEmbedder) -> None:
    embedder = make("openai-compatible")
    embedder.embed(["tea"], "passage")
    provider_server.fault = "wrong_dimension"
    with pytest.raises(EmbeddingError, match="95 numbers for text 1, expected 96"):
        embedder.embed(["tea"], "passage")


def test_threads_may_share_one(provider_server: ProviderServer, make: MakeEmbedder) -> None:
    embedder = make("openai-compatible", timeout_s=PATIENCE_S)
    texts = [f"text number {number}" for number in range(40)]
    alone = embedder.embed(texts, "passage")
    provider_server.at_once = 2
    with ThreadPoolExecutor(max_workers=8) as pool:
        rows = list(pool.map(lambda text: embedder.embed([text], "passage")[0], texts))
    np.testing.assert_allclose(np.vstack(rows), alone, atol=1e-6)
    assert provider_server.activity.most_at_once >= 2


def test_the_e5_server_must_run_the_right_model(provider_server: ProviderServer, make: MakeEmbedder) -> None:
    embedder = make("e5", model="intfloat/multilingual-e5-small")
    with pytest.raises(
        EmbeddingError, match="runs intfloat/multilingual-e5-large, expected intfloat/multilingual-e5-s"
    ):
        embedder.embed(["tea"], "passage")
    assert provider_server.texts == []
    make("e5", model="multilingual-e5-large").embed(["tea"], "passage")
    assert provider_server.texts == ["tea"]


def test_the_e5_server_is_greeted_once(provider_server: ProviderServer, make: MakeEmbedder) -> None:
    embedder = make("e5")
    for _ in range(3):
        embedder.embed(["tea"], "passage")
    assert [request.path for request in provider_server.requests] == ["/e5/health", *["/e5/batch"] * 3]


def test_the_e5_server_is_greeted_again_after_a_failure(provider_server: ProviderServer, make: MakeEmbedder) -> None:
    embedder = make("e5")
    embedder.embed(["tea"], "passage")
    with provider_server.misbehaving("error_500", times=1), pytest.raises(ProviderUnavailable):
        embedder.embed(["tea"], "passage")
    embedder.embed(["tea"], "passage")  # by now it may be another server
    paths = [request.path.removeprefix("/e5/") for request in provider_server.requests]
    assert paths == ["health", "batch", "batch", "health", "batch"]


@every("provider", PROVIDERS)
def test_the_embedder_of_a_space_makes_the_same_vectors(
    provider_server: ProviderServer, make: MakeEmbedder, provider: str
) -> None:
    provider_server.requests.clear()
    first = make(provider)
    rows = first.embed(TEXTS, "query")
    assert first.space is not None
    again = embedder_for(settings_for(provider_server, provider), first.space)
    assert isinstance(again, ProviderEmbedder)
    assert again.space == first.space
    np.testing.assert_array_equal(again.embed(TEXTS, "query"), rows)
    assert provider_server.requests[-1].body == provider_server.requests[len(provider_server.requests) // 2 - 1].body
    again.close()


def test_nothing_is_loaded_before_the_first_text() -> None:
    program = """
import sys
from recollect.embedding import create_embedding_provider, embedder_for
from recollect.settings.sections import EmbeddingSettings
embedder = create_embedding_provider(EmbeddingSettings(provider="openai", api_key="k"))
print(embedder.space.dimensions, embedder.bulk.most_texts, [
    name for name in ("httpx2", "httpcore2", "onnxruntime", "tokenizers", "urllib.request") if name in sys.modules
])
embedder.close()
"""
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "1536 10000 []"


def test_it_can_be_closed_and_used_again(make: MakeEmbedder) -> None:
    embedder = make("openai")
    first = embedder.embed(["tea"], "passage")
    embedder.close()
    embedder.close()
    np.testing.assert_array_equal(embedder.embed(["tea"], "passage"), first)


def test_none_is_nobody(provider_server: ProviderServer) -> None:
    assert create_embedding_provider(settings_for(provider_server, "openai"), provider="none") is None
