"""The settings themselves: every one of them, with its default, its range and a sentence about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

from recollect.settings.database import LOCATION, SERVERS, DatabaseServer, default_database
from recollect.settings.declare import ARGUMENT, Entry, Setting, about, conform, entries, environment_name, walk
from recollect.settings.embedding import EmbeddingSettings
from recollect.settings.filing import FileSettings
from recollect.settings.kinds import choice, number, switch, text, timezone, whole
from recollect.settings.placing import PlaceSettings
from recollect.settings.recall import RecallSettings
from recollect.settings.reranking import RerankSettings
from recollect.settings.serve import BackupSettings, FederationSettings, LimitSettings, ServeSettings
from recollect.settings.turns import CaptureSettings, CompactionSettings, HookSettings, LlmSettings


@dataclass(frozen=True, slots=True)
class ForgetSettings:
    """How clear a match must be before a query deletes it without asking."""

    min_score: float = field(
        default=0.6, metadata=about(number(0, 1), "Score a match needs before forgetting by query deletes it.")
    )
    margin: float = field(
        default=0.15,
        metadata=about(number(0, 1), "How far it must be ahead of the next match; otherwise you are asked to choose."),
    )

    def __post_init__(self) -> None:
        conform(self)


PrepareWhen = Literal["auto", "always", "never"]


@dataclass(frozen=True, slots=True)
class PostgresSettings:
    """How a PostgreSQL server is used."""

    pool_size: int = field(default=4, metadata=about(whole(1, 100), "Maximum size of the connection pool."))
    connect_timeout_s: float = field(default=10.0, metadata=about(number(1, 3600), "Seconds to wait for a connection."))
    giant_user_rows: int = field(
        default=10_000,
        metadata=about(whole(1, 10**9), "Number of memories from which a user gets a separate vector index."),
    )
    role: str = field(
        default="recollect_app",
        metadata=about(
            text(empty=True),
            "Role that transactions take on, so that the server keeps users apart; empty: they go on as they log in.",
        ),
    )
    lock_timeout_s: float = field(
        default=60.0,
        metadata=about(
            number(0.1, 3600), "Seconds to wait for what another transaction holds, such as the user's row."
        ),
    )
    prepare: PrepareWhen = field(
        default="auto",
        metadata=about(
            choice("prepare mode", get_args(PrepareWhen)),
            "Whether frequent statements are prepared; `auto`: unless there is a pooler such as PgBouncer in between.",
        ),
    )
    replicas: tuple[str, ...] = field(
        default=(),
        repr=False,
        metadata=about(SERVERS, "Standbys of the server that may answer reads.", default_words="none"),
    )
    replica_max_lag_s: float = field(
        default=10.0,
        metadata=about(
            number(0.1, 3600), "Seconds by which a replica may be behind in what other processes have written."
        ),
    )
    tools_folder: str = field(
        default="",
        metadata=about(
            text(empty=True), "Folder of `pg_dump` and `pg_restore`, for backups.", default_words="found by the PATH"
        ),
    )

    def __post_init__(self) -> None:
        conform(self)


OnDamage = Literal["repair", "refuse"]


@dataclass(frozen=True, slots=True)
class SqliteSettings:
    """How an SQLite file is used."""

    busy_timeout_s: float = field(
        default=10.0,
        metadata=about(number(1, 3600), "Seconds to wait while another process writes; 10 or more is advised."),
    )
    reserve_mb: int = field(
        default=32,
        metadata=about(
            whole(0, 1_000_000),
            "How much room, in MB, a file beside the database keeps at most; it keeps twice the size of the database. "
            "On a full disk it is given back, so that memories can still be forgotten. 0: none.",
        ),
    )
    on_damage: OnDamage = field(
        default="repair",
        metadata=about(
            choice("answer to damage", get_args(OnDamage)),
            "What to do when the file is found damaged while it is opened: keep it aside and go on with what can be "
            "read, or raise an error.",
        ),
    )

    def __post_init__(self) -> None:
        conform(self)


class SettingRow(NamedTuple):
    """A setting for people to read: its name, value and default as text, with every password hidden."""

    name: str
    value: str
    source: str
    help: str
    expected: str
    default: str
    environment: str


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set. It is checked when it is made, and never changes.

    `sources` remembers for each setting that was loaded what it was set to and by what.
    """

    database: str = field(
        default_factory=default_database,
        metadata=about(
            LOCATION,
            "Where memories are stored: a SQLite file, or a PostgreSQL server.",
            default_words="`recollect.db` in your data folder",
            parts=DatabaseServer,
            beside_file=True,
        ),
    )
    user: str = field(
        default="default",
        metadata=about(text(), "User the command line works for when `--user` is absent.", aliases=("user_id",)),
    )
    key: str = field(
        default="",
        repr=False,
        metadata=about(
            text(empty=True, secret=True),
            "API key: limits commands and `mcp` to the key's user and scopes.",
            default_words="none",
        ),
    )
    timezone: str = field(
        default="",
        metadata=about(
            timezone(),
            "The user's time zone, such as `Europe/Prague`: it decides what `yesterday` means, and how the CLI reads "
            "and shows times.",
            default_words="that of the machine",
        ),
    )
    auto_capture: bool = field(
        default=True, metadata=about(switch(), "Store what users say about themselves, after each turn.")
    )
    auto_recall: bool = field(
        default=True, metadata=about(switch(), "Give the agent related memories before each turn.")
    )
    session_summaries: bool = field(
        default=False, metadata=about(switch(), "Store a summary of each session as a memory when it ends.")
    )
    redact_secrets: bool = field(
        default=True,
        metadata=about(switch(), "Redact API keys, passwords and card numbers before anything reaches the disk."),
    )
    secret_key_file: str = field(
        default="",
        metadata=about(
            text(empty=True),
            "File with the age key that encrypts the secrets that are kept because a person asked for it.",
            default_words="beside the SQLite file, made when it is needed; none for a server",
        ),
    )
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    rerank: RerankSettings = field(default_factory=RerankSettings)
    capture: CaptureSettings = field(default_factory=CaptureSettings)
    hooks: HookSettings = field(default_factory=HookSettings)
    compaction: CompactionSettings = field(default_factory=CompactionSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    forget: ForgetSettings = field(default_factory=ForgetSettings)
    postgres: PostgresSettings = field(default_factory=PostgresSettings)
    sqlite: SqliteSettings = field(default_factory=SqliteSettings)
    serve: ServeSettings = field(default_factory=ServeSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    backup: BackupSettings = field(default_factory=BackupSettings)
    federation: FederationSettings = field(default_factory=FederationSettings)
    files: FileSettings = field(default_factory=FileSettings)
    places: PlaceSettings = field(default_factory=PlaceSettings)
    sources: Mapping[str, tuple[object, str]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        conform(self)

    def __repr__(self) -> str:
        shown = (f"{entry.name}={self._shown(entry)!r}" for entry in entries(Settings))
        return f"Settings({', '.join(shown)})"

    def _shown(self, entry: Entry) -> object:
        value = getattr(self, entry.name)
        return entry.setting.kind.show(value) if entry.setting else value

    def describe(self) -> tuple[SettingRow, ...]:
        """Give every setting with its value and where it came from, for `recollect status`."""
        defaults = Settings()
        return tuple(_row(self, defaults, name, declared) for name, declared in walk(Settings))


def _row(settings: Settings, defaults: Settings, name: str, declared: Setting) -> SettingRow:
    value, default = _value(settings, name), _value(defaults, name)
    loaded, source = settings.sources.get(name, (default, "default"))
    return SettingRow(
        name=name,
        value=declared.kind.show(value),
        source=source if loaded == value else ARGUMENT,
        help=declared.help,
        expected=declared.kind.expected,
        default=declared.default_words or declared.kind.show(default),
        environment=environment_name(name),
    )


def _value(settings: Settings, name: str) -> object:
    value: object = settings
    for part in name.split("."):
        value = getattr(value, part)
    return value
