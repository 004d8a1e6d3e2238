"""Writes rows into PostgreSQL: memories as an array for each column, vectors in typed columns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect.model.literals import ItemKind, VectorKind
from recollect.model.memories import Draft, MemoryRecord, Scope, Slot, Space, Vector
from recollect.storage.base.forgotten import TombstoneSecrets
from recollect.storage.base.item_writer import NumberedSpace, PassageRows, WrittenItem, written_memory
from recollect.storage.base.spaces import list_spaces
from recollect.storage.base.tables import ROWS
from recollect.storage.base.values import LiveMemory, Retirement
from recollect.storage.base.writer import CONFIRMED_FIELDS, SLOT_FIELDS, StoreWriter
from recollect.storage.postgres.connection import Packed
from recollect.storage.postgres.session import (
    QUERIES,
    PostgresSession,
    column_type,
    memory_columns,
    number_type,
    pack_ids,
    pack_vectors,
    word_array,
)

_AT_ONCE = 500  # rows in one statement: the longest texts stay below the gigabyte that a message may have


def _columns(names: Iterable[str], rows: Sequence[object]) -> dict[str, list[Any]]:
    """Lay out rows as one array for each of some fields."""
    return {name: [getattr(row, name) for row in rows] for name in names}


class PostgresWriter(StoreWriter):
    """One user's changes. The user's row is locked, so that the user's other writers wait."""

    def __init__(
        self, session: PostgresSession, scope: Scope, *, secrets: TombstoneSecrets, geocodes: bool = False
    ) -> None:
        session.share_spaces()
        super().__init__(session, scope, secrets=secrets, geocodes=geocodes)
        self._connection = session.connection

    def insert(self, drafts: Sequence[Draft], space: Space | None) -> frozenset[str]:
        """Write rows, as arrays; the unique index names the ones it refuses."""
        batches = (drafts[first : first + _AT_ONCE] for first in range(0, len(drafts), _AT_ONCE))
        ids = {item_id for batch in batches for item_id in self._ids("insert_memories", memory_columns(batch))}
        written = [draft for draft in drafts if draft.record.id in ids]
        if written:
            now = drafts[0].record.updated_at
            self._owe("memory", [written_memory(draft) for draft in written], space, now)
            self._settle("memory", [draft.record for draft in written], now)
        return frozenset(draft.record.id for draft in drafts) - ids

    def holders_of(self, slots: Sequence[Slot]) -> Sequence[LiveMemory]:
        """Ask for all slots in one trip to the server."""
        return self._live(self._rows("slot_holders", _columns(SLOT_FIELDS, slots)))

    def retire_many(self, retirements: Sequence[Retirement]) -> None:
        self._execute("retire_memories", _columns(Retirement._fields, retirements))

    def confirm_many(self, confirmed: Sequence[MemoryRecord]) -> None:
        self._execute("confirm_memories", _columns(CONFIRMED_FIELDS, confirmed))

    def _id_array(self, ids: Iterable[str]) -> object:
        return word_array(ids)

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

    def _insert_vectors(
        self, target: NumberedSpace, items: Sequence[WrittenItem], vectors: Vector, parts: Sequence[int] = ()
    ) -> None:
        column = column_type(target.space)
        packed = pack_vectors(vectors, number_type(target.space), self._connection.adapters.types[column].oid)
        ids = Packed(pack_ids([row.id for row in items]))
        values = {"user_id": self._user, "ids": ids, "vectors": Packed(packed)}
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
        self._run_deferred()
        self._free(kind, item_ids)
        removed = {"ids": list(item_ids)}
        self._added[kind] -= self._changed_rows(f"delete_{ROWS[kind]}", removed)
        self._execute("delete_jobs", removed)
        for number in list_spaces(self._session).numbers_of(kind):
            self._execute("delete_vectors", removed, space=number)
        self._resets += 1

    def _numbers_of(self, kind: VectorKind, item_ids: Sequence[str]) -> Mapping[str, int]:
        return dict.fromkeys(self._ids("existing_items", {"ids": list(item_ids)}, kind=kind), 0)

    def _drop_vectors(self, number: int, rows: Sequence[WrittenItem], passages: PassageRows | None) -> None:  # noqa: ARG002 - they go with the others
        self._execute("delete_vectors", {"ids": [row.id for row in rows]}, space=number)
