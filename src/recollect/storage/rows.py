"""The columns of a memory, in the order in which both stores read and write them."""

from recollect.types import MemoryRecord

# The field `session` is the column `session_id`; every other column is named like its field.
RECORD_FIELDS: tuple[str, ...] = MemoryRecord._fields
TIME_FIELDS: frozenset[str] = frozenset(
    {"occurred_at", "valid_from", "valid_until", "expires_at", "created_at", "updated_at"}
)
RECORD_COLUMNS: tuple[str, ...] = tuple("session_id" if name == "session" else name for name in RECORD_FIELDS)
