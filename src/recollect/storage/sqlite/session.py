"""Runs named queries on a connection to SQLite."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import apsw
import numpy as np

from recollect.model.filters import ItemFilters, PlaceFilters
from recollect.model.literals import VectorKind
from recollect.model.memories import Scope, Space, Vector
from recollect.storage.base.filters import conditions
from recollect.storage.base.session import ResultRow, StoreSession, Values
from recollect.storage.base.statements import load_queries, sql_folder, translate
from recollect.storage.base.tables import of_kind
from recollect.storage.sqlite.binary_codes import Seqs
from recollect.storage.sqlite.codec import CODEC

QUERIES: Mapping[str, str] = load_queries("sqlite")

# Terms stand in their column with a blank between; the index of words has a column of the same name.
_HOLDS = "instr(' ' || {rows}.terms || ' ', :{name}) > 0"


def seq_array(seqs: Seqs) -> Any:  # noqa: ANN401 - apsw gives its bindings no public type
    """Bind many numbers as one parameter."""
    return apsw.carray(np.ascontiguousarray(seqs) if len(seqs) else np.array([-1], np.int64))


def statement(name: str, kind: VectorKind | None = None, space: int | None = None) -> str:
    """Give a query with its gaps filled."""
    sql = QUERIES[name] if space is None else QUERIES[name].replace("{space}", str(space))
    return sql if kind is None else of_kind(sql, kind)


def filter_conditions(filters: ItemFilters | PlaceFilters) -> tuple[str, dict[str, Any]]:
    """Turn filters into SQL for SQLite, and give its values."""
    condition, values = conditions(filters, _holds_any)
    return translate("sqlite", condition), values


def _holds_any(terms: Sequence[str], name: str, values: dict[str, Any]) -> str:
    names = {f"{name}_{number}": f" {term} " for number, term in enumerate(terms)}
    values |= names
    return f"({' OR '.join(_HOLDS.replace('{name}', bound) for bound in names)})"


class SqliteSession(StoreSession):
    """A connection inside a transaction. SQLite has no row-level security: a file has one owner."""

    codec = CODEC

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    def rows(
        self, name: str, values: Values | None = None, *, kind: VectorKind | None = None, space: int | None = None
    ) -> list[ResultRow]:
        rows: list[ResultRow] = self.connection.execute(statement(name, kind, space), values).fetchall()
        return rows

    def stream(
        self, name: str, values: Values, *, kind: VectorKind | None = None, space: int | None = None
    ) -> Iterator[ResultRow]:
        yield from self.connection.execute(statement(name, kind, space), values)

    def stream_statement(self, sql: str, values: Values) -> Iterator[ResultRow]:
        yield from self.connection.execute(translate("sqlite", sql), values)

    def read_vector(self, stored: bytes) -> Vector:
        """Read a blob, as many whole numbers as it holds."""
        return np.frombuffer(stored, "<f4", count=len(stored) // 4)

    def execute(
        self, name: str, values: Values | None = None, *, kind: VectorKind | None = None, space: int | None = None
    ) -> None:
        self.connection.execute(statement(name, kind, space), values).fetchall()

    def changed(
        self, name: str, values: Values | None = None, *, kind: VectorKind | None = None, space: int | None = None
    ) -> int:
        self.connection.execute(statement(name, kind, space), values).fetchall()
        return self.connection.changes()

    def execute_many(self, name: str, rows: Sequence[Values], *, kind: VectorKind | None = None) -> None:
        self.connection.executemany(statement(name, kind), rows)

    def filtered(
        self, name: str, filters: ItemFilters | PlaceFilters, values: Values, *, space: int | None = None
    ) -> list[ResultRow]:
        condition, bound = filter_conditions(filters)
        sql = of_kind(QUERIES[name].replace("{filters}", condition), filters.kind).replace("{space}", str(space))
        rows: list[ResultRow] = self.connection.execute(sql, {**bound, **values}).fetchall()
        return rows

    def act_for(self, scope: Scope | None) -> None:
        """Do nothing: a process that may open the file may read all of it."""

    def lock_spaces(self) -> None:
        """Do nothing: only one transaction writes at a time."""

    def claim(self, what: Literal["jobs", "readings"], values: Values) -> list[ResultRow]:
        return self.rows(f"claim_{what}", values)

    def create_space(self, space: Space) -> int:  # noqa: ARG002 - blobs have any length
        number = int(self.row("next_numbers", {"amount": 1, "name": "space"})[0])
        template = (sql_folder("sqlite") / "space.sql").read_text(encoding="utf-8")
        self.connection.execute(template.replace("{space}", str(number)))
        return number

    def drop_space(self, number: int) -> None:
        self.execute("drop_vectors", space=number)
        self.execute("drop_codes", space=number)
