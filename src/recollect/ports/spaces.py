"""What the engine asks of a store about embedding spaces: which there are, what they still lack, what was paid for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from recollect.model.literals import VectorKind
from recollect.model.memories import Embeddable, Scope, Space, Vector, kind_of
from recollect.model.messages import Usage
from recollect.model.stats import BulkBatch, CacheFigures, Coverage, KnownSpace, ParkedItem, SpaceState


@dataclass(frozen=True, slots=True)
class EmbedJob:
    """An item that waits for its vector in a space. `attempts` counts how often that failed through its own fault."""

    scope: Scope
    item: Embeddable
    space: Space
    attempts: int

    @property
    def kind(self) -> VectorKind:
        """What the item is."""
        return kind_of(self.item)


class CachedPassageVector(NamedTuple):
    """A vector that was paid for, under the hash of its text, with the item it was made for."""

    key: str
    item_id: str
    vector: Vector


@dataclass(frozen=True, slots=True)
class CachedQueryVector:
    """The vector of a question that was paid for, and when it was asked: after how many `resets` of its user."""

    space: Space
    key: str
    vector: Vector
    usage: Usage
    resets: int


class SpaceStore(Protocol):
    """The part of a store that is about spaces. What concerns a single user's rows is asked of readers and writers."""

    def spaces(self) -> Sequence[KnownSpace]:
        """Give the spaces that exist, oldest first."""

    def open_space(self, space: Space, state: SpaceState, now: datetime) -> None:
        """Make a space, or use one that exists for something else.

        In one that is `active` or `building` whatever is stored from now on is owed a vector.
        """

    def owe(self, space: Space, now: datetime) -> int:
        """Write a job for every item that lacks both a vector in this space and a job; says how many."""

    def coverage(self, space: Space) -> Sequence[Coverage]:
        """Count what has a vector in this space, and what waits for one."""

    def activate(self, space: Space, *, without_parked: bool = False) -> bool:
        """Let searches use this space if every item has a vector in it, and keep the one they used, in one step.

        `without_parked` does so though some items could not be embedded. Says whether it was done.
        """

    def set_unrelated(self, space: Space, unrelated: float) -> None:
        """Note the usual cosine of what has nothing to do with each other in this space."""

    def shelve_space(self, space: Space) -> None:
        """Merely keep a space that is not searched: nothing is owed a vector in it any more."""

    def drop_space(self, space: Space) -> None:
        """Remove a space that is not searched, with its vectors, jobs and what is cached of it."""

    def claim_jobs(
        self,
        space: Space,
        limit: int,
        *,
        now: datetime,
        lease_until: datetime,
        scope: Scope | None = None,
        bulk: str = "",
    ) -> Sequence[EmbedJob]:
        """Lease jobs that are due, of one user or of all: no other worker takes them before the lease ends.

        With `bulk` they become part of a batch instead, and no worker takes them until it is over.
        """

    def postpone_jobs(self, jobs: Sequence[EmbedJob], reason: str, due: datetime | None, *, to_blame: bool) -> None:
        """Note why jobs failed: try again when due, or park them when it is None.

        `to_blame` counts it as an attempt of the items themselves. It is no write of a user: nothing of theirs changed.
        """

    def parked(self, limit: int) -> Sequence[ParkedItem]:
        """Give parked jobs, which no worker tries again by itself, oldest first."""

    def revive_parked(self, now: datetime) -> int:
        """Let everything that was parked be tried again; says how many."""

    def recall_jobs_ahead(self, now: datetime) -> int:
        """Make jobs due that a clock which was ahead has put off further than any job can be; says how many."""

    def cached(self, scope: Scope, space: Space, role: str, keys: Sequence[str]) -> Mapping[str, Vector]:
        """Give the vectors that were paid for already, by the hashes of their texts."""

    def resets(self, scope: Scope) -> int:
        """Give a number that grows whenever something of this user is forgotten."""

    def note_question(self, scope: Scope, asked: CachedQueryVector, *, day: str, now: datetime) -> None:
        """Note what a question cost, and keep its vector unless something was forgotten since it was asked.

        It is no write of the user: what was read stays true.
        """

    def count_cache_uses(self, scope: Scope, hits: int, misses: int) -> None:
        """Add to how often the cache knew, and how often it did not."""

    def cache_figures(self, scope: Scope | None = None) -> CacheFigures:
        """Say how large the cache is, and how often it knew: for all users together, or for one."""

    def trim_cache(self, most_bytes: int) -> int:
        """Let go of the oldest entries until the rest fits; says of how many."""

    def characters(self) -> int:
        """Say how long all texts together are."""

    def bulks(self, limit: int = 100) -> Sequence[BulkBatch]:
        """Give the batches, newest first."""

    def open_bulks(self, space: Space) -> Sequence[BulkBatch]:
        """Give all batches of a space that are not over, oldest first."""

    def failed_bulks(self, space: Space, since: datetime) -> Sequence[BulkBatch]:
        """Give the batches of a space that were found to have failed after a moment."""

    def save_bulk(self, bulk: BulkBatch) -> None:
        """Note a batch, new or changed."""

    def change_bulk(self, was: BulkBatch, bulk: BulkBatch) -> bool:
        """Note how a batch has changed, unless its state or `checked_at` is another by now; says whether it was done.

        Of several workers that saw the same batch, one succeeds.
        """

    def forget_bulks(self, before: datetime) -> None:
        """Forget all batches that were over before a moment."""

    def delete_bulk(self, bulk: BulkBatch) -> None:
        """Forget a batch that came to nothing."""

    def bulk_jobs(self, bulk: BulkBatch) -> Sequence[EmbedJob]:
        """Give the jobs that are still part of a batch."""

    def release_bulk(self, bulk: BulkBatch, reason: str, now: datetime) -> None:
        """Give the rest of a batch back to the queue."""
