"""Writes rows into PostgreSQL: batches by way of a staging table, vectors in typed columns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import psycopg

from recollect.model.literals import ItemKind, VectorKind
from recollect.model.memories import Draft, MemoryRecord, Scope, Space, Vector
from recollect.ports import Fingerprint, LiveMemory, Retirement, Slot
from recollect.storage.postgres.codec import (
    COPY_TYPES,
    column_type,
    json_rows,
    number_type,
    pack_ids,
    pack_vectors,
    to_copy_row,
    word_array,
)
from recollect.storage.postgres.connection import Packed
from recollect.storage.postgres.session import QUERIES, PostgresSession, statement
from recollect.storage.rows import DELETE
from recollect.storage.shared.item_writer import NumberedSpace, PassageRows, WrittenItem, passage_rows, written_memory
from recollect.storage.shared.transfer import TransferRows
from recollect.storage.shared.writer import CONFIRMED_FIELDS, FINGERPRINT_FIELDS, SLOT_FIELDS
from recollect.storage.spaces import list_spaces
from recollect.storage.tombstones import TombstoneSecrets

_FEW = 20  # up to here single statements are faster than a staging table


def _columns(names: Iterable[str], rows: Sequence[object]) -> dict[str, list[Any]]:
    """Lay out rows as one array for each of some fields."""
    return {name: [getattr(row, name) for row in rows] for name in names}


class PostgresWriter(TransferRows):
    """One user's changes. The user's row is locked, so that the user's other writers wait."""

    empties_staging = False  # whether this transaction may have used the staging table

    def __init__(
        self, session: PostgresSession, scope: Scope, *, secrets: TombstoneSecrets, geocodes: bool = False
    ) -> None:
        session.share_spaces()
        super().__init__(session, scope, secrets=secrets, geocodes=geocodes)
        self._server = session
        self._connection = session.connection
        self._distributed = session.distributed

    def insert(self, drafts: Sequence[Draft], space: Space | None) -> frozenset[str]:
        """Write rows; the unique index names the ones it refuses."""
        refused = self._insert_few(drafts) if len(drafts) <= _FEW else self._insert_many(drafts)
        written = [draft for draft in drafts if draft.record.id not in refused]
        if written:
            now = drafts[0].record.updated_at
            self._owe("memory", [written_memory(draft) for draft in written], space, now)
            self._settle("memory", [draft.record for draft in written], now)
        return refused

    def holders_of(self, slots: Sequence[Slot]) -> Sequence[LiveMemory]:
        """Ask for all slots in one trip to the server."""
        return self._live(self._rows("slot_holders", _columns(SLOT_FIELDS, slots)))

    def same_as(self, fingerprints: Sequence[Fingerprint]) -> Sequence[LiveMemory]:
        """Ask for all fingerprints in one trip to the server."""
        return self._live(self._rows("same_memories", _columns(FINGERPRINT_FIELDS, fingerprints)))

    def retire_many(self, retirements: Sequence[Retirement]) -> None:
        """End the validity of several memories with one statement."""
        self._execute("retire_memories", _columns(Retirement._fields, retirements))

    def confirm_many(self, confirmed: Sequence[MemoryRecord]) -> None:
        """Write what several confirmations change with one statement."""
        self._execute("confirm_memories", _columns(CONFIRMED_FIELDS, confirmed))

    def _insert_few(self, drafts: Sequence[Draft]) -> frozenset[str]:
        """Send rows in one trip to the server; when one of several is known already, ask which."""
        rows = [self._codec.memory_values(self._user, draft) for draft in drafts]
        if self._server.changed_many("insert_memory", rows) == len(rows):
            return frozenset()
        ids = [draft.record.id for draft in drafts]
        return frozenset(ids).difference(
            self._ids("existing_items", {"ids": ids}, kind="memory") if len(ids) > 1 else ()
        )

    def _insert_many(self, drafts: Sequence[Draft]) -> frozenset[str]:
        """Write a batch. Several servers take it in one statement only if it comes as a value."""
        if not self._distributed:
            return self._insert_staged(drafts)
        rows = json_rows([self._codec.memory_values(self._user, draft) for draft in drafts])
        written = frozenset(self._ids("insert_json_rows", {"rows": rows}))
        return frozenset(draft.record.id for draft in drafts) - written

    def _insert_staged(self, drafts: Sequence[Draft]) -> frozenset[str]:
        """Send rows by way of the staging table; when one of them is known already, let the index sort them out."""
        self._stage([to_copy_row(self._user, draft) for draft in drafts])
        try:
            with self._connection.transaction():
                self._execute("insert_staged")
        except psycopg.errors.UniqueViolation:
            self._execute("insert_staged_once")
            return frozenset(self._ids("refused_staged"))
        return frozenset()

    def _stage(self, rows: Sequence[tuple[Any, ...]]) -> None:
        self._execute("create_staging")
        if self.empties_staging:
            self._execute("empty_staging")
        self.empties_staging = True
        with self._connection.cursor().copy(statement("copy_staging")) as copy:
            copy.set_types(COPY_TYPES)
            for row in rows:
                copy.write_row(row)

    def _id_array(self, ids: Iterable[str]) -> object:
        return word_array(ids)

    def _next_numbers(self, amount: int) -> Sequence[int]:
        """Give zeros: rows have no numbers here."""
        return [0] * amount

    def _index_terms(self, kind: ItemKind, written: Sequence[WrittenItem]) -> None:
        """Do nothing: the server's index follows the rows."""

    def _number_changes(self, before: int) -> None:
        whats = [what for what, _, ids, _ in self._changes for _ in ids]
        kinds = [kind for _, kind, ids, _ in self._changes for _ in ids]
        arrays = {"whats": word_array(whats), "kinds": word_array(kinds)}
        ids = word_array(item_id for change in self._changes for item_id in change.ids)
        moment = max(change.moment for change in self._changes)
        self._execute("insert_changes", {**arrays, "ids": ids, "before": before, "now": moment})

    def reindex(self, kind: ItemKind, terms: Mapping[str, Sequence[str]]) -> None:
        """Write the new words; the index follows."""
        rows = [{"user_id": self._user, "id": item_id, "terms": list(words)} for item_id, words in terms.items()]
        self._session.execute_many("update_terms", rows, kind=kind)

    def _insert_vectors(self, target: NumberedSpace, items: Sequence[WrittenItem], vectors: Vector) -> None:
        self._insert_item_vectors(target, [row.id for row in items], vectors)

    def _insert_passages(self, target: NumberedSpace, items: Sequence[WrittenItem], passages: PassageRows) -> None:
        item_ids = [items[owner].id for owner in passages.owners]
        self._insert_item_vectors(target, item_ids, passages.vectors, passages.parts)

    def _insert_item_vectors(
        self, target: NumberedSpace, item_ids: Sequence[str], vectors: Vector, parts: Sequence[int] = ()
    ) -> None:
        column = column_type(target.space)
        packed = pack_vectors(vectors, number_type(target.space), self._connection.adapters.types[column].oid)
        values = {"user_id": self._user, "ids": Packed(pack_ids(item_ids)), "vectors": Packed(packed)}
        name, more = ("insert_passages", {"parts": list(parts)}) if parts else ("insert_vectors", {})
        sql = QUERIES[name].replace("{space}", str(target.number)).replace("{type}", column)
        self._connection.execute(sql.encode(), {**values, **more})

    def _move_vectors(self, from_id: str, to_id: str) -> None:
        for number in list_spaces(self._session).numbers_of("memory"):
            self._execute("move_vectors", {"id": from_id, "version_id": to_id}, space=number)

    def _copy_vectors(self, kind: VectorKind, pairs: Sequence[tuple[str, str]]) -> None:
        for number in list_spaces(self._session).numbers_of(kind):
            for from_id, to_id in pairs:
                if self._changed_rows("copy_vector", {"from_id": from_id, "to_id": to_id}, space=number):
                    self._execute("finish_jobs", {"space": number, "ids": [to_id]})

    def _delete(self, kind: VectorKind, item_ids: Sequence[str]) -> None:
        """Remove rows and all that belongs to them."""
        self._deferred.run()
        self._free(kind, item_ids)
        removed = {"ids": list(item_ids)}
        self._added[kind] -= self._changed_rows(DELETE[kind], removed)
        self._execute("delete_jobs", removed)
        for number in list_spaces(self._session).numbers_of(kind):
            self._execute("delete_vectors", removed, space=number)
        self._resets += 1

    def _finish_kind(
        self, kind: VectorKind, target: NumberedSpace, item_ids: Sequence[str], vectors: Sequence[Vector]
    ) -> set[str]:
        wanted = {"ids": list(item_ids)}
        existing_ids = set(self._ids("existing_items", wanted, kind=kind))
        positions = [position for position, item_id in enumerate(item_ids) if item_id in existing_ids]
        if positions:
            self._execute("delete_vectors", wanted, space=target.number)
            rows = [WrittenItem(item_ids[position], None, 0) for position in positions]
            self._insert_vectors(target, rows, np.stack([vectors[position][0] for position in positions]))
            passages = passage_rows([vectors[position][1:] for position in positions])
            if passages is not None:
                self._insert_passages(target, rows, passages)
        return {row[0] for row in self._rows("finish_jobs", {**wanted, "space": target.number})}
