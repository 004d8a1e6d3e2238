"""What writing memories, messages and files has in common: vectors, jobs, and the user's figures.

Rows are written at once; their vectors wait until the end, so that a bulk load prepares its next batch meanwhile.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np

from recollect.model.literals import ITEM_KINDS, ItemKind, VectorKind
from recollect.model.memories import Scope, Space, Vector
from recollect.ports import ChangeKind
from recollect.storage.later import Later
from recollect.storage.postgres import codec, spaces
from recollect.storage.postgres.connection import Connection, Packed
from recollect.storage.postgres.files import FileRows
from recollect.storage.postgres.ledgers import Ledgers, LedgerWriter
from recollect.storage.postgres.messages import MessageRows
from recollect.storage.postgres.places import PlaceRows
from recollect.storage.postgres.rows import QUERIES, one
from recollect.storage.rows import DELETE, ROWS, of_kind


class Written(NamedTuple):
    """A row that was just written, with what is still owed to it."""

    id: str
    vector: Vector | None


class ItemRows(MessageRows, FileRows, PlaceRows):
    """One user's items of every kind."""


class ItemWriter(ItemRows, Ledgers, LedgerWriter):
    """One user's changes. The user's row is locked, so that the user's other writers wait."""

    def __init__(self, connection: Connection, scope: Scope, *, geocodes: bool = False) -> None:
        super().__init__(connection, scope)
        self._later = Later()
        self._geocodes = geocodes
        self._added: Counter[VectorKind] = Counter()
        self._resets = 0
        self._changed: list[tuple[ChangeKind, ItemKind, str, datetime]] = []
        spaces.share(connection)
        self._run("lock_user")

    def finish(self) -> None:
        """Send what was deferred and the user's figures."""
        self._later.run()
        if self._resets or any(self._added.values()):
            added = {ROWS[kind]: self._added[kind] for kind in ITEM_KINDS}
            self._run("count_user", {**added, "resets": self._resets})
        if self._changed:
            self._number_changes()

    def _number_changes(self) -> None:
        """Give what is new its place in the order. The user is locked, so it is also the order of the commits."""
        amount = len(self._changed)
        last = int(one(self._run("next_changes", {"amount": amount}))[0])
        whats, kinds, ids, moments = zip(*self._changed, strict=True)
        values = {"before": last - amount, "whats": list(whats), "kinds": list(kinds), "ids": list(ids)}
        self._run("insert_changes", {**values, "now": max(moments)})

    def note_embedded(self, items: Iterable[tuple[ItemKind, str]], now: datetime) -> None:
        """Let what was stored without its vector be looked at once more."""
        self._changed += [("embedded", kind, item_id, now) for kind, item_id in items]

    def _owe(self, kind: ItemKind, written: Sequence[Written], space: Space | None, now: datetime) -> None:
        """Count rows that were written and put off their vectors; note a job where there is none."""
        self._added[kind] += len(written)
        owed = spaces.owed(self._connection, kind, space, now)
        self._changed += [("words" if row.vector is None else "stored", kind, row.id, now) for row in written]
        for wanted, number in owed.items():
            self._owe_vectors(kind, written if wanted == space else _without_vectors(written), (wanted, number), now)

    def _owe_vectors(self, kind: ItemKind, written: Sequence[Written], shelf: tuple[Space, int], now: datetime) -> None:
        space, number = shelf
        ready = [(row.id, row.vector) for row in written if row.vector is not None]
        if ready:
            item_ids, vectors = [item_id for item_id, _ in ready], np.stack([vector for _, vector in ready])
            self._later.add(lambda: self._insert_vectors(space, number, item_ids, vectors))
        waiting = [row.id for row in written if row.vector is None]
        if waiting:
            self._insert_jobs(kind, waiting, number, now)

    def reindex(self, kind: ItemKind, terms: Mapping[str, Sequence[str]]) -> None:
        """Write the new words; the index follows."""
        rows = [{"user_id": self._user, "id": item_id, "terms": list(words)} for item_id, words in terms.items()]
        with self._connection.cursor() as cursor:
            cursor.executemany(of_kind(QUERIES["update_terms"], kind).encode(), rows)

    def _insert_vectors(self, space: Space, number: int, item_ids: Sequence[str], vectors: Vector) -> None:
        column = spaces.column_type(space)
        packed = codec.pack_vectors(vectors, spaces.number_type(space), self._connection.adapters.types[column].oid)
        values = {"user_id": self._user, "ids": Packed(codec.pack_ids(item_ids)), "vectors": Packed(packed)}
        sql = QUERIES["insert_vectors"].replace("{space}", str(number)).replace("{type}", column)
        self._connection.execute(sql.encode(), values)

    def _insert_jobs(self, kind: VectorKind, item_ids: Sequence[str], number: int, now: datetime) -> None:
        shared = {"user_id": self._user, "item_kind": kind, "space": number, "now": now}
        with self._connection.cursor() as cursor:
            rows = [{**shared, "item_id": item_id} for item_id in item_ids]
            cursor.executemany(QUERIES["insert_job"].encode(), rows)

    def _delete(self, kind: VectorKind, item_ids: Sequence[str]) -> None:
        """Remove rows and all that belongs to them."""
        self._later.run()
        doomed = {"ids": list(item_ids)}
        self._added[kind] -= self._run(DELETE[kind], doomed).rowcount
        self._run("delete_jobs", doomed)
        for shelf in spaces.listing(self._connection).of_kind(kind):
            self._run("delete_vectors", doomed, space=shelf.number)
        self._resets += 1


def _without_vectors(written: Sequence[Written]) -> list[Written]:
    """Give rows whose vectors are of another space."""
    return [row._replace(vector=None) for row in written]
