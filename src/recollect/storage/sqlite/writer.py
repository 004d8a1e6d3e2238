"""Writes rows into SQLite: numbers, terms in FTS5, vectors as blobs with their codes.

Rows are written at once; their terms, vectors and codes wait until the end of the transaction and then travel in a few
long steps. SQLite runs those without Python's lock, so a bulk load prepares its next batch meanwhile.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import apsw
import numpy as np

from recollect.model.literals import ItemKind, VectorKind
from recollect.model.memories import Draft, Scope, Slot, Space, Vector
from recollect.storage.base.forgotten import TombstoneSecrets
from recollect.storage.base.item_writer import NumberedSpace, PassageRows, WrittenItem, written_memory
from recollect.storage.base.session import StoreSession
from recollect.storage.base.spaces import list_spaces
from recollect.storage.base.tables import ROWS
from recollect.storage.base.values import LiveMemory
from recollect.storage.base.writer import StoreWriter
from recollect.storage.sqlite.caches import Seqs, encode, passage_numbers
from recollect.storage.sqlite.session import SqliteSession, seq_array, statement, to_row

MANY_ROWS = 50  # a chunk has some two hundred words, and each word takes as long as a small write
UNMERGED = "unmerged"  # the mark that says that the index of words still holds rows that are gone


def index_terms(session: StoreSession, kind: ItemKind, seqs: Seqs) -> None:
    session.execute("insert_terms", {"seqs": seq_array(seqs)}, kind=kind)


class UnindexedRows:
    """New rows of users who share a transaction, and whose words are indexed together at its end."""

    def __init__(self) -> None:
        self._seqs = defaultdict[ItemKind, list[int]](list)
        self._users: set[str] = set()

    def add(self, user: str, seqs: Mapping[ItemKind, Sequence[int]]) -> None:
        for kind, added in seqs.items():
            self._seqs[kind] += added
            self._users.add(user)

    def includes(self, user: str) -> bool:
        return user in self._users

    def index(self, session: StoreSession) -> None:
        for kind, seqs in self._seqs.items():
            index_terms(session, kind, np.array(seqs, np.int64))
        self._seqs.clear()
        self._users.clear()


class SqliteWriter(StoreWriter):
    """One user's changes. `finish` must be called before the commit."""

    def __init__(
        self, connection: apsw.Connection, scope: Scope, *, secrets: TombstoneSecrets, geocodes: bool = False
    ) -> None:
        super().__init__(SqliteSession(connection), scope, secrets=secrets, geocodes=geocodes)
        self._connection = connection
        self._unindexed = defaultdict[ItemKind, list[int]](list)

    def insert(self, drafts: Sequence[Draft], space: Space | None) -> frozenset[str]:
        """Write rows; the unique index names the ones it refuses."""
        numbers = self._next_numbers(len(drafts))
        before = self._connection.total_changes()
        numbered = list(zip(numbers, drafts, strict=True))
        self._connection.executemany(
            statement("insert_memory"), [to_row(seq, self._user, draft) for seq, draft in numbered]
        )
        refused: frozenset[str] = frozenset()
        if self._connection.total_changes() - before < len(drafts):
            written_seqs = {row[0] for row in self._rows("written_numbers", {"first": numbers[0], "last": numbers[-1]})}
            refused = frozenset(draft.record.id for seq, draft in numbered if seq not in written_seqs)
            numbered = [(seq, draft) for seq, draft in numbered if seq in written_seqs]
        if numbered:
            now = numbered[0][1].record.updated_at
            self._owe("memory", [written_memory(draft, seq) for seq, draft in numbered], space, now)
            self._settle("memory", [draft.record for _, draft in numbered], now)
        return refused

    def holders_of(self, slots: Sequence[Slot]) -> Sequence[LiveMemory]:
        """Ask for one slot after the other: no server is far away."""
        return [live for slot in slots for live in self._holders(slot)]

    def finish_without_terms(self) -> Mapping[ItemKind, Sequence[int]]:
        """Finish, but leave it to the caller to index the words of new rows; gives their numbers."""
        unindexed, self._unindexed = self._unindexed, defaultdict(list)
        self.finish()
        return unindexed

    def _next_numbers(self, amount: int) -> Sequence[int]:
        last = int(self._rows("next_numbers", {"amount": amount, "name": "item"})[0][0])
        return range(last - amount + 1, last + 1)

    def _number_changes(self, before: int) -> None:
        for what, kind, ids, moment in self._changes:
            if ids:
                values = {"before": before, "what": what, "item_kind": kind, "ids": ids, "now": moment}
                self._execute("insert_changes", values)
                before += len(ids)

    def _index_terms(self, kind: ItemKind, written: Sequence[WrittenItem]) -> None:
        if not self._unindexed[kind]:
            self._deferred.append(lambda: self._index_new(kind))
        self._unindexed[kind] += [row.seq for row in written]

    def _index_new(self, kind: ItemKind) -> None:
        """Index the words of all rows that were written since this was last done."""
        if seqs := self._unindexed.pop(kind, None):
            index_terms(self._session, kind, np.array(seqs, np.int64))

    def reindex(self, kind: ItemKind, terms: Mapping[str, Sequence[str]]) -> None:
        """Take the old words out of the index while the rows still tell what they were, then write the new ones."""
        self._run_deferred()
        numbered = self._rows("item_numbers", {"ids": list(terms)}, kind=kind)
        seqs = np.array([seq for seq, _ in numbered], np.int64)
        self._execute("delete_terms", {"seqs": seq_array(seqs)}, kind=kind)
        for _, item_id in numbered:
            self._execute("update_terms", {"id": item_id, "terms": " ".join(terms[item_id])}, kind=kind)
        index_terms(self._session, kind, seqs)

    def _insert_vectors(
        self, target: NumberedSpace, items: Sequence[WrittenItem], vectors: Vector, parts: Sequence[int] = ()
    ) -> None:
        seqs, codes = np.array([row.seq for row in items], np.int64), encode(vectors)
        bound = seq_array(passage_numbers(seqs, parts) if parts else seqs)
        for query, rows in (("insert_vectors", vectors), ("insert_codes", codes)):
            values = {"seqs": bound, "slices": rows.tobytes(), "width": rows.shape[1] * rows.itemsize}
            self._execute(query, values, space=target.number)

    def _drop_vectors(self, number: int, rows: Sequence[WrittenItem], passages: PassageRows | None) -> None:
        """Remove the vectors that rows have; when passages go for good, codes in memory are loaded anew."""
        seqs = seq_array(np.array([row.seq for row in rows], np.int64))
        self._execute("delete_vectors", {"seqs": seqs}, space=number)
        removed = self._changed_rows("delete_codes", {"seqs": seqs}, space=number)
        if removed > len(rows) + (len(passages.parts) if passages else 0):
            self._resets += 1
        self._execute("note_late")

    def _copy_vectors(self, kind: VectorKind, pairs: Sequence[tuple[str, str]]) -> None:
        seqs = self._numbers_of(kind, sorted({item_id for pair in pairs for item_id in pair}))
        for number in list_spaces(self._session).numbers_of(kind):
            for from_id, to_id in pairs:
                values = {"from_seq": seqs[from_id], "to_seq": seqs[to_id]}
                if self._changed_rows("copy_vector", values, space=number):
                    self._execute("copy_code", values, space=number)
                    self._execute("finish_jobs", {"space": number, "ids": [to_id]})

    def _move_vectors(self, from_id: str, to_id: str) -> None:
        """Do nothing: vectors belong to the number of a row, which it keeps."""

    def _delete_terms(self, kind: ItemKind, seqs: Seqs) -> None:
        """Take rows out of the index of words: few of them at once for good, many chunks with the next merge.

        The index is emptied as a whole when no row of any user stays.
        """
        if len(seqs) > MANY_ROWS and self._rows("count_rows", {"limit": len(seqs) + 1}, kind=kind)[0][0] == len(seqs):
            self._execute("delete_all_terms", kind=kind)
            return
        many = kind == "chunk" and len(seqs) > MANY_ROWS
        if many:
            self._execute("erase_at_leisure", kind=kind)
        self._execute("delete_terms", {"seqs": seq_array(seqs)}, kind=kind)
        if many:
            self._execute("erase_at_once", kind=kind)
            self._execute("set_mark", {"name": UNMERGED, "value": 1})

    def _delete(self, kind: VectorKind, item_ids: Sequence[str]) -> None:
        """Remove rows, their words and text first, and then all that belongs to them."""
        self._run_deferred()
        self._free(kind, item_ids)
        removed = {"ids": list(item_ids)}
        seqs = np.array([row[0] for row in self._rows("item_numbers", removed, kind=kind)], np.int64)
        if kind != "place":  # which is not found by words
            self._delete_terms(kind, seqs)
        self._execute(f"delete_{ROWS[kind]}", removed)
        self._execute("delete_jobs", removed)
        for number in list_spaces(self._session).numbers_of(kind):
            self._execute("delete_vectors", {"seqs": seq_array(seqs)}, space=number)
            self._execute("delete_codes", {"seqs": seq_array(seqs)}, space=number)
        self._added[kind] -= len(seqs)
        self._resets += 1

    def _numbers_of(self, kind: VectorKind, item_ids: Sequence[str]) -> Mapping[str, int]:
        return {item_id: seq for seq, item_id in self._rows("item_numbers", {"ids": list(item_ids)}, kind=kind)}
