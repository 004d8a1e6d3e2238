"""The tables of what is kept: their columns in the order in which both stores read and write them, those of each kind,
and what is taken along when memory moves to another store.

What moves is described once. Both stores make their queries from the description, and the archive its lines; a test
compares it with the catalogues, so that a new column is either taken along or made anew, and a new table goes along or
is named there with the reason why it stays.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

from recollect.model.files import Chunk, FileRecord
from recollect.model.literals import ItemKind, VectorKind
from recollect.model.memories import MemoryRecord
from recollect.model.messages import ConversationRecord, Message

# A column is named like its field, but for two that hold the id of something else.
_COLUMNS = {"session": "session_id", "conversation": "conversation_id"}

TIME_FIELDS: frozenset[str] = frozenset(
    {
        "occurred_at", "valid_from", "valid_until", "expires_at", "created_at", "updated_at", "said_at",
        "first_said_at", "last_said_at",
        "compacting_until", "dated_at", "scanned_at", "completed_at", "changed_at", "moment",
    }
)  # fmt: skip

RECORD_FIELDS: tuple[str, ...] = MemoryRecord._fields
MESSAGE_FIELDS: tuple[str, ...] = Message._fields
CONVERSATION_FIELDS: tuple[str, ...] = ConversationRecord._fields
FILE_FIELDS: tuple[str, ...] = FileRecord._fields
CHUNK_FIELDS: tuple[str, ...] = Chunk._fields
_OF_FILE = frozenset({"root", "path", "source", "kind", "lat", "lng"})  # the fields of a chunk that are its file's


def columns(fields: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_COLUMNS.get(name, name) for name in fields)


def chunk_columns() -> tuple[str, ...]:
    """Give the columns of a chunk `c` and of its file `f`."""
    return tuple(f"f.{name}" if name in _OF_FILE else f"c.{name}" for name in CHUNK_FIELDS)


# For each kind of item that has vectors: the table of its rows, and on SQLite the index of its words, if it has one.
ROWS: Mapping[VectorKind, str] = {"memory": "memories", "message": "messages", "chunk": "chunks", "place": "places"}
WORDS: Mapping[ItemKind, str] = {"memory": "memory_terms", "message": "message_terms", "chunk": "chunk_terms"}

# What can be somewhere.
LOCATED: tuple[ItemKind, ...] = ("memory", "message")

UNREAD = -1  # stands for a space in the jobs of messages that wait to be read

ANALYSER = "analyser"  # the mark that says which version of it made the terms
FORGETTING = "forgetting:"  # begins the mark of what is being forgotten in parts
UNKNOWN = -1  # what such a mark says since a repair that could not read it, or not all that it is about
PASSAGES = "passages"  # the mark that says which version cut the texts whose passages have vectors
DISTRIBUTED = "distributed"  # the mark that says whether Citus distributes the tables
IDENTITY = "identity"  # the mark by which a store is told from all others
IDENTITY_BITS = 31


def of_kind(sql: str, kind: VectorKind) -> str:
    """Fill the gaps for the tables of a kind."""
    filled = sql.replace("{rows}", ROWS[kind])
    return filled if kind == "place" else filled.replace("{words}", WORDS[kind])


def name_of(path: str) -> str:
    """Give the last part of a path as it is looked for: without case."""
    return path.rsplit("/", 1)[-1].casefold()


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
        return self.source or self.name

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def key_of(self, row: Row) -> Row:
        """Give what tells a row from all others of its user."""
        return tuple([row[position] for position in self._key_positions])

    @cached_property
    def _key_positions(self) -> tuple[int, ...]:
        return tuple(map(self.names.index, self.key))


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


class IncomingRow(NamedTuple):
    """A row to be written: its values in the order of the columns, and for an item its terms and the item itself."""

    values: Row
    terms: tuple[str, ...] = ()
    item: MemoryRecord | Message | None = None


@dataclass(frozen=True, slots=True)
class ImportedRows:
    """What one transaction of an import wrote."""

    written: int


_ARRAYS: dict[StoredKind, str] = {"id": "uuid[]", "text": "text[]"}

# What is made anew and has to be written with the row.
WRITTEN_ANEW = frozenset({"seq", "terms", "place", "name"})


TALK = "transfer_talk"  # all messages of a conversation, in order


def transfer_query(what: Literal["all", "some", "add"], table: TransferTable) -> str:
    """Name the query that gives all rows of a user, looks up some by the first part of their key, or writes one."""
    return f"transfer_{what}_{table.name}"


def transfer_queries(*, numbered: bool) -> Iterator[tuple[str, str]]:
    """Give all queries by name. Where rows are numbered, items are written with `seq`."""
    talk = f"SELECT {', '.join(MESSAGES.names)} FROM messages WHERE user_id = :user_id AND conversation_id = :id "  # noqa: S608
    yield TALK, f"{talk}ORDER BY sequence, said_at, id"
    for table in TRANSFERRED:
        kinds = {column.name: column.kind for column in table.columns}
        names = ", ".join(table.names)
        own = " AND ".join(filter(None, ("user_id = :user_id", table.only)))
        order = ", ".join(name if kinds[name] == "id" else f'{name} COLLATE "C"' for name in table.key)
        first = table.key[0]
        wanted = f"{first} = ANY(:keys::{_ARRAYS[kinds[first]]})"
        yield transfer_query("all", table), f"SELECT {names} FROM {table.stored_in} WHERE {own} ORDER BY {order}"  # noqa: S608 - constants
        yield transfer_query("some", table), f"SELECT {names} FROM {table.stored_in} WHERE {own} AND {wanted}"  # noqa: S608
        if table.stored_in == table.name:
            anew = [name for name in table.derived if name in WRITTEN_ANEW and (numbered or name != "seq")]
            written = ("user_id", *table.names, *anew)
            values = ", ".join(f":{name}" for name in written)
            yield (
                transfer_query("add", table),
                f"INSERT INTO {table.name} ({', '.join(written)}) VALUES ({values}) ON CONFLICT DO NOTHING",  # noqa: S608
            )
