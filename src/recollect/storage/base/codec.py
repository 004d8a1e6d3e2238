"""Records as rows: what the two databases store differently are moments, JSON and terms."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeVar

from recollect.authorization import Key
from recollect.model.files import Chunk, ChunkDraft, ChunkMark, FileRecord, Folder, NamedRoot
from recollect.model.literals import PERMISSIONS
from recollect.model.media import Media, read_media
from recollect.model.memories import MemoryRecord, MessageDraft
from recollect.model.messages import ConversationInfo, ConversationRecord, Message, MessagePosition, ToolCall
from recollect.model.places import Located, NamedPlace, PlaceRow, Sighting, place_id
from recollect.model.scopes import Membership, shared_name
from recollect.model.stats import AuditLine, SearchFigures
from recollect.storage.base.tables import TIME_FIELDS, name_of
from recollect.storage.base.values import PART_MARK, CachedPlace, StoreChange

T = TypeVar("T")
Convert = Callable[[Any], Any]
_UNREACHABLE: Final = "away"  # the cached answer of a geocoder that could not be asked


class ValueCodec(NamedTuple):
    """How one database stores moments, JSON and terms."""

    read_time: Callable[[Any], datetime]
    read_json: Convert
    write_json: Convert
    read_terms: Callable[[Any], tuple[str, ...]]
    write_terms: Callable[[Sequence[str]], Any]


def _parts(text: str) -> tuple[str, ...]:
    return tuple(text.split(PART_MARK)) if text else ()


class RecordCodec:
    """Reads rows as records, and lays out records as the parameters of queries."""

    def __init__(self, values: ValueCodec) -> None:
        self.values = values
        self.time = values.read_time
        as_json, as_tuple = values.read_json, _tuple_of(values.read_json)
        self.memory = self._reader(MemoryRecord, metadata=as_json, media=self._media)
        self.message = self._reader(
            Message, metadata=as_json, blocks=as_tuple, tool_calls=self._tool_calls, media=self._media
        )
        self.conversation = self._reader(ConversationRecord, private=bool, metadata=as_json)
        self.conversation_info = self._reader(
            ConversationInfo, private=bool, tokens=int, active_tokens=int, metadata=as_json, speakers=_parts
        )
        self.file = self._reader(FileRecord, notes=as_tuple, metadata=as_json)
        self.chunk = self._reader(Chunk)
        self.chunk_mark = self._reader(ChunkMark)
        self._folder = self._reader(Folder, rules=as_json, trouble=as_json)
        self.place = self._reader(PlaceRow)
        self.named_place = self._reader(NamedPlace)
        self.sighting = self._reader(Sighting)
        self.spot = self._reader(MessagePosition, asks=bool)
        self.change = self._reader(StoreChange)

    def _reader(self, record: type[T], **converters: Convert) -> Callable[[Sequence[Any]], T]:
        fields: tuple[str, ...] = record._fields  # type: ignore[attr-defined] # they are named tuples
        make: Callable[[Iterable[Any]], T] = record._make  # type: ignore[attr-defined]
        by_field = {**{name: self.time for name in fields if name in TIME_FIELDS}, **converters}
        steps = [(fields.index(name), convert) for name, convert in by_field.items()]

        def read(row: Sequence[Any]) -> T:
            values = list(row)
            for position, convert in steps:
                if values[position] is not None:
                    values[position] = convert(values[position])
            return make(values)

        return read

    def _tool_calls(self, value: Any) -> tuple[ToolCall, ...]:  # noqa: ANN401 - JSON
        return tuple(ToolCall(*call) for call in self.values.read_json(value))

    def _media(self, value: Any) -> tuple[Media, ...]:  # noqa: ANN401 - JSON
        return () if value == "[]" else read_media(self.values.read_json(value))

    def time_or_none(self, value: Any) -> datetime | None:  # noqa: ANN401 - as the database has it
        return None if value is None else self.time(value)

    def message_values(self, user_id: str, draft: MessageDraft) -> dict[str, Any]:
        message, write_json = draft.message, self.values.write_json
        values = message._asdict()
        calls = [[call.id, call.name, call.arguments] for call in message.tool_calls]
        values |= {"metadata": write_json(message.metadata), "blocks": write_json(message.blocks)}
        values |= {"tool_calls": write_json(calls), "terms": self.values.write_terms(draft.terms)}
        values["media"] = write_json([media.stored() for media in message.media])
        return {"user_id": user_id, "place": place_id(message.address, message.place_label), **values}

    def conversation_values(self, record: ConversationRecord) -> dict[str, Any]:
        return {**record._asdict(), "metadata": self.values.write_json(record.metadata)}

    def file_values(self, record: FileRecord) -> dict[str, Any]:
        notes, metadata = self.values.write_json(list(record.notes)), self.values.write_json(record.metadata)
        return {**record._asdict(), "name": name_of(record.path), "notes": notes, "metadata": metadata}

    def chunk_values(self, user_id: str, record: FileRecord, draft: ChunkDraft) -> dict[str, Any]:
        piece, content_hash, terms = draft.indexed
        values = {**piece._asdict(), "user_id": user_id, "id": draft.id, "file_id": record.id, "trust": draft.trust}
        values |= {"content_hash": content_hash, "dated_at": draft.dated_at, "created_at": record.updated_at}
        return {**values, "terms": self.values.write_terms(terms.split(" ") if terms else ())}

    def folder(self, row: Sequence[Any]) -> Folder:
        """Read a folder, whose root knows where it was named."""
        *values, machine = row
        folder = self._folder(values)
        return folder._replace(root=NamedRoot(folder.root, machine))

    def folder_values(self, folder: Folder) -> dict[str, Any]:
        write_json = self.values.write_json
        return {
            **folder._asdict(),
            "machine": folder.root.machine,
            "rules": write_json(folder.rules),
            "trouble": write_json(folder.trouble),
        }

    def key(self, row: Sequence[Any]) -> Key:
        key_id, name, user_id, scopes, created_at, *moments = row[:8]
        granted = frozenset(scopes.split())
        permissions = tuple(scope for scope in PERMISSIONS if scope in granted)
        return Key(key_id, name, user_id, permissions, self.time(created_at), *map(self.time_or_none, moments))

    def membership(self, row: Sequence[Any]) -> Membership:
        scope_id, user_id, role, added_at, added_by = row
        return Membership(shared_name(scope_id), user_id, role, self.time(added_at), added_by)

    def audit_line(self, row: Sequence[Any]) -> AuditLine:
        number, done_at, actor, action, items, amount, digest = row
        return AuditLine(number, self.time(done_at), actor, action, tuple(json.loads(items)), amount, digest)

    def cached_place(self, cell: str, answer: str, good_until: Any) -> CachedPlace:  # noqa: ANN401 - a moment
        located, until = json.loads(answer), self.time_or_none(good_until)
        if located == _UNREACHABLE:
            return CachedPlace(cell, None, until, away=True)
        return CachedPlace(cell, None if located is None else Located(*located), until)


def _tuple_of(convert: Convert) -> Callable[[Any], tuple[Any, ...]]:
    return lambda value: tuple(convert(value))


def key_values(key: Key, secret_hash: str) -> dict[str, Any]:
    values = {"id": key.id, "name": key.name, "user_id": key.user_id, "scopes": " ".join(key.scopes)}
    return {**values, "secret_hash": secret_hash, "created_at": key.created_at, "expires_at": key.expires_at}


def audit_values(line: AuditLine) -> dict[str, Any]:
    names = ("number", "done_at", "actor", "action", "amount", "hash")
    return {**{name: getattr(line, name) for name in names}, "items": json.dumps(line.items)}


def cached_place_values(place: CachedPlace) -> Mapping[str, Any]:
    answer = json.dumps(_UNREACHABLE if place.away else place.located, ensure_ascii=False)
    return {"cell": place.cell, "answer": answer, "good_until": place.good_until}


def search_figures(row: Sequence[Any]) -> SearchFigures:
    verb, searches, empty, degraded, mean, most = row
    return SearchFigures(verb, int(searches), int(empty), int(degraded), float(mean), float(most))
