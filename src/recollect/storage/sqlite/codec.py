"""How values look inside SQLite: moments as microseconds in UTC, JSON as text, terms with blanks between them."""

import json
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from recollect.model.memories import Draft
from recollect.model.places import place_id
from recollect.storage.base.codec import RecordCodec, ValueCodec
from recollect.storage.base.tables import RECORD_FIELDS, TIME_FIELDS

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_TIMES = tuple(RECORD_FIELDS.index(name) for name in RECORD_FIELDS if name in TIME_FIELDS)
_METADATA = RECORD_FIELDS.index("metadata")
_MEDIA = RECORD_FIELDS.index("media")


def to_micros(moment: datetime) -> int:
    """Write a moment."""
    return (moment - _EPOCH) // _MICROSECOND


_cached_micros = lru_cache(maxsize=64)(to_micros)  # a batch is made at one moment


@lru_cache(maxsize=1_024)  # the moments of a row are mostly the same
def from_micros(micros: int) -> datetime:
    """Read a moment."""
    return _EPOCH + timedelta(microseconds=micros)


def _read_json(text: str) -> Any:  # noqa: ANN401 - JSON
    return {} if text == "{}" else json.loads(text)


def _write_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _read_terms(words: str) -> tuple[str, ...]:
    return tuple(words.split(" ")) if words else ()


CODEC = RecordCodec(ValueCodec(from_micros, _read_json, _write_json, _read_terms, " ".join))


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
