"""The settings of the service: where it listens, whom it lets in, and what it writes down."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from recollect.settings.declare import about, conform
from recollect.settings.kinds import choice, nodes, number, switch, text, whole, words

SearchLog = Literal["off", "counts", "queries"]


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """How `recollect serve` listens."""

    host: str = field(default="127.0.0.1", metadata=about(text(), "Address to listen on."))
    port: int = field(default=8787, metadata=about(whole(0, 65_535), "Port to listen on; 0 is any free one."))
    workers: int = field(default=1, metadata=about(whole(1, 64), "Processes that share the port."))
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
            "Where the first start puts the admin key.",
            default_words="beside the SQLite file, or in your data folder",
        ),
    )
    requests_per_minute: int = field(
        default=600, metadata=about(whole(1, 10**9), "Requests a key may make per minute, over time, of each process.")
    )
    burst: int = field(
        default=120, metadata=about(whole(1, 10**9), "Requests a key may make at once, of each process.")
    )
    streams: int = field(default=100, metadata=about(whole(0, 100_000), "Live searches open at a time, per process."))
    heartbeat_s: float = field(
        default=15.0, metadata=about(number(0.1, 3_600), "Seconds after which a silent live search says that it lives.")
    )
    drain_s: float = field(
        default=20.0, metadata=about(number(0, 3_600), "Seconds a stop waits for requests that are under way.")
    )
    access_log: bool = field(
        default=True, metadata=about(switch(), "Write a line per request to standard error, without what it said.")
    )
    search_log: SearchLog = field(
        default="off",
        metadata=about(
            choice("search log", get_args(SearchLog)),
            "Keep figures about searches: `counts` without, `queries` with what was searched for.",
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
            "searches of these users are sent there; `users=*` is all users.",
            default_words="none",
        ),
    )
    budget_s: float = field(
        default=2.0, metadata=about(number(0.05, 60), "Seconds all nodes together may take; then it goes without.")
    )

    def __post_init__(self) -> None:
        conform(self)
