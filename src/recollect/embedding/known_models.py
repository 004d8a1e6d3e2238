"""What is known about models that others run: the one table of their lengths, limits and prices.

What is not in here is not guessed: the provider is asked, and its first answer shows how long its vectors are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from recollect.embedding.bundled_model import ENCODERS, SPACE


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model at a provider.

    `dimensions` is what we ask it for, `choices` are the lengths it can make, if it can choose. `longest_tokens` is how
    much of a text it takes; None when it cuts by itself. `price` is in dollars for a million tokens. `any_tag` says
    that its variants (what stands behind a colon) all have the same length.
    """

    provider: str
    name: str
    dimensions: int
    longest_tokens: int | None = None
    price: float | None = None
    choices: Sequence[int] = ()
    any_tag: bool = False


@dataclass(frozen=True, slots=True)
class ProviderLimits:
    """What one request to a provider may hold, and its default model."""

    usual_model: str
    most_texts: int
    most_tokens: int | None = None


LIMITS: Final = {
    "openai": ProviderLimits("text-embedding-3-small", 2048, 300_000),
    "zai": ProviderLimits("embedding-3", 64),
    "gemini": ProviderLimits("gemini-embedding-001", 100),
    # These run on machines of one's own, where a large request is a slow one.
    "e5": ProviderLimits("intfloat/multilingual-e5-large", 32),
    "ollama": ProviderLimits("nomic-embed-text", 32),
    "openai-compatible": ProviderLimits("", 32),
}

_GEMINI: Final = range(128, 3073)
MODELS: Final = (
    *(KnownModel("local", encoder.space.model, encoder.space.dimensions, price=0.0) for encoder in ENCODERS),
    KnownModel("openai", "text-embedding-3-small", 1536, 8191, 0.02, range(1, 1537)),
    KnownModel("openai", "text-embedding-3-large", 3072, 8191, 0.13, range(1, 3073)),
    KnownModel("openai", "text-embedding-ada-002", 1536, 8191, 0.10),
    KnownModel("zai", "embedding-3", 1024, 3072, None, (256, 512, 1024, 2048)),
    KnownModel("zai", "embedding-2", 1024, 512),
    KnownModel("gemini", "gemini-embedding-001", 3072, 2048, 0.15, _GEMINI),
    KnownModel("gemini", "gemini-embedding-2", 3072, 8192, 0.20, _GEMINI),
    KnownModel("gemini", "gemini-embedding-2-preview", 3072, 8192, 0.20, _GEMINI),
    # Its server cuts at 512 tokens of its own; our count may be higher, so twice as many are sent.
    KnownModel("e5", "intfloat/multilingual-e5-large", 1024, 1024, 0.0),
    KnownModel("e5", "intfloat/multilingual-e5-base", 768, 1024, 0.0),
    KnownModel("e5", "intfloat/multilingual-e5-small", 384, 1024, 0.0),
    KnownModel("e5", "intfloat/e5-large-v2", 1024, 1024, 0.0),
    KnownModel("e5", "intfloat/e5-base-v2", 768, 1024, 0.0),
    KnownModel("e5", "intfloat/e5-small-v2", 384, 1024, 0.0),
    KnownModel("ollama", "nomic-embed-text", 768, 2048, 0.0, any_tag=True),
    KnownModel("ollama", "mxbai-embed-large", 1024, 512, 0.0, any_tag=True),
    KnownModel("ollama", "all-minilm", 384, 256, 0.0, any_tag=True),
    KnownModel("ollama", "bge-m3", 1024, 8192, 0.0, any_tag=True),
    KnownModel("ollama", "bge-large", 1024, 512, 0.0, any_tag=True),
    KnownModel("ollama", "embeddinggemma", 768, 2048, 0.0, any_tag=True),
    KnownModel("ollama", "paraphrase-multilingual", 768, 512, 0.0, any_tag=True),
    KnownModel("ollama", "snowflake-arctic-embed", 1024, 512, 0.0),
    KnownModel("ollama", "snowflake-arctic-embed:335m", 1024, 512, 0.0),
    KnownModel("ollama", "snowflake-arctic-embed:137m", 768, 2048, 0.0),
    KnownModel("ollama", "snowflake-arctic-embed:110m", 768, 512, 0.0),
    KnownModel("ollama", "snowflake-arctic-embed:33m", 384, 512, 0.0),
    KnownModel("ollama", "snowflake-arctic-embed:22m", 384, 512, 0.0),
    KnownModel("ollama", "snowflake-arctic-embed2", 1024, 8192, 0.0, any_tag=True),
    KnownModel("ollama", "granite-embedding:30m", 384, 512, 0.0),
    KnownModel("ollama", "granite-embedding:278m", 768, 512, 0.0),
    KnownModel("ollama", "qwen3-embedding:0.6b", 1024, 32_768, 0.0),
    KnownModel("ollama", "qwen3-embedding:4b", 2560, 32_768, 0.0),
    KnownModel("ollama", "qwen3-embedding:8b", 4096, 32_768, 0.0),
)


def known_model(model: str, provider: str | None = None) -> KnownModel | None:
    """Give what is known of a model; None when nothing is."""
    name = model.strip().lower().removeprefix("models/").removesuffix(":latest")
    offered = [found for found in MODELS if provider in {None, found.provider}]
    exact = next((found for found in offered if found.name == name), None)
    family = name.partition(":")[0]
    return exact or next((found for found in offered if found.any_tag and found.name == family), None)


def vector_dims_for_model(model: str | None, provider: str | None = None) -> int | None:
    """Say how long a model's vectors are, as we ask for them; None when only the provider knows.

    Without a model it is the provider's own default.
    """
    usual_model = LIMITS[provider].usual_model if provider in LIMITS else SPACE.model
    found = known_model(usual_model if model is None else model, provider)
    return found.dimensions if found else None
