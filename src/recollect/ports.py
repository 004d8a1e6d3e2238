"""What the engine asks of the outside world. Adapters implement these; the engine never sees a driver.

The invariant of the stores: whatever runs inside `write` happens wholly or not at all, and the writes of one user come
one after the other. So a decision taken inside `write` from what it has read there still holds when it commits.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, Protocol, TypeVar

from recollect.types import Draft, Filters, MemoryRecord, Problem, Scope, Space, Stats, StoreStats, Vector

T = TypeVar("T")
Result_co = TypeVar("Result_co", covariant=True)

Role = Literal["query", "passage"]


class Clock(Protocol):
    """Where the time comes from. Databases are never asked."""

    def now(self) -> datetime:
        """Give the present moment, aware, in UTC."""
        ...


class Embedder(Protocol):
    """Makes vectors. The vector of a text depends on the text, its role and the space, and on nothing else."""

    @property
    def space(self) -> Space:
        """The space its vectors live in. Asking must not load a model."""
        ...

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        """Give one row per text. Raises EmbeddingError when it cannot."""
        ...

    def close(self) -> None:
        """Give back threads and memory."""
        ...


@dataclass(frozen=True, slots=True)
class Slot:
    """What a memory is about, when a new value replaces the old one."""

    subject: str
    key: str
    context: str


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What makes two live memories the same one."""

    type: str
    subject: str
    key: str
    context: str
    content_hash: str


class TextCandidate(NamedTuple):
    """A row that shares at least one term with the query, and all of its terms in order."""

    id: str
    terms: Sequence[str]


@dataclass(frozen=True, slots=True)
class TextCandidates:
    """Rows for BM25 to score, with the figures it needs.

    `frequencies` says how many rows hold each query term; `total` how many rows the user has.
    """

    rows: Sequence[TextCandidate]
    frequencies: Mapping[str, int]
    total: int


class Neighbour(NamedTuple):
    """A row near the query vector, with their cosine."""

    id: str
    cosine: float


@dataclass(frozen=True, slots=True)
class EmbedJob:
    """A memory that waits for its vector."""

    job_id: str
    record: MemoryRecord
    attempts: int


class Reader(Protocol):
    """Questions of one user, answered from one consistent snapshot."""

    def get(self, ids: Sequence[str]) -> Sequence[MemoryRecord]:
        """Give the rows with these ids, live or not, in any order; unknown ids are left out."""
        ...

    def select(self, filters: Filters, limit: int, before: str | None = None) -> Sequence[MemoryRecord]:
        """List the rows that pass, newest id first, starting below the id `before`."""
        ...

    def count(self, filters: Filters) -> int:
        """Count the rows that pass."""
        ...

    def chain(self, memory_id: str) -> Sequence[MemoryRecord]:
        """Give all versions that belong together with this one, oldest first; empty when the id is unknown."""
        ...

    def everything(self) -> Sequence[str]:
        """Give the ids of all rows, of any validity."""
        ...

    def text_candidates(self, terms: Sequence[str], filters: Filters, limit: int) -> TextCandidates:
        """Find rows that hold any of the terms, the most promising `limit` of them."""
        ...

    def nearest(self, space: Space, vector: Vector, filters: Filters, limit: int) -> Sequence[Neighbour]:
        """Find the rows nearest to a vector among those that pass, nearest first."""
        ...

    def cosines(self, space: Space, vector: Vector, ids: Sequence[str]) -> Mapping[str, float]:
        """Give the cosines of known rows; rows without a vector are left out."""
        ...

    def stats(self, space: Space | None, now: datetime) -> Stats:
        """Count what this user has."""
        ...


class Writer(Protocol):
    """Changes of one user, all or nothing."""

    def get(self, ids: Sequence[str]) -> Sequence[MemoryRecord]:
        """Give the rows with these ids, live or not, in any order; unknown ids are left out."""
        ...

    def chain(self, memory_id: str) -> Sequence[MemoryRecord]:
        """Give all versions that belong together with this one, oldest first; empty when the id is unknown."""
        ...

    def insert(self, drafts: Sequence[Draft], space: Space | None) -> frozenset[str]:
        """Write rows with their terms, vectors, and a job for each row that still lacks a vector.

        Gives the ids that were *not* written because a live row has the same fingerprint.
        """
        ...

    def same(self, fingerprint: Fingerprint) -> MemoryRecord | None:
        """Find the live row with this fingerprint, expired or not."""
        ...

    def current(self, slot: Slot) -> MemoryRecord | None:
        """Find the live row that holds this slot."""
        ...

    def retire(self, memory_id: str, valid_until: datetime, superseded_by: str) -> None:
        """End a row's validity in favour of another."""
        ...

    def confirm(self, memory_id: str, trust: int, source: str, now: datetime) -> None:
        """Raise a row's trust because a better source said the same."""
        ...

    def revise(
        self, version_id: str, draft: Draft, space: Space | None, *, valid_until: datetime, keep_vector: bool
    ) -> None:
        """Replace the row `draft.record.id`, keeping what it was as the version `version_id`, true until then.

        With `keep_vector` the new row has the vectors of the old one; they say the same.
        """
        ...

    def relink(self, from_id: str, to_id: str) -> None:
        """Let versions that point at `from_id` point at `to_id`, before `from_id` goes."""
        ...

    def delete(self, ids: Sequence[str]) -> None:
        """Remove rows with everything that was derived from them."""
        ...

    def everything(self) -> Sequence[str]:
        """Give the ids of all rows, of any validity."""
        ...

    def claim_jobs(self, limit: int, now: datetime, lease_until: datetime) -> Sequence[EmbedJob]:
        """Take embedding jobs that are due, so that nobody else takes them before the lease ends."""
        ...

    def finish_jobs(self, jobs: Sequence[EmbedJob], vectors: Vector, space: Space, now: datetime) -> None:
        """Store the vectors of claimed jobs and remove the jobs."""
        ...

    def postpone_job(self, job: EmbedJob, reason: str, due: datetime | None) -> None:
        """Note a failure: try again when due, or park it for good when `due` is None."""
        ...


class Pending(Protocol[Result_co]):
    """A write under way."""

    def result(self) -> Result_co:
        """Wait for the commit and give the result of the work; raises what went wrong."""
        ...


class Store(Protocol):
    """A database that keeps memories."""

    @property
    def backend(self) -> str:
        """`sqlite` or `postgresql`, for people."""
        ...

    def read(self, scope: Scope, work: Callable[[Reader], T]) -> T:
        """Run questions against one snapshot."""
        ...

    def write(self, scope: Scope, work: Callable[[Writer], T]) -> T:
        """Run changes in one transaction; it is durable when this returns. The work must not wait for anything."""
        ...

    def write_behind(self, scope: Scope, work: Callable[[Writer], T]) -> Pending[T]:
        """Like `write`, but may finish the commit in the background while the caller prepares the next batch."""
        ...

    def scrub(self) -> None:
        """Make sure that deleted text is not left behind in the database's files, as far as the store can."""
        ...

    def users_with_jobs(self, now: datetime) -> Iterable[Scope]:
        """Name the users who have jobs that are due."""
        ...

    def stats(self) -> StoreStats:
        """Count rows of the whole store."""
        ...

    def version(self) -> str:
        """The version of the database software."""
        ...

    def location(self) -> str:
        """Where the data is, without any password."""
        ...

    def schema_version(self) -> int:
        """The number of the newest migration that was applied."""
        ...

    def check(self) -> Sequence[Problem]:
        """Look for contradictions; an empty answer means that none was found."""
        ...

    def tune(self) -> Sequence[str]:
        """Build what makes large users fast and refresh statistics; says in words what was done."""
        ...

    def advice(self) -> Sequence[str]:
        """Say what an operator should do, if anything."""
        ...

    def close(self) -> None:
        """Give back connections. Calling it twice is fine."""
        ...
