"""What the engine asks of a store about memories, and about searching."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from recollect.model.filters import Filters, ItemFilters, PlaceFilters
from recollect.model.insights import TypeCoverage
from recollect.model.literals import ItemKind, VectorKind
from recollect.model.memories import Draft, Item, MemoryRecord, Space, Vector
from recollect.model.stats import Stats, TimelineCount

WORDS_HASH = 32  # letters of a hash that say what the words are
WITH_SAME_WORDS = 20  # an event may happen very often, and be told in the same words


@dataclass(frozen=True, slots=True)
class Slot:
    """What a memory is about, when a new value replaces the old one.

    What a user prefers is another slot than what is the case.
    """

    subject: str
    key: str
    context: str
    preference: bool


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What makes two live memories the same one."""

    type: str
    subject: str
    key: str
    context: str
    content_hash: str


class LiveMemory(NamedTuple):
    """A live row, with the hash of what it says."""

    record: MemoryRecord
    content_hash: str


class Retirement(NamedTuple):
    """The end of a row's validity in favour of another."""

    id: str
    valid_until: datetime
    superseded_by: str


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


class EmbeddedMemory(NamedTuple):
    """A memory by its id, with the terms by which it is found and its vector."""

    id: str
    terms: Sequence[str]
    vector: Vector


class IndexedItem(NamedTuple):
    """An item, and the terms by which it is found."""

    item: Item
    terms: tuple[str, ...]


class MemoryRows(Protocol):
    """What reading and writing have in common."""

    def get(self, ids: Sequence[str]) -> Sequence[MemoryRecord]:
        """Give the rows with these ids, live or not, in any order; unknown ids are left out."""

    def chain(self, memory_id: str) -> Sequence[MemoryRecord]:
        """Give all versions that belong together with this one, oldest first; empty when the id is unknown."""

    def everything(self) -> Sequence[str]:
        """Give the ids of all rows, of any validity."""

    def of_session(self, session: str) -> Sequence[str]:
        """Give the ids of the rows that were stored in a session, of any validity."""

    def of_source(self, source: str) -> Sequence[str]:
        """Give the ids of the rows that came from a source, of any validity."""

    def expired(self, now: datetime) -> Sequence[str]:
        """Give the ids of the rows past their expiry."""

    def indexed(self, kind: ItemKind, limit: int, after: str | None = None) -> Sequence[IndexedItem]:
        """Give items of any validity with their terms, in the order of their ids, starting above the id `after`."""


class MemoryReader(MemoryRows, Protocol):
    """Questions about one user's memories. Searching works alike for all kinds of items: the filters say which."""

    def generation(self) -> int:
        """Give a number that grows with every write of this user."""

    def searched_space(self) -> Space | None:
        """Give the space that is complete, which searches must use; None when nothing ever had a vector."""

    def unrelated(self, space: Space) -> float | None:
        """Give the usual cosine of what has nothing to do with each other in a space, once it was measured."""

    def select(self, filters: Filters, limit: int, before: str | None = None) -> Sequence[MemoryRecord]:
        """List the rows that pass, newest id first, starting below the id `before`."""

    def count(self, filters: Filters) -> int:
        """Count the rows that pass."""

    def timeline(self, filters: Filters, limit: int) -> Sequence[MemoryRecord]:
        """Give the newest rows that pass by the time they are about, in the order in which they happened."""

    def moments(self, since: datetime | None, until: datetime | None, now: datetime) -> Sequence[TimelineCount]:
        """Count current memories, messages and files by the quarters of an hour that they are about."""

    def subjects(self, filters: Filters) -> Sequence[str]:
        """Give the subjects of the rows that pass, each once."""

    def text_candidates(self, terms: Sequence[str], filters: ItemFilters, limit: int) -> TextCandidates:
        """Find rows that hold any of the terms, the most promising `limit` of them."""

    def nearest(
        self, space: Space, vector: Vector, filters: ItemFilters | PlaceFilters, limit: int
    ) -> Sequence[Neighbour]:
        """Find the rows nearest to a vector among those that pass, nearest first."""

    def cosines(self, kind: VectorKind, space: Space, vector: Vector, ids: Sequence[str]) -> Mapping[str, float]:
        """Give the cosines of known rows; rows without a vector are left out."""

    def wish_cosines(self, kind: VectorKind, space: Space, vector: Vector, ids: Sequence[str]) -> Mapping[str, float]:
        """Give the cosines of those known rows that have a second vector as a wish, measured by that one."""

    def stored_vectors(self, space: Space, ids: Sequence[str]) -> Mapping[str, Vector]:
        """Give the vectors of memories as a whole in a space; those without one are left out."""

    def embedded(
        self, space: Space, filters: Filters, limit: int, before: str | None = None
    ) -> Sequence[EmbeddedMemory]:
        """Give the rows that pass and have a vector, newest id first, starting below the id `before`."""

    def stats(self, space: Space | None, now: datetime) -> Stats:
        """Count what this user has."""

    def coverage(self, space: Space | None) -> Sequence[TypeCoverage]:
        """Count current memories, messages and chunks by type, and those of them with a vector in a space."""

    def growth(self, kind: ItemKind) -> Mapping[str, int]:
        """Count the rows of a kind by the month in which they were stored, such as 2026-03."""

    def untidy_memories(self, short: int, limit: int) -> Sequence[MemoryRecord]:
        """Give current memories that may be too short, without words, or a system's, oldest first."""


class MemoryWriter(MemoryRows, Protocol):
    """Changes of one user's memories."""

    def insert(self, drafts: Sequence[Draft], space: Space | None) -> frozenset[str]:
        """Write rows with their terms and vectors, which are of `space`; what lacks one in another is owed it by a job.

        Gives the ids that were *not* written because a live row has the same fingerprint.
        """

    def same(self, fingerprint: Fingerprint) -> MemoryRecord | None:
        """Find the live row with this fingerprint, expired or not."""

    def holders(self, slot: Slot) -> Sequence[MemoryRecord]:
        """Find the live rows that hold this slot, the newest first: one, or several where there are many values."""

    def holders_of(self, slots: Sequence[Slot]) -> Sequence[LiveMemory]:
        """Find the live rows that hold any of several slots."""

    def with_words(self, hashes: Sequence[str]) -> Sequence[LiveMemory]:
        """Find the live rows that have the words of any of these hashes, expired or not.

        Of many with the same words these are the row with that hash, and the first `WITH_SAME_WORDS`.
        """

    def rehash(self, hashes: Mapping[str, str]) -> Sequence[str]:
        """Write the hashes of live rows, by their ids; gives the ids of those whose fingerprint another row has."""

    def retire(self, memory_id: str, valid_until: datetime, superseded_by: str) -> None:
        """End a row's validity in favour of another."""

    def retire_many(self, retirements: Sequence[Retirement]) -> None:
        """End the validity of several rows."""

    def revive(self, memory_id: str) -> None:
        """Let a row hold again, because what replaced it is gone."""

    def confirm(self, confirmed: MemoryRecord) -> None:
        """Write a row's trust, source and confidence, because the same was said again."""

    def confirm_many(self, confirmed: Sequence[MemoryRecord]) -> None:
        """Do the same with several rows."""

    def set_metadata(self, memory_id: str, metadata: Mapping[str, Any]) -> None:
        """Write the metadata of a row, which stays the version that it is."""

    def set_expiry(self, memory_id: str, expires_at: datetime | None, now: datetime) -> None:
        """Write when a row expires, which stays the version that it is."""

    def revise(
        self, version_id: str, draft: Draft, space: Space | None, *, valid_until: datetime, keep_vector: bool
    ) -> None:
        """Replace the row `draft.record.id`, keeping what it was as the version `version_id`, true until then.

        With `keep_vector` the new row has the vectors of the old one; they say the same.
        """

    def relink(self, from_id: str, to_id: str) -> None:
        """Let versions that point at `from_id` point at `to_id`, before `from_id` goes."""

    def delete(self, ids: Sequence[str]) -> None:
        """Remove rows with everything that was derived from them."""
