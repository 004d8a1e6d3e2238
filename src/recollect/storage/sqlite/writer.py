"""Changes one user's memories inside one transaction, and serves the jobs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np

from recollect.model.literals import VECTOR_KINDS, VectorKind
from recollect.model.memories import Draft, MemoryRecord, Space, Vector
from recollect.ports import CachedPassageVector, EmbedJob, Fingerprint, Role, Slot
from recollect.storage.spaces import label
from recollect.storage.sqlite import codec, spaces
from recollect.storage.sqlite.file_writer import FileWriter
from recollect.storage.sqlite.items import Written
from recollect.storage.sqlite.message_writer import MessageWriter
from recollect.storage.sqlite.rows import QUERIES, id_array


class SqliteWriter(MessageWriter, FileWriter):
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
            now = numbered[0][1].record.updated_at
            self._owe("memory", written, space, now)
            self._settle("memory", [draft.record for _, draft in numbered], now)

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
        self._owe_drafts([(new_seq, draft)], space)
        if keep_vector:
            self._changed.pop()  # it says what it said before
            self._copy_vectors(old_seq, new_seq, record.id)

    def _copy_vectors(self, from_seq: int, to_seq: int, item_id: str) -> None:
        """Give a row the vectors of another; in these spaces it is owed none."""
        for shelf in spaces.listing(self._connection).of_kind("memory"):
            values = {"from_seq": from_seq, "to_seq": to_seq}
            self._run("copy_vector", values, space=shelf.number)
            if self._connection.changes():
                self._run("copy_code", values, space=shelf.number)
                self._run("finish_jobs", {"space": shelf.number, "ids": id_array([item_id])})

    def relink(self, from_id: str, to_id: str) -> None:
        """Let versions that point at one row point at another."""
        self._run("relink_versions", {"from_id": from_id, "to_id": to_id})

    def delete(self, ids: Sequence[str]) -> None:
        """Remove memories."""
        self._remove("memory", ids)

    def finish_jobs(self, jobs: Sequence[EmbedJob], vectors: Vector) -> frozenset[str]:
        """Store vectors that came late, for the rows that still exist."""
        waited: set[str] = set()
        for kind in VECTOR_KINDS:
            rows = [row for row, job in enumerate(jobs) if job.kind == kind]
            number = spaces.listing(self._connection).number(kind, jobs[0].space)
            if rows and number is not None:  # a space that was dropped meanwhile needs no vectors
                waited |= self._finish_kind(kind, number, [jobs[row].item.id for row in rows], vectors[rows])
        return frozenset(waited)

    def _finish_kind(self, kind: VectorKind, number: int, item_ids: Sequence[str], vectors: Vector) -> set[str]:
        wanted = id_array(item_ids)
        seqs = {item_id: seq for seq, item_id in self._run("item_numbers", {"ids": wanted}, kind=kind)}
        rows = [row for row, item_id in enumerate(item_ids) if item_id in seqs]
        if rows:
            numbered = np.array([seqs[item_ids[row]] for row in rows], np.int64)
            self._insert_vectors(number, numbered, np.ascontiguousarray(vectors[rows]))
            self._run("note_late")
        return {row[0] for row in self._run("finish_jobs", {"space": number, "ids": wanted})}

    def keep_paid(self, space: Space, paid: Sequence[CachedPassageVector], now: datetime) -> None:
        """Keep what was paid for."""
        for one in paid:
            self._run("insert_cached", cached_values(space, "passage", one, now))

    def forget_paid(self, item_ids: Sequence[str] | None, *, questions: bool = True) -> None:
        """Let go of what was paid for."""
        if item_ids is None:
            self._run("forget_cached_all")
            self._run("forget_cache_uses")
            return
        self._run("forget_cached_items", {"ids": id_array(item_ids)})
        if questions:
            self._run("forget_cached_questions")


def cached_values(space: Space, role: Role, paid: CachedPassageVector, now: datetime) -> dict[str, Any]:
    """Lay out an entry of the cache."""
    entry = {"key": paid.key, "item_id": paid.item_id, "vector": paid.vector.astype("<f4").tobytes()}
    return {**entry, "space": label(space), "role": role, "now": codec.to_micros(now)}
