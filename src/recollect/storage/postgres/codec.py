"""How values look on their way to and from PostgreSQL.

Single rows travel as typed values. Batches travel in the server's binary format, and what the driver would encode
slowly is encoded here: ids, times, terms and vectors.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from struct import Struct
from typing import Any

import numpy as np
from psycopg.types.json import Jsonb

from recollect.model.memories import Draft, Space, Vector
from recollect.model.places import place_id
from recollect.storage.codec import RecordCodec, ValueCodec
from recollect.storage.rows import RECORD_FIELDS, TIME_FIELDS

_TIMES = tuple(RECORD_FIELDS.index(name) for name in RECORD_FIELDS if name in TIME_FIELDS)
_METADATA = RECORD_FIELDS.index("metadata")
_MEDIA = RECORD_FIELDS.index("media")
_IDS = (RECORD_FIELDS.index("id"), RECORD_FIELDS.index("superseded_by"))

# The types of the columns of `copy_staging`, as the driver must treat them: what is encoded here are bytes to it.
_DRIVER_TYPES = {
    **dict.fromkeys(("importance", "confidence", "lat", "lng"), "float8"),
    **dict.fromkeys(("id", "superseded_by", "metadata", "media", *TIME_FIELDS), "bytea"),
    "trust": "int2",
}
COPY_TYPES = ("text", "text", "bytea", "bytea", *(_DRIVER_TYPES.get(name, "text") for name in RECORD_FIELDS))

_SERVER_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_INT8 = Struct(">q")
_INT4 = Struct(">i")
_ARRAY_HEADER = Struct(">iiiii")
_TEXT_OID = 25
_UUID_OID = 2950
_JSONB_VERSION = b"\x01"

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


def to_copy_row(user_id: str, draft: Draft) -> tuple[Any, ...]:
    """Lay out a draft for `copy_staging`."""
    values: list[Any] = list(draft.record)
    created = draft.record.created_at
    encoded = _time(created)
    for position in _TIMES:
        moment = values[position]
        if moment is not None:
            values[position] = encoded if moment is created else _time(moment)
    for position in _IDS:
        if values[position] is not None:
            values[position] = bytes.fromhex(values[position].replace("-", ""))
    metadata = values[_METADATA]
    values[_METADATA] = _JSONB_VERSION + (json.dumps(metadata, ensure_ascii=False).encode() if metadata else b"{}")
    media = [one.stored() for one in draft.record.media]
    values[_MEDIA] = _JSONB_VERSION + (json.dumps(media, ensure_ascii=False).encode() if media else b"[]")
    place = place_id(draft.record.address, draft.record.place_label)
    encoded_place = None if place is None else bytes.fromhex(place.replace("-", ""))
    return (user_id, draft.content_hash, _terms(draft.terms), encoded_place, *values)


def json_rows(rows: Sequence[Mapping[str, Any]]) -> str:
    """Write rows of values as one JSON array."""
    return json.dumps(rows, ensure_ascii=False, default=_plain)


def _plain(value: object) -> object:
    return value.obj if isinstance(value, Jsonb) else str(value)  # a moment, as the server reads it


def _time(moment: datetime) -> bytes:
    return _INT8.pack((moment - _SERVER_EPOCH) // _MICROSECOND)


def _terms(terms: Sequence[str]) -> bytes:
    """Encode an array of texts; an empty one has no dimension."""
    if not terms:
        return _ARRAY_HEADER.pack(0, 0, _TEXT_OID, 0, 0)[:12]
    return _ARRAY_HEADER.pack(1, 0, _TEXT_OID, len(terms), 1) + b"".join(map(_term, terms))


@lru_cache(maxsize=65_536)
def _term(term: str) -> bytes:
    text = term.encode()
    return _INT4.pack(len(text)) + text


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
