"""What is taken along when memory moves to another store: tables and their columns, and who reads and writes them.

The tables are described once. Both stores make their queries from the description, and the archive its lines; a test
compares it with the catalogues, so that a new column is either taken along or named here as made anew.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias, cast

from recollect.model.literals import ItemKind, VectorKind
from recollect.model.memories import MemoryRecord, Scope, Space, Vector
from recollect.model.messages import Message

StoredKind = Literal["text", "id", "int", "real", "bool", "time", "json", "local"]
Row: TypeAlias = tuple[Any, ...]


class Column(NamedTuple):
    """A column that is taken along. `bounds` are those of a number, or of the length of a text.

    `choices` are its values, as texts; of JSON, whether it is an object or a list.
    """

    name: str
    kind: StoredKind
    optional: bool = False
    choices: tuple[str, ...] = ()
    bounds: tuple[float, float] | None = None


@dataclass(frozen=True)
class TransferTable:
    """A table of what users have. `derived` columns are made anew; rows are told apart, and sorted, by `key`."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    derived: tuple[str, ...] = ()
    kind: ItemKind | None = None
    source: str = ""  # the table in the database, where that has another name
    only: str = ""  # a condition on its rows

    @property
    def stored_in(self) -> str:
        """The table in the database."""
        return self.source or self.name

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(column.name for column in self.columns)

    def key_of(self, row: Row) -> Row:
        """Give what tells a row from all others of its user."""
        return tuple([row[position] for position in self._key_positions])

    @cached_property
    def _key_positions(self) -> tuple[int, ...]:
        return tuple(self.names.index(name) for name in self.key)


_BOUNDS: Final[Mapping[str, tuple[float, float]]] = {
    "share": (0, 1),
    "trust": (0, 3),
    "latitude": (-90, 90),
    "longitude": (-180, 180),
    "count": (0, 2**63 - 1),
    "address": (0, 500),
    "label": (0, 200),
}
_KINDS: Final[Mapping[str, StoredKind]] = {
    **dict.fromkeys(("share", "latitude", "longitude"), "real"),
    **dict.fromkeys(("trust", "count"), "int"),
    **dict.fromkeys(("address", "label"), "text"),
}


def _columns(spec: str) -> tuple[Column, ...]:
    """Read columns such as `id:id name lat:latitude? role:text=user|tool`: of texts unless it is said otherwise."""
    columns = []
    for word in spec.split():
        name, _, kind = word.partition(":")
        kind, _, choices = kind.partition("=")
        optional, kind = kind.endswith("?"), kind.rstrip("?") or "text"
        known = cast("StoredKind", _KINDS.get(kind, kind))
        columns.append(Column(name, known, optional, tuple(filter(None, choices.split("|"))), _BOUNDS.get(kind)))
    return tuple(columns)


def _table(name: str, key: str, spec: str, *, derived: str = "", **more: Any) -> TransferTable:  # noqa: ANN401
    return TransferTable(name, _columns(spec), tuple(key.split()), tuple(derived.split()), **more)


# Those of an item stand in the order of the fields of its record; what only the row has comes after them.
MEMORIES: Final = _table(
    "memories", "id",
    "id:id type content subject key value context importance:share confidence:share source trust:trust session_id "
    "occurred_at:time? valid_from:time valid_until:time? superseded_by:id? expires_at:time? lat:latitude? "
    "lng:longitude? address:address place_label:label metadata:json=object created_at:time updated_at:time "
    "media:json=list content_hash",
    derived="seq terms place", kind="memory",
)  # fmt: skip
CONVERSATIONS: Final = _table(
    "conversations", "id", "id private:bool last_sequence:int metadata:json=object created_at:time updated_at:time",
    derived="compacting_until",
)  # fmt: skip
MESSAGES: Final = _table(
    "messages", "id",
    "id:id conversation_id external_id sequence:int role:text=user|assistant|system|tool|reasoning|summary speaker "
    "content blocks:json=list tool_calls:json=list tool_call_id tokens:count "
    "status:text=active|compacted|archived trust:trust model input_tokens:int? output_tokens:int? "
    "thinking_tokens:int? feedback:int?=-1|1 metadata:json=object said_at:time created_at:time "
    "lat:latitude? lng:longitude? address:address place_label:label media:json=list learned:bool",
    derived="seq terms place", kind="message",
)  # fmt: skip
DERIVATIONS: Final = _table(
    "derivations", "made_id source_id",
    "made_kind:text=memory|message made_id:id source_kind:text=memory|message source_id:id created_at:time",
)  # fmt: skip
FILES: Final = _table(
    "files", "id",
    "id:id root path source:text=memory|sessions|document kind mime size:count mtime_ns:local ctime_ns:local "
    "inode:local digest recipe:int lines:int chunks:int trust:trust original dated_at:time? notes:json=list "
    "metadata:json=object created_at:time updated_at:time lat:latitude? lng:longitude?",
    derived="name",
)  # fmt: skip
CHUNKS: Final = _table(
    "chunks", "id",
    "id:id file_id:id content heading content_hash start_line:int end_line:int start_column:int role trust:trust "
    "dated_at:time? created_at:time",
    derived="seq terms", kind="chunk",
)  # fmt: skip
FOLDERS: Final = _table(
    "folders",
    "root",
    "root source:text=memory|sessions rules:json=object scanned_at:time completed_at:time? trouble:json=object",
    derived="machine",
)
NAMED_PLACES: Final = _table(
    "named_places", "folded", "folded name:label lat:latitude lng:longitude address:address updated_at:time"
)
UNREAD_MESSAGES: Final = _table(
    "unread_messages", "item_id", "item_id:id", source="jobs", only="kind = 'read'",
    derived="kind item_kind space attempts due_at lease_until bulk reason created_at",
)  # fmt: skip
SPENDING: Final = _table(
    "spending", "day purpose model", "day purpose model calls:int input_tokens:int output_tokens:int"
)
SEARCH_LOG: Final = _table(
    "search_log",
    "id",
    "id:id asked_at:time verb hits:count took_ms:real answerable:share degraded query user_agent found",
)
TOMBSTONES: Final = _table("tombstones", "fingerprint", "fingerprint forgotten_at:time")

# In the order in which they are written and read: tombstones come last, because an archive also holds what was said
# again after it was forgotten.
TRANSFERRED: Final = (
    CONVERSATIONS, MESSAGES, MEMORIES, DERIVATIONS, FILES, CHUNKS, FOLDERS, NAMED_PLACES, UNREAD_MESSAGES, SPENDING,
    SEARCH_LOG, TOMBSTONES,
)  # fmt: skip

# What stays, and why.
LEFT_BEHIND: Final[Mapping[str, str]] = {
    "users": "counters, made anew",
    "sequence": "numbers of rows in SQLite, given out anew",
    "media_originals": "made anew from the media of items",
    "places": "made anew from the addresses and labels of items",
    "geocodes": "a cache of what geocoders said",
    "embedding_spaces": "the space that is searched goes along with the vectors",
    "embedding_cache": "a cache of vectors that were paid for",
    "embedding_cache_uses": "figures about a cache",
    "bulk_batches": "work in progress at a provider",
    "answers": "responses to requests of the last day",
    "changes": "the order of changes is the store's own",
    "audit_log": "who did what in this store; its chain of hashes belongs to it",
    "api_keys": "keys open one store",
    "scope_members": "who may see a shared scope is said in each store anew",
    "store_marks": "what is true of the store as a whole",
    "store_secrets": "the secrets of tombstones go along with them",
    "schema_migrations": "the version of the schema",
}


class IncomingRow(NamedTuple):
    """A row to be written: its values in the order of the columns, and for an item its terms and the item itself."""

    values: Row
    terms: tuple[str, ...] = ()
    item: MemoryRecord | Message | None = None


@dataclass(frozen=True, slots=True)
class ImportedRows:
    """What one transaction of an import wrote."""

    written: int


class TransferReader(Protocol):
    """A snapshot of a store, read from its beginning to its end."""

    def users(self) -> Sequence[Scope]:
        """Name all users, sorted by their ids."""

    def rows(self, scope: Scope, table: TransferTable) -> Iterator[Row]:
        """Give a user's rows, sorted by their key, without holding more than a few of them."""

    def talk(self, scope: Scope, conversation_id: str) -> Iterator[Row]:
        """Give the messages of a conversation as rows, in the order in which they were said."""

    def active_space(self) -> Space | None:
        """Give the space that is searched."""

    def vectors(self, scope: Scope, kind: VectorKind, space: Space) -> Iterator[tuple[str, int, Vector]]:
        """Give the vectors of a user's items with the numbers of their passages, sorted by ids and numbers."""

    def secrets(self) -> Mapping[str, bytes]:
        """Give what tombstones are keyed with, by the names that stand before them."""


class TransferWriter(Protocol):
    """Writes rows of another store for one user."""

    def known_rows(self, table: TransferTable, rows: Sequence[Row]) -> Mapping[Row, Row]:
        """Give the rows that are there under the keys of these."""

    def known_ids(self, table: TransferTable, ids: Sequence[str]) -> frozenset[str]:
        """Say which of these ids are there."""

    def insert_rows(
        self, table: TransferTable, rows: Sequence[IncomingRow], space: Space | None, now: datetime
    ) -> frozenset[Row]:
        """Write rows, with all that belongs to them but vectors; gives the keys that a unique index refused."""

    def insert_late_vectors(self, space: Space, kind: VectorKind, ids: Sequence[str], vectors: Sequence[Vector]) -> int:
        """Give items without vectors theirs, a matrix for each, and remove the jobs; says how many vectors."""

    def extend_conversation(self, values: Row) -> None:
        """Let a conversation that is there be as long as the one in the archive."""

    def settle_import(self) -> int:
        """Remove versions whose successor was refused, and count the chunks of files; says how many were removed."""


class TransferStore(Protocol):
    """The part of a store that is about moving what is in it."""

    def snapshot(self, scope: Scope | None) -> AbstractContextManager[TransferReader]:
        """Lend a snapshot of one user's rows, or of the whole store."""

    def add_secrets(self, secrets: Mapping[str, bytes]) -> None:
        """Keep what the tombstones of another store are keyed with."""
