"""The sections of the settings, each setting with its default, its range and a sentence about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from recollect.errors import SettingsError
from recollect.model.calibration import KEEP
from recollect.model.literals import (
    FUSIONS,
    GEOCODERS,
    MEMORY_TYPES,
    PLACE_SIZES,
    RERANK_WHEN,
    STATEMENT_TYPES,
    Fusion,
    GeocoderName,
    PlaceSize,
    RerankWhen,
    SearchLog,
    StatementType,
)
from recollect.model.places import PRECISIONS, PlacePrecision
from recollect.settings.declare import DECLARED, CheckedSection, Setting, conform, setting, unset
from recollect.settings.kinds import (
    choice,
    duration,
    labelled,
    nodes,
    number,
    number_above,
    optional,
    several,
    switch,
    text,
    texts,
    whole,
    words,
)

EmbeddingProvider = Literal["local", "openai", "zai", "e5", "ollama", "gemini", "openai-compatible", "none"]
PROVIDERS: tuple[EmbeddingProvider, ...] = get_args(EmbeddingProvider)

PrefixScheme = Literal["auto", "none", "e5", "nomic", "bge", "gemma"]
WaitWhen = Literal["auto", "always", "never"]
BulkWhen = Literal["off", "auto", "always"]

_OTHER_NAMES = {"e5-local": "e5"}  # what the plugin's configuration calls it


@dataclass(frozen=True, slots=True)
class EmbeddingSettings(CheckedSection):
    """Who makes the vectors."""

    provider: EmbeddingProvider = setting(
        "local",
        choice("embedding provider", PROVIDERS, _OTHER_NAMES),
        "Embedding provider of a new store: `local` is the encoder in the package, `none` leaves recall to text "
        "search. A store that has vectors keeps its model until `recollect reembed`.",
    )
    model: str = unset("The model to use.", default_words="the provider's usual one")
    dimensions: int | None = setting(
        None, optional(whole(1, 4_000), "auto"), "Length of the vectors, for models that can make them shorter."
    )
    api_key: str = unset("Key of the provider named above.", secret=True)
    endpoint: str = unset("URL of the provider named above.", default_words="its usual address")
    openai_api_key: str = unset("Key for `openai`.", secret=True)
    zai_api_key: str = unset("Key for `zai`.", secret=True)
    gemini_api_key: str = unset("Key for `gemini`.", secret=True)
    compatible_api_key: str = unset("Key for `openai-compatible`.", secret=True)
    openai_endpoint: str = setting("https://api.openai.com/v1", text(), "URL of `openai`.")
    zai_endpoint: str = setting("https://api.z.ai/api/paas/v4", text(), "URL of `zai`.")
    gemini_endpoint: str = setting("https://generativelanguage.googleapis.com/v1beta", text(), "URL of `gemini`.")
    e5_endpoint: str = setting("http://127.0.0.1:8765", text(), "URL of `e5`; `recollect e5-server` starts one.")
    ollama_endpoint: str = setting("http://127.0.0.1:11434", text(), "URL of `ollama`.")
    compatible_endpoint: str = unset("URL of `openai-compatible`, without `/embeddings`.")
    prefix: PrefixScheme = setting(
        "auto",
        choice("prefix scheme", get_args(PrefixScheme)),
        "Prefix of queries and passages; `auto` chooses by the model's name.",
    )
    threads: int | None = setting(
        None, optional(whole(1, 1024), "auto"), "Processor threads the local encoder may use; `auto` lets it choose."
    )
    timeout_s: float = setting(30.0, number(0.05, 600), "Seconds to wait for a provider's answer.")
    retries: int = setting(2, whole(0, 10), "Retries after a failure.")
    wait: WaitWhen = setting(
        "auto",
        choice("time to wait", get_args(WaitWhen)),
        "Whether storing waits for the vector; `auto` waits for the local encoder only.",
    )
    worker: bool = setting(
        True, switch(), "Work on the queues in a background thread of every program that stores something."
    )
    concurrency: int = setting(4, whole(1, 64), "Concurrent requests per worker.")
    lease_s: float = setting(
        300.0, number(1, 86_400), "Length of a worker's lease on its jobs, in seconds; then another worker takes over."
    )
    cache_mb: int = setting(
        256, whole(0, 1_000_000), "Size of the cache of paid vectors, in megabytes; 0 turns it off."
    )
    bulk: BulkWhen = setting(
        "off",
        choice("time for bulk", get_args(BulkWhen)),
        "Whether large amounts go through the provider's cheaper batch API; `auto` does so from the threshold on.",
    )
    bulk_threshold: int = setting(50_000, whole(1, 10**9), "Queued texts from which `auto` uses the batch API.")
    price: float | None = setting(
        None,
        optional(number(0, 1_000), "auto"),
        "Dollars per million tokens, where the built-in price is wrong or missing.",
    )


ScopeDefault = Literal["all", "none"]

FADING_TYPES: tuple[str, ...] = ("message", "file", *MEMORY_TYPES)


@dataclass(frozen=True, slots=True)
class RecallSettings(CheckedSection):
    """What a recall looks at and what it gives."""

    limit: int = setting(5, whole(1, 100), "Maximum number of hits of a recall.")
    min_score: float = setting(0.0, number(0, 1), "Hits with a lower score are left out.")
    fusion: Fusion = setting(
        "weighted",
        choice("fusion", FUSIONS),
        "How meaning and words are fused: `weighted` believes words as far as they cannot be chance, `rrf` adds "
        "reciprocal ranks, `fixed` is 0.7 of meaning and 0.3 of words.",
    )
    vector_weight: float = setting(
        0.45, number(0, 1000), "Share of similar meaning in the score. Only its ratio to `recall.text_weight` counts."
    )
    text_weight: float = setting(
        0.55, number(0, 1000), "Share of common words in the score. One of the two weights must be above 0."
    )
    rrf_k: float = setting(
        10.0, number_above(0, 10_000), "The constant of `rrf`: the larger, the less the first ranks differ."
    )
    rerank: RerankWhen = setting(
        "off",
        choice("time to rerank", RERANK_WHEN),
        "Whether a model reads the first hits of a search together with the query and puts the best answers first, "
        "unless the search says so itself. `auto` leaves out what it would not help, such as a request.",
    )
    candidates: int = setting(
        400, whole(50, 10_000), "Candidates per search channel. More finds a little more, but slower."
    )
    deadline_s: float = setting(
        5.0,
        number_above(0, 3600),
        "Deadline of a recall in seconds; what is not ready by then is left out and named in `degraded`.",
    )
    time_words: bool = setting(
        True, switch(), "Understand time expressions such as `yesterday` and `in March`, and prefer what happened then."
    )
    half_life_days: tuple[str, ...] = setting(
        ("message: 30", "event: 30", "file: 30"),
        labelled("type of memory or `message`", FADING_TYPES, commas=True),
        "Half-life of recency in days, by type. Types that are not named do not decay.",
    )
    recency_weight: float = setting(
        0.1, number(0, 1), "How much of a score may decay with age. With 1 very old hits score 0."
    )
    importance_weight: float = setting(0.1, number(0, 1), "How much of its score an unimportant memory loses.")
    confidence_weight: float = setting(0.2, number(0, 1), "How much of its score an uncertain memory loses.")
    diversity: float = setting(
        0.7,
        number(0, 1),
        "Share of relevance where various hits are asked for, as before a prompt; the rest is for saying other "
        "things than the hits before.",
    )
    scopes: ScopeDefault = setting(
        "all",
        choice("scopes", get_args(ScopeDefault)),
        "Shared scopes that a search includes by default: `all` that the user is a member of, or `none`.",
    )
    cache: int = setting(256, whole(0, 100_000), "Number of cached results; 0 turns the cache off.")

    def __post_init__(self) -> None:
        conform(self)
        if self.vector_weight == self.text_weight == 0:
            raise SettingsError("recall.vector_weight and recall.text_weight are both 0; set one of them above 0.")
        self.half_lives()

    def half_lives(self) -> Mapping[str, float]:
        """Give the days after which each type has faded by half."""
        return dict(map(_half_life, self.half_life_days))


def _half_life(line: str) -> tuple[str, float]:
    name, _, days = line.partition(":")
    try:
        value = float(days)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise SettingsError(f"recall.half_life_days has {line!r}; after the colon comes a number of days above 0.")
    return name.strip(), value


RerankProvider = Literal["local", "cohere", "jina", "tei", "compatible"]


@dataclass(frozen=True, slots=True)
class RerankSettings(CheckedSection):
    """Which model reranks, and within what time. `recall.rerank` says when."""

    provider: RerankProvider = setting(
        "local",
        choice("rerank provider", get_args(RerankProvider)),
        "Reranker: `local` is the model in the package. Others are asked over HTTP: `cohere`, `jina`, `tei` (Text "
        "Embeddings Inference), or `compatible` for servers with a `/rerank` like Jina's. They see the query and "
        "the first hits.",
    )
    model: str = unset("The model to use.", default_words="the provider's usual one")
    url: str = unset("URL of the provider, without `/rerank`.", default_words="its usual address")
    api_key: str = unset("Key of the provider.", secret=True)
    budget_s: float = setting(
        0.3,
        number(0.01, 60),
        "Time budget in a search, in seconds: as many of the first hits are scored as fit. For the local model it is "
        "processor time; a provider has so long by the clock.",
    )
    threads: int | None = setting(
        None,
        optional(whole(1, 64), "auto"),
        "Processor threads of the local reranker; `auto` is 2 where there are 4 or more cores, otherwise 1.",
    )
    timeout_s: float = setting(10.0, number(0.05, 600), "Seconds to wait for a provider where no budget applies.")
    retries: int = setting(1, whole(0, 10), "Retries after a failure of a provider, within the time budget.")


SummarizerName = Literal["extractive", "llm"]
ReaderName = Literal["local", "llm", "none"]
CaptureTime = Literal["turn", "worker"]


@dataclass(frozen=True, slots=True)
class CaptureSettings(CheckedSection):
    """What is learned from what a user says."""

    limit: int = setting(10, whole(0, 20), "Maximum number of memories captured from one turn.")
    patterns: tuple[str, ...] = setting(
        (),
        labelled("type", MEMORY_TYPES),
        "Patterns of your own in RE2 syntax, each after the type of the memory it makes.",
        default_words="none",
    )
    reader: ReaderName = setting(
        "local",
        choice("reader", get_args(ReaderName)),
        "`local` is the bundled model and costs nothing. `llm` asks the model of the section `llm`. Without a "
        "reader only exact phrases and your own patterns capture.",
    )
    confidence: float = setting(KEEP, number(0, 1), "How sure a reader must be of a statement for it to be kept.")
    types: tuple[StatementType, ...] = setting(
        STATEMENT_TYPES, several(STATEMENT_TYPES), "What is captured from what users say."
    )
    users: tuple[str, ...] = setting(
        (), texts(), "Other types for single users, such as `anna: fact rule` or `bob: none`.", default_words="none"
    )
    when: CaptureTime = setting(
        "turn",
        choice("time to capture", get_args(CaptureTime)),
        "`turn` reads messages before `after_turn` returns. `worker` queues them; a worker reads them later.",
    )


@dataclass(frozen=True, slots=True)
class HookSettings(CheckedSection):
    """What is given to an agent before it answers."""

    items: int = setting(30, whole(1, 100), "Hits of which the context block is made, as far as its tokens reach.")
    min_score: float = setting(0.05, number(0, 1), "Hits with a lower score are not shown to the agent.")
    max_tokens: int = setting(
        900, whole(0, 1_000_000), "How long the context block may be, in tokens; it is never longer."
    )
    budget_s: float = setting(2.0, number(0.01, 60), "Deadline of the search before a prompt, in seconds.")
    silence: bool = setting(True, switch(), "Show nothing but standing instructions when a request needs no memory.")
    rerank: RerankWhen = setting(
        "auto", choice("time to rerank", RERANK_WHEN), "The same as `recall.rerank` for the search before a prompt."
    )


@dataclass(frozen=True, slots=True)
class CompactionSettings(CheckedSection):
    """When a conversation is summarised, and how."""

    auto: bool = setting(True, switch(), "Compact a conversation automatically when it has grown too large.")
    window_tokens: int = setting(128_000, whole(500, 10_000_000), "The context window of the agent's model, in tokens.")
    trigger_share: float = setting(0.7, number(0.1, 1), "Share of the window from which a conversation is compacted.")
    max_messages: int = setting(
        200, whole(4, 100_000), "Active messages from which a conversation is compacted, however short they are."
    )
    keep_recent: int = setting(16, whole(0, 1_000), "Newest messages that are never folded into the summary.")
    keep_tools: bool = setting(
        False,
        switch(),
        "Keep tool calls and their results out of the summary, in the window word for word; archiving folds them, too.",
    )
    summary_tokens: int = setting(
        1_200, whole(50, 100_000), "How long a summary may be, in tokens; never more than a quarter of the window."
    )
    summarizer: SummarizerName = setting(
        "extractive",
        choice("summarizer", get_args(SummarizerName)),
        "`extractive` is local and free. `llm` asks the model of the section `llm`.",
    )
    idle_hours: float = setting(
        24.0, number(0, 100_000), "Hours of inactivity after which `maintain` compacts a conversation."
    )
    archive_days: float | None = field(
        default=90.0,
        metadata={
            DECLARED: Setting(
                optional(number(0, 100_000), "never", or_false=True),
                "Days of inactivity after which `maintain` folds a whole conversation and archives it.",
            )
        },
    )


@dataclass(frozen=True, slots=True)
class LlmSettings(CheckedSection):
    """A language model behind an OpenAI-compatible endpoint, for those who want one."""

    base_url: str = unset("URL of the endpoint, without `/chat/completions`.")
    model: str = unset("The model to use.")
    api_key: str = unset("Key of the endpoint.", secret=True)
    timeout_s: float = setting(30.0, number(0.1, 600), "Seconds to wait for an answer.")
    retries: int = setting(2, whole(0, 10), "Retries after a failure.")
    tokens_per_day: int = setting(
        200_000,
        whole(0, 10**12),
        "Tokens that may be spent in a day (UTC) by all users together; then it does without.",
    )


@dataclass(frozen=True, slots=True)
class PlaceSettings(CheckedSection):
    """How places are named, kept and weighed."""

    geocoder: GeocoderName = setting(
        "auto",
        choice("geocoder", GEOCODERS),
        "Who says what coordinates are called: `offline` (the GeoNames data of `recollect[places]`), `nominatim`, "
        "`none`; `auto` is `nominatim` if `places.nominatim_url` is set, or else `offline` if it is installed.",
    )
    nominatim_url: str = unset("URL of Nominatim, such as `http://127.0.0.1:8080`; also read from `NOMINATIM_URL`.")
    nominatim_timeout_s: float = setting(2.0, number_above(0, 60), "Timeout of Nominatim, in seconds.")
    requests_per_s: float = setting(
        1.0,
        number(0, 1_000),
        "How often a Nominatim outside of your own network is asked at most, per second; 0: as often as need be.",
    )
    language: str = unset(
        "Language in which Nominatim names places, such as `cs` or `de,en`.", default_words="that of each place"
    )
    smallest: PlaceSize = setting(
        "1000",
        choice("number of people", PLACE_SIZES),
        "Smallest population of a place that the offline geocoder knows.",
    )
    precision: PlacePrecision = setting(
        "exact",
        choice("precision", PRECISIONS),
        "How exactly coordinates are kept: `exact`, `street` (100 m), `district` (1 km) or `city` (11 km; an "
        "address that comes with them is not kept).",
    )
    weight: float = setting(0.3, number(0, 1), "Weight of the place in a score, unless a search gives one.")
    scale_km: float = setting(2.0, number_above(0, 20_000), "Distance in kilometres at which nearness is halved.")
    cache: int = setting(10_000, whole(0, 10_000_000), "Cached geocoder answers per user.")


USUAL_FILES = ("*.md", "*.markdown", "*.mdx", "*.txt", "*.text", "*.rst", "*.org", "*.adoc", "*.jsonl")


@dataclass(frozen=True, slots=True)
class FileSettings(CheckedSection):
    """How folders are kept in step, and documents are read."""

    include: tuple[str, ...] = setting(
        USUAL_FILES, texts(), "Which files of a folder are synced, as patterns like those of `.gitignore`."
    )
    exclude: tuple[str, ...] = setting((), texts(), "Which files of a folder are left out.", default_words="none")
    hidden: bool = setting(False, switch(), "Sync files and folders whose names begin with a dot.")
    gitignore: bool = setting(True, switch(), "Leave out what `.gitignore` and `.recollectignore` files say.")
    most_mb: int = setting(10, whole(1, 1_024), "Largest file that is synced, in MiB.")
    document_mb: int = setting(32, whole(1, 1_024), "Largest document that is added, in MiB.")
    media_mb: int = setting(16, whole(1, 1_024), "Largest picture, sound or film of a memory or message, in MiB.")
    most_pieces: int = setting(
        4_000,
        whole(10, 1_000_000),
        "Most pieces by which one file is searched; what follows them is left out, and the file says so.",
    )
    chunk_tokens: int = setting(400, whole(50, 4_000), "Approximate length of a chunk, in tokens.")
    chunk_overlap: int = setting(80, whole(0, 1_000), "Overlap of adjacent chunks, in tokens.")
    originals: str = unset(
        "Folder for the originals of documents; `off` stores none.",
        default_words="beside the SQLite file, or in your data folder",
    )
    extract_s: float = setting(60.0, number(1, 3_600), "Time limit for parsing one document, in seconds.")
    extract_mb: int = setting(1_024, whole(128, 65_536), "Memory limit for parsing one document, in MiB.")
    watch: tuple[str, ...] = setting(
        (), texts(), "Folders that `recollect serve` keeps in sync, for the user of the settings.", default_words="none"
    )
    debounce_s: float = setting(1.5, number(0.05, 60), "Seconds of quiet after a change before a folder is synced.")
    check_minutes: float = setting(15.0, number(0.01, 10_000), "Minutes between full checks of a watched folder.")


@dataclass(frozen=True, slots=True)
class ServeSettings(CheckedSection):
    """How `recollect serve` listens."""

    host: str = setting("127.0.0.1", text(), "Address to listen on.")
    port: int = setting(8787, whole(0, 65_535), "Port to listen on; 0 is any free one.")
    workers: int = setting(1, whole(1, 64), "Worker processes that share the port.")
    allowed_hosts: tuple[str, ...] = setting(
        (),
        words(),
        "Names by which clients may call the service, besides those of this machine; needed to listen elsewhere.",
        default_words="none",
    )
    allowed_origins: tuple[str, ...] = setting(
        (),
        words(),
        "Web origins whose pages may call the service, such as `https://app.example`.",
        default_words="none",
    )
    admin_key_file: str = unset(
        "File for the admin key that the first start creates.",
        default_words="beside the SQLite file, or in your data folder",
    )
    requests_per_minute: int = setting(
        12_000, whole(1, 10**9), "Rate limit per key and process: requests and texts per minute."
    )
    burst: int = setting(2_000, whole(1, 10**9), "Rate limit per key and process: largest burst.")
    streams: int = setting(100, whole(0, 100_000), "Maximum number of open live searches per process.")
    heartbeat_s: float = setting(15.0, number(0.1, 3_600), "Seconds between heartbeats of an idle live search.")
    drain_s: float = setting(20.0, number(0, 3_600), "Seconds that a shutdown waits for requests in progress.")
    access_log: bool = setting(True, switch(), "Write a line per request to standard error, without its content.")
    search_log: SearchLog = setting(
        "off",
        choice("search log", get_args(SearchLog)),
        "Record searches: `counts` without, `queries` with the query text.",
    )


@dataclass(frozen=True, slots=True)
class LimitSettings(CheckedSection):
    """How much each user may have, and send."""

    memories: int = setting(0, whole(0, 10**12), "Most memories of a user, with their history; 0 is no limit.")
    storage_mb: int = setting(0, whole(0, 10**9), "Most megabytes of a user's texts and documents; 0 is no limit.")
    texts_per_minute: int = setting(
        0, whole(0, 10**9), "Most texts that a user may send to a process in a minute; 0 is no limit."
    )
    users: tuple[str, ...] = setting(
        (), texts(), "Other limits for single users, such as `anna: memories=1000 storage_mb=50`.", default_words="none"
    )


@dataclass(frozen=True, slots=True)
class FederationSettings(CheckedSection):
    """Other stores that may be searched too."""

    nodes: tuple[str, ...] = setting(
        (),
        nodes(),
        "Other services, one to a line: `office url=https://memory.example key=${OFFICE_KEY} users=anna,ben`. Only "
        "searches of these users are sent there; `users=*` is every user.",
        default_words="none",
        shown=False,
    )
    budget_s: float = setting(2.0, number(0.05, 60), "Deadline for all nodes together, in seconds.")


@dataclass(frozen=True, slots=True)
class BackupSettings(CheckedSection):
    """Backups that the service writes at intervals, and the defaults of `recollect backup`."""

    folder: str = unset("Folder for the backups that the service writes, best on another disk; empty: it writes none.")
    every: float = setting(3_600.0, duration(), "Time between two backups.")
    keep: int = setting(24, whole(1, 100_000), "How many of the newest backups are kept.")
    encrypt_to: tuple[str, ...] = setting(
        (), words(), "Public keys to encrypt backups to, such as `age1…`.", default_words="none"
    )
    passphrase_file: str = unset("File whose first line is the passphrase that backups are encrypted with.")
