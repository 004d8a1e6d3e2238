"""The settings of what happens around an agent's turn: capturing, recalling, compacting, asking a language model."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from recollect.model.calibration import KEEP
from recollect.model.literals import MEMORY_TYPES, STATEMENT_TYPES, StatementType
from recollect.settings.declare import about, conform
from recollect.settings.kinds import choice, labelled, number, optional, several, switch, text, texts, whole

SummarizerName = Literal["extractive", "llm"]
ReaderName = Literal["local", "llm", "none"]
CaptureTime = Literal["turn", "worker"]


@dataclass(frozen=True, slots=True)
class CaptureSettings:
    """What is learned from what a user says."""

    limit: int = field(default=10, metadata=about(whole(0, 20), "Maximum number of memories captured from one turn."))
    patterns: tuple[str, ...] = field(
        default=(),
        metadata=about(
            labelled("type", MEMORY_TYPES),
            "Patterns of your own in RE2 syntax, each after the type of the memory it makes.",
            default_words="none",
        ),
    )
    reader: ReaderName = field(
        default="local",
        metadata=about(
            choice("reader", get_args(ReaderName)),
            "`local` is the bundled model and costs nothing. `llm` asks the model of the section `llm`. Without a "
            "reader only exact phrases and your own patterns capture.",
        ),
    )
    confidence: float = field(
        default=KEEP,
        metadata=about(number(0, 1), "How sure a reader must be of a statement for it to be kept."),
    )
    types: tuple[StatementType, ...] = field(
        default=STATEMENT_TYPES,
        metadata=about(several(STATEMENT_TYPES), "What is captured from what users say."),
    )
    users: tuple[str, ...] = field(
        default=(),
        metadata=about(
            texts(), "Other types for single users, such as `anna: fact rule` or `bob: none`.", default_words="none"
        ),
    )
    when: CaptureTime = field(
        default="turn",
        metadata=about(
            choice("time to capture", get_args(CaptureTime)),
            "`turn` reads messages before `after_turn` returns. `worker` queues them; a worker reads them later.",
        ),
    )

    def __post_init__(self) -> None:
        conform(self)


@dataclass(frozen=True, slots=True)
class HookSettings:
    """What is given to an agent before it answers."""

    items: int = field(
        default=5,
        metadata=about(
            whole(1, 5), "Maximum number of items in the context block; as many standing instructions besides."
        ),
    )
    min_score: float = field(
        default=0.25, metadata=about(number(0, 1), "Hits with a lower score are not shown to the agent.")
    )
    max_tokens: int = field(
        default=2_000,
        metadata=about(whole(0, 1_000_000), "How long the context block may be, in tokens; it is never longer."),
    )
    budget_s: float = field(
        default=2.0,
        metadata=about(number(0.01, 60), "Deadline of the search before a prompt, in seconds."),
    )
    silence: bool = field(
        default=True,
        metadata=about(switch(), "Show nothing but standing instructions when a request needs no memory."),
    )

    def __post_init__(self) -> None:
        conform(self)


@dataclass(frozen=True, slots=True)
class CompactionSettings:
    """When a conversation is summarised, and how."""

    auto: bool = field(
        default=True, metadata=about(switch(), "Compact a conversation automatically when it has grown too large.")
    )
    window_tokens: int = field(
        default=128_000,
        metadata=about(whole(500, 10_000_000), "The context window of the agent's model, in tokens."),
    )
    trigger_share: float = field(
        default=0.7, metadata=about(number(0.1, 1), "Share of the window from which a conversation is compacted.")
    )
    max_messages: int = field(
        default=200,
        metadata=about(
            whole(4, 100_000), "Active messages from which a conversation is compacted, however short they are."
        ),
    )
    keep_recent: int = field(
        default=16, metadata=about(whole(0, 1_000), "Newest messages that are never folded into the summary.")
    )
    summary_tokens: int = field(
        default=1_200,
        metadata=about(
            whole(50, 100_000), "How long a summary may be, in tokens; never more than a quarter of the window."
        ),
    )
    summarizer: SummarizerName = field(
        default="extractive",
        metadata=about(
            choice("summarizer", get_args(SummarizerName)),
            "`extractive` is local and free. `llm` asks the model of the section `llm`.",
        ),
    )
    idle_hours: float = field(
        default=24.0,
        metadata=about(number(0, 100_000), "Hours of inactivity after which `maintain` compacts a conversation."),
    )
    archive_days: float | None = field(
        default=90.0,
        metadata=about(
            optional(number(0, 100_000), "never", or_false=True),
            "Days of inactivity after which `maintain` folds a whole conversation and archives it.",
        ),
    )

    def __post_init__(self) -> None:
        conform(self)


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """A language model behind an OpenAI-compatible endpoint, for those who want one."""

    base_url: str = field(
        default="",
        metadata=about(text(empty=True), "URL of the endpoint, without `/chat/completions`.", default_words="none"),
    )
    model: str = field(default="", metadata=about(text(empty=True), "The model to use.", default_words="none"))
    api_key: str = field(
        default="",
        repr=False,
        metadata=about(text(empty=True, secret=True), "Key of the endpoint.", default_words="none"),
    )
    timeout_s: float = field(default=30.0, metadata=about(number(0.1, 600), "Seconds to wait for an answer."))
    retries: int = field(default=2, metadata=about(whole(0, 10), "Retries after a failure."))
    tokens_per_day: int = field(
        default=200_000,
        metadata=about(
            whole(0, 10**12), "Tokens that may be spent in a day (UTC) by all users together; then it does without."
        ),
    )

    def __post_init__(self) -> None:
        conform(self)
