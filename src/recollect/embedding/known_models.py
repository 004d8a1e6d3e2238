"""Which encoders were released, and what is known about models that others run: lengths, limits and prices.

A vector is only comparable with vectors of the same encoder, and a store keeps them for years. So the files are checked
before they are used: a damaged download must not quietly fill a store with vectors of a space that does not exist.

New stores use the first encoder of `ENCODERS`, whose files are in the package. An older one has its files in a
distribution of its own, for stores that have not moved to the new one yet. Of the models of others, what is not in here
is not guessed: the provider is asked, and its first answer shows how long its vectors are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from recollect.errors import ModelDamaged
from recollect.model.memories import Space
from recollect.models.bundled import (
    ENCODER,
    ENCODER_FILE,
    FOLDER,
    TOKENIZER,
    TOKENIZER_FILE,
    WORDS,
    WORDS_FILE,
    ReleasedFile,
)

LANGUAGES: Final = frozenset({"en", "ru", "cs", "de", "fr", "es", "pl", "it", "pt", "nl", "uk", "ro"})


@dataclass(frozen=True, slots=True)
class BundledEncoder:
    """An encoder of this project.

    `graph` is the name of its graph, `files` are the files it needs in its folder, `shared` those that it takes from
    the latest encoder's. The files of one with a `package` come with the distribution of that import name, and with the
    extra of the same name as the encoder. `session_entries` are settings of onnxruntime that its graph needs.
    """

    name: str
    graph: str
    files: Mapping[str, ReleasedFile]
    package: str = ""
    shared: Mapping[str, ReleasedFile] = field(default_factory=lambda: MappingProxyType({}))
    session_entries: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def space(self) -> Space:
        """The space of its vectors."""
        revision = self.files[self.graph].sha256[:12]
        return Space("local", f"recollect-{self.name}", revision, "none", dimensions=384, normalised=True)

    def folder(self) -> Path:
        """Find the folder of its files. Raises ModelDamaged when their distribution is not installed."""
        if not self.package:
            return FOLDER
        found = find_spec(self.package)
        if found is None or not found.submodule_search_locations:
            raise ModelDamaged(
                f"The files of the older encoder recollect-{self.name} are not installed. Run `recollect reembed` to "
                f"move the store to recollect-{ENCODERS[0].name}, or `pip install 'recollect[{self.name}]'` to stay."
            )
        return Path(found.submodule_search_locations[0])


ENCODERS: Final = (
    BundledEncoder("encoder-4", ENCODER_FILE, ENCODER),
    BundledEncoder(
        "encoder-3",
        "encoder.onnx",
        {"encoder.onnx": ReleasedFile("f4bd3c87af09efb7d4e0c3eb0e5ea6e2aa1e6978a0d9b33fad179be107351212", 0xDE209A56)},
        package="recollect_encoder_3",
        shared={WORDS_FILE: WORDS, TOKENIZER_FILE: TOKENIZER},
    ),
    BundledEncoder(
        "encoder-1",
        "model.onnx",
        {"model.onnx": ReleasedFile("780bcbb8c78d776cca581aacd14646e01a1c750b75599d463abe76809aec90ea", 0x130A7C56)},
        package="recollect_encoder_1",
        shared={TOKENIZER_FILE: TOKENIZER},
        # Its weights are stored in int8 and computed in float32: unfold them once, not in every call.
        session_entries=MappingProxyType({"session.disable_quant_qdq": "1"}),
    ),
)
LATEST: Final = ENCODERS[0]
SPACE: Final = LATEST.space


def encoder_of(space: Space) -> BundledEncoder | None:
    """Give the encoder that makes the vectors of a space; None when none of this project does."""
    return next((encoder for encoder in ENCODERS if encoder.space == space), None)


def encoder_named(model: str) -> BundledEncoder | None:
    """Give the encoder that a model's name means; None when none of this project has it."""
    return next((encoder for encoder in ENCODERS if encoder.space.model == model), None)


class KnownModel(NamedTuple):
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


class ProviderLimits(NamedTuple):
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
