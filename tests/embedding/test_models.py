from recollect.embedding import vector_dims_for_model
from recollect.embedding.known_models import LIMITS, MODELS, known_model
from recollect.embedding.provider import prefixed, scheme_for
from recollect.settings.sections import PROVIDERS
from tests.rows import every


@every(
    ("model", "provider", "dimensions"),
    [
        ("text-embedding-3-small", None, 1536),
        ("text-embedding-3-large", "openai", 3072),
        ("text-embedding-ada-002", "openai", 1536),
        ("embedding-3", "zai", 1024),
        ("intfloat/multilingual-e5-large", "e5", 1024),
        ("nomic-embed-text:v1.5", "ollama", 768),
        ("MXBAI-embed-large:latest", "ollama", 1024),
        ("snowflake-arctic-embed:latest", "ollama", 1024),
        ("snowflake-arctic-embed:22m", "ollama", 384),
        ("models/gemini-embedding-001", "gemini", 3072),
        ("recollect-encoder-4", None, 384),
        ("recollect-encoder-3", None, 384),
        ("recollect-encoder-1", None, 384),
        ("text-embedding-3-small", "ollama", None),
        ("snowflake-arctic-embed:9b", "ollama", None),
        ("qwen3-embedding", "ollama", None),
        ("something-else", None, None),
        (None, "openai", 1536),
        (None, "zai", 1024),
        (None, "e5", 1024),
        (None, "local", 384),
        (None, None, 384),
        (None, "openai-compatible", None),
        ("", None, None),
        ("", "nobody", None),
    ],
)
def test_the_length_of_a_model_is_known_or_not_guessed(
    model: str | None, provider: str | None, dimensions: int | None
) -> None:
    assert vector_dims_for_model(model, provider) == dimensions


def test_the_table_makes_sense() -> None:
    assert len({(model.provider, model.name) for model in MODELS}) == len(MODELS)
    assert {model.provider for model in MODELS} <= set(PROVIDERS)
    assert set(LIMITS) == set(PROVIDERS) - {"local", "none"}
    for model in MODELS:
        assert not model.choices or model.dimensions in model.choices
        assert known_model(model.name, model.provider) is model
    for provider, limits in LIMITS.items():
        assert provider == "openai-compatible" or known_model(limits.usual_model, provider)


@every(
    ("model", "scheme"),
    [
        ("intfloat/multilingual-e5-large", "e5"),
        ("e5-base-v2", "e5"),
        ("intfloat/multilingual-e5-large-instruct", "none"),
        ("nomic-embed-text:v1.5", "nomic"),
        ("nomic-ai/nomic-embed-text-v1.5", "nomic"),
        ("mxbai-embed-large", "bge"),
        ("BAAI/bge-large-en-v1.5", "bge"),
        ("bge-m3", "none"),
        ("BAAI/bge-large-zh", "none"),
        ("embeddinggemma:300m", "gemma"),
        ("gemini-embedding-2", "gemma"),
        ("gemini-embedding-001", "none"),
        ("text-embedding-3-small", "none"),
        ("", "none"),
    ],
)
def test_prefixes_go_by_the_name_of_the_model(model: str, scheme: str) -> None:
    assert scheme_for(model) == scheme


def test_a_scheme_without_words_writes_none() -> None:
    assert prefixed("tea", "query", "gemini") == "tea"
    assert prefixed("tea", "passage", "bge") == "tea"
    assert prefixed("tea", "passage", "nomic") == "search_document: tea"
