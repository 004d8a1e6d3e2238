"""Rows on their way to another store, and from one: as they are stored, and read from one snapshot."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from recollect.model.literals import VectorKind
from recollect.model.memories import Scope, Space, Vector
from recollect.model.places import place_id
from recollect.storage.base.codec import RecordCodec
from recollect.storage.base.erasure import TombstoneSecrets
from recollect.storage.base.session import ResultRow, StoreSession
from recollect.storage.base.spaces import list_spaces
from recollect.storage.base.tables import (
    MESSAGES,
    TALK,
    TOMBSTONES,
    Column,
    IncomingRow,
    Row,
    TransferTable,
    name_of,
    reading,
)


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


class TransferReader:
    """A snapshot of a store, or of one user's part of it, read from its beginning to its end."""

    def __init__(self, session: StoreSession, secrets: TombstoneSecrets) -> None:
        self._session = session
        self._secrets = secrets

    def users(self) -> Sequence[Scope]:
        """Name all users, sorted by their ids."""
        return sorted((Scope(row[0]) for row in self._session.rows("transfer_users")), key=lambda scope: scope.user_id)

    def rows(self, scope: Scope, table: TransferTable) -> Iterator[Row]:
        """Give a user's rows, sorted by their key, without holding more than a few of them."""
        codec = RowCodec(table, self._session.codec, self._secrets)
        return map(codec.read, self._session.stream(reading(table), {"user_id": scope.user_id}))

    def talk(self, scope: Scope, conversation_id: str) -> Iterator[Row]:
        """Give the messages of a conversation as rows, in the order in which they were said."""
        codec = RowCodec(MESSAGES, self._session.codec, self._secrets)
        return map(codec.read, self._session.stream(TALK, {"user_id": scope.user_id, "id": conversation_id}))

    def active_space(self) -> Space | None:
        """Give the space that is searched."""
        return list_spaces(self._session).active()

    def vectors(self, scope: Scope, kind: VectorKind, space: Space) -> Iterator[tuple[str, int, Vector]]:
        """Give the vectors of a user's items with the numbers of their passages, sorted by ids and numbers."""
        number = list_spaces(self._session).number(kind, space)
        if number is None:
            return
        values = {"user_id": scope.user_id}
        for item_id, part, vector in self._session.stream("transfer_vectors", values, kind=kind, space=number):
            yield item_id, part, self._session.read_vector(vector)

    def secrets(self) -> Mapping[str, bytes]:
        """Give what tombstones are keyed with, by the names that stand before them."""
        return self._secrets.by_name()
