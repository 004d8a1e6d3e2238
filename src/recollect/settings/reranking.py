"""The settings of which model reads the best hits together with the question, and how long it may take."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from recollect.settings.declare import about, conform
from recollect.settings.kinds import choice, number, optional, text, whole

RerankProvider = Literal["local", "cohere", "jina", "tei", "compatible"]


@dataclass(frozen=True, slots=True)
class RerankSettings:
    """Which model reranks, and within what time. `recall.rerank` says when."""

    provider: RerankProvider = field(
        default="local",
        metadata=about(
            choice("rerank provider", get_args(RerankProvider)),
            "Reranker: `local` is the model in the package. Others are asked over HTTP: `cohere`, `jina`, `tei` (Text "
            "Embeddings Inference), or `compatible` for servers with a `/rerank` like Jina's. They see the query and "
            "the first hits.",
        ),
    )
    model: str = field(
        default="",
        metadata=about(text(empty=True), "The model to use.", default_words="the provider's usual one"),
    )
    url: str = field(
        default="",
        metadata=about(text(empty=True), "URL of the provider, without `/rerank`.", default_words="its usual address"),
    )
    api_key: str = field(
        default="",
        repr=False,
        metadata=about(text(empty=True, secret=True), "Key of the provider.", default_words="none"),
    )
    budget_s: float = field(
        default=0.15,
        metadata=about(
            number(0.01, 60),
            "Time budget in a search, in seconds: as many of the first hits are scored as fit. A provider over the "
            "internet needs more.",
        ),
    )
    prompt_budget_s: float = field(
        default=0.4, metadata=about(number(0.01, 60), "Time budget in the search before a prompt, in seconds.")
    )
    threads: int | None = field(
        default=None,
        metadata=about(
            optional(whole(1, 64), "auto"),
            "Processor threads of the local reranker; `auto` is 2 where there are 4 or more cores, otherwise 1.",
        ),
    )
    timeout_s: float = field(
        default=10.0, metadata=about(number(0.05, 600), "Seconds to wait for a provider where no budget applies.")
    )
    retries: int = field(
        default=1, metadata=about(whole(0, 10), "Retries after a failure of a provider, within the time budget.")
    )

    def __post_init__(self) -> None:
        conform(self)
