"""The settings of who makes the vectors, how they are asked, and what is kept of their answers."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from recollect.settings.declare import about, conform
from recollect.settings.kinds import choice, number, optional, switch, text, whole

EmbeddingProvider = Literal["local", "openai", "zai", "e5", "ollama", "gemini", "openai-compatible", "none"]
PROVIDERS: tuple[EmbeddingProvider, ...] = get_args(EmbeddingProvider)

PrefixScheme = Literal["auto", "none", "e5", "nomic", "bge", "gemma"]
WaitWhen = Literal["auto", "always", "never"]
BulkWhen = Literal["off", "auto", "always"]

_OTHER_NAMES = {"e5-local": "e5"}  # what the plugin's configuration calls it


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Who makes the vectors."""

    provider: EmbeddingProvider = field(
        default="local",
        metadata=about(
            choice("embedding provider", PROVIDERS, _OTHER_NAMES),
            "Embedding provider of a new store: `local` is the encoder in the package, `none` leaves recall to text "
            "search. A store that has vectors keeps its model until `recollect reembed`.",
        ),
    )
    model: str = field(
        default="",
        metadata=about(text(empty=True), "The model to use.", default_words="the provider's usual one"),
    )
    dimensions: int | None = field(
        default=None,
        metadata=about(
            optional(whole(1, 4_000), "auto"), "Length of the vectors, for models that can make them shorter."
        ),
    )
    api_key: str = field(
        default="",
        repr=False,
        metadata=about(text(empty=True, secret=True), "Key of the provider named above.", default_words="none"),
    )
    endpoint: str = field(
        default="",
        metadata=about(text(empty=True), "URL of the provider named above.", default_words="its usual address"),
    )
    openai_api_key: str = field(
        default="", repr=False, metadata=about(text(empty=True, secret=True), "Key for `openai`.", default_words="none")
    )
    zai_api_key: str = field(
        default="", repr=False, metadata=about(text(empty=True, secret=True), "Key for `zai`.", default_words="none")
    )
    gemini_api_key: str = field(
        default="", repr=False, metadata=about(text(empty=True, secret=True), "Key for `gemini`.", default_words="none")
    )
    compatible_api_key: str = field(
        default="",
        repr=False,
        metadata=about(text(empty=True, secret=True), "Key for `openai-compatible`.", default_words="none"),
    )
    openai_endpoint: str = field(default="https://api.openai.com/v1", metadata=about(text(), "URL of `openai`."))
    zai_endpoint: str = field(default="https://api.z.ai/api/paas/v4", metadata=about(text(), "URL of `zai`."))
    gemini_endpoint: str = field(
        default="https://generativelanguage.googleapis.com/v1beta",
        metadata=about(text(), "URL of `gemini`."),
    )
    e5_endpoint: str = field(
        default="http://127.0.0.1:8765",
        metadata=about(text(), "URL of `e5`; `recollect e5-server` starts one."),
    )
    ollama_endpoint: str = field(default="http://127.0.0.1:11434", metadata=about(text(), "URL of `ollama`."))
    compatible_endpoint: str = field(
        default="",
        metadata=about(text(empty=True), "URL of `openai-compatible`, without `/embeddings`.", default_words="none"),
    )
    prefix: PrefixScheme = field(
        default="auto",
        metadata=about(
            choice("prefix scheme", get_args(PrefixScheme)),
            "Prefix of queries and passages; `auto` chooses by the model's name.",
        ),
    )
    threads: int | None = field(
        default=None,
        metadata=about(
            optional(whole(1, 1024), "auto"), "Processor threads the local encoder may use; `auto` lets it choose."
        ),
    )
    timeout_s: float = field(
        default=30.0, metadata=about(number(0.05, 600), "Seconds to wait for a provider's answer.")
    )
    retries: int = field(default=2, metadata=about(whole(0, 10), "Retries after a failure."))
    wait: WaitWhen = field(
        default="auto",
        metadata=about(
            choice("time to wait", get_args(WaitWhen)),
            "Whether storing waits for the vector; `auto` waits for the local encoder only.",
        ),
    )
    worker: bool = field(
        default=True,
        metadata=about(switch(), "Work on the queues in a background thread of every program that stores something."),
    )
    concurrency: int = field(default=4, metadata=about(whole(1, 64), "Concurrent requests per worker."))
    lease_s: float = field(
        default=300.0,
        metadata=about(
            number(1, 86_400), "Length of a worker's lease on its jobs, in seconds; then another worker takes over."
        ),
    )
    cache_mb: int = field(
        default=256,
        metadata=about(whole(0, 1_000_000), "Size of the cache of paid vectors, in megabytes; 0 turns it off."),
    )
    bulk: BulkWhen = field(
        default="off",
        metadata=about(
            choice("time for bulk", get_args(BulkWhen)),
            "Whether large amounts go through the provider's cheaper batch API; `auto` does so from the threshold on.",
        ),
    )
    bulk_threshold: int = field(
        default=50_000, metadata=about(whole(1, 10**9), "Queued texts from which `auto` uses the batch API.")
    )
    price: float | None = field(
        default=None,
        metadata=about(
            optional(number(0, 1_000), "auto"),
            "Dollars per million tokens, where the built-in price is wrong or missing.",
        ),
    )

    def __post_init__(self) -> None:
        conform(self)
