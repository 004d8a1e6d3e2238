"""What is known about a store itself: its figures, its embedding spaces, its health."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from recollect.model.literals import VectorKind
from recollect.model.memories import Space
from recollect.model.messages import Usage

SpaceState = Literal["active", "building", "kept"]


@dataclass(frozen=True, slots=True)
class KnownSpace:
    """An embedding space of a store: the one that is searched, one on its way, or one that is merely kept.

    `unrelated` is the usual cosine of what has nothing to do with each other, once it was measured.
    """

    space: Space
    state: SpaceState
    created_at: datetime
    unrelated: float | None = None


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many items of a source have a vector in a space, and how many wait for one, since when, or never will."""

    source: VectorKind
    items: int
    vectors: int
    waiting: int
    parked: int
    oldest: datetime | None = None

    @property
    def share(self) -> float:
        """The part that has a vector; all of it when there is nothing."""
        return self.vectors / self.items if self.items else 1.0


@dataclass(frozen=True, slots=True)
class ParkedItem:
    """An item that could not be embedded, and why. Nobody tries again unless asked."""

    user_id: str
    source: VectorKind
    id: str
    space: Space
    attempts: int
    reason: str


@dataclass(frozen=True, slots=True)
class CacheFigures:
    """What is kept of vectors that were paid for, and how often that saved a request."""

    entries: int
    bytes: int
    hits: int
    misses: int

    @property
    def hit_rate(self) -> float | None:
        """The part of all texts whose vector was known; None when none was asked for."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else None


BulkState = Literal["submitting", "running", "collecting", "collected", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class BulkBatch:
    """A batch at a provider: which space it is for, the provider's id of it, and how far it is.

    `tokens` is an estimate until it is collected. While somebody asks about it or takes what is finished it is
    `collecting`, and `checked_at` says since when.
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
    """What embedding everything anew would take: items and, roughly, tokens and dollars, if the price is known.

    `bulk_cost` is what it would cost through the provider's batch API, if it has one.
    """

    items: int
    tokens: int
    cost: float | None = None
    bulk_cost: float | None = None


@dataclass(frozen=True, slots=True)
class WorkReport:
    """What a worker did: texts that got their vector, texts that it gave up on, and why it could not go on, if so.

    `pause_s` is how long to wait then. `in_bulk` texts are in batches at the provider. `located` counts addresses that
    were found out, `unlocated_s` says how long to leave the geocoder alone.
    """

    embedded: int = 0
    parked: int = 0
    unavailable: str = ""
    pause_s: float = 0.0
    in_bulk: int = 0
    located: int = 0
    unlocated_s: float = 0.0

    def __add__(self, other: "WorkReport") -> "WorkReport":
        return WorkReport(
            self.embedded + other.embedded,
            self.parked + other.parked,
            self.unavailable or other.unavailable,
            max(self.pause_s, other.pause_s),
            self.in_bulk + other.in_bulk,
            self.located + other.located,
            max(self.unlocated_s, other.unlocated_s),
        )


ReembeddingState = Literal["building", "finished"]


@dataclass(frozen=True, slots=True)
class Reembedding:
    """How far a change of the model is: searches use `space` when it is `finished`, and `previous` until then.

    `unavailable` says why the provider could not be asked; calling again goes on where this ended.
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
    """Figures about what one user has stored."""

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


@dataclass(frozen=True, slots=True)
class StoreStats:
    """Figures about a whole store; numbers only, nothing that belongs to a user."""

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

    @property
    def items(self) -> int:
        """All that is searched."""
        return self.memories + self.messages + self.chunks


ModelState = Literal["active", "building", "kept", "configured"]


@dataclass(frozen=True, slots=True)
class Model:
    """A model that makes vectors: one whose vectors are there, or one that the settings name.

    `dimensions` are None until its provider has told them. `reachable` is None when nobody asked; `trouble` says why it
    is not.
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
class Status:
    """What is running on what, and whether anything is amiss.

    `spent_today` is what language models were paid for; `embedding_today` what was embedded, at `embedding_cost`
    dollars, if anybody knows the price. `coverage` says what can be found by meaning, `building` the same of a model
    that is on its way, and `parked` what never will be unless somebody looks into it. `unlocated` counts what waits
    for the `geocoder` to find out its address.
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

    @property
    def cache(self) -> CacheFigures:
        """What is kept of vectors that were paid for."""
        return self.stats.cache

    @property
    def waiting_since(self) -> datetime | None:
        """When the item was stored that has waited for its vector longest."""
        return min((one.oldest for one in self.coverage if one.oldest is not None), default=None)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something `doctor` found: which check, how many rows, and what to do."""

    check: str
    count: int
    advice: str


@dataclass(frozen=True, slots=True)
class Maintenance:
    """What a round of maintenance did. `failed` says in words what could not be done; it is tried again next time.

    `reindexed` counts the items whose terms changed because a newer analyser reads them in another way.
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
    """One line of the log of what was done: by whom, to which items, when; never what they say.

    `actor` is the id of a key, or `local`. `items` are the first of the `amount` ids. `hash` covers the line and the
    hash of the line before it.
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
    """What searches of one sort were like: how many, how many of them found nothing or went without a part."""

    verb: str
    searches: int
    empty: int
    degraded: int
    mean_ms: float
    most_ms: float
