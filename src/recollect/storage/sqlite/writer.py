"""Changes one user's rows inside one transaction.

Rows are written at once; their terms, vectors and codes wait until the end of the transaction and then travel in a few
long steps. SQLite runs those without Python's lock, so a bulk load prepares its next batch meanwhile.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import apsw
import numpy as np

from recollect import ids
from recollect.ports import EmbedJob, Fingerprint, Slot
from recollect.storage.later import Later
from recollect.storage.sqlite import codec, spaces
from recollect.storage.sqlite.codes import encode
from recollect.storage.sqlite.rows import QUERIES, SqliteRows, id_array, seq_array
from recollect.types import Draft, MemoryRecord, Scope, Space, Vector


class SqliteWriter(SqliteRows):
    """One user's changes. `finish` must be called before the commit."""

    def __init__(self, connection: apsw.Connection, scope: Scope) -> None:
        super().__init__(connection, scope)
        self._later = Later()
        self._added = 0
        self._resets = 0
        self._run("lock_user")

    def finish(self) -> None:
        """Write what was deferred and the user's figures."""
        self._later.run()
        if self._added or self._resets:
            self._run("count_user", {"added": self._added, "resets": self._resets})

    def insert(self, drafts: Sequence[Draft], space: Space | None) -> frozenset[str]:
        """Write rows; the unique index names the ones it refuses."""
        last = self._next_numbers(len(drafts))
        first = last - len(drafts) + 1
        before = self._connection.total_changes()
        rows = [codec.to_row(seq, self._user, draft) for seq, draft in enumerate(drafts, first)]
        self._connection.executemany(QUERIES["insert_memory"], rows)
        numbered = list(enumerate(drafts, first))
        refused: frozenset[str] = frozenset()
        if self._connection.total_changes() - before < len(drafts):
            kept = {row[0] for row in self._run("written_numbers", {"first": first, "last": last})}
            refused = frozenset(draft.record.id for seq, draft in numbered if seq not in kept)
            numbered = [(seq, draft) for seq, draft in numbered if seq in kept]
        self._added += len(numbered)
        self._owe(numbered, space)
        return refused

    def _next_numbers(self, amount: int) -> int:
        return int(self._run("next_numbers", {"amount": amount, "name": "item"})[0][0])

    def _owe(self, numbered: Sequence[tuple[int, Draft]], space: Space | None) -> None:
        """Put off the terms and vectors of rows that were written; note a job where there is no vector."""
        if not numbered:
            return
        written = seq_array(np.array([seq for seq, _ in numbered], np.int64))
        self._later.add(lambda: self._index_terms(written))
        ready = [(seq, draft.vector) for seq, draft in numbered if draft.vector is not None]
        if ready and space is not None:
            number = spaces.register(self._connection, space, numbered[0][1].record.updated_at)
            seqs = np.array([seq for seq, _ in ready], np.int64)
            vectors = np.stack([vector for _, vector in ready])
            self._later.add(lambda: self._insert_vectors(number, seqs, vectors))
        for _, draft in numbered:
            if draft.vector is None and space is not None:
                self._insert_job(draft.record)

    def _index_terms(self, seqs: Any) -> None:  # noqa: ANN401 - apsw gives its bindings no public type
        self._run("insert_terms", {"seqs": seqs})

    def _insert_vectors(self, number: int, seqs: np.ndarray[tuple[int], np.dtype[np.int64]], vectors: Vector) -> None:
        codes = encode(vectors)
        bound = seq_array(seqs)
        values = {"seqs": bound, "slices": vectors.tobytes(), "width": vectors.shape[1] * vectors.itemsize}
        self._run("insert_vectors", values, space=number)
        self._run("insert_codes", {"seqs": bound, "slices": codes.tobytes(), "width": codes.shape[1]}, space=number)

    def _insert_job(self, record: MemoryRecord) -> None:
        now = codec.to_micros(record.updated_at)
        self._run("insert_job", {"id": ids.new(record.updated_at), "kind": "embed", "item_id": record.id, "now": now})

    def same(self, fingerprint: Fingerprint) -> MemoryRecord | None:
        """Find the live row with this fingerprint."""
        values = {
            "type": fingerprint.type,
            "subject": fingerprint.subject,
            "key": fingerprint.key,
            "context": fingerprint.context,
            "content_hash": fingerprint.content_hash,
        }
        found = self._run("same_memory", values)
        return codec.from_row(found[0]) if found else None

    def current(self, slot: Slot) -> MemoryRecord | None:
        """Find the live row that holds this slot."""
        values = {"subject": slot.subject, "key": slot.key, "context": slot.context}
        found = self._run("current_memory", values)
        return codec.from_row(found[0]) if found else None

    def retire(self, memory_id: str, valid_until: datetime, superseded_by: str) -> None:
        """End a row's validity in favour of another."""
        values = {"id": memory_id, "valid_until": codec.to_micros(valid_until), "superseded_by": superseded_by}
        self._run("retire_memory", values)

    def confirm(self, memory_id: str, trust: int, source: str, now: datetime) -> None:
        """Raise a row's trust."""
        values = {"id": memory_id, "trust": trust, "source": source, "now": codec.to_micros(now)}
        self._run("confirm_memory", values)

    def revise(
        self, version_id: str, draft: Draft, space: Space | None, *, valid_until: datetime, keep_vector: bool
    ) -> None:
        """Let the old row become a version in place, and write the new one beside it."""
        record = draft.record
        old_seq = self._run("memory_numbers", {"ids": id_array([record.id])})[0][0]
        until = codec.to_micros(valid_until)
        self._run("rename_memory", {"id": record.id, "version_id": version_id, "valid_until": until})
        self._run("rename_jobs", {"id": record.id, "version_id": version_id})
        new_seq = self._next_numbers(1)
        self._connection.execute(QUERIES["insert_memory"], codec.to_row(new_seq, self._user, draft))
        self._added += 1
        copied = self._copy_vectors(old_seq, new_seq) if keep_vector else ()
        self._owe([(new_seq, draft)], None if space in copied else space)

    def _copy_vectors(self, from_seq: int, to_seq: int) -> Collection[Space]:
        """Give a row the vectors of another; says in which spaces there were any."""
        copied = []
        for space, number in spaces.numbers(self._connection).items():
            values = {"from_seq": from_seq, "to_seq": to_seq}
            self._run("copy_vector", values, space=number)
            if self._connection.changes():
                self._run("copy_code", values, space=number)
                copied.append(space)
        return copied

    def relink(self, from_id: str, to_id: str) -> None:
        """Let versions that point at one row point at another."""
        self._run("relink_versions", {"from_id": from_id, "to_id": to_id})

    def delete(self, ids: Sequence[str]) -> None:
        """Remove rows, their words and text first, and then all that belongs to them."""
        self._later.run()
        bound = id_array(ids)
        seqs = np.array([row[0] for row in self._run("memory_numbers", {"ids": bound})], np.int64)
        self._run("delete_terms", {"seqs": seq_array(seqs)})
        self._run("delete_memories", {"ids": bound})
        self._run("delete_jobs", {"ids": bound})
        for number in spaces.numbers(self._connection).values():
            self._run("delete_vectors", {"seqs": seq_array(seqs)}, space=number)
            self._run("delete_codes", {"seqs": seq_array(seqs)}, space=number)
        self._added -= len(seqs)
        self._resets += 1

    def claim_jobs(self, limit: int, now: datetime, lease_until: datetime) -> Sequence[EmbedJob]:
        """Take jobs that are due."""
        values = {"limit": limit, "now": codec.to_micros(now), "lease_until": codec.to_micros(lease_until)}
        claimed = self._run("claim_jobs", values)
        records = {record.id: record for record in self.get([item_id for _, item_id, _ in claimed])}
        return [EmbedJob(job_id, records[item_id], attempts) for job_id, item_id, attempts in claimed]

    def finish_jobs(self, jobs: Sequence[EmbedJob], vectors: Vector, space: Space, now: datetime) -> None:
        """Store vectors that came late, for the rows that still exist."""
        wanted = id_array(job.record.id for job in jobs)
        seqs = {memory_id: seq for seq, memory_id in self._run("memory_numbers", {"ids": wanted})}
        rows = [row for row, job in enumerate(jobs) if job.record.id in seqs]
        if rows:
            number = spaces.register(self._connection, space, now)
            numbered = np.array([seqs[jobs[row].record.id] for row in rows], np.int64)
            self._insert_vectors(number, numbered, np.ascontiguousarray(vectors[rows]))
            self._resets += 1
        self._run("delete_jobs", {"ids": wanted})

    def postpone_job(self, job: EmbedJob, reason: str, due: datetime | None) -> None:
        """Note a failure."""
        self._run("postpone_job", {"id": job.job_id, "reason": reason, "due_at": codec.to_micros(due) if due else None})
