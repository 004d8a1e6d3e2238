"""The columns of what is kept, in the order in which both stores read and write them, and the tables of each kind."""

from collections.abc import Mapping

from recollect.messages import ConversationRecord, Message
from recollect.types import MemoryRecord
from recollect.vocabulary import ItemKind

# A column is named like its field, but for two that hold the id of something else.
_COLUMNS = {"session": "session_id", "conversation": "conversation_id"}

TIME_FIELDS: frozenset[str] = frozenset(
    {
        "occurred_at", "valid_from", "valid_until", "expires_at", "created_at", "updated_at", "said_at",
        "compacting_until",
    }
)  # fmt: skip

RECORD_FIELDS: tuple[str, ...] = MemoryRecord._fields
MESSAGE_FIELDS: tuple[str, ...] = Message._fields
CONVERSATION_FIELDS: tuple[str, ...] = ConversationRecord._fields


def columns(fields: tuple[str, ...]) -> tuple[str, ...]:
    """Give the columns that hold these fields."""
    return tuple(_COLUMNS.get(name, name) for name in fields)


# For each kind of item that is searched: the table of its rows, and on SQLite the index of its words.
ROWS: Mapping[ItemKind, str] = {"memory": "memories", "message": "messages"}
WORDS: Mapping[ItemKind, str] = {"memory": "memory_terms", "message": "message_terms"}


ANALYSER = "analyser"  # the mark that says which version of it made the terms


def of_kind(sql: str, kind: ItemKind) -> str:
    """Fill the gaps for the tables of a kind."""
    return sql.replace("{rows}", ROWS[kind]).replace("{words}", WORDS[kind])
