"""How values look inside SQLite: times as microseconds in UTC, metadata as JSON text."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, overload

from recollect.model.files import Chunk, ChunkDraft, ChunkMark, FileRecord, Folder
from recollect.model.memories import Draft, MemoryRecord, MessageDraft
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

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_TIMES = tuple(RECORD_FIELDS.index(name) for name in RECORD_FIELDS if name in TIME_FIELDS)
_METADATA = RECORD_FIELDS.index("metadata")
_CHUNK_TIMES = tuple(CHUNK_FIELDS.index(name) for name in CHUNK_FIELDS if name in TIME_FIELDS)


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
    place = place_id(draft.record.address, draft.record.place_label)
    return (seq, user_id, draft.content_hash, " ".join(draft.terms), place, *values)


def from_row(row: Sequence[Any]) -> MemoryRecord:
    """Read a row of the columns in RECORD_FIELDS."""
    values = list(row)
    for position in _TIMES:
        if values[position] is not None:
            values[position] = from_micros(values[position])
    values[_METADATA] = json.loads(values[_METADATA]) if values[_METADATA] != "{}" else {}
    return MemoryRecord._make(values)


def to_message_row(seq: int, user_id: str, draft: MessageDraft) -> dict[str, Any]:
    """Lay out a message for `insert_message`."""
    message = draft.message
    values = message._asdict()
    values |= {name: to_micros(values[name]) for name in MESSAGE_FIELDS if name in TIME_FIELDS}
    calls = [[call.id, call.name, call.arguments] for call in message.tool_calls]
    values |= {"metadata": _json(message.metadata), "blocks": _json(message.blocks), "tool_calls": _json(calls)}
    place = place_id(message.address, message.place_label)
    return {"seq": seq, "user_id": user_id, "terms": " ".join(draft.terms), "place": place, **values}


def message_from_row(row: Sequence[Any]) -> Message:
    """Read a row of the columns in MESSAGE_FIELDS."""
    values = dict(zip(MESSAGE_FIELDS, row, strict=True))
    values |= {name: from_micros(values[name]) for name in MESSAGE_FIELDS if name in TIME_FIELDS}
    values["metadata"], values["blocks"] = json.loads(values["metadata"]), tuple(json.loads(values["blocks"]))
    values["tool_calls"] = tuple(ToolCall(*call) for call in json.loads(values["tool_calls"]))
    return Message(**values)


def to_conversation_row(record: ConversationRecord) -> dict[str, Any]:
    """Lay out a conversation for `save_conversation`."""
    values = record._asdict()
    values |= {name: to_micros(values[name]) for name in CONVERSATION_FIELDS if name in TIME_FIELDS}
    return {**values, "private": int(record.private), "metadata": _json(record.metadata)}


def conversation_from_row(row: Sequence[Any]) -> ConversationRecord:
    """Read a row of the columns in CONVERSATION_FIELDS."""
    values = dict(zip(CONVERSATION_FIELDS, row, strict=True))
    for name in CONVERSATION_FIELDS:
        if name in TIME_FIELDS and values[name] is not None:
            values[name] = from_micros(values[name])
    values |= {"private": bool(values["private"]), "metadata": json.loads(values["metadata"])}
    return ConversationRecord(**values)


def info_from_row(row: Sequence[Any]) -> ConversationInfo:
    """Read a row of `list_conversations`."""
    info = ConversationInfo._make(row)
    return info._replace(
        private=bool(info.private),
        metadata=json.loads(row[6]),
        created_at=from_micros(row[7]),
        updated_at=from_micros(row[8]),
    )


def to_file_row(record: FileRecord) -> dict[str, Any]:
    """Lay out a file for `save_file`."""
    values = record._asdict()
    values |= {name: to_micros(values[name]) for name in FILE_FIELDS if name in TIME_FIELDS}
    return {**values, "name": name_of(record.path), "notes": _json(record.notes), "metadata": _json(record.metadata)}


def file_from_row(row: Sequence[Any]) -> FileRecord:
    """Read a row of the columns in FILE_FIELDS."""
    values = dict(zip(FILE_FIELDS, row, strict=True))
    for name in FILE_FIELDS:
        if name in TIME_FIELDS and values[name] is not None:
            values[name] = from_micros(values[name])
    values |= {"notes": tuple(json.loads(values["notes"])), "metadata": json.loads(values["metadata"])}
    return FileRecord(**values)


def to_chunk_row(seq: int, owner: tuple[str, str], draft: ChunkDraft, moment: int) -> tuple[Any, ...]:
    """Lay out a chunk of a user and a file for `insert_chunk`."""
    piece, content_hash, terms = draft.indexed
    user_id, file_id = owner
    said = (
        piece.content,
        piece.heading,
        content_hash,
        piece.start_line,
        piece.end_line,
        piece.start_column,
        piece.role,
    )
    return (seq, user_id, draft.id, file_id, *said, draft.trust, to_micros(draft.dated_at), moment, terms)


def chunk_from_row(row: Sequence[Any]) -> Chunk:
    """Read a row of the columns in CHUNK_FIELDS."""
    values = list(row)
    for position in _CHUNK_TIMES:
        if values[position] is not None:
            values[position] = from_micros(values[position])
    return Chunk._make(values)


def mark_from_row(row: Sequence[Any]) -> ChunkMark:
    """Read a row of `chunk_marks`."""
    return ChunkMark._make((*row[:-1], None if row[-1] is None else from_micros(row[-1])))


def to_folder_row(folder: Folder) -> dict[str, Any]:
    """Lay out a folder for `save_folder`."""
    times = {"scanned_at": to_micros(folder.scanned_at), "completed_at": to_micros(folder.completed_at)}
    return {**folder._asdict(), **times, "rules": _json(folder.rules), "trouble": _json(folder.trouble)}


def folder_from_row(row: Sequence[Any]) -> Folder:
    """Read a row of `list_folders`."""
    root, source, rules, scanned_at, completed_at, trouble = row
    completed = None if completed_at is None else from_micros(completed_at)
    return Folder(root, source, json.loads(rules), from_micros(scanned_at), completed, json.loads(trouble))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
