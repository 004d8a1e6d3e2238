"""The settings of the service: where it listens, whom it lets in, and what it writes down."""

from dataclasses import dataclass, field
from typing import get_args

from recollect.model.literals import SearchLog
from recollect.settings.declare import about, conform
from recollect.settings.kinds import choice, duration, nodes, number, switch, text, texts, whole, words


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """How `recollect serve` listens."""

    host: str = field(default="127.0.0.1", metadata=about(text(), "Address to listen on."))
    port: int = field(default=8787, metadata=about(whole(0, 65_535), "Port to listen on; 0 is any free one."))
    workers: int = field(default=1, metadata=about(whole(1, 64), "Worker processes that share the port."))
    allowed_hosts: tuple[str, ...] = field(
        default=(),
        metadata=about(
            words(),
            "Names by which clients may call the service, besides those of this machine; needed to listen elsewhere.",
            default_words="none",
        ),
    )
    allowed_origins: tuple[str, ...] = field(
        default=(),
        metadata=about(
            words(),
            "Web origins whose pages may call the service, such as `https://app.example`.",
            default_words="none",
        ),
    )
    admin_key_file: str = field(
        default="",
        metadata=about(
            text(empty=True),
            "File for the admin key that the first start creates.",
            default_words="beside the SQLite file, or in your data folder",
        ),
    )
    requests_per_minute: int = field(
        default=12_000,
        metadata=about(whole(1, 10**9), "Rate limit per key and process: requests and texts per minute."),
    )
    burst: int = field(default=2_000, metadata=about(whole(1, 10**9), "Rate limit per key and process: largest burst."))
    streams: int = field(
        default=100, metadata=about(whole(0, 100_000), "Maximum number of open live searches per process.")
    )
    heartbeat_s: float = field(
        default=15.0, metadata=about(number(0.1, 3_600), "Seconds between heartbeats of an idle live search.")
    )
    drain_s: float = field(
        default=20.0, metadata=about(number(0, 3_600), "Seconds that a shutdown waits for requests in progress.")
    )
    access_log: bool = field(
        default=True, metadata=about(switch(), "Write a line per request to standard error, without its content.")
    )
    search_log: SearchLog = field(
        default="off",
        metadata=about(
            choice("search log", get_args(SearchLog)),
            "Record searches: `counts` without, `queries` with the query text.",
        ),
    )

    def __post_init__(self) -> None:
        conform(self)


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """How much each user may have, and send."""

    memories: int = field(
        default=0, metadata=about(whole(0, 10**12), "Most memories of a user, with their history; 0 is no limit.")
    )
    storage_mb: int = field(
        default=0,
        metadata=about(whole(0, 10**9), "Most megabytes of a user's texts and documents; 0 is no limit."),
    )
    texts_per_minute: int = field(
        default=0,
        metadata=about(whole(0, 10**9), "Most texts that a user may send to a process in a minute; 0 is no limit."),
    )
    users: tuple[str, ...] = field(
        default=(),
        metadata=about(
            texts(), "Other limits for single users, such as `anna: memories=1000 storage_mb=50`.", default_words="none"
        ),
    )

    def __post_init__(self) -> None:
        conform(self)


@dataclass(frozen=True, slots=True)
class FederationSettings:
    """Other stores that may be searched too."""

    nodes: tuple[str, ...] = field(
        default=(),
        repr=False,
        metadata=about(
            nodes(),
            "Other services, one to a line: `office url=https://memory.example key=${OFFICE_KEY} users=anna,ben`. Only "
            "searches of these users are sent there; `users=*` is every user.",
            default_words="none",
        ),
    )
    budget_s: float = field(
        default=2.0, metadata=about(number(0.05, 60), "Deadline for all nodes together, in seconds.")
    )

    def __post_init__(self) -> None:
        conform(self)


@dataclass(frozen=True, slots=True)
class BackupSettings:
    """Backups that the service writes at intervals, and the defaults of `recollect backup`."""

    folder: str = field(
        default="",
        metadata=about(
            text(empty=True),
            "Folder for the backups that the service writes, best on another disk; empty: it writes none.",
            default_words="none",
        ),
    )
    every: float = field(default=3_600.0, metadata=about(duration(), "Time between two backups."))
    keep: int = field(default=24, metadata=about(whole(1, 100_000), "How many of the newest backups are kept."))
    encrypt_to: tuple[str, ...] = field(
        default=(), metadata=about(words(), "Public keys to encrypt backups to, such as `age1…`.", default_words="none")
    )
    passphrase_file: str = field(
        default="",
        metadata=about(
            text(empty=True),
            "File whose first line is the passphrase that backups are encrypted with.",
            default_words="none",
        ),
    )

    def __post_init__(self) -> None:
        conform(self)
