"""Statistics and health of a store, its embedding models, its audit log. Frozen values without I/O."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple

from recollect.model.backups import BackupState
from recollect.model.literals import VectorKind
from recollect.model.memories import Space
from recollect.model.messages import Usage

SpaceState = Literal["active", "building", "kept"]


@dataclass(frozen=True, slots=True)
class KnownSpace:
    """An embedding space of a store: active, being built, or kept.

    `unrelated` is the usual cosine of unrelated texts, once it was measured.
    """

    space: Space
    state: SpaceState
    created_at: datetime
    unrelated: float | None = None


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many items of a kind have a vector, wait for one (since `oldest`), or are parked."""

    source: VectorKind
    items: int
    vectors: int
    waiting: int
    parked: int
    oldest: datetime | None = None

    @property
    def share(self) -> float:
        """The share that has a vector; 1 when there are no items."""
        return self.vectors / self.items if self.items else 1.0


@dataclass(frozen=True, slots=True)
class ParkedItem:
    """An item that could not be embedded, and why. It is not retried unless `retry_parked` is called."""

    user_id: str
    source: VectorKind
    id: str
    space: Space
    attempts: int
    reason: str


@dataclass(frozen=True, slots=True)
class UnreadMessages:
    """How many messages wait to be read (since `oldest`), how many are parked, and a `reason` of those."""

    waiting: int = 0
    parked: int = 0
    oldest: datetime | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CacheFigures:
    """The cache of vectors: its size, and how often it saved a request."""

    entries: int
    bytes: int
    hits: int
    misses: int

    @property
    def hit_rate(self) -> float | None:
        """The share of hits; None when the cache was never asked."""
        lookups = self.hits + self.misses
        return self.hits / lookups if lookups else None


BulkState = Literal["submitting", "running", "collecting", "collected", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class BulkBatch:
    """A batch at a provider's batch API: its embedding space, the provider's id, and its progress.

    `tokens` is an estimate until it is collected. It is `collecting` while a worker holds it, since `checked_at`.
    """

    id: str
    space: Space
    provider_id: str
    state: BulkState
    texts: int
    done: int
    tokens: int
    reason: str
    submitted_at: datetime
    checked_at: datetime


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate of embedding everything anew: items, tokens, and dollars if the price is known.

    `bulk_cost` is the price through the provider's batch API, if it has one.
    """

    items: int
    tokens: int
    cost: float | None = None
    bulk_cost: float | None = None


@dataclass(frozen=True, slots=True)
class WorkReport:
    """The progress of a worker: texts embedded, texts parked, and why the provider is `unavailable`, if it is.

    `pause_s` is how long to wait then. `in_bulk` texts are in batches at the provider. `located` counts addresses that
    were looked up, `unlocated_s` is the cool-down of the geocoder. `read` counts messages that were read.
    """

    embedded: int = 0
    parked: int = 0
    unavailable: str = ""
    pause_s: float = 0.0
    in_bulk: int = 0
    located: int = 0
    unlocated_s: float = 0.0
    read: int = 0

    def __add__(self, other: "WorkReport") -> "WorkReport":
        return WorkReport(
            self.embedded + other.embedded,
            self.parked + other.parked,
            self.unavailable or other.unavailable,
            max(self.pause_s, other.pause_s),
            self.in_bulk + other.in_bulk,
            self.located + other.located,
            max(self.unlocated_s, other.unlocated_s),
            self.read + other.read,
        )


ReembeddingState = Literal["building", "finished"]


@dataclass(frozen=True, slots=True)
class Reembedding:
    """The progress of a migration to another model: searches use `previous` until it is `finished`, then `space`.

    `unavailable` says why the provider did not answer, or which servers of the store did not; calling again resumes.
    """

    state: ReembeddingState
    space: Space
    previous: Space | None
    coverage: tuple[Coverage, ...]
    embedded: int = 0
    unavailable: str = ""
    in_bulk: int = 0


@dataclass(frozen=True, slots=True)
class Stats:
    """Statistics of one user: `memories` are those held true, others are `superseded` or `expired`.

    Of the `messages`, `requests` are the user's, `responses` and `reasoning` the assistant's.
    """

    memories: int
    by_type: Mapping[str, int]
    superseded: int
    expired: int
    with_vector: int
    messages: int
    pending_jobs: int
    parked_jobs: int
    oldest: datetime | None
    newest: datetime | None
    files: int = 0
    chunks: int = 0
    cache: CacheFigures = CacheFigures(0, 0, 0, 0)
    requests: int = 0
    responses: int = 0
    reasoning: int = 0


class StoreShares(NamedTuple):
    """What of a store's memories was replaced or is over, and what of its messages who said."""

    superseded: int
    expired: int
    requests: int
    responses: int
    reasoning: int


@dataclass(frozen=True, slots=True)
class StoreStats:
    """Statistics of a whole store, as `Stats` of a user: numbers only, no content of any user."""

    users: int
    memories: int
    messages: int
    vectors: int
    pending_jobs: int
    parked_jobs: int
    size_bytes: int
    files: int = 0
    chunks: int = 0
    cache: CacheFigures = CacheFigures(0, 0, 0, 0)
    superseded: int = 0
    expired: int = 0
    requests: int = 0
    responses: int = 0
    reasoning: int = 0

    @property
    def items(self) -> int:
        """The number of items that have words and vectors."""
        return self.memories + self.superseded + self.expired + self.messages + self.chunks


ModelState = Literal["active", "building", "kept", "configured"]


@dataclass(frozen=True, slots=True)
class Model:
    """An embedding model: one with vectors in the store, or the one in the settings.

    `dimensions` are missing until its provider has told them, `reachable` when it was not tried; `trouble` says why it
    is not reachable.
    """

    provider: str
    model: str
    dimensions: int | None
    state: ModelState
    configured: bool
    coverage: tuple[Coverage, ...] = ()
    reachable: bool | None = None
    trouble: str = ""
    price: float | None = None


@dataclass(frozen=True, slots=True)
class ReplicaStatus:
    """A read replica: how far it is behind, or in `trouble` why it cannot be used.

    `reads` counts what it has answered to this process.
    """

    location: str
    trouble: str = ""
    lag_bytes: int = 0
    lag_s: float = 0.0
    reads: int = 0


@dataclass(frozen=True, slots=True)
class Status:
    """The status of a store: versions, models, queues, costs, and advice.

    `spent_today` is the usage of language models; `embedding_today` that of embedding, for `embedding_cost` dollars, if
    the price is known. `coverage` says what can be found by meaning, `building` is the model of a migration under way,
    and `parked` are items that could not be embedded. `unlocated` counts items that wait for the `geocoder`, `unread`
    messages that wait to be read. `erasure_pending` says why traces of deleted text are still in the database's files.
    `backup` is the state of the backups that the settings ask for, `replicas` are those of a server.
    """

    version: str
    backend: str
    backend_version: str
    location: str
    schema_version: int
    embedding: str
    space: Space | None
    stats: StoreStats
    summarizer: str
    spent_today: Usage
    tokens_per_day: int
    advice: tuple[str, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    building: Model | None = None
    parked: tuple[ParkedItem, ...] = ()
    embedding_today: Usage = field(default_factory=Usage)
    embedding_cost: float | None = None
    bulks: tuple[BulkBatch, ...] = ()
    geocoder: str = "none"
    unlocated: int = 0
    unread: UnreadMessages = UnreadMessages()
    backup: BackupState | None = None
    erasure_pending: str = ""
    replicas: tuple[ReplicaStatus, ...] = ()

    @property
    def cache(self) -> CacheFigures:
        """The cache of vectors."""
        return self.stats.cache

    @property
    def waiting_since(self) -> datetime | None:
        """When the oldest item in the embedding queue was stored."""
        return min((part.oldest for part in self.coverage if part.oldest is not None), default=None)


class UserLimits(NamedTuple):
    """What a user may have, and add in a minute; 0 is without limit."""

    memories: int = 0
    storage_mb: int = 0
    texts_per_minute: int = 0


class Erasure(NamedTuple):
    """What is left of deleted text in a database's files: why, or '' when nothing is. `later`: a worker erases it."""

    reason: str = ""
    later: bool = False


@dataclass(frozen=True, slots=True)
class Purged:
    """The result of `purge`: what was done, what could not be done yet, and what only an administrator can do."""

    notes: tuple[str, ...]
    failed: tuple[str, ...] = ()
    administrator: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Distribution:
    """The result of `distribute`: the statements that were run, or with `dry_run` those that would be."""

    statements: tuple[str, ...]
    dry_run: bool


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem that `doctor` found: which check, how many rows, and what to do."""

    check: str
    count: int
    advice: str


@dataclass(frozen=True, slots=True)
class Maintenance:
    """The result of `maintain`. `failed` says what could not be done; it is tried again next time.

    `reindexed` counts items whose search terms changed with a newer analyser.
    """

    embedded: int
    parked: int
    expired: int = 0
    compacted: int = 0
    archived: int = 0
    notes: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    reindexed: int = 0


@dataclass(frozen=True, slots=True)
class AuditLine:
    """One line of the audit log: who did what to which items, when; never their content.

    `actor` is the id of a key, or `local`. `items` are the first of the `amount` ids. `hash` is that of a hash chain:
    it covers the line and the hash of the line before.
    """

    number: int
    done_at: datetime
    actor: str
    action: str
    items: tuple[str, ...]
    amount: int
    hash: str = ""


@dataclass(frozen=True, slots=True)
class SearchFigures:
    """Statistics of one kind of search: how many, how many of them were empty or degraded, and how long they took."""

    verb: str
    searches: int
    empty: int
    degraded: int
    mean_ms: float
    most_ms: float


TimelineUnit = Literal["hour", "day", "month", "year"]


@dataclass(frozen=True, slots=True)
class TimelineBucket:
    """How much there is about an hour, a day, a month or a year of a time zone, from `start` to before `until`.

    `events` are memories of that type, `memories` all others.
    """

    start: datetime
    until: datetime
    events: int = 0
    memories: int = 0
    messages: int = 0
    files: int = 0


class TimelineCount(NamedTuple):
    """How many items of a kind there are about a quarter of an hour."""

    moment: datetime
    kind: Literal["events", "memories", "messages", "files"]
    amount: int
