"""What the engine asks of a store as a whole."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from recollect.errors import RecollectError
from recollect.model.literals import ItemKind
from recollect.model.memories import Scope, Space, Vector
from recollect.model.messages import Usage
from recollect.model.repairs import Repaired
from recollect.model.stats import Erasure, Problem, Purged, ReplicaStatus, StoreShares, StoreStats, UserLimits
from recollect.ports.access_log import AccessLogReader, AccessLogStore, AccessLogWriter
from recollect.ports.backup import CopiedStore
from recollect.ports.conversations import ConversationReader, ConversationWriter, ReadingStore
from recollect.ports.erasure import ErasureStore, StoredRows
from recollect.ports.files import FileReader, FileWriter
from recollect.ports.memories import MemoryReader, MemoryWriter
from recollect.ports.places import PlaceReader, PlaceStore, PlaceWriter
from recollect.ports.scopes import ScopeReader, ScopeStore, ScopeWriter
from recollect.ports.spaces import CachedPassageVector, EmbedJob, SpaceStore
from recollect.ports.transfer import TransferStore, TransferWriter

T = TypeVar("T")
StepListener: TypeAlias = Callable[[str, int, int], None]  # what is being done, how much of it is, how much there is
Result_co = TypeVar("Result_co", covariant=True)


class StoreReader(MemoryReader, ConversationReader, FileReader, PlaceReader, AccessLogReader, ScopeReader, Protocol):
    """Questions of one user, answered from one consistent snapshot."""


class StoreWriter(
    MemoryWriter,
    ConversationWriter,
    FileWriter,
    PlaceWriter,
    AccessLogWriter,
    ScopeWriter,
    TransferWriter,
    StoredRows,
    Protocol,
):
    """Changes of one user, all or nothing."""

    def limit_growth(self, limits: UserLimits) -> None:
        """Let the commit fail with QuotaExceeded if it adds something and leaves the user with more than that."""

    def reindex(self, kind: ItemKind, terms: Mapping[str, Sequence[str]]) -> None:
        """Let items be found by other terms than before, by their ids; the items themselves stay as they are."""

    def owe_vectors(self, kind: ItemKind, ids: Sequence[str], now: datetime) -> None:
        """Write jobs that make the vectors of these items anew, in every space that is in use."""

    def finish_jobs(self, jobs: Sequence[EmbedJob], vectors: Sequence[Vector]) -> frozenset[str]:
        """Store the vectors of this user's jobs, all in one space, and remove the jobs.

        Each job has a matrix: a row for the whole text, and one for each passage of a long one. They replace what the
        item had.
        Says which items were still waiting: another worker may have been faster.
        """

    def keep_paid(self, space: Space, paid: Sequence[CachedPassageVector], now: datetime) -> None:
        """Keep vectors of passages that were paid for, each for as long as its item."""

    def forget_paid(self, item_ids: Sequence[str] | None, *, questions: bool = True) -> None:
        """Let go of what was paid for these items, or for all of them, and of everything the user ever asked."""


class PendingWrite(Protocol[Result_co]):
    """A write under way."""

    def result(self) -> Result_co:
        """Wait for the commit and give the result of the work; raises what went wrong."""


class ReachedUsers(NamedTuple):
    """Users of a store: all of them, unless a server did not answer, whose users are missing."""

    scopes: Sequence[Scope]
    are_all: bool


class Store(
    SpaceStore,
    AccessLogStore,
    ScopeStore,
    PlaceStore,
    ReadingStore,
    CopiedStore,
    TransferStore,
    ErasureStore,
    Protocol,
):
    """A database that keeps memories."""

    @property
    def backend(self) -> str:
        """`sqlite` or `postgresql`, for people."""

    @property
    def repaired(self) -> Repaired | None:
        """What was done when the store was found damaged while this process opened it."""

    def read(self, scope: Scope, work: Callable[[StoreReader], T], *, replica: bool = False) -> T:
        """Run questions against one snapshot.

        With `replica` that may be the snapshot of a read replica: one with everything that this process has written or
        read before for the user, and, of what others wrote, all but the last seconds. Then the work may run twice.
        """

    def write(self, scope: Scope, work: Callable[[StoreWriter], T]) -> T:
        """Run changes in one transaction, all or nothing; it is durable when this returns.

        The work must not wait for anything. Another thread may run it, and it is run again if the store lost the
        transaction by no fault of this work.
        """

    def write_many(
        self, works: Sequence[tuple[Scope, Callable[[StoreWriter], T]]]
    ) -> PendingWrite[Sequence[T | RecollectError]]:
        """Run changes of several users, who come in the order of their ids, in one transaction.

        Each user's are whole or undone: gives the result of each, or what it failed with. May finish in the background,
        as `write_behind` does.
        """

    def write_behind(self, scope: Scope, work: Callable[[StoreWriter], T]) -> PendingWrite[T]:
        """Like `write`, but may finish the commit in the background while the caller prepares the next batch."""

    def replicas(self) -> Sequence[ReplicaStatus]:
        """Look at the read replicas."""

    def scrub(self) -> Erasure:
        """Erase what deleting left behind in the database's files, as far as the store can; says what is left."""

    def erasure(self) -> Erasure:
        """Say what is left of deleted text in the database's files."""

    def released_reserve(self) -> AbstractContextManager[bool]:
        """Give back, for a while, the room that is kept for deleting on a full disk; says whether there was any.

        What the log holds is given back, too, as far as no reader needs it.
        """

    def unfinished_forgetting(self) -> Sequence[str]:
        """Give the notes of what is being forgotten in parts."""

    def restock_reserve(self) -> None:
        """Keep that room again, if the disk has it."""

    def purge(self, tell: StepListener) -> Purged:
        """Remove what deleted rows left in tables, indexes and statistics, whatever that takes. Safe to interrupt."""

    def users(self) -> Iterable[Scope]:
        """Name the users who have memories or messages."""

    def reached_users(self) -> ReachedUsers:
        """Do the same, and say whether all servers could be asked."""

    def away(self) -> Sequence[str]:
        """Name the servers that do not answer: what is done to the store as a whole leaves out the users there."""

    def identity(self) -> int:
        """Give the number that tells this store from all others, wherever it is moved."""

    def own_files(self) -> frozenset[tuple[int, int]]:
        """Give the device and inode of every file that this store works with; nothing else may open them."""

    def known_originals(self, names: Sequence[str]) -> frozenset[str]:
        """Say which originals belong to a file, a memory or a message of any user."""

    def users_with_expired(self, now: datetime) -> Iterable[Scope]:
        """Name the users who have memories past their expiry."""

    def idle_conversations(self, before: datetime) -> Iterable[tuple[Scope, str]]:
        """Name the conversations with active messages in which nothing was said since then, oldest first."""

    def analyser(self) -> int:
        """Say which version of the analyser made the terms. A store is born with the one it was opened with."""

    def set_analyser(self, version: int) -> None:
        """Note that all terms are those of this version."""

    def passages(self) -> int:
        """Say which version of the passages all texts have vectors of, or jobs; 0 where they were stored without."""

    def set_passages(self, version: int) -> None:
        """Note that all texts have vectors of the passages of this version, or a job."""

    def spent(self, day: str) -> Usage:
        """Say what all users together spent on language models on a day."""

    def embedded(self, day: str) -> Mapping[str, int]:
        """Say how many tokens of all users together each model embedded on a day."""

    def stats(self) -> StoreStats:
        """Count rows of the whole store, in no time: memories that were replaced or are over among them."""

    def shares(self, now: datetime) -> StoreShares:
        """Count what of the memories and messages is what, in a time that grows with the store."""

    def version(self) -> str:
        """The version of the database software."""

    def location(self) -> str:
        """Where the data is, without any password."""

    def schema_version(self) -> int:
        """The number of the newest migration that was applied."""

    def check(self) -> Sequence[Problem]:
        """Look for contradictions; an empty answer means that none was found."""

    def tune(self) -> Sequence[str]:
        """Build what makes large users fast and refresh statistics; says in words what was done."""

    def advice(self) -> Sequence[str]:
        """Say what an operator should do, if anything."""

    def close(self) -> None:
        """Give back connections. Calling it twice is fine."""
