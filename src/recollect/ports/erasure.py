"""What receipts of forgetting ask of a store: its keys, all text it holds wherever that stands, and its raw bytes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Final, NamedTuple, Protocol

ERASED: Final = "erased the traces of deleted memories"  # a note of maintenance


class ReceiptKeys(NamedTuple):
    """Keys that are derived from the secret of a store: one signs, one hides what marks are of. `name` tells which."""

    name: str
    signing: bytes
    marking: bytes


class StoredRow(NamedTuple):
    """A row of any table: whose it is, when it was last stored, if the table says so, and its columns with text."""

    table: str
    user_id: str
    stored_at: datetime | None
    texts: Mapping[str, str | bytes]


class RawBlock(NamedTuple):
    """Bytes of a file of the database as they stand there; `place` is what the file is."""

    place: str
    data: bytes


class StoredRows(Protocol):
    """A snapshot of all that the tables hold, read from the catalogue of the database."""

    def stored_rows(self) -> Iterator[StoredRow]:
        """Give the rows of every table, with every column that can hold text, few of them in memory at a time."""


class ErasureStore(Protocol):
    """The part of a store that shows whether something is left in it."""

    def receipt_keys(self) -> ReceiptKeys:
        """Give the keys of receipts."""

    def whole_contents(self) -> AbstractContextManager[StoredRows]:
        """Lend a snapshot of the tables and statistics of the whole store."""

    def statistics(self) -> Sequence[StoredRow] | None:
        """Give what a server has sampled for its planner; None where the login may not look.

        Nothing where the statistics are tables among the others.
        """

    def raw_blocks(self) -> Iterator[RawBlock]:
        """Give the bytes of the database's files, overlapping where they are cut; nothing where a server has them."""

    def unseen(self) -> Sequence[str]:
        """Say what of deleted rows may be where this store cannot look."""
