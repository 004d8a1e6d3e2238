"""Changes one user's memories inside one transaction, and serves the jobs."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

import numpy as np

from recollect.messages import Message
from recollect.ports import EmbedJob, Fingerprint, Slot
from recollect.storage.sqlite import codec, spaces
from recollect.storage.sqlite.items import Written
from recollect.storage.sqlite.message_writer import MessageWriter
from recollect.storage.sqlite.rows import QUERIES, id_array
from recollect.types import Draft, MemoryRecord, Space, Vector
from recollect.vocabulary import ITEM_KINDS, ItemKind


class SqliteWriter(MessageWriter):
    """One user's changes. `finish` must be called before the commit."""

    def insert(self, drafts: Sequence[Draft], space: Space | None) -> frozenset[str]:
        """Write rows; the unique index names the ones it refuses."""
        first = self._next_numbers(len(drafts))
        before = self._connection.total_changes()
        numbered = list(enumerate(drafts, first))
        self._connection.executemany(
            QUERIES["insert_memory"], [codec.to_row(seq, self._user, draft) for seq, draft in numbered]
        )
        refused: frozenset[str] = frozenset()
        if self._connection.total_changes() - before < len(drafts):
            last = first + len(drafts) - 1
            kept = {row[0] for row in self._run("written_numbers", {"first": first, "last": last})}
            refused = frozenset(draft.record.id for seq, draft in numbered if seq not in kept)
            numbered = [(seq, draft) for seq, draft in numbered if seq in kept]
        self._owe_drafts(numbered, space)
        return refused

    def _owe_drafts(self, numbered: Sequence[tuple[int, Draft]], space: Space | None) -> None:
        if numbered:
            written = [Written(seq, draft.record.id, draft.vector) for seq, draft in numbered]
            self._owe("memory", written, space, numbered[0][1].record.updated_at)

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
        values = {"subject": slot.subject, "key": slot.key, "context": slot.context, "preference": slot.preference}
        found = self._run("current_memory", values)
        return codec.from_row(found[0]) if found else None

    def retire(self, memory_id: str, valid_until: datetime, superseded_by: str) -> None:
        """End a row's validity in favour of another."""
        values = {"id": memory_id, "valid_until": codec.to_micros(valid_until), "superseded_by": superseded_by}
        self._run("retire_memory", values)

    def revive(self, memory_id: str) -> None:
        """Let a row hold again."""
        self._run("revive_memory", {"id": memory_id})

    def confirm(self, confirmed: MemoryRecord) -> None:
        """Write what a confirmation changes."""
        values = {name: getattr(confirmed, name) for name in ("id", "trust", "source", "confidence")}
        self._run("confirm_memory", {**values, "now": codec.to_micros(confirmed.updated_at)})

    def revise(
        self, version_id: str, draft: Draft, space: Space | None, *, valid_until: datetime, keep_vector: bool
    ) -> None:
        """Let the old row become a version in place, and write the new one beside it."""
        record = draft.record
        old_seq = self._run("item_numbers", {"ids": id_array([record.id])}, kind="memory")[0][0]
        until = codec.to_micros(valid_until)
        self._run("rename_memory", {"id": record.id, "version_id": version_id, "valid_until": until})
        self._run("rename_jobs", {"id": record.id, "version_id": version_id})
        new_seq = self._next_numbers(1)
        self._connection.execute(QUERIES["insert_memory"], codec.to_row(new_seq, self._user, draft))
        copied = self._copy_vectors(old_seq, new_seq) if keep_vector else ()
        self._owe_drafts([(new_seq, draft)], None if space in copied else space)

    def _copy_vectors(self, from_seq: int, to_seq: int) -> Collection[Space]:
        """Give a row the vectors of another; says in which spaces there were any."""
        copied = []
        for (kind, space), number in spaces.numbers(self._connection).items():
            if kind != "memory":
                continue
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
        """Remove memories."""
        self._delete("memory", ids)

    def claim_jobs(self, limit: int, now: datetime, lease_until: datetime) -> Sequence[EmbedJob]:
        """Take jobs that are due."""
        values = {"limit": limit, "now": codec.to_micros(now), "lease_until": codec.to_micros(lease_until)}
        claimed = self._run("claim_jobs", values)
        items: Mapping[ItemKind, Mapping[str, MemoryRecord | Message]] = {
            "memory": {record.id: record for record in self.get([row[1] for row in claimed if row[2] == "memory"])},
            "message": {
                message.id: message for message in self.get_messages([row[1] for row in claimed if row[2] == "message"])
            },
        }
        orphans = [item_id for _, item_id, kind, _ in claimed if item_id not in items[kind]]
        if orphans:
            self._run("delete_jobs", {"ids": id_array(orphans)})
        return [
            EmbedJob(job_id, items[kind][item_id], attempts)
            for job_id, item_id, kind, attempts in claimed
            if item_id in items[kind]
        ]

    def finish_jobs(self, jobs: Sequence[EmbedJob], vectors: Vector, space: Space, now: datetime) -> None:
        """Store vectors that came late, for the rows that still exist."""
        for kind in ITEM_KINDS:
            rows = [row for row, job in enumerate(jobs) if job.kind == kind]
            if rows:
                self._finish_kind(kind, [jobs[row].item.id for row in rows], vectors[rows], space, now)

    def _finish_kind(
        self, kind: ItemKind, item_ids: Sequence[str], vectors: Vector, space: Space, now: datetime
    ) -> None:
        wanted = id_array(item_ids)
        seqs = {item_id: seq for seq, item_id in self._run("item_numbers", {"ids": wanted}, kind=kind)}
        rows = [row for row, item_id in enumerate(item_ids) if item_id in seqs]
        if rows:
            number = spaces.register(self._connection, kind, space, now)
            numbered = np.array([seqs[item_ids[row]] for row in rows], np.int64)
            self._insert_vectors(number, numbered, np.ascontiguousarray(vectors[rows]))
        self._run("delete_jobs", {"ids": wanted})

    def postpone_job(self, job: EmbedJob, reason: str, due: datetime | None) -> None:
        """Note a failure."""
        self._run("postpone_job", {"id": job.job_id, "reason": reason, "due_at": codec.to_micros(due) if due else None})
