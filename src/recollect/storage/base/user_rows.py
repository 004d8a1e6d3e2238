"""One user's rows, for the length of one transaction: what reading and writing have in common."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Unpack

from recollect.model.files import Chunk, ChunkMark, FileMark, FileRecord, Folder, KnownFile
from recollect.model.literals import ItemKind, VectorKind
from recollect.model.memories import Item, MemoryRecord, Scope
from recollect.model.messages import ConversationRecord, Message
from recollect.model.places import NamedPlace, PlaceRow
from recollect.model.scopes import ScopeRole
from recollect.storage.base.forgotten import TombstoneSecrets
from recollect.storage.base.session import Gaps, ResultRow, StoreSession, Values
from recollect.storage.base.tables import ROWS, name_of
from recollect.storage.base.values import LAST, ConversationSize, Derivation, IndexedItem, Saying, StoredResponse

_BELOW_ALL_IDS = "00000000-0000-0000-0000-000000000000"


class UserRows:
    """Queries in the name of one user."""

    def __init__(self, session: StoreSession, scope: Scope, *, secrets: TombstoneSecrets | None = None) -> None:
        self._session = session
        self._codec = session.codec
        self._user = scope.user_id
        self._secrets = secrets or TombstoneSecrets(b"", {})

    def _rows(self, name: str, values: Values | None = None, **gaps: Unpack[Gaps]) -> list[ResultRow]:
        return self._session.rows(name, {"user_id": self._user, **(values or {})}, **gaps)

    def _execute(self, name: str, values: Values | None = None, **gaps: Unpack[Gaps]) -> None:
        self._session.execute(name, {"user_id": self._user, **(values or {})}, **gaps)

    def _changed_rows(self, name: str, values: Values | None = None, **gaps: Unpack[Gaps]) -> int:
        return self._session.changed(name, {"user_id": self._user, **(values or {})}, **gaps)

    def _ids(self, name: str, values: Values | None = None, *, kind: VectorKind | None = None) -> list[str]:
        return [row[0] for row in self._rows(name, values, kind=kind)]

    def get(self, ids: Sequence[str]) -> Sequence[MemoryRecord]:
        """Give the rows with these ids, live or not, in any order; unknown ids are left out."""
        return [self._codec.memory(row) for row in self._rows("get_memories", {"ids": list(ids)})]

    def chain(self, memory_id: str) -> Sequence[MemoryRecord]:
        """Give all versions that belong together with this one, oldest first; empty when the id is unknown."""
        return [self._codec.memory(row) for row in self._rows("memory_chain", {"id": memory_id})]

    def everything(self) -> Sequence[str]:
        """Give the ids of all rows, of any validity."""
        return self._ids("all_memory_ids")

    def of_session(self, session: str) -> Sequence[str]:
        """Give the ids of the rows that were stored in a session, of any validity."""
        return self._ids("memories_of_session", {"session": session})

    def of_source(self, source: str) -> Sequence[str]:
        """Give the ids of the rows that came from a source, of any validity."""
        return self._ids("memories_of_source", {"source": source})

    def expired(self, now: datetime) -> Sequence[str]:
        """Give the ids of the rows past their expiry."""
        return self._ids("expired_memories", {"now": now})

    def conversation(self, conversation_id: str) -> ConversationRecord | None:
        """Give a conversation, if there is one."""
        return next(map(self._codec.conversation, self._rows("get_conversation", {"id": conversation_id})), None)

    def get_messages(self, ids: Sequence[str]) -> Sequence[Message]:
        """Give the messages with these ids in any order; unknown ids are left out."""
        return self._messages("get_messages", {"ids": list(ids)})

    def active_messages(self, conversation_id: str, limit: int) -> Sequence[Message]:
        """Give the newest active messages in order; system prompts and the live summary come whatever the limit."""
        return self._messages("active_messages", {"conversation_id": conversation_id, "limit": limit})

    def active_size(self, conversation_id: str, *, tools: bool = True) -> ConversationSize:
        """Count the active messages and their tokens, the summary among them, but no system prompts; tools if asked."""
        messages, tokens = self._rows("active_size", {"conversation_id": conversation_id, "tools": tools})[0]
        return ConversationSize(messages, int(tokens))

    def folded(self, conversation_id: str, *, reasoning: bool) -> int:
        """Count the messages that are in a summary, or archived; thoughts if asked."""
        values = {"conversation_id": conversation_id, "reasoning": reasoning}
        count: int = self._rows("folded_messages", values)[0][0]
        return count

    def last_messages(self, conversation_id: str, limit: int, before: int | None = None) -> Sequence[Message]:
        """Give the last messages of any status in order, without summaries; those with a sequence below `before`."""
        values = {"conversation_id": conversation_id, "limit": limit, "before": LAST if before is None else before}
        return self._messages("last_messages", values)[::-1]

    def delivered(self, conversation_id: str, external_ids: Sequence[str]) -> Mapping[str, Message]:
        """Find messages by the ids that their host has for them."""
        values = {"conversation_id": conversation_id, "ids": list(external_ids)}
        return {message.external_id: message for message in self._messages("delivered_messages", values)}

    def buried(self, fingerprints: Sequence[str]) -> Mapping[str, datetime]:
        """Say which of these were forgotten, and when."""
        marks = {tombstone: mark for mark in fingerprints for tombstone in self._secrets.marks(mark)}
        found: dict[str, datetime] = {}
        for tombstone, stored in self._rows("tombstones", {"fingerprints": [*marks]}):
            mark, moment = marks[tombstone], self._codec.time(stored)
            found[mark] = max(moment, found.get(mark, moment))
        return found

    def unlearned(self, ids: Sequence[str]) -> Sequence[str]:
        """Say which of these messages have not been learned from yet."""
        return self._ids("unlearned_messages", {"ids": list(ids)})

    def sources(self, made_ids: Sequence[str]) -> Sequence[Derivation]:
        """Say what these items were made from."""
        return [Derivation._make(row) for row in self._rows("sources_of", {"ids": list(made_ids)})]

    def made_from(self, source_ids: Sequence[str]) -> Sequence[Derivation]:
        """Say what was made from these items."""
        return [Derivation._make(row) for row in self._rows("made_from", {"ids": list(source_ids)})]

    def changed_sayings(self, ids: Sequence[str]) -> Sequence[tuple[str, str]]:
        """Give the ids of items, and of what they are or taught that was replaced or has earlier versions."""
        return [(item_id, memory_id) for item_id, memory_id in self._rows("changed_sayings", {"ids": list(ids)})]

    def versions_around(self, memory_ids: Sequence[str], limit: int) -> Sequence[Saying]:
        """Give memories with what holds now instead of each, and the versions that it replaced, the newest first."""
        rows = self._rows("versions_around", {"ids": list(memory_ids), "limit": limit})
        return [Saying(self._codec.memory(row[:-1]), row[-1]) for row in rows]

    def message_ids(self, conversation_id: str) -> Sequence[str]:
        """Give the ids of all messages of a conversation, summaries among them."""
        return self._ids("message_ids", {"conversation_id": conversation_id})

    def conversation_ids(self) -> Sequence[str]:
        """Give the ids of all conversations."""
        return self._ids("conversation_ids")

    def _messages(self, name: str, values: Values) -> list[Message]:
        return [self._codec.message(row) for row in self._rows(name, values)]

    def file(self, file_id: str) -> FileRecord | None:
        """Give a file by its id."""
        return self._file("get_file", {"id": file_id})

    def file_at(self, root: str, path: str) -> FileRecord | None:
        """Give the synced file at a path beneath a root."""
        return self._file("file_at", {"root": root, "path": path})

    def document(self, digest: str) -> FileRecord | None:
        """Give the file with these bytes that was added by itself."""
        return self._file("document_with", {"digest": digest})

    def _file(self, name: str, values: dict[str, Any]) -> FileRecord | None:
        return next(map(self._codec.file, self._rows(name, values)), None)

    def get_chunks(self, ids: Sequence[str]) -> Sequence[Chunk]:
        """Give the chunks with these ids in any order; unknown ids are left out."""
        return [self._codec.chunk(row) for row in self._rows("get_chunks", {"ids": list(ids)})]

    def chunks_of(self, file_id: str, *, first: int = 0, last: int = LAST, limit: int = LAST) -> Sequence[Chunk]:
        """Give chunks of a file in order: those with a part in some of its lines, and no more than so many."""
        values = {"file_id": file_id, "first": first, "last": last, "limit": limit}
        return [self._codec.chunk(row) for row in self._rows("chunks_of_file", values)]

    def chunk_marks(self, file_id: str) -> Sequence[ChunkMark]:
        """Give what tells the chunks of a file apart, in order."""
        return [self._codec.chunk_mark(row) for row in self._rows("chunk_marks", {"file_id": file_id})]

    def file_marks(self, root: str) -> Sequence[FileMark]:
        """Give size, times, inode and recipe of all files of a root: all that a look that finds nothing new needs."""
        rows: list[Any] = self._rows("file_marks", {"root": root})
        return rows

    def known_files(self, root: str) -> Sequence[KnownFile]:
        """Give what tells whether the files of a root have changed."""
        return [KnownFile._make(row) for row in self._rows("known_files", {"root": root})]

    def files_called(self, names: Sequence[str]) -> Sequence[FileRecord]:
        """Give the files that have one of these names or paths, or whose path ends with one of them; case counts not.

        Names are given in lower case and without a leading slash.
        """
        last_parts = sorted({name_of(name) for name in names})
        endings = tuple(f"/{name}" for name in names)
        files = (self._codec.file(row) for row in self._rows("files_named", {"names": last_parts}))
        return [file for file in files if f"{file.root}/{file.path}".casefold().endswith(endings)]

    def folders(self) -> Sequence[Folder]:
        """Give the folders that were synced."""
        return [self._codec.folder(row) for row in self._rows("list_folders")]

    def file_ids(self) -> Sequence[str]:
        """Give the ids of all files."""
        return self._ids("all_file_ids")

    def has_original(self, digest: str) -> bool:
        """Say whether a memory or message has the original with this digest."""
        return bool(self._rows("has_original", {"original": digest}))

    def own_originals(self, ids: Sequence[str]) -> Sequence[str]:
        """Give the digests of originals that these memories and messages have, and no others of the user."""
        return self._ids("own_originals", {"ids": list(ids)}) if ids else []

    def get_places(self, ids: Sequence[str]) -> Sequence[PlaceRow]:
        """Give the names of places by their ids."""
        return [self._codec.place(row) for row in self._rows("get_places", {"ids": list(ids)})]

    def named_places(self) -> Sequence[NamedPlace]:
        """Give the places that the user has named, by name."""
        return [self._codec.named_place(row) for row in self._rows("list_named_places")]

    def indexed(self, kind: ItemKind, limit: int, after: str | None = None) -> Sequence[IndexedItem]:
        """Give items of any validity with their terms, in the order of their ids, starting above the id `after`."""
        values, read_terms = {"after": after or _BELOW_ALL_IDS, "limit": limit}, self._codec.values.read_terms
        codec = self._codec
        readers: dict[ItemKind, Callable[[ResultRow], Item]]
        readers = {"memory": codec.memory, "message": codec.message, "chunk": codec.chunk}
        rows = self._rows(f"indexed_{ROWS[kind]}", values)
        return [IndexedItem(readers[kind](row[:-1]), read_terms(row[-1])) for row in rows]

    def role_of(self, member: str) -> ScopeRole | None:
        """Say what a user may do in this scope; None for one who is no member."""
        return next((row[0] for row in self._rows("member_role", {"member": member})), None)

    def answer(self, key: str, since: datetime) -> StoredResponse | None:
        """Give what a request was answered since a moment."""
        return next((StoredResponse(*row) for row in self._rows("get_answer", {"key": key, "since": since})), None)

    def resets(self) -> int:
        """Give a number that grows whenever something of this user is forgotten."""
        return next((int(row[0]) for row in self._rows("user_resets")), 0)
