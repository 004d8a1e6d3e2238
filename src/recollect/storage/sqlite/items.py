"""What writing memories, messages and files has in common: numbers, terms, vectors, jobs, and the user's figures.

Rows are written at once; their terms, vectors and codes wait until the end of the transaction and then travel in a few
long steps. SQLite runs those without Python's lock, so a bulk load prepares its next batch meanwhile.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import apsw
import numpy as np

from recollect.model.literals import ITEM_KINDS, ItemKind, VectorKind
from recollect.model.memories import Scope, Space, Vector
from recollect.ports import ChangeKind
from recollect.storage.later import Later
from recollect.storage.rows import DELETE, ROWS
from recollect.storage.sqlite import codec, spaces
from recollect.storage.sqlite.codes import Seqs, encode
from recollect.storage.sqlite.files import FileRows
from recollect.storage.sqlite.ledgers import Ledgers, LedgerWriter
from recollect.storage.sqlite.messages import MessageRows
from recollect.storage.sqlite.places import PlaceRows
from recollect.storage.sqlite.rows import QUERIES, id_array, seq_array

MANY_CHUNKS = 50  # each has some two hundred words, and each word takes as long as a small write
UNMERGED = "unmerged"  # the mark that says that the index of words still holds what is gone


class Written(NamedTuple):
    """A row that was just written, with what is still owed to it."""

    seq: int
    id: str
    vector: Vector | None


class ItemRows(MessageRows, FileRows, PlaceRows):
    """One user's items of every kind."""


class ItemWriter(ItemRows, Ledgers, LedgerWriter):
    """One user's changes. `finish` must be called before the commit."""

    def __init__(self, connection: apsw.Connection, scope: Scope, *, geocodes: bool = False) -> None:
        super().__init__(connection, scope)
        self._later = Later()
        self._geocodes = geocodes
        self._added: Counter[VectorKind] = Counter()
        self._unindexed = defaultdict[ItemKind, list[int]](list)
        self._resets = 0
        self._changed: list[tuple[ChangeKind, ItemKind, str, datetime]] = []
        self._run("lock_user")

    def finish(self) -> None:
        """Write what was deferred and the user's figures."""
        self._later.run()
        if self._resets or any(self._added.values()):
            added = {ROWS[kind]: self._added[kind] for kind in ITEM_KINDS}
            self._run("count_user", {**added, "resets": self._resets})
        if self._changed:
            self._number_changes()

    def _number_changes(self) -> None:
        """Give what is new its place in the order. Nobody else writes meanwhile, so it is also that of the commits."""
        last = int(self._run("next_changes", {"amount": len(self._changed)})[0][0])
        rows = [
            (self._user, number, what, kind, item_id, codec.to_micros(now))
            for number, (what, kind, item_id, now) in enumerate(self._changed, last - len(self._changed) + 1)
        ]
        self._connection.executemany(QUERIES["insert_change"], rows)

    def note_embedded(self, items: Iterable[tuple[ItemKind, str]], now: datetime) -> None:
        """Let what was stored without its vector be looked at once more."""
        self._changed += [("embedded", kind, item_id, now) for kind, item_id in items]

    def _next_numbers(self, amount: int) -> int:
        """Reserve numbers and give the first of them."""
        return int(self._run("next_numbers", {"amount": amount, "name": "item"})[0][0]) - amount + 1

    def _owe(self, kind: ItemKind, written: Sequence[Written], space: Space | None, now: datetime) -> bool:
        """Count rows that were written and put off their terms and vectors; note a job where there is no vector.

        Says whether there is any space in which they need one.
        """
        if not written:
            return False
        self._added[kind] += len(written)
        if not self._unindexed[kind]:
            self._later.add(lambda: self._index_new(kind))
        self._unindexed[kind] += [row.seq for row in written]
        owed = spaces.owed(self._connection, kind, space, now)
        self._changed += [("words" if row.vector is None else "stored", kind, row.id, now) for row in written]
        for wanted, number in owed.items():
            self._owe_vectors(kind, written if wanted == space else _without_vectors(written), number, now)
        return bool(owed)

    def _owe_vectors(self, kind: ItemKind, written: Sequence[Written], number: int, now: datetime) -> None:
        ready = [(row.seq, row.vector) for row in written if row.vector is not None]
        if ready:
            numbers = np.array([seq for seq, _ in ready], np.int64)
            vectors = np.stack([vector for _, vector in ready])
            self._later.add(lambda: self._insert_vectors(number, numbers, vectors))
        for row in written:
            if row.vector is None:
                self._insert_job(kind, row.id, number, now)

    def _index_new(self, kind: ItemKind) -> None:
        """Index the words of all rows that were written since this was last done."""
        self._index_terms(kind, seq_array(np.array(self._unindexed.pop(kind), np.int64)))

    def _index_terms(self, kind: ItemKind, seqs: Any) -> None:  # noqa: ANN401 - apsw gives its bindings no public type
        self._run("insert_terms", {"seqs": seqs}, kind=kind)

    def reindex(self, kind: ItemKind, terms: Mapping[str, Sequence[str]]) -> None:
        """Take the old words out of the index while the rows still tell what they were, then write the new ones."""
        self._later.run()
        numbered = self._run("item_numbers", {"ids": id_array(terms)}, kind=kind)
        seqs = seq_array(np.array([seq for seq, _ in numbered], np.int64))
        self._run("delete_terms", {"seqs": seqs}, kind=kind)
        for _, item_id in numbered:
            self._run("update_terms", {"id": item_id, "terms": " ".join(terms[item_id])}, kind=kind)
        self._index_terms(kind, seqs)

    def _insert_vectors(self, number: int, seqs: Seqs, vectors: Vector) -> None:
        codes = encode(vectors)
        bound = seq_array(seqs)
        values = {"seqs": bound, "slices": vectors.tobytes(), "width": vectors.shape[1] * vectors.itemsize}
        self._run("insert_vectors", values, space=number)
        self._run("insert_codes", {"seqs": bound, "slices": codes.tobytes(), "width": codes.shape[1]}, space=number)

    def _insert_job(self, kind: VectorKind, item_id: str, number: int, now: datetime) -> None:
        values = {"item_id": item_id, "item_kind": kind, "space": number, "now": codec.to_micros(now)}
        self._run("insert_job", values)

    def _delete_terms(self, kind: ItemKind, seqs: Seqs) -> None:
        """Take rows out of the index of words: few of them at once for good, many chunks with the next merge."""
        many = kind == "chunk" and len(seqs) > MANY_CHUNKS
        if many:
            self._run("erase_at_leisure", kind=kind)
        self._run("delete_terms", {"seqs": seq_array(seqs)}, kind=kind)
        if many:
            self._run("erase_at_once", kind=kind)
            self._run("set_mark", {"name": UNMERGED, "value": 1})

    def _delete(self, kind: VectorKind, item_ids: Sequence[str]) -> None:
        """Remove rows, their words and text first, and then all that belongs to them."""
        self._later.run()
        bound = id_array(item_ids)
        seqs = np.array([row[0] for row in self._run("item_numbers", {"ids": bound}, kind=kind)], np.int64)
        if kind != "place":  # which is not found by words
            self._delete_terms(kind, seqs)
        self._run(DELETE[kind], {"ids": bound})
        self._run("delete_jobs", {"ids": bound})
        for shelf in spaces.listing(self._connection).of_kind(kind):
            self._run("delete_vectors", {"seqs": seq_array(seqs)}, space=shelf.number)
            self._run("delete_codes", {"seqs": seq_array(seqs)}, space=shelf.number)
        self._added[kind] -= len(seqs)
        self._resets += 1


def _without_vectors(written: Sequence[Written]) -> list[Written]:
    """Give rows whose vectors are of another space."""
    return [row._replace(vector=None) for row in written]
