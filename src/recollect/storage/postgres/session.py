"""Runs named queries on a connection to PostgreSQL, in the name of a user or of the store as a whole.

Row-level security is the second guard between users; the first is the user in every query. The server itself neither
shows nor changes another user's rows, whatever a query asks (see 0001_schema.sql). Whom a transaction works for, and
the role it does so in, end with it: a connection never carries them on to another user, nor does one of a pooler.

Most values travel as the driver writes them. Memories and vectors travel as arrays in the server's binary format, which
are written here: the driver would be slow.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from struct import Struct
from typing import Any, Final, Literal, NamedTuple, Unpack

import numpy as np
from psycopg import Cursor
from psycopg.types.json import Jsonb

from recollect.model.filters import ItemFilters, PlaceFilters
from recollect.model.literals import VectorKind
from recollect.model.memories import Draft, Scope, Space, Vector
from recollect.model.places import place_id
from recollect.storage.base.codec import RecordCodec, ValueCodec
from recollect.storage.base.filters import conditions
from recollect.storage.base.session import Gaps, ResultRow, StoreSession, Values
from recollect.storage.base.statements import load_queries, translate
from recollect.storage.base.tables import RECORD_FIELDS, TIME_FIELDS, of_kind
from recollect.storage.postgres.cluster import CLUSTER_QUERIES, ReachedRows, ServerCluster
from recollect.storage.postgres.connection import Packed, PgConnection

_SERVER_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_INT8 = Struct(">q")
_INT4 = Struct(">i")
_ARRAY_HEADER = Struct(">iiiii")
_UUID_OID = 2950

_to_json = json.JSONEncoder(ensure_ascii=False).encode

# Above this an index on `vector` is not possible; `halfvec` goes to twice as many.
_MOST_VECTOR_DIMENSIONS = 2_000


# The driver has parsed JSON already.
CODEC = RecordCodec(ValueCodec(lambda moment: moment.astimezone(UTC), lambda value: value, Jsonb, tuple, list))


def column_type(space: Space) -> str:
    """Give the type of the space's column, without its length."""
    return "vector" if space.dimensions <= _MOST_VECTOR_DIMENSIONS else "halfvec"


def number_type(space: Space) -> str:
    """Give the type of its numbers for NumPy, as the server wants them."""
    return ">f4" if column_type(space) == "vector" else ">f2"


def word_array(words: Iterable[str]) -> str:
    """Write an array of ids or other plain words, which need no quotes; the driver would look at each of them."""
    return f"{{{','.join(words)}}}"


def id_array(ids: Sequence[str]) -> str | Sequence[str]:
    """Write an array of ids at once; what cannot be an id is left to the driver, and refused by the server."""
    array = word_array(ids)
    return array if array.count(",") == len(ids) - 1 else ids


class _ColumnType(NamedTuple):
    """The number of a type in the server, and what writes a value of it."""

    oid: int
    encode: Callable[[Any], bytes]


_TEXT = _ColumnType(25, str.encode)
_COLUMN_TYPES = {
    **dict.fromkeys(
        TIME_FIELDS, _ColumnType(1184, lambda moment: _INT8.pack((moment - _SERVER_EPOCH) // _MICROSECOND))
    ),
    **dict.fromkeys(
        ("id", "superseded_by", "place"),
        _ColumnType(_UUID_OID, lambda item_id: bytes.fromhex(item_id.replace("-", ""))),
    ),
    **dict.fromkeys(("importance", "confidence", "lat", "lng"), _ColumnType(701, Struct(">d").pack)),
    **dict.fromkeys(("metadata", "media"), _ColumnType(3802, lambda text: b"\x01" + text.encode())),  # 1 is the version
    "trust": _ColumnType(21, Struct(">h").pack),
}


def memory_columns(drafts: Sequence[Draft]) -> dict[str, Packed]:
    """Lay out drafts for `insert_memories`, an array in the server's binary format for each column."""
    rows = zip(*(draft.record for draft in drafts), strict=True)
    columns: dict[str, Sequence[Any]] = dict(zip(RECORD_FIELDS, rows, strict=True))
    columns["metadata"] = [_to_json(metadata) if metadata else "{}" for metadata in columns["metadata"]]
    columns["media"] = [_to_json([one.stored() for one in media]) if media else "[]" for media in columns["media"]]
    columns["place"] = [*map(place_id, columns["address"], columns["place_label"])]
    columns["terms"] = [" ".join(draft.terms) for draft in drafts]
    columns["content_hash"] = [draft.content_hash for draft in drafts]
    packed = {}
    for name, values in columns.items():
        column = _COLUMN_TYPES.get(name, _TEXT)
        header = _ARRAY_HEADER.pack(1, int(None in values), column.oid, len(values), 1)
        if values.count(values[0]) == len(values):  # most columns have one value in all rows
            packed[name] = Packed(header + _element(column, values[0]) * len(values))
        else:
            packed[name] = Packed(header + b"".join([_element(column, value) for value in values]))
    return packed


def _element(column: _ColumnType, value: object) -> bytes:
    """Write a value with its length before it; a missing one has the length -1."""
    if value is None:
        return _INT4.pack(-1)
    data = column.encode(value)
    return _INT4.pack(len(data)) + data


def pack_ids(ids: Sequence[str]) -> bytes:
    """Write an array of ids in the server's binary format: each with its length before it."""
    rows = np.zeros(len(ids), np.dtype([("length", ">i4"), ("id", "V16")]))
    rows["length"], rows["id"] = 16, np.frombuffer(bytes.fromhex("".join(ids).replace("-", "")), "V16")
    return _ARRAY_HEADER.pack(1, 0, _UUID_OID, len(ids), 1) + rows.tobytes()


def pack_vectors(vectors: Vector, number_type: str, oid: int) -> bytes:
    """Write an array of vectors in the server's binary format, all at once; `oid` is the number of their type there.

    A vector is two short numbers, its dimensions and zero, and then its numbers, most significant byte first.
    """
    amount, dimensions = vectors.shape
    row = np.dtype(
        [("length", ">i4"), ("dimensions", ">i2"), ("unused", ">i2"), ("numbers", number_type, (dimensions,))]
    )
    rows = np.zeros(amount, row)
    rows["length"] = 4 + dimensions * np.dtype(number_type).itemsize
    rows["dimensions"], rows["numbers"] = dimensions, vectors
    return _ARRAY_HEADER.pack(1, 0, oid, amount, 1) + rows.tobytes()


QUERIES: Mapping[str, str] = load_queries("postgres")

# Serialises changes of the schema between processes; any constant that nothing else in the database uses.
SCHEMA_LOCK: Final = 0x7265636F6C6C6563

# Writers share it, a process that changes what spaces are used for has it alone: no item is owed vectors by an outdated
# list of spaces, and nothing is stored while it is counted whether a space has everything.
_USE_LOCK: Final = SCHEMA_LOCK + 1

# Workers claim jobs one after the other: none looks for jobs while another leases them, or takes a user's later
# messages while another takes the earlier ones.
_CLAIM_LOCK: Final = SCHEMA_LOCK + 2

_LONGEST_WAIT_S: Final = 10  # of a transaction that another one waits for


# Planned anew for each call: the partial index of a large user is of use only to a plan that knows the user.
_PLANNED_EACH_TIME: Final = frozenset(("nearest_vectors",))

_FETCHED: Final = 500  # rows in one trip to the server
_STREAMS = count()  # several may be open at once


def statement(
    name: str, kind: VectorKind | None = None, space: int | None = None, *, among: Mapping[str, str] | None = None
) -> bytes:
    sql = (QUERIES if among is None else among)[name]
    if space is not None:
        sql = sql.replace("{space}", str(space))
    return (sql if kind is None else of_kind(sql, kind)).encode()


def filter_conditions(filters: ItemFilters | PlaceFilters) -> tuple[str, dict[str, Any]]:
    condition, values = conditions(filters, _holds_any)
    return translate("postgres", condition), values


def _holds_any(terms: Sequence[str], name: str, values: dict[str, Any]) -> str:
    values[name] = list(terms)
    return f"terms && :{name}::text[]"


class TransactionSettings(NamedTuple):
    """How a transaction works: in which role ('' for none), how long it waits for a lock, on which cluster if any."""

    role: str = ""
    lock_timeout_s: float = _LONGEST_WAIT_S
    cluster: ServerCluster | None = None


_USUAL: Final = TransactionSettings()
_TAKES_IDS: Final = b"%(ids)s::uuid[]"


class PostgresSession(StoreSession):
    """A connection inside a transaction."""

    codec = CODEC

    def __init__(
        self,
        connection: PgConnection,
        settings: TransactionSettings = _USUAL,
        connect: Callable[[], PgConnection] | None = None,
    ) -> None:
        self.connection = connection
        self.distributed = settings.cluster is not None
        self._settings = settings
        self._reached: ReachedRows | None = None
        self._connect = connect

    def rows(self, name: str, values: Values | None = None, **gaps: Unpack[Gaps]) -> list[ResultRow]:
        return self.ask(statement(name, **gaps), values or {})

    def ask(self, sql: bytes, values: Values | None = None, *, prepare: bool | None = None) -> list[ResultRow]:
        """Do the same with the text of a query."""
        if self._reached is not None:
            self._reached.prepare(sql.decode())
        if values and _TAKES_IDS in sql:
            values = {**values, "ids": id_array(values["ids"])}
        return self.connection.execute(sql, values, prepare=prepare).fetchall()

    def stream(self, name: str, values: Values, **gaps: Unpack[Gaps]) -> Iterator[ResultRow]:
        """Let the server hold the rows, and fetch some at a time."""
        return self._stream(statement(name, **gaps), values)

    def stream_statement(self, sql: str, values: Values) -> Iterator[ResultRow]:
        return self._stream(translate("postgres", sql).encode(), values)

    def _stream(self, sql: bytes, values: Values) -> Iterator[ResultRow]:
        if self._reached is not None:
            self._reached.prepare(sql.decode())
        with self.connection.cursor(name=f"recollect_rows_{next(_STREAMS)}") as cursor:
            cursor.itersize = _FETCHED
            cursor.execute(sql, values)
            yield from cursor

    def read_vector(self, stored: Any) -> Vector:  # noqa: ANN401 - pgvector's types
        return np.asarray(stored.to_numpy(), "<f4")

    def execute(self, name: str, values: Values | None = None, **gaps: Unpack[Gaps]) -> None:
        self._change(name, values, **gaps)

    def changed(self, name: str, values: Values | None = None, **gaps: Unpack[Gaps]) -> int:
        with self.connection.pipeline():
            cursor = self._change(name, values, **gaps)
        return cursor.rowcount

    def _change(self, name: str, values: Values | None, **gaps: Unpack[Gaps]) -> Cursor[ResultRow]:
        """Run a statement; one about the store as a whole leaves out the users of workers that are away."""
        if self._settings.cluster is not None and name in CLUSTER_QUERIES:
            away = self._settings.cluster.away(self.connection)
            if away.names:
                sql = statement(name, among=CLUSTER_QUERIES, **gaps)
                return self.connection.execute(sql, {**(values or {}), "reached": list(away.reached)})
        return self.connection.execute(statement(name, **gaps), values or {})

    def execute_many(self, name: str, rows: Sequence[Values], *, kind: VectorKind | None = None) -> None:
        """Run a statement once for each of many rows of values, in one trip to the server."""
        with self.connection.cursor() as cursor:
            if len(rows) == 1:
                cursor.execute(statement(name, kind), rows[0])
            else:
                cursor.executemany(statement(name, kind), rows)

    def filtered(
        self, name: str, filters: ItemFilters | PlaceFilters, values: Values, *, space: int | None = None
    ) -> list[ResultRow]:
        condition, bound = filter_conditions(filters)
        sql = of_kind(QUERIES[name], filters.kind).replace("{filters}", condition).replace("{space}", str(space))
        prepare = False if name in _PLANNED_EACH_TIME else None  # None: once it has been run several times
        return self.ask(sql.encode(), {**bound, **values}, prepare=prepare)

    @contextmanager
    def whole_store(self) -> Iterator[None]:
        """Let questions about the store leave out the users of workers that are away, if there are workers."""
        if self._settings.cluster is None:
            yield
            return
        with closing(ReachedRows(self.connection, self._settings.cluster)) as reached:
            self._reached = reached
            try:
                yield
            finally:
                self._reached = None

    def reached(self) -> Sequence[str] | None:
        """Name the users whom the questions so far were about, if any worker is away."""
        away = self._reached.away if self._reached else None
        return away.reached if away and away.names else None

    def act_for(self, scope: Scope | None) -> None:
        longest_wait = f"{round(self._settings.lock_timeout_s * 1000)}ms"
        settings = {"role": self._settings.role, "longest_wait": longest_wait}
        if scope is None:
            self.execute("work_for_store", settings)
        else:
            self.execute("work_for_user", {**settings, "user_id": scope.user_id})

    @contextmanager
    def beside(self) -> Iterator[StoreSession]:
        """Work for the store on a connection of its own; without a way to make one, as this transaction may.

        The server cannot see that this transaction waits for the other, so it must not wait for long.
        """
        if self._connect is None:
            yield self
            return
        with self._connect() as connection, connection.transaction():
            longest_wait_s = min(_LONGEST_WAIT_S, self._settings.lock_timeout_s)
            session = PostgresSession(connection, self._settings._replace(lock_timeout_s=longest_wait_s))
            session.act_for(None)
            yield session

    def lock_spaces(self) -> None:
        self.execute("lock_schema", {"lock": SCHEMA_LOCK})

    def claim(self, what: Literal["jobs", "readings"], values: Values) -> list[ResultRow]:
        """Look for jobs that are due, and lease them user by user: no statement locks rows of several users."""
        self.execute("lock_schema", {"lock": _CLAIM_LOCK})
        due = defaultdict[str, list[str]](list)
        with self.whole_store():
            for user_id, item_id in self.rows(f"due_{what}", values):
                due[user_id].append(item_id)
        with self.connection.pipeline():
            lease = statement("lease_jobs")
            leased = [
                self.connection.execute(lease, {**values, "user_id": user_id, "ids": ids})
                for user_id, ids in due.items()
            ]
        return [row for cursor in leased for row in cursor.fetchall()]

    def claim_spaces(self) -> None:
        """Let no other process write, or make or change spaces, before the transaction ends."""
        self.execute("lock_schema", {"lock": _USE_LOCK})
        self.lock_spaces()

    def share_spaces(self) -> None:
        """Let spaces be used as they are until the transaction ends. It comes before other locks."""
        self.execute("share_spaces", {"lock": _USE_LOCK})

    def create_space(self, space: Space) -> int:
        number = int(self.row("next_space")[0])
        half = column_type(space) == "halfvec"
        self.execute("make_vectors", {"number": number, "half": half, "dimensions": space.dimensions})
        return number

    def drop_space(self, number: int) -> None:
        self.execute("drop_vectors", {"number": number})
