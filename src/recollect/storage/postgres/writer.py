"""Changes one user's rows inside one transaction.

Rows are written at once; their vectors wait until its end, so that a bulk load prepares its next batch meanwhile.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np
import psycopg

from recollect import ids
from recollect.ports import EmbedJob, Fingerprint, Slot
from recollect.storage.later import Later
from recollect.storage.postgres import codec, spaces
from recollect.storage.postgres.connection import Connection
from recollect.storage.postgres.rows import QUERIES, PostgresRows
from recollect.types import Draft, MemoryRecord, Scope, Space, Vector

_FEW = 20  # up to here single statements are faster than a staging table


class PostgresWriter(PostgresRows):
    """One user's changes. The user's row is locked, so that the user's other writers wait."""

    def __init__(self, connection: Connection, scope: Scope) -> None:
        super().__init__(connection, scope)
        self._later = Later()
        self._added = 0
        self._resets = 0
        self._run("lock_user")

    def finish(self) -> None:
        """Send what was deferred and the user's figures."""
        self._later.run()
        if self._added or self._resets:
            self._run("count_user", {"added": self._added, "resets": self._resets})

    def insert(self, drafts: Sequence[Draft], space: Space | None) -> frozenset[str]:
        """Write rows; the unique index names the ones it refuses."""
        refused = self._insert_few(drafts) if len(drafts) <= _FEW else self._insert_many(drafts)
        written = [draft for draft in drafts if draft.record.id not in refused] if refused else drafts
        self._added += len(written)
        if space is not None and written:
            self._insert_vectors(space, written)
            for draft in written:
                if draft.vector is None:
                    self._insert_job(draft.record)
        return refused

    def _insert_few(self, drafts: Sequence[Draft]) -> frozenset[str]:
        return frozenset(
            draft.record.id
            for draft in drafts
            if not self._run("insert_memory", codec.to_parameters(self._user, draft)).rowcount
        )

    def _insert_many(self, drafts: Sequence[Draft]) -> frozenset[str]:
        """Send rows straight to their table; when one of them is known already, let the index sort them out."""
        rows = [codec.to_copy_row(self._user, draft) for draft in drafts]
        try:
            with self._connection.transaction():
                self._copy_rows("copy_memories", rows)
        except psycopg.errors.UniqueViolation:
            return self._insert_staged(rows)
        return frozenset()

    def _insert_staged(self, rows: Sequence[tuple[Any, ...]]) -> frozenset[str]:
        self._run("create_staging")
        self._copy_rows("copy_staging", rows)
        self._run("insert_staged")
        refused = frozenset(row[0] for row in self._run("refused_staged"))
        self._run("drop_staging")
        return refused

    def _copy_rows(self, name: str, rows: Sequence[tuple[Any, ...]]) -> None:
        with self._connection.cursor().copy(QUERIES[name].encode()) as copy:
            copy.set_types(codec.COPY_TYPES)
            for row in rows:
                copy.write_row(row)

    def _insert_vectors(self, space: Space, drafts: Sequence[Draft]) -> None:
        ready = [(draft.record.id, draft.vector) for draft in drafts if draft.vector is not None]
        if ready:
            number = spaces.register(self._connection, space, drafts[0].record.updated_at)
            item_ids, vectors = [item_id for item_id, _ in ready], np.stack([vector for _, vector in ready])
            self._later.add(lambda: self._copy_vectors(space, number, item_ids, vectors))

    def _copy_vectors(self, space: Space, number: int, item_ids: Sequence[str], vectors: Vector) -> None:
        sql = QUERIES["copy_vectors"].replace("{space}", str(number))
        with self._connection.cursor().copy(sql.encode()) as copy:
            copy.write(codec.pack_vectors(self._user, item_ids, vectors, spaces.number_type(space)))

    def _insert_job(self, record: MemoryRecord) -> None:
        now = record.updated_at
        self._run("insert_job", {"id": ids.new(now), "kind": "embed", "item_id": record.id, "now": now})

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
        return self._first("current_memory", {"subject": slot.subject, "key": slot.key, "context": slot.context})

    def _first(self, name: str, values: dict[str, Any]) -> MemoryRecord | None:
        row = self._run(name, values).fetchone()
        return codec.from_row(row) if row else None

    def retire(self, memory_id: str, valid_until: datetime, superseded_by: str) -> None:
        """End a row's validity in favour of another."""
        self._run("retire_memory", {"id": memory_id, "valid_until": valid_until, "superseded_by": superseded_by})

    def confirm(self, memory_id: str, trust: int, source: str, now: datetime) -> None:
        """Raise a row's trust."""
        self._run("confirm_memory", {"id": memory_id, "trust": trust, "source": source, "now": now})

    def revise(
        self, version_id: str, draft: Draft, space: Space | None, *, valid_until: datetime, keep_vector: bool
    ) -> None:
        """Let the old row become a version in place, and write the new one beside it."""
        self._later.run()
        record = draft.record
        renamed = {"id": record.id, "version_id": version_id}
        self._run("rename_memory", {**renamed, "valid_until": valid_until})
        self._run("rename_jobs", renamed)
        known = spaces.numbers(self._connection)
        copied = set()
        for known_space, number in known.items():
            self._run("move_vectors", renamed, space=number)
            values = {"from_id": version_id, "to_id": record.id}
            if keep_vector and self._run("copy_vector", values, space=number).rowcount:
                copied.add(known_space)
        self.insert([draft], None if space in copied else space)

    def relink(self, from_id: str, to_id: str) -> None:
        """Let versions that point at one row point at another."""
        self._run("relink_versions", {"from_id": from_id, "to_id": to_id})

    def delete(self, ids: Sequence[str]) -> None:
        """Remove rows and all that belongs to them."""
        self._later.run()
        doomed = {"ids": list(ids)}
        self._added -= self._run("delete_memories", doomed).rowcount
        self._run("delete_jobs", doomed)
        for number in spaces.numbers(self._connection).values():
            self._run("delete_vectors", doomed, space=number)
        self._resets += 1

    def claim_jobs(self, limit: int, now: datetime, lease_until: datetime) -> Sequence[EmbedJob]:
        """Take jobs that are due."""
        claimed = self._run("claim_jobs", {"limit": limit, "now": now, "lease_until": lease_until}).fetchall()
        records = {record.id: record for record in self.get([item_id for _, item_id, _ in claimed])}
        return [EmbedJob(job_id, records[item_id], attempts) for job_id, item_id, attempts in claimed]

    def finish_jobs(self, jobs: Sequence[EmbedJob], vectors: Vector, space: Space, now: datetime) -> None:
        """Store vectors that came late, for the rows that still exist and still lack one."""
        wanted = {"ids": [job.record.id for job in jobs]}
        existing = {row[0] for row in self._run("existing_memories", wanted)}
        rows = [row for row, job in enumerate(jobs) if job.record.id in existing]
        if rows:
            number = spaces.register(self._connection, space, now)
            self._run("delete_vectors", wanted, space=number)
            self._copy_vectors(space, number, [jobs[row].record.id for row in rows], vectors[rows])
            self._resets += 1
        self._run("delete_jobs", wanted)

    def postpone_job(self, job: EmbedJob, reason: str, due: datetime | None) -> None:
        """Note a failure."""
        self._run("postpone_job", {"id": job.job_id, "reason": reason, "due_at": due})
