"""How values look on their way to and from PostgreSQL.

Single rows travel as typed values. Batches travel in the server's binary format, and what the driver would encode
slowly is encoded here: ids, times, terms and vectors.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from struct import Struct
from typing import Any

import numpy as np
from psycopg.types.json import Jsonb

from recollect.model.files import Chunk, ChunkDraft, ChunkMark, FileRecord, Folder
from recollect.model.memories import Draft, MemoryRecord, MessageDraft, Vector
from recollect.model.messages import ConversationInfo, ConversationRecord, Message, ToolCall
from recollect.model.places import place_id
from recollect.storage.rows import (
    CHUNK_FIELDS,
    CONVERSATION_FIELDS,
    FILE_FIELDS,
    MESSAGE_FIELDS,
    RECORD_FIELDS,
    TIME_FIELDS,
    name_of,
)

_TIMES = tuple(RECORD_FIELDS.index(name) for name in RECORD_FIELDS if name in TIME_FIELDS)
_METADATA = RECORD_FIELDS.index("metadata")
_CHUNK_TIMES = tuple(CHUNK_FIELDS.index(name) for name in CHUNK_FIELDS if name in TIME_FIELDS)
_IDS = (RECORD_FIELDS.index("id"), RECORD_FIELDS.index("superseded_by"))

# The types of the columns of `copy_staging`, as the driver must treat them: what is encoded here are bytes to it.
_DRIVER_TYPES = {
    **dict.fromkeys(("importance", "confidence", "lat", "lng"), "float8"),
    **dict.fromkeys(("id", "superseded_by", "metadata", *TIME_FIELDS), "bytea"),
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
    place = place_id(draft.record.address, draft.record.place_label)
    encoded_place = None if place is None else bytes.fromhex(place.replace("-", ""))
    return (user_id, draft.content_hash, _terms(draft.terms), encoded_place, *values)


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


def to_parameters(user_id: str, draft: Draft) -> dict[str, Any]:
    """Lay out a draft for `insert_memory`."""
    values = draft.record._asdict()
    values["metadata"] = Jsonb(values["metadata"])
    found = {"content_hash": draft.content_hash, "terms": list(draft.terms)}
    return {"user_id": user_id, **found, "place": place_id(draft.record.address, draft.record.place_label), **values}


def from_row(row: Sequence[Any]) -> MemoryRecord:
    """Read a row of the columns in RECORD_FIELDS."""
    values = list(row)
    for position in _TIMES:
        if values[position] is not None:
            values[position] = values[position].astimezone(UTC)
    return MemoryRecord._make(values)


def to_message_parameters(user_id: str, draft: MessageDraft) -> dict[str, Any]:
    """Lay out a message for `insert_message`."""
    message = draft.message
    values = message._asdict()
    calls = [[call.id, call.name, call.arguments] for call in message.tool_calls]
    values |= {"metadata": Jsonb(message.metadata), "blocks": Jsonb(message.blocks), "tool_calls": Jsonb(calls)}
    place = place_id(message.address, message.place_label)
    return {"user_id": user_id, "terms": list(draft.terms), "place": place, **values}


def message_from_row(row: Sequence[Any]) -> Message:
    """Read a row of the columns in MESSAGE_FIELDS."""
    values = dict(zip(MESSAGE_FIELDS, row, strict=True))
    values |= {name: values[name].astimezone(UTC) for name in MESSAGE_FIELDS if name in TIME_FIELDS}
    values["blocks"] = tuple(values["blocks"])
    values["tool_calls"] = tuple(ToolCall(*call) for call in values["tool_calls"])
    return Message(**values)


def to_conversation_parameters(record: ConversationRecord) -> dict[str, Any]:
    """Lay out a conversation for `save_conversation`."""
    return {**record._asdict(), "metadata": Jsonb(record.metadata)}


def conversation_from_row(row: Sequence[Any]) -> ConversationRecord:
    """Read a row of the columns in CONVERSATION_FIELDS."""
    values = dict(zip(CONVERSATION_FIELDS, row, strict=True))
    for name in CONVERSATION_FIELDS:
        if name in TIME_FIELDS and values[name] is not None:
            values[name] = values[name].astimezone(UTC)
    return ConversationRecord(**values)


def info_from_row(row: Sequence[Any]) -> ConversationInfo:
    """Read a row of `list_conversations`."""
    info = ConversationInfo._make(row)
    return info._replace(
        tokens=int(info.tokens),
        active_tokens=int(info.active_tokens),
        created_at=info.created_at.astimezone(UTC),
        updated_at=info.updated_at.astimezone(UTC),
    )


def to_file_parameters(record: FileRecord) -> dict[str, Any]:
    """Lay out a file for `save_file`."""
    notes, metadata = Jsonb(list(record.notes)), Jsonb(record.metadata)
    return {**record._asdict(), "name": name_of(record.path), "notes": notes, "metadata": metadata}


def file_from_row(row: Sequence[Any]) -> FileRecord:
    """Read a row of the columns in FILE_FIELDS."""
    values = dict(zip(FILE_FIELDS, row, strict=True))
    for name in FILE_FIELDS:
        if name in TIME_FIELDS and values[name] is not None:
            values[name] = values[name].astimezone(UTC)
    return FileRecord(**{**values, "notes": tuple(values["notes"])})


def to_chunk_parameters(owner: tuple[str, str], draft: ChunkDraft, moment: datetime) -> dict[str, Any]:
    """Lay out a chunk of a user and a file for `insert_chunk`."""
    piece, content_hash, terms = draft.indexed
    user_id, file_id = owner
    return {
        **piece._asdict(),
        "user_id": user_id,
        "id": draft.id,
        "file_id": file_id,
        "content_hash": content_hash,
        "trust": draft.trust,
        "dated_at": draft.dated_at,
        "created_at": moment,
        "terms": terms.split(" ") if terms else [],
    }


def chunk_from_row(row: Sequence[Any]) -> Chunk:
    """Read a row of the columns in CHUNK_FIELDS."""
    values = list(row)
    for position in _CHUNK_TIMES:
        if values[position] is not None:
            values[position] = values[position].astimezone(UTC)
    return Chunk._make(values)


def mark_from_row(row: Sequence[Any]) -> ChunkMark:
    """Read a row of `chunk_marks`."""
    return ChunkMark._make((*row[:-1], None if row[-1] is None else row[-1].astimezone(UTC)))


def to_folder_parameters(folder: Folder) -> dict[str, Any]:
    """Lay out a folder for `save_folder`."""
    return {**folder._asdict(), "rules": Jsonb(folder.rules), "trouble": Jsonb(folder.trouble)}


def folder_from_row(row: Sequence[Any]) -> Folder:
    """Read a row of `list_folders`."""
    root, source, rules, scanned_at, completed_at, trouble = row
    completed = None if completed_at is None else completed_at.astimezone(UTC)
    return Folder(root, source, rules, scanned_at.astimezone(UTC), completed, trouble)


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
