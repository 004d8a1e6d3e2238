"""Shows all text that a store holds, wherever it stands, so that what was forgotten can be looked for."""

import hmac
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from recollect.model.memories import Scope
from recollect.ports.erasure import ReceiptKeys, StoredRow, StoredRows
from recollect.storage.session import StoreSession
from recollect.storage.shared.store import StoreBase
from recollect.storage.stored_text_queries import CatalogueColumn, TextTable, text_tables
from recollect.storage.tombstones import TombstoneSecrets, secret_name


def stored_rows(session: StoreSession, user_id: str | None) -> Iterator[StoredRow]:
    """Give the rows of every table that can hold text: those of one user, or of the whole store."""
    for table in text_tables(CatalogueColumn(*row) for row in session.rows("text_columns")):
        if user_id is None or table.owned:
            yield from _rows(session, table, user_id)


def _rows(session: StoreSession, table: TextTable, user_id: str | None) -> Iterator[StoredRow]:
    values = {} if user_id is None else {"user_id": user_id}
    first = 1 + len(table.times)
    for row in session.stream_statement(table.statement(of_user=user_id is not None), values):
        moments = [session.codec.time(value) for value in row[1:first] if value is not None]
        texts = {name: value for name, value in zip(table.texts, row[first:], strict=True) if value}
        yield StoredRow(table.name, row[0], max(moments, default=None), texts)


class WholeContents:
    """The tables of a store, and rows that its statistics make."""

    def __init__(self, session: StoreSession, statistics: Sequence[StoredRow]) -> None:
        self._session = session
        self._statistics = statistics

    def stored_rows(self) -> Iterator[StoredRow]:
        yield from stored_rows(self._session, None)
        yield from self._statistics


class SharedErasureStore(StoreBase):
    """The keys of receipts, and what a store shows of its contents."""

    _secrets: TombstoneSecrets

    @abstractmethod
    def _long_reading(self, scope: Scope | None) -> AbstractContextManager[StoreSession]:
        """Lend a session with one snapshot for all its questions."""

    @abstractmethod
    def statistics(self) -> Sequence[StoredRow] | None:
        """Give what the planner's statistics hold, where no table shows it."""

    def receipt_keys(self) -> ReceiptKeys:
        """Derive the keys from the secret of the store."""
        signing, marking = (
            hmac.digest(self._secrets.own, purpose, "sha256")
            for purpose in (b"signatures of receipts", b"marks of receipts")
        )
        return ReceiptKeys(secret_name(self._secrets.own), signing, marking)

    @contextmanager
    def whole_contents(self) -> Iterator[StoredRows]:
        with self._long_reading(None) as session:
            yield WholeContents(session, self.statistics() or ())
