"""One user's rows, for the length of one transaction: what reading and writing have in common."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.model.files import Chunk, ChunkMark, FileMark, FileRecord, Folder, KnownFile
from recollect.model.literals import ItemKind, VectorKind
from recollect.model.memories import MemoryRecord, Scope
from recollect.model.messages import ConversationRecord, Message
from recollect.model.places import NamedPlace, PlaceRow
from recollect.model.scopes import ScopeRole
from recollect.model.stats import AuditLine, SearchFigures
from recollect.ports import ConversationSize, Derivation, IndexedItem, SearchNote, StoreChange, StoredResponse
from recollect.ports.files import LAST
from recollect.storage.codec import search_figures
from recollect.storage.rows import name_of
from recollect.storage.session import ResultRow, StoreSession, Values
from recollect.storage.tombstones import TombstoneSecrets

_ABOVE_ALL_SEQUENCES = 2**62
_BELOW_ALL_IDS = "00000000-0000-0000-0000-000000000000"


class UserRows:
    """Queries in the name of one user."""

    def __init__(self, session: StoreSession, scope: Scope, *, secrets: TombstoneSecrets | None = None) -> None:
        self._session = session
        self._codec = session.codec
        self._user = scope.user_id
        self._secrets = secrets or TombstoneSecrets(b"", {})

    def _rows(
        self, name: str, values: Values | None = None, *, kind: VectorKind | None = None, space: int | None = None
    ) -> list[ResultRow]:
        return self._session.rows(name, {"user_id": self._user, **(values or {})}, kind=kind, space=space)

    def _execute(
        self, name: str, values: Values | None = None, *, kind: VectorKind | None = None, space: int | None = None
    ) -> None:
        self._session.execute(name, {"user_id": self._user, **(values or {})}, kind=kind, space=space)

    def _changed_rows(
        self, name: str, values: Values | None = None, *, kind: VectorKind | None = None, space: int | None = None
    ) -> int:
        return self._session.changed(name, {"user_id": self._user, **(values or {})}, kind=kind, space=space)

    def _ids(self, name: str, values: Values | None = None, *, kind: VectorKind | None = None) -> list[str]:
        return [row[0] for row in self._rows(name, values, kind=kind)]


class UserMemoryRows(UserRows):
    """Memories."""

    def get(self, ids: Sequence[str]) -> Sequence[MemoryRecord]:
        return [self._codec.memory(row) for row in self._rows("get_memories", {"ids": list(ids)})]

    def chain(self, memory_id: str) -> Sequence[MemoryRecord]:
        return [self._codec.memory(row) for row in self._rows("memory_chain", {"id": memory_id})]

    def everything(self) -> Sequence[str]:
        return self._ids("all_memory_ids")

    def of_session(self, session: str) -> Sequence[str]:
        return self._ids("memories_of_session", {"session": session})

    def of_source(self, source: str) -> Sequence[str]:
        return self._ids("memories_of_source", {"source": source})

    def expired(self, now: datetime) -> Sequence[str]:
        return self._ids("expired_memories", {"now": now})


class UserMessageRows(UserRows):
    """Conversations and their messages."""

    def conversation(self, conversation_id: str) -> ConversationRecord | None:
        rows = self._rows("get_conversation", {"id": conversation_id})
        return self._codec.conversation(rows[0]) if rows else None

    def get_messages(self, ids: Sequence[str]) -> Sequence[Message]:
        return self._messages("get_messages", {"ids": list(ids)})

    def active_messages(self, conversation_id: str, limit: int) -> Sequence[Message]:
        return self._messages("active_messages", {"conversation_id": conversation_id, "limit": limit})

    def active_size(self, conversation_id: str) -> ConversationSize:
        messages, tokens = self._rows("active_size", {"conversation_id": conversation_id})[0]
        return ConversationSize(messages, int(tokens))

    def last_messages(self, conversation_id: str, limit: int, before: int | None = None) -> Sequence[Message]:
        below = _ABOVE_ALL_SEQUENCES if before is None else before
        values = {"conversation_id": conversation_id, "limit": limit, "before": below}
        return self._messages("last_messages", values)[::-1]

    def delivered(self, conversation_id: str, external_ids: Sequence[str]) -> Mapping[str, Message]:
        values = {"conversation_id": conversation_id, "ids": list(external_ids)}
        return {message.external_id: message for message in self._messages("delivered_messages", values)}

    def buried(self, fingerprints: Sequence[str]) -> Mapping[str, datetime]:
        marks = {tombstone: mark for mark in fingerprints for tombstone in self._secrets.marks(mark)}
        found: dict[str, datetime] = {}
        for tombstone, stored in self._rows("tombstones", {"fingerprints": [*marks]}):
            mark, moment = marks[tombstone], self._codec.time(stored)
            found[mark] = max(moment, found.get(mark, moment))
        return found

    def unlearned(self, ids: Sequence[str]) -> Sequence[str]:
        return self._ids("unlearned_messages", {"ids": list(ids)})

    def sources(self, made_ids: Sequence[str]) -> Sequence[Derivation]:
        return [Derivation._make(row) for row in self._rows("sources_of", {"ids": list(made_ids)})]

    def made_from(self, source_ids: Sequence[str]) -> Sequence[Derivation]:
        return [Derivation._make(row) for row in self._rows("made_from", {"ids": list(source_ids)})]

    def message_ids(self, conversation_id: str) -> Sequence[str]:
        return self._ids("message_ids", {"conversation_id": conversation_id})

    def conversation_ids(self) -> Sequence[str]:
        return self._ids("conversation_ids")

    def _messages(self, name: str, values: Values) -> list[Message]:
        return [self._codec.message(row) for row in self._rows(name, values)]


class UserFileRows(UserRows):
    """Files, their chunks, and synced folders."""

    def file(self, file_id: str) -> FileRecord | None:
        return self._file("get_file", {"id": file_id})

    def file_at(self, root: str, path: str) -> FileRecord | None:
        return self._file("file_at", {"root": root, "path": path})

    def document(self, digest: str) -> FileRecord | None:
        return self._file("document_with", {"digest": digest})

    def _file(self, name: str, values: dict[str, Any]) -> FileRecord | None:
        rows = self._rows(name, values)
        return self._codec.file(rows[0]) if rows else None

    def get_chunks(self, ids: Sequence[str]) -> Sequence[Chunk]:
        return [self._codec.chunk(row) for row in self._rows("get_chunks", {"ids": list(ids)})]

    def chunks_of(self, file_id: str, *, first: int = 0, last: int = LAST, limit: int = LAST) -> Sequence[Chunk]:
        values = {"file_id": file_id, "first": first, "last": last, "limit": limit}
        return [self._codec.chunk(row) for row in self._rows("chunks_of_file", values)]

    def chunk_marks(self, file_id: str) -> Sequence[ChunkMark]:
        return [self._codec.chunk_mark(row) for row in self._rows("chunk_marks", {"file_id": file_id})]

    def file_marks(self, root: str) -> Sequence[FileMark]:
        rows: list[Any] = self._rows("file_marks", {"root": root})
        return rows

    def known_files(self, root: str) -> Sequence[KnownFile]:
        return [KnownFile._make(row) for row in self._rows("known_files", {"root": root})]

    def files_called(self, names: Sequence[str]) -> Sequence[FileRecord]:
        last_parts = sorted({name_of(name) for name in names})
        endings = tuple(f"/{name}" for name in names)
        files = (self._codec.file(row) for row in self._rows("files_named", {"names": last_parts}))
        return [file for file in files if f"{file.root}/{file.path}".casefold().endswith(endings)]

    def folders(self) -> Sequence[Folder]:
        return [self._codec.folder(row) for row in self._rows("list_folders")]

    def file_ids(self) -> Sequence[str]:
        return self._ids("all_file_ids")

    def has_original(self, digest: str) -> bool:
        return bool(self._rows("has_original", {"original": digest}))

    def own_originals(self, ids: Sequence[str]) -> Sequence[str]:
        return self._ids("own_originals", {"ids": list(ids)}) if ids else []


class UserPlaceRows(UserRows):
    """Places."""

    def get_places(self, ids: Sequence[str]) -> Sequence[PlaceRow]:
        return [self._codec.place(row) for row in self._rows("get_places", {"ids": list(ids)})]

    def named_places(self) -> Sequence[NamedPlace]:
        return [self._codec.named_place(row) for row in self._rows("list_named_places")]


class UserItemRows(UserMemoryRows, UserMessageRows, UserFileRows, UserPlaceRows):
    """Items of every kind."""

    def indexed(self, kind: ItemKind, limit: int, after: str | None = None) -> Sequence[IndexedItem]:
        values, read_terms = {"after": after or _BELOW_ALL_IDS, "limit": limit}, self._codec.values.read_terms
        if kind == "chunk":
            rows = self._rows("indexed_chunks", values)
            return [IndexedItem(self._codec.chunk(row[:-1]), read_terms(row[-1])) for row in rows]
        if kind == "message":
            rows = self._rows("indexed_messages", values)
            return [IndexedItem(self._codec.message(row[:-1]), read_terms(row[-1])) for row in rows]
        rows = self._rows("indexed_memories", values)
        return [IndexedItem(self._codec.memory(row[:-1]), read_terms(row[-1])) for row in rows]


class UserScopeRows(UserRows):
    """Members of a shared scope."""

    def role_of(self, member: str) -> ScopeRole | None:
        return next((row[0] for row in self._rows("member_role", {"member": member})), None)


class UserLogRows(UserRows):
    """Stored answers, the order of changes, the audit log and the search log."""

    def answer(self, key: str, since: datetime) -> StoredResponse | None:
        rows = self._rows("get_answer", {"key": key, "since": since})
        return StoredResponse(*rows[0]) if rows else None

    def resets(self) -> int:
        return next((int(row[0]) for row in self._rows("user_resets")), 0)

    def last_change(self) -> int:
        return next((int(row[0]) for row in self._rows("last_change")), 0)

    def first_change(self) -> int | None:
        first: int | None = self._rows("first_change")[0][0]
        return first

    def changes(self, after: int, limit: int) -> Sequence[StoreChange]:
        return [self._codec.change(row) for row in self._rows("changes_after", {"after": after, "limit": limit})]

    def audit(self, after: int, limit: int) -> Sequence[AuditLine]:
        return [self._codec.audit_line(row) for row in self._rows("audit_after", {"after": after, "limit": limit})]

    def last_audit(self) -> AuditLine | None:
        return next((self._codec.audit_line(row) for row in self._rows("last_audit")), None)

    def search_figures(self, since: datetime) -> Sequence[SearchFigures]:
        return [search_figures(row) for row in self._rows("search_figures", {"since": since})]

    def searches(self, since: datetime, limit: int) -> Sequence[SearchNote]:
        rows = self._rows("list_searches", {"since": since, "limit": limit})
        return [SearchNote(row[0], self._codec.time(row[1]), *row[2:]) for row in rows]
