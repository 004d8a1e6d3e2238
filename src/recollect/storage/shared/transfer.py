"""Rows on their way to another store, and from one: read from one snapshot, written for one user."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput
from recollect.model.literals import VectorKind
from recollect.model.memories import Scope, Space, Vector
from recollect.model.places import place_id
from recollect.ports.transfer import (
    FILES,
    MEMORIES,
    MESSAGES,
    TOMBSTONES,
    UNREAD_MESSAGES,
    Column,
    IncomingRow,
    Row,
    TransferReader,
    TransferTable,
)
from recollect.storage.codec import RecordCodec
from recollect.storage.rows import name_of
from recollect.storage.session import ResultRow, StoreSession
from recollect.storage.shared.item_writer import NumberedSpace, WrittenItem
from recollect.storage.shared.store import StoreBase
from recollect.storage.shared.writer import SharedWriter
from recollect.storage.spaces import list_spaces
from recollect.storage.tombstones import TombstoneSecrets, add_foreign, secret_name, tombstone_secrets
from recollect.storage.transfer_queries import TALK, knowing, reading, writing

_VERSIONS = 500  # removed at a time
_ONCE = (MEMORIES, MESSAGES, FILES)  # the same thing is kept once, whatever its id


class RowCodec:
    """Reads and lays out the rows of one table."""

    def __init__(self, table: TransferTable, codec: RecordCodec, secrets: TombstoneSecrets) -> None:
        self._table = table
        self._secrets = secrets
        self._values = codec.values
        steps = ((position, self._reader(column)) for position, column in enumerate(table.columns))
        self._steps = [(position, read) for position, read in steps if read is not None]

    def _reader(self, column: Column) -> Any:  # noqa: ANN401 - a function, or None
        if self._table is TOMBSTONES and column.name == "fingerprint":
            return self._secrets.named
        readers = {"time": self._values.read_time, "json": self._values.read_json, "bool": bool, "real": _plain_real}
        return readers.get(column.kind)

    def read(self, stored: ResultRow) -> Row:
        """Read a row."""
        values = list(stored)
        for position, read in self._steps:
            if values[position] is not None:
                values[position] = read(values[position])
        return tuple(values)

    def layout(self, row: IncomingRow) -> dict[str, Any]:
        """Lay out a row for the query that writes it, with what is made anew."""
        table = self._table
        values = dict(zip(table.names, row.values, strict=True))
        if "place" in table.derived:
            values["place"] = place_id(values["address"], values["place_label"])
        if "name" in table.derived:
            values["name"] = name_of(values["path"])
        if "terms" in table.derived:
            values["terms"] = self._values.write_terms(row.terms)
        if table is TOMBSTONES:
            values["fingerprint"] = self._secrets.stored(values["fingerprint"])
        jsons = {
            column.name: self._values.write_json(values[column.name])
            for column in table.columns
            if column.kind == "json"
        }
        return values | jsons


def _plain_real(number: float) -> float:
    """Give a number as both databases keep it: SQLite knows no zero below zero."""
    return float(number) + 0.0


class SnapshotReader:
    """Reads a whole store, or one user's part of it, from one snapshot."""

    def __init__(self, session: StoreSession, secrets: TombstoneSecrets) -> None:
        self._session = session
        self._secrets = secrets

    def users(self) -> Sequence[Scope]:
        return sorted((Scope(row[0]) for row in self._session.rows("transfer_users")), key=lambda scope: scope.user_id)

    def rows(self, scope: Scope, table: TransferTable) -> Iterator[Row]:
        codec = RowCodec(table, self._session.codec, self._secrets)
        return map(codec.read, self._session.stream(reading(table), {"user_id": scope.user_id}))

    def talk(self, scope: Scope, conversation_id: str) -> Iterator[Row]:
        codec = RowCodec(MESSAGES, self._session.codec, self._secrets)
        return map(codec.read, self._session.stream(TALK, {"user_id": scope.user_id, "id": conversation_id}))

    def active_space(self) -> Space | None:
        return list_spaces(self._session).active()

    def vectors(self, scope: Scope, kind: VectorKind, space: Space) -> Iterator[tuple[str, int, Vector]]:
        number = list_spaces(self._session).number(kind, space)
        if number is None:
            return
        values = {"user_id": scope.user_id}
        for item_id, part, vector in self._session.stream("transfer_vectors", values, kind=kind, space=number):
            yield item_id, part, self._session.read_vector(vector)

    def secrets(self) -> Mapping[str, bytes]:
        return self._secrets.by_name()


class TransferRows(SharedWriter):
    """The part of a writer that is about rows of another store."""

    def known_rows(self, table: TransferTable, rows: Sequence[Row]) -> Mapping[Row, Row]:
        first = table.names.index(table.key[0])
        keys = list(dict.fromkeys(row[first] for row in rows))
        if table is TOMBSTONES:
            keys = [self._secrets.stored(key) for key in keys]
        codec = RowCodec(table, self._codec, self._secrets)
        found = map(codec.read, self._rows(knowing(table), {"keys": keys}))
        return {table.key_of(row): row for row in found}

    def known_ids(self, table: TransferTable, ids: Sequence[str]) -> frozenset[str]:
        position = table.names.index(table.key[0])
        return (
            frozenset(row[position] for row in self._rows(knowing(table), {"keys": list(ids)})) if ids else frozenset()
        )

    def insert_rows(
        self, table: TransferTable, rows: Sequence[IncomingRow], space: Space | None, now: datetime
    ) -> frozenset[Row]:
        if not rows:
            return frozenset()
        if table is UNREAD_MESSAGES:
            self.owe_readings([row.values[0] for row in rows], now)
            return frozenset()
        codec = RowCodec(table, self._codec, self._secrets)
        laid_out = [{"user_id": self._user, **codec.layout(row)} for row in rows]
        seqs = self._next_numbers(len(rows)) if table.kind else [0] * len(rows)
        numbered = [{**values, "seq": seq} for values, seq in zip(laid_out, seqs, strict=True)]
        self._session.execute_many(writing(table), numbered)
        refused = self._refused(table, rows) if table in _ONCE else frozenset()
        if table.kind:
            kept = [(row, seq) for row, seq in zip(rows, seqs, strict=True) if table.key_of(row.values) not in refused]
            self._owe(table.kind, [WrittenItem(row.values[0], None, seq) for row, seq in kept], space, now)
            self._settle(table.kind, [row.item for row, _ in kept if row.item is not None], now)
        return refused

    def _refused(self, table: TransferTable, rows: Sequence[IncomingRow]) -> frozenset[Row]:
        """Give the keys of rows that are not there though they were written: another row says the same."""
        written = self.known_ids(table, [row.values[0] for row in rows])
        return frozenset(table.key_of(row.values) for row in rows if row.values[0] not in written)

    def insert_late_vectors(self, space: Space, kind: VectorKind, ids: Sequence[str], vectors: Sequence[Vector]) -> int:
        number = list_spaces(self._session).number(kind, space)
        if number is None:
            return 0
        known = {row[0] for row in self._rows("items_with_vector", {"ids": list(ids)}, kind=kind, space=number)}
        positions = [position for position, item_id in enumerate(ids) if item_id not in known]
        if not positions:
            return 0
        lacking = {ids[position]: vectors[position] for position in positions}
        waiting_ids = self._finish_kind(kind, NumberedSpace(space, number), [*lacking], [*lacking.values()])
        return sum(len(lacking[item_id]) for item_id in waiting_ids)

    def extend_conversation(self, values: Row) -> None:
        conversation_id, _, last_sequence, *_, updated_at = values
        self._execute(
            "extend_conversation", {"id": conversation_id, "last_sequence": last_sequence, "updated_at": updated_at}
        )

    def settle_import(self) -> int:
        removed = 0
        while lost := self._ids("lost_versions"):
            for first in range(0, len(lost), _VERSIONS):
                self.drop_derivations(lost[first : first + _VERSIONS])
                self.delete(lost[first : first + _VERSIONS])
            removed += len(lost)
        self._execute("recount_chunks")
        return removed


class SharedTransferStore(StoreBase):
    """Lends snapshots, and keeps the secrets of other stores."""

    _secrets: TombstoneSecrets

    @abstractmethod
    def _long_reading(self, scope: Scope | None) -> AbstractContextManager[StoreSession]:
        """Lend a session with one snapshot for all its questions."""

    @contextmanager
    def snapshot(self, scope: Scope | None) -> Iterator[TransferReader]:
        with self._long_reading(scope) as session:
            yield SnapshotReader(session, self._secrets)

    def add_secrets(self, secrets: Mapping[str, bytes]) -> None:
        if any(name != secret_name(secret) for name, secret in secrets.items()):
            raise InvalidInput("A secret of tombstones is not the one that its name says. Nothing was brought.")
        new = {name: secret for name, secret in secrets.items() if name not in self._secrets.by_name()}
        if not new:
            return
        with self._writing() as session:
            for name, secret in new.items():
                add_foreign(session, name, secret)
            found = tombstone_secrets(session)
        self._secrets = found
