"""How values look on their way to and from PostgreSQL: typed values for rows, packed bytes for a batch of vectors."""

from collections.abc import Sequence
from datetime import UTC
from typing import Any
from uuid import UUID

import numpy as np
from psycopg.types.json import Jsonb

from recollect.storage.rows import RECORD_FIELDS, TIME_FIELDS
from recollect.types import Draft, MemoryRecord, Vector

_TIMES = tuple(RECORD_FIELDS.index(name) for name in RECORD_FIELDS if name in TIME_FIELDS)
_METADATA = RECORD_FIELDS.index("metadata")
_IDS = (RECORD_FIELDS.index("id"), RECORD_FIELDS.index("superseded_by"))

# The types of the columns in the order of `copy_staging`.
_OTHER_TYPES = {
    **dict.fromkeys(("importance", "confidence", "lat", "lng"), "float8"),
    **dict.fromkeys(("id", "superseded_by"), "uuid"),
    **dict.fromkeys(TIME_FIELDS, "timestamptz"),
    "trust": "int2",
    "metadata": "jsonb",
}
COPY_TYPES = ("text", "text", "text[]", *(_OTHER_TYPES.get(name, "text") for name in RECORD_FIELDS))

_COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_COPY_END = b"\xff\xff"


def to_row(user_id: str, draft: Draft) -> tuple[Any, ...]:
    """Lay out a draft for `copy_staging`."""
    values: list[Any] = list(draft.record)
    for position in _IDS:
        values[position] = values[position] and UUID(values[position])
    values[_METADATA] = Jsonb(values[_METADATA])
    return (user_id, draft.content_hash, list(draft.terms), *values)


def to_parameters(user_id: str, draft: Draft) -> dict[str, Any]:
    """Lay out a draft for `insert_memory`."""
    return dict(zip(("user_id", "content_hash", "terms", *RECORD_FIELDS), to_row(user_id, draft), strict=True))


def from_row(row: Sequence[Any]) -> MemoryRecord:
    """Read a row of the columns in RECORD_FIELDS."""
    values = list(row)
    for position in _TIMES:
        if values[position] is not None:
            values[position] = values[position].astimezone(UTC)
    return MemoryRecord._make(values)


def pack_vectors(user_id: str, ids: Sequence[str], vectors: Vector, number_type: str) -> bytes:
    """Write the rows of `copy_vectors` in COPY's binary format, all at once.

    Every row has the same shape: three fields, each with its length before it; a vector is two short numbers, its
    dimensions and zero, and then its numbers, most significant byte first.
    """
    user = user_id.encode()
    dimensions = vectors.shape[1]
    row = np.dtype(
        [
            ("fields", ">i2"),
            ("user_length", ">i4"), ("user", f"S{len(user)}"),
            ("id_length", ">i4"), ("id", "V16"),
            ("vector_length", ">i4"), ("dimensions", ">i2"), ("unused", ">i2"), ("numbers", number_type, (dimensions,)),
        ]
    )  # fmt: skip
    rows = np.zeros(len(ids), row)
    rows["fields"] = 3
    rows["user_length"], rows["user"] = len(user), user
    rows["id_length"], rows["id"] = 16, np.frombuffer(bytes.fromhex("".join(ids).replace("-", "")), "V16")
    rows["vector_length"] = 4 + dimensions * np.dtype(number_type).itemsize
    rows["dimensions"], rows["numbers"] = dimensions, vectors
    return _COPY_HEADER + rows.tobytes() + _COPY_END
