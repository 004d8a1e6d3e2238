"""The columns of what is kept, in the order in which both stores read and write them, and the tables of each kind."""

from collections.abc import Mapping

from recollect.model.files import Chunk, FileRecord
from recollect.model.literals import ItemKind, VectorKind
from recollect.model.memories import MemoryRecord
from recollect.model.messages import ConversationRecord, Message

# A column is named like its field, but for two that hold the id of something else.
_COLUMNS = {"session": "session_id", "conversation": "conversation_id"}

TIME_FIELDS: frozenset[str] = frozenset(
    {
        "occurred_at", "valid_from", "valid_until", "expires_at", "created_at", "updated_at", "said_at",
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
    """Give the columns that hold these fields."""
    return tuple(_COLUMNS.get(name, name) for name in fields)


def chunk_columns() -> tuple[str, ...]:
    """Give the columns of a chunk `c` and of its file `f`."""
    return tuple(f"f.{name}" if name in _OF_FILE else f"c.{name}" for name in CHUNK_FIELDS)


# For each kind of item that has vectors: the table of its rows, and on SQLite the index of its words, if it has one.
ROWS: Mapping[VectorKind, str] = {"memory": "memories", "message": "messages", "chunk": "chunks", "place": "places"}
WORDS: Mapping[ItemKind, str] = {"memory": "memory_terms", "message": "message_terms", "chunk": "chunk_terms"}

# And the query that removes its rows.
DELETE: Mapping[VectorKind, str] = {
    "memory": "delete_memories",
    "message": "delete_messages",
    "chunk": "delete_chunks",
    "place": "delete_places",
}


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
