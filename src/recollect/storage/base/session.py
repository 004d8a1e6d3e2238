"""A session runs named queries inside one transaction. Each backend says how its driver does so.

Values travel as Python has them: moments as `datetime`, arrays as lists. The drivers convert them.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal, TypedDict, Unpack

from recollect.model.filters import ItemFilters, PlaceFilters
from recollect.model.literals import VectorKind
from recollect.model.memories import Scope, Space, Vector
from recollect.storage.base.codec import RecordCodec

ResultRow = tuple[Any, ...]
Values = Mapping[str, Any]


class Gaps(TypedDict, total=False):
    """What the gaps of a query are filled for: a kind of item, and an embedding space by its number."""

    kind: VectorKind | None
    space: int | None


class StoreSession(ABC):
    """A connection inside a transaction, for as long as that lasts."""

    codec: RecordCodec

    @abstractmethod
    def rows(self, name: str, values: Values | None = None, **gaps: Unpack[Gaps]) -> list[ResultRow]:
        """Run a query to its end and give its rows."""

    @abstractmethod
    def stream(self, name: str, values: Values, **gaps: Unpack[Gaps]) -> Iterator[ResultRow]:
        """Run a query and give its rows one by one: however many there are, few of them are in memory."""

    @abstractmethod
    def stream_statement(self, sql: str, values: Values) -> Iterator[ResultRow]:
        """Do the same with a statement that was assembled from the catalogue, written as in `storage/sql`."""

    @abstractmethod
    def read_vector(self, stored: Any) -> Vector:  # noqa: ANN401 - as the driver gives it
        """Read a vector."""

    @abstractmethod
    def execute(self, name: str, values: Values | None = None, **gaps: Unpack[Gaps]) -> None:
        """Run a statement that gives no rows."""

    @abstractmethod
    def changed(self, name: str, values: Values | None = None, **gaps: Unpack[Gaps]) -> int:
        """Run a statement and count the rows that it changed."""

    @abstractmethod
    def execute_many(self, name: str, rows: Sequence[Values], *, kind: VectorKind | None = None) -> None:
        """Run a statement once for each of many rows of values."""

    @abstractmethod
    def filtered(
        self, name: str, filters: ItemFilters | PlaceFilters, values: Values, *, space: int | None = None
    ) -> list[ResultRow]:
        """Run a query with conditions on the kind of item that the filters are about."""

    @abstractmethod
    def act_for(self, scope: Scope | None) -> None:
        """Work for one user from here on, or for the store as a whole: what row-level security goes by."""

    def beside(self) -> "AbstractContextManager[StoreSession]":
        """Lend a session of the store as a whole while a user's transaction waits, where those have different rights.

        It is committed on its own.
        """
        return nullcontext(self)

    @abstractmethod
    def lock_spaces(self) -> None:
        """Let no other process make embedding spaces before the transaction ends."""

    @abstractmethod
    def claim(self, what: Literal["jobs", "readings"], values: Values) -> list[ResultRow]:
        """Lease jobs that are due; no other process claims any before the transaction ends."""

    @abstractmethod
    def create_space(self, space: Space) -> int:
        """Make the tables of a new embedding space; gives its number."""

    @abstractmethod
    def drop_space(self, number: int) -> None:
        """Drop the tables of an embedding space."""

    def reached(self) -> Sequence[str] | None:
        """Name the users whom the questions so far were about; None if that were all, as where there is one server."""
        return None

    def mark(self, name: str) -> int | None:
        """Read a number that is noted of the store as a whole."""
        return next((int(row[0]) for row in self.rows("get_mark", {"name": name})), None)

    def row(self, name: str, values: Values | None = None, *, space: int | None = None) -> ResultRow:
        """Give the only row of an aggregate."""
        return self.rows(name, values, space=space)[0]
