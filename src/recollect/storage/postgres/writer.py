"""Changes one user's memories inside one transaction, and serves the jobs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import psycopg

from recollect.model.literals import VECTOR_KINDS, VectorKind
from recollect.model.memories import Draft, MemoryRecord, Space, Vector
from recollect.ports import CachedPassageVector, EmbedJob, Fingerprint, Role, Slot
from recollect.storage.postgres import codec, spaces
from recollect.storage.postgres.file_writer import FileWriter
from recollect.storage.postgres.items import Written
from recollect.storage.postgres.message_writer import MessageWriter
from recollect.storage.postgres.rows import QUERIES
from recollect.storage.spaces import label

_FEW = 20  # up to here single statements are faster than a staging table


class PostgresWriter(MessageWriter, FileWriter):
    """One user's changes. The user's row is locked, so that the user's other writers wait."""

    _staged = False  # whether this transaction has used the staging table

    def insert(self, drafts: Sequence[Draft], space: Space | None) -> frozenset[str]:
        """Write rows; the unique index names the ones it refuses."""
        refused = self._insert_few(drafts) if len(drafts) <= _FEW else self._insert_many(drafts)
        kept = [draft for draft in drafts if draft.record.id not in refused]
        if kept:
            now = drafts[0].record.updated_at
            self._owe("memory", [Written(draft.record.id, draft.vector) for draft in kept], space, now)
            self._settle("memory", [draft.record for draft in kept], now)
        return refused

    def _insert_few(self, drafts: Sequence[Draft]) -> frozenset[str]:
        return frozenset(
            draft.record.id
            for draft in drafts
            if not self._run("insert_memory", codec.to_parameters(self._user, draft)).rowcount
        )

    def _insert_many(self, drafts: Sequence[Draft]) -> frozenset[str]:
        """Send rows by way of the staging table; when one of them is known already, let the index sort them out."""
        self._stage([codec.to_copy_row(self._user, draft) for draft in drafts])
        try:
            with self._connection.transaction():
                self._run("insert_staged")
        except psycopg.errors.UniqueViolation:
            self._run("insert_staged_once")
            return frozenset(row[0] for row in self._run("refused_staged"))
        return frozenset()

    def _stage(self, rows: Sequence[tuple[Any, ...]]) -> None:
        self._run("create_staging")
        if self._staged:
            self._run("empty_staging")
        self._staged = True
        with self._connection.cursor().copy(QUERIES["copy_staging"].encode()) as copy:
            copy.set_types(codec.COPY_TYPES)
            for row in rows:
                copy.write_row(row)

    def same(self, fingerprint: Fingerprint) -> MemoryRecord | None:
        """Find the live row with this fingerprint."""
        values = {
            "type": fingerprint.type,
            "subject": fingerprint.subject,
            "key": fingerprint.key,
            "context": fingerprint.context,
            "content_hash": fingerprint.content_hash,
        }
        return self._first("same_memory", values)

    def current(self, slot: Slot) -> MemoryRecord | None:
        """Find the live row that holds this slot."""
        values = {"subject": slot.subject, "key": slot.key, "context": slot.context, "preference": slot.preference}
        return self._first("current_memory", values)

    def _first(self, name: str, values: dict[str, Any]) -> MemoryRecord | None:
        row = self._run(name, values).fetchone()
        return codec.from_row(row) if row else None

    def retire(self, memory_id: str, valid_until: datetime, superseded_by: str) -> None:
        """End a row's validity in favour of another."""
        self._run("retire_memory", {"id": memory_id, "valid_until": valid_until, "superseded_by": superseded_by})

    def revive(self, memory_id: str) -> None:
        """Let a row hold again."""
        self._run("revive_memory", {"id": memory_id})

    def confirm(self, confirmed: MemoryRecord) -> None:
        """Write what a confirmation changes."""
        values = {name: getattr(confirmed, name) for name in ("id", "trust", "source", "confidence")}
        self._run("confirm_memory", {**values, "now": confirmed.updated_at})

    def revise(
        self, version_id: str, draft: Draft, space: Space | None, *, valid_until: datetime, keep_vector: bool
    ) -> None:
        """Let the old row become a version in place, and write the new one beside it."""
        self._later.run()
        record = draft.record
        renamed = {"id": record.id, "version_id": version_id}
        self._run("rename_memory", {**renamed, "valid_until": valid_until})
        self._run("rename_jobs", renamed)
        shelves = spaces.listing(self._connection).of_kind("memory")
        for shelf in shelves:
            self._run("move_vectors", renamed, space=shelf.number)
        self.insert([draft], space)
        if keep_vector:
            self._changed.pop()  # it says what it said before
            self._keep_vectors([shelf.number for shelf in shelves], version_id, record.id)

    def _keep_vectors(self, numbers: Sequence[int], from_id: str, to_id: str) -> None:
        """Give a row the vectors of another; in these spaces it is owed none."""
        for number in numbers:
            if self._run("copy_vector", {"from_id": from_id, "to_id": to_id}, space=number).rowcount:
                self._run("finish_jobs", {"space": number, "ids": [to_id]})

    def relink(self, from_id: str, to_id: str) -> None:
        """Let versions that point at one row point at another."""
        self._run("relink_versions", {"from_id": from_id, "to_id": to_id})

    def delete(self, ids: Sequence[str]) -> None:
        """Remove memories."""
        self._remove("memory", ids)

    def finish_jobs(self, jobs: Sequence[EmbedJob], vectors: Vector) -> frozenset[str]:
        """Store vectors that came late, for the rows that still exist."""
        waited: set[str] = set()
        known = spaces.listing(self._connection)
        for kind in VECTOR_KINDS:
            rows = [row for row, job in enumerate(jobs) if job.kind == kind]
            number = known.number(kind, jobs[0].space)
            if rows and number is not None:  # a space that was dropped meanwhile needs no vectors
                shelf = (jobs[0].space, number)
                waited |= self._finish_kind(kind, shelf, [jobs[row].item.id for row in rows], vectors[rows])
        return frozenset(waited)

    def _finish_kind(
        self, kind: VectorKind, shelf: tuple[Space, int], item_ids: Sequence[str], vectors: Vector
    ) -> set[str]:
        space, number = shelf
        wanted = {"ids": list(item_ids)}
        existing = {row[0] for row in self._run("existing_items", wanted, kind=kind)}
        rows = [row for row, item_id in enumerate(item_ids) if item_id in existing]
        if rows:
            self._run("delete_vectors", wanted, space=number)
            self._insert_vectors(space, number, [item_ids[row] for row in rows], vectors[rows])
        return {row[0] for row in self._run("finish_jobs", {**wanted, "space": number})}

    def keep_paid(self, space: Space, paid: Sequence[CachedPassageVector], now: datetime) -> None:
        """Keep what was paid for."""
        rows = [{"user_id": self._user, **cached_values(space, "passage", one, now)} for one in paid]
        with self._connection.cursor() as cursor:
            cursor.executemany(QUERIES["insert_cached"].encode(), rows)

    def forget_paid(self, item_ids: Sequence[str] | None, *, questions: bool = True) -> None:
        """Let go of what was paid for."""
        if item_ids is None:
            self._run("forget_cached_all")
            self._run("forget_cache_uses")
            return
        self._run("forget_cached_items", {"ids": list(item_ids)})
        if questions:
            self._run("forget_cached_questions")


def cached_values(space: Space, role: Role, paid: CachedPassageVector, now: datetime) -> dict[str, Any]:
    """Lay out an entry of the cache."""
    entry = {"key": paid.key, "item_id": paid.item_id, "vector": paid.vector.astype("<f4").tobytes()}
    return {**entry, "space": label(space), "role": role, "now": now}
