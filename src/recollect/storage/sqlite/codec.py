"""How values look inside SQLite: times as microseconds in UTC, metadata as JSON text."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, overload

from recollect.storage.rows import RECORD_FIELDS, TIME_FIELDS
from recollect.types import Draft, MemoryRecord

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_TIMES = tuple(RECORD_FIELDS.index(name) for name in RECORD_FIELDS if name in TIME_FIELDS)
_METADATA = RECORD_FIELDS.index("metadata")


@overload
def to_micros(moment: datetime) -> int: ...
@overload
def to_micros(moment: None) -> None: ...
def to_micros(moment: datetime | None) -> int | None:
    """Write a moment."""
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """Read a moment."""
    return _EPOCH + timedelta(microseconds=micros)


def to_row(seq: int, user_id: str, draft: Draft) -> tuple[Any, ...]:
    """Lay out a draft for `insert_memory`."""
    values: list[Any] = list(draft.record)
    created = draft.record.created_at
    micros = to_micros(created)
    for position in _TIMES:
        moment = values[position]
        if moment is not None:
            values[position] = micros if moment is created else to_micros(moment)
    metadata = values[_METADATA]
    values[_METADATA] = json.dumps(metadata, ensure_ascii=False, separators=(",", ":")) if metadata else "{}"
    return (seq, user_id, draft.content_hash, " ".join(draft.terms), *values)


def from_row(row: Sequence[Any]) -> MemoryRecord:
    """Read a row of the columns in RECORD_FIELDS."""
    values = list(row)
    for position in _TIMES:
        if values[position] is not None:
            values[position] = from_micros(values[position])
    values[_METADATA] = json.loads(values[_METADATA]) if values[_METADATA] != "{}" else {}
    return MemoryRecord._make(values)
