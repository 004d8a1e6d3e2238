"""How values look on their way to and from PostgreSQL.

Most values travel as the driver writes them. Memories and vectors travel as arrays in the server's binary format, which
are written here: the driver would be slow.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from struct import Struct
from typing import Any, NamedTuple

import numpy as np
from psycopg.types.json import Jsonb

from recollect.model.memories import Draft, Space, Vector
from recollect.model.places import place_id
from recollect.storage.base.codec import RecordCodec, ValueCodec
from recollect.storage.base.tables import RECORD_FIELDS, TIME_FIELDS
from recollect.storage.postgres.connection import Packed

_SERVER_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_INT8 = Struct(">q")
_INT4 = Struct(">i")
_ARRAY_HEADER = Struct(">iiiii")
_UUID_OID = 2950

_to_json = json.JSONEncoder(ensure_ascii=False).encode

# Above this an index on `vector` is not possible; `halfvec` goes to twice as many.
_MOST_VECTOR_DIMENSIONS = 2_000


def _read_time(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def _read_json(value: Any) -> Any:  # noqa: ANN401 - the driver has parsed it
    return value


CODEC = RecordCodec(ValueCodec(_read_time, _read_json, Jsonb, tuple, list))


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


def _time_bytes(moment: datetime) -> bytes:
    return _INT8.pack((moment - _SERVER_EPOCH) // _MICROSECOND)


def _id_bytes(item_id: str) -> bytes:
    return bytes.fromhex(item_id.replace("-", ""))


def _json_bytes(text: str) -> bytes:
    return b"\x01" + text.encode()  # the version of the format


class _ColumnType(NamedTuple):
    """The number of a type in the server, and what writes a value of it."""

    oid: int
    encode: Callable[[Any], bytes]


_TEXT = _ColumnType(25, str.encode)
_COLUMN_TYPES = {
    **dict.fromkeys(TIME_FIELDS, _ColumnType(1184, _time_bytes)),
    **dict.fromkeys(("id", "superseded_by", "place"), _ColumnType(_UUID_OID, _id_bytes)),
    **dict.fromkeys(("importance", "confidence", "lat", "lng"), _ColumnType(701, Struct(">d").pack)),
    **dict.fromkeys(("metadata", "media"), _ColumnType(3802, _json_bytes)),
    "trust": _ColumnType(21, Struct(">h").pack),
}


def memory_columns(drafts: Sequence[Draft]) -> dict[str, Packed]:
    """Lay out drafts for `insert_memories`, an array for each column."""
    rows = zip(*(draft.record for draft in drafts), strict=True)
    columns: dict[str, Sequence[Any]] = dict(zip(RECORD_FIELDS, rows, strict=True))
    columns["metadata"] = [_to_json(metadata) if metadata else "{}" for metadata in columns["metadata"]]
    columns["media"] = [_to_json([one.stored() for one in media]) if media else "[]" for media in columns["media"]]
    columns["place"] = [*map(place_id, columns["address"], columns["place_label"])]
    columns["terms"] = [" ".join(draft.terms) for draft in drafts]
    columns["content_hash"] = [draft.content_hash for draft in drafts]
    return {name: _pack(_COLUMN_TYPES.get(name, _TEXT), values) for name, values in columns.items()}


def _pack(column: _ColumnType, values: Sequence[Any]) -> Packed:
    """Write an array in the server's binary format. Most columns have one value in all rows."""
    header = _ARRAY_HEADER.pack(1, int(None in values), column.oid, len(values), 1)
    if values.count(values[0]) == len(values):
        return Packed(header + _element(column, values[0]) * len(values))
    return Packed(header + b"".join([_element(column, value) for value in values]))


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
