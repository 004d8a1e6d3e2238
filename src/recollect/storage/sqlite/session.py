"""Runs named queries on a connection to SQLite, with values as it has them.

Moments are microseconds in UTC, JSON is text, and terms have blanks between them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Literal, Unpack

import apsw
import numpy as np

from recollect.model.filters import ItemFilters, PlaceFilters
from recollect.model.literals import VectorKind
from recollect.model.memories import Draft, Scope, Space, Vector
from recollect.model.places import place_id
from recollect.storage.base.codec import RecordCodec, ValueCodec
from recollect.storage.base.filters import conditions
from recollect.storage.base.session import Gaps, ResultRow, StoreSession, Values
from recollect.storage.base.statements import load_queries, sql_folder, translate
from recollect.storage.base.tables import RECORD_FIELDS, TIME_FIELDS, of_kind
from recollect.storage.sqlite.caches import Seqs

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_TIMES = tuple(RECORD_FIELDS.index(name) for name in RECORD_FIELDS if name in TIME_FIELDS)
_METADATA = RECORD_FIELDS.index("metadata")
_MEDIA = RECORD_FIELDS.index("media")


def to_micros(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


_cached_micros = lru_cache(maxsize=64)(to_micros)  # a batch is made at one moment


@lru_cache(maxsize=1_024)  # the moments of a row are mostly the same
def from_micros(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


def _write_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


CODEC = RecordCodec(
    ValueCodec(
        read_time=from_micros,
        read_json=lambda text: {} if text == "{}" else json.loads(text),
        write_json=_write_json,
        read_terms=lambda words: tuple(words.split(" ")) if words else (),
        write_terms=" ".join,
    )
)


def to_row(seq: int, user_id: str, draft: Draft) -> tuple[Any, ...]:
    """Lay out a draft for `insert_memory`, for bulk loads without the names of parameters."""
    record, content_hash, terms, _, _ = draft
    values: list[Any] = list(record)
    created = record.created_at
    micros = _cached_micros(created)
    for position in _TIMES:
        moment = values[position]
        if moment is not None:
            values[position] = micros if moment is created else to_micros(moment)
    metadata, media = values[_METADATA], values[_MEDIA]
    values[_METADATA] = _write_json(metadata) if metadata else "{}"
    values[_MEDIA] = _write_json([one.stored() for one in media]) if media else "[]"
    return (seq, user_id, content_hash, " ".join(terms), place_id(record.address, record.place_label), *values)


QUERIES: Mapping[str, str] = load_queries("sqlite")

# Terms stand in their column with a blank between; the index of words has a column of the same name.
_HOLDS = "instr(' ' || {rows}.terms || ' ', :{name}) > 0"


def seq_array(seqs: Seqs) -> Any:  # noqa: ANN401 - apsw gives its bindings no public type
    """Bind many numbers as one parameter."""
    return apsw.carray(np.ascontiguousarray(seqs) if len(seqs) else np.array([-1], np.int64))


def statement(name: str, kind: VectorKind | None = None, space: int | None = None) -> str:
    sql = QUERIES[name] if space is None else QUERIES[name].replace("{space}", str(space))
    return sql if kind is None else of_kind(sql, kind)


def filter_conditions(filters: ItemFilters | PlaceFilters) -> tuple[str, dict[str, Any]]:
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

    def rows(self, name: str, values: Values | None = None, **gaps: Unpack[Gaps]) -> list[ResultRow]:
        rows: list[ResultRow] = self.connection.execute(statement(name, **gaps), values).fetchall()
        return rows

    def stream(self, name: str, values: Values, **gaps: Unpack[Gaps]) -> Iterator[ResultRow]:
        yield from self.connection.execute(statement(name, **gaps), values)

    def stream_statement(self, sql: str, values: Values) -> Iterator[ResultRow]:
        yield from self.connection.execute(translate("sqlite", sql), values)

    def read_vector(self, stored: bytes) -> Vector:
        return np.frombuffer(stored, "<f4", count=len(stored) // 4)

    def execute(self, name: str, values: Values | None = None, **gaps: Unpack[Gaps]) -> None:
        self.connection.execute(statement(name, **gaps), values).fetchall()

    def changed(self, name: str, values: Values | None = None, **gaps: Unpack[Gaps]) -> int:
        self.connection.execute(statement(name, **gaps), values).fetchall()
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
