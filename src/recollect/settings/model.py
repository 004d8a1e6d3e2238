"""All settings in one frozen value, how they are shown, the table for the documentation, and where keys are kept."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from recollect.settings.database import IN_MEMORY, LOCATION, SERVERS, DatabaseServer, data_folder, default_database
from recollect.settings.declare import (
    ARGUMENT,
    DECLARED,
    CheckedSection,
    Setting,
    SettingsSection,
    conform,
    entries,
    environment_name,
    setting,
    unset,
    walk,
)
from recollect.settings.kinds import choice, number, switch, text, timezone, whole, zones
from recollect.settings.sections import (
    BackupSettings,
    CaptureSettings,
    CompactionSettings,
    EmbeddingSettings,
    FederationSettings,
    FileSettings,
    HookSettings,
    LimitSettings,
    LlmSettings,
    PlaceSettings,
    RecallSettings,
    RerankSettings,
    ServeSettings,
)


@dataclass(frozen=True, slots=True)
class ForgetSettings(CheckedSection):
    """How clear a match must be before a query deletes it without asking."""

    min_score: float = setting(0.6, number(0, 1), "Score a match needs before forgetting by query deletes it.")
    margin: float = setting(
        0.15, number(0, 1), "How far it must be ahead of the next match; otherwise you are asked to choose."
    )


PrepareWhen = Literal["auto", "always", "never"]


@dataclass(frozen=True, slots=True)
class PostgresSettings(CheckedSection):
    """How a PostgreSQL server is used."""

    pool_size: int = setting(4, whole(1, 100), "Maximum size of the connection pool.")
    connect_timeout_s: float = setting(10.0, number(1, 3600), "Seconds to wait for a connection.")
    giant_user_rows: int = setting(
        10_000, whole(1, 10**9), "Number of memories from which a user gets a separate vector index."
    )
    role: str = setting(
        "recollect_app",
        text(empty=True),
        "Role that transactions take on, so that the server keeps users apart; empty: they go on as they log in.",
    )
    lock_timeout_s: float = setting(
        60.0, number(0.1, 3600), "Seconds to wait for what another transaction holds, such as the user's row."
    )
    prepare: PrepareWhen = setting(
        "auto",
        choice("prepare mode", get_args(PrepareWhen)),
        "Whether frequent statements are prepared; `auto`: unless there is a pooler such as PgBouncer in between.",
    )
    replicas: tuple[str, ...] = setting(
        (), SERVERS, "Standbys of the server that may answer reads.", default_words="none", shown=False
    )
    replica_max_lag_s: float = setting(
        10.0, number(0.1, 3600), "Seconds by which a replica may be behind in what other processes have written."
    )
    tools_folder: str = unset("Folder of `pg_dump` and `pg_restore`, for backups.", default_words="found by the PATH")


OnDamage = Literal["repair", "refuse"]


@dataclass(frozen=True, slots=True)
class SqliteSettings(CheckedSection):
    """How an SQLite file is used."""

    busy_timeout_s: float = setting(
        10.0, number(1, 3600), "Seconds to wait while another process writes; 10 or more is advised."
    )
    reserve_mb: int = setting(
        32,
        whole(0, 1_000_000),
        "How much room, in MB, a file beside the database keeps at most; it keeps twice the size of the database. "
        "On a full disk it is given back, so that memories can still be forgotten. 0: none.",
    )
    on_damage: OnDamage = setting(
        "repair",
        choice("answer to damage", get_args(OnDamage)),
        "What to do when the file is found damaged while it is opened: keep it aside and go on with what can be "
        "read, or raise an error.",
    )


class SettingRow(NamedTuple):
    """A setting for people to read: its name, value and default as text, with every password hidden."""

    name: str
    value: str
    source: str
    help: str
    expected: str
    default: str
    environment: str


@cache
def _zones_by_user(lines: tuple[str, ...]) -> Mapping[str, str]:
    return {user.strip(): zone.strip() for user, _, zone in (line.rpartition(":") for line in lines)}


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set. It is checked when it is made, and never changes.

    `sources` remembers for each setting that was loaded what it was set to and by what.
    """

    database: str = field(
        default_factory=default_database,
        metadata={
            DECLARED: Setting(
                LOCATION,
                "Where memories are stored: a SQLite file, or a PostgreSQL server.",
                default_words="`recollect.db` in your data folder",
                parts=DatabaseServer,
                beside_file=True,
            )
        },
    )
    user: str = setting(
        "default", text(), "User the command line works for when `--user` is absent.", aliases=("user_id",)
    )
    key: str = unset("API key: limits commands and `mcp` to the key's user and scopes.", secret=True)
    timezone: str = setting(
        "",
        timezone(),
        "The user's time zone, such as `Europe/Prague`: it decides what `yesterday` means, and how the CLI reads "
        "and shows times.",
        default_words="that of the machine",
    )
    timezones: tuple[str, ...] = setting(
        (),
        zones(),
        "Time zones of single users, each after the name of the user; a request may name another.",
        default_words="none",
    )
    auto_capture: bool = setting(True, switch(), "Store what users say about themselves, after each turn.")
    auto_recall: bool = setting(True, switch(), "Give the agent related memories before each turn.")
    session_summaries: bool = setting(False, switch(), "Store a summary of each session as a memory when it ends.")
    redact_secrets: bool = setting(
        True, switch(), "Redact API keys, passwords and card numbers before anything reaches the disk."
    )
    secret_key_file: str = unset(
        "File with the age key that encrypts the secrets that are kept because a person asked for it.",
        default_words="beside the SQLite file, made when it is needed; none for a server",
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
        values = ((entry, getattr(self, entry.name)) for entry in entries(Settings))
        shown = (f"{name}={(part.kind.show(value) if part else value)!r}" for (name, part, *_), value in values)
        return f"Settings({', '.join(shown)})"

    def zone_of(self, user_id: str) -> str:
        """Give the time zone of a user, by its name; empty for that of the machine."""
        return _zones_by_user(self.timezones).get(user_id, self.timezone)

    def describe(self) -> tuple[SettingRow, ...]:
        """Give every setting with its value and where it came from, for `recollect status`."""
        defaults = Settings()
        rows = []
        for name, declared in walk(Settings):
            value, default, kind = attrgetter(name)(self), attrgetter(name)(defaults), declared.kind
            loaded, source = self.sources.get(name, (default, "default"))
            shown = declared.default_words or kind.show(default)
            source = source if loaded == value else ARGUMENT
            row = (name, kind.show(value), source, declared.help, kind.expected, shown, environment_name(name))
            rows.append(SettingRow(*row))
        return tuple(rows)


_HEAD = ("Setting", "Default", "Accepts", "Environment variable", "What it does")


def settings_table() -> str:
    """Give the settings as a Markdown table. It is the same on every machine."""
    rows = [_HEAD, ("---",) * len(_HEAD), *_rows()]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _rows() -> Iterator[tuple[str, ...]]:
    for row, (_, declared) in zip(Settings().describe(), walk(Settings), strict=True):
        default = declared.default_words or f"`{row.default}`"
        yield f"`{row.name}`", default, row.expected, f"`{row.environment}`", row.help
        if declared.parts:
            yield from _part_rows(row.name, declared.parts)


def _part_rows(name: str, parts: type[SettingsSection]) -> Iterator[tuple[str, ...]]:
    defaults = {field.name: field.default for field in fields(parts)}
    for entry in entries(parts):
        if part := entry.setting:
            shown = "required" if entry.needed else f"`{part.kind.show(defaults[entry.name])}`"
            yield f"`{name}.{entry.name}`", part.default_words or shown, part.kind.expected, "", part.help


def admin_key_file(settings: Settings) -> Path:
    """Give the path of the first key: beside an SQLite file, in the data folder when the store is on a server."""
    if settings.serve.admin_key_file:
        return Path(settings.serve.admin_key_file).expanduser()
    if "://" in settings.database:
        return Path(data_folder()) / "admin.key"
    return Path(f"{Path(settings.database).expanduser()}.admin.key")


def secret_key_file(settings: Settings) -> Path | None:
    """Give the path of the key of kept secrets: beside an SQLite file; None where none is named."""
    if settings.secret_key_file:
        return Path(settings.secret_key_file).expanduser()
    if "://" in settings.database or settings.database == IN_MEMORY:
        return None
    return Path(f"{Path(settings.database).expanduser()}.secrets.key")
