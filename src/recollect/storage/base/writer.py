"""Changes one user's memories, conversations and files inside one transaction, and finishes jobs."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from operator import attrgetter
from typing import Any

import numpy as np

from recollect.model.files import ChunkDraft, ChunkMark, FileRecord, Folder
from recollect.model.literals import VECTOR_KINDS, ItemKind, MessageStatus, VectorKind
from recollect.model.memories import WORDS_HASH, Draft, Fingerprint, MemoryRecord, MessageDraft, Slot, Space, Vector
from recollect.model.messages import ConversationRecord, Message, Usage
from recollect.ports import Role
from recollect.storage.base.forgotten import stored_rows
from recollect.storage.base.item_writer import ItemWriter, NumberedSpace, PassageRows, WrittenItem, passage_rows
from recollect.storage.base.reader import RowCodec
from recollect.storage.base.session import ResultRow
from recollect.storage.base.spaces import list_spaces, owed_spaces, space_label
from recollect.storage.base.tables import (
    FILES,
    MEMORIES,
    MESSAGES,
    TOMBSTONES,
    UNREAD,
    UNREAD_MESSAGES,
    IncomingRow,
    Row,
    TransferTable,
    name_of,
    transfer_query,
)
from recollect.storage.base.values import (
    WITH_SAME_WORDS,
    CachedPassageVector,
    Derivation,
    EmbedJob,
    LiveMemory,
    Retirement,
    StoredRow,
    TouchedFile,
)

FINGERPRINT_FIELDS = tuple(field.name for field in fields(Fingerprint))
CONFIRMED_FIELDS = ("id", "trust", "source", "confidence", "updated_at")
SLOT_FIELDS = tuple(field.name for field in fields(Slot))
_VERSIONS = 500  # removed at a time
_ONCE = (MEMORIES, MESSAGES, FILES)  # the same thing is kept once, whatever its id


class StoreWriter(ItemWriter):
    """Changes of one user, all or nothing."""

    @abstractmethod
    def insert(self, drafts: Sequence[Draft], space: Space | None) -> frozenset[str]:
        """Write rows with their terms and vectors, which are of `space`; what lacks one in another is owed it by a job.

        Gives the ids that were *not* written because a live row has the same fingerprint.
        """

    @abstractmethod
    def holders_of(self, slots: Sequence[Slot]) -> Sequence[LiveMemory]:
        """Find the live rows that hold any of several slots."""

    @abstractmethod
    def _move_vectors(self, from_id: str, to_id: str) -> None:
        """Let the vectors of a memory follow it to another id."""

    @abstractmethod
    def _numbers_of(self, kind: VectorKind, item_ids: Sequence[str]) -> Mapping[str, int]:
        """Give the rows that exist, with their numbers where rows have numbers."""

    @abstractmethod
    def _drop_vectors(self, number: int, rows: Sequence[WrittenItem], passages: PassageRows | None) -> None:
        """Remove the vectors that rows have in a space; new ones follow, and these of passages."""

    def _finish_kind(
        self, kind: VectorKind, target: NumberedSpace, item_ids: Sequence[str], vectors: Sequence[Vector]
    ) -> set[str]:
        """Store late vectors of one kind for the rows that still exist; gives the ids whose jobs were waiting."""
        numbers = self._numbers_of(kind, item_ids)
        positions = [position for position, item_id in enumerate(item_ids) if item_id in numbers]
        if positions:
            rows = [WrittenItem(item_ids[position], None, numbers[item_ids[position]]) for position in positions]
            passages = passage_rows(rows, [vectors[position][1:] for position in positions])
            self._drop_vectors(target.number, rows, passages)
            self._insert_vectors(target, rows, np.stack([vectors[position][0] for position in positions]))
            if passages is not None:
                self._insert_vectors(target, *passages)
        return set(self._ids("finish_jobs", {"ids": list(item_ids), "space": target.number}))

    def stored_rows(self) -> Iterator[StoredRow]:
        """Give the rows of every table, with every column that can hold text, few of them in memory at a time."""
        return stored_rows(self._session, self._user)

    def same(self, fingerprint: Fingerprint) -> MemoryRecord | None:
        """Find the live row with this fingerprint, expired or not."""
        rows = self._rows("same_memory", {name: getattr(fingerprint, name) for name in FINGERPRINT_FIELDS})
        return self._codec.memory(rows[0]) if rows else None

    def with_words(self, hashes: Sequence[str]) -> Sequence[LiveMemory]:
        """Find the live rows that have the words of any of these hashes, expired or not.

        Of many with the same words these are the row with that hash, and the first `WITH_SAME_WORDS`.
        """
        if len(hashes) == 1:
            words = hashes[0][:WORDS_HASH]
            values = {"first": words, "beyond": f"{words}g", "limit": WITH_SAME_WORDS}
            if len(rows := self._rows("memories_from_hash", values)) < WITH_SAME_WORDS:
                return self._live(rows)
        return self._live(self._rows("memories_with_words", {"hashes": list(hashes), "limit": WITH_SAME_WORDS}))

    def rehash(self, hashes: Mapping[str, str]) -> Sequence[str]:
        """Write the hashes of live rows, by their ids; gives the ids of those whose fingerprint another row has."""
        taken = []
        for memory_id, content_hash in hashes.items():
            values = {"id": memory_id, "content_hash": content_hash}
            if self._rows("has_twin", values):
                taken.append(memory_id)
            else:
                self._execute("set_memory_hash", values)
        return taken

    def holders(self, slot: Slot) -> Sequence[MemoryRecord]:
        """Find the live rows that hold this slot, the newest first: one, or several where there are many values."""
        return sorted((live.record for live in self._holders(slot)), key=attrgetter("id"), reverse=True)

    def _holders(self, slot: Slot) -> list[LiveMemory]:
        return self._live(self._rows("current_memory", {name: getattr(slot, name) for name in SLOT_FIELDS}))

    def _live(self, rows: Iterable[ResultRow]) -> list[LiveMemory]:
        """Read rows that end with their hash."""
        return [LiveMemory(self._codec.memory(row[:-1]), row[-1]) for row in rows]

    def retire(self, memory_id: str, valid_until: datetime, superseded_by: str) -> None:
        """End a row's validity in favour of another."""
        self._execute("retire_memory", Retirement(memory_id, valid_until, superseded_by)._asdict())

    def retire_many(self, retirements: Sequence[Retirement]) -> None:
        """End the validity of several rows."""
        self._execute_many("retire_memory", [retirement._asdict() for retirement in retirements])

    def revive(self, memory_id: str) -> None:
        """Let a row hold again, because what replaced it is gone."""
        self._execute("revive_memory", {"id": memory_id})

    def confirm(self, confirmed: MemoryRecord) -> None:
        """Write a row's trust, source and confidence, because the same was said again."""
        self._execute("confirm_memory", _confirmation(confirmed))

    def confirm_many(self, confirmed: Sequence[MemoryRecord]) -> None:
        """Do the same with several rows."""
        self._execute_many("confirm_memory", map(_confirmation, confirmed))

    def set_metadata(self, memory_id: str, metadata: Mapping[str, Any]) -> None:
        """Write the metadata of a row, which stays the version that it is."""
        self._execute("set_memory_metadata", {"id": memory_id, "metadata": self._codec.values.write_json(metadata)})

    def set_expiry(self, memory_id: str, expires_at: datetime | None, now: datetime) -> None:
        """Write when a row expires, which stays the version that it is."""
        self._execute("set_memory_expiry", {"id": memory_id, "expires_at": expires_at, "now": now})

    def revise(
        self, version_id: str, draft: Draft, space: Space | None, *, valid_until: datetime, keep_vector: bool
    ) -> None:
        """Replace the row `draft.record.id`, keeping what it was as the version `version_id`, true until then.

        With `keep_vector` the new row has the vectors of the old one; they say the same.
        """
        self._run_deferred()
        record_id = draft.record.id
        renamed = {"id": record_id, "version_id": version_id}
        self._execute("rename_memory", {**renamed, "valid_until": valid_until})
        if record_id in self._new_sizes["memory"]:
            self._new_sizes["memory"][version_id] = self._new_sizes["memory"][record_id]
        self._execute("rename_jobs", renamed)
        self._execute("rename_media_originals", renamed)
        self._move_vectors(record_id, version_id)
        self.insert([draft], space)
        if keep_vector:
            self._changes[-1].ids.pop()  # it says what it said before
            self._copy_vectors("memory", [(version_id, record_id)])

    def relink(self, from_id: str, to_id: str) -> None:
        """Let versions that point at `from_id` point at `to_id`, before `from_id` goes."""
        self._execute("relink_versions", {"from_id": from_id, "to_id": to_id})

    def delete(self, ids: Sequence[str]) -> None:
        """Remove rows with everything that was derived from them."""
        self._remove("memory", ids)

    def owe_vectors(self, kind: ItemKind, ids: Sequence[str], now: datetime) -> None:
        """Write jobs that make the vectors of these items anew, in every space that is in use."""
        for number in owed_spaces(self._session, kind, None, now).values():
            self._insert_jobs(kind, ids, number, now)

    def finish_jobs(self, jobs: Sequence[EmbedJob], vectors: Sequence[Vector]) -> frozenset[str]:
        """Store the vectors of this user's jobs, all in one space, and remove the jobs.

        Each job has a matrix: a row for the whole text, and one for each passage of a long one. They replace what the
        item had.
        Says which items were still waiting: another worker may have been faster.
        """
        waiting_ids: set[str] = set()
        space, known = jobs[0].space, list_spaces(self._session)
        for kind in VECTOR_KINDS:
            positions = [position for position, job in enumerate(jobs) if job.kind == kind]
            number = known.number(kind, space)
            if positions and number is not None:  # a space that was dropped meanwhile needs no vectors
                item_ids = [jobs[position].item.id for position in positions]
                own = [vectors[position] for position in positions]
                waiting_ids |= self._finish_kind(kind, NumberedSpace(space, number), item_ids, own)
        return frozenset(waiting_ids)

    def keep_paid(self, space: Space, paid: Sequence[CachedPassageVector], now: datetime) -> None:
        """Keep vectors of passages that were paid for, each for as long as its item."""
        self._execute_many("insert_cached", [cached_values(space, "passage", entry, now) for entry in paid])

    def forget_paid(self, item_ids: Sequence[str] | None, *, questions: bool = True) -> None:
        """Let go of what was paid for these items, or for all of them, and of everything the user ever asked."""
        if item_ids is None:
            self._execute("forget_cached_all")
            self._execute("forget_cache_uses")
            return
        self._execute("forget_cached_items", {"ids": list(item_ids)})
        if questions:
            self._execute("forget_cached_questions")

    def save_conversation(self, record: ConversationRecord) -> None:
        """Write a conversation, new or changed."""
        self._execute("save_conversation", self._codec.conversation_values(record))

    def insert_messages(self, drafts: Sequence[MessageDraft], space: Space | None) -> None:
        """Write messages with their terms and vectors, which are of `space`; what lacks one is owed it by a job."""
        if not drafts:
            return
        numbered = list(zip(self._next_numbers(len(drafts)), drafts, strict=True))
        rows = [{**self._codec.message_values(self._user, draft), "seq": seq} for seq, draft in numbered]
        self._session.execute_many("insert_message", rows)
        written = [WrittenItem(draft.message.id, draft.vector, seq) for seq, draft in numbered]
        self._owe("message", written, space, drafts[0].message.created_at)
        self._settle("message", [draft.message for draft in drafts], drafts[0].message.created_at)

    def set_status(self, ids: Sequence[str], status: MessageStatus) -> None:
        """Mark messages."""
        self._execute("set_status", {"ids": list(ids), "status": status})

    def mark_learned(self, ids: Sequence[str]) -> None:
        """Note that what these messages teach has been kept."""
        self._execute("mark_learned", {"ids": list(ids)})

    def owe_readings(self, ids: Sequence[str], now: datetime) -> None:
        """Write a job for each of these messages, which are still to be read; one that has a job keeps it."""
        self._execute_many("insert_reading", [{"item_id": message_id, "now": now} for message_id in ids])

    def finish_readings(self, ids: Sequence[str]) -> Sequence[str]:
        """Remove the jobs of messages; says which of them were still to be read."""
        return self._ids("finish_jobs", {"space": UNREAD, "ids": list(ids)})

    def name_message(self, message_id: str, external_id: str) -> None:
        """Note the host's own id of a message that had none."""
        self._execute("name_message", {"id": message_id, "external_id": external_id})

    def set_feedback(self, rated: Message) -> None:
        """Note what the user thought of a message, and its metadata."""
        metadata = self._codec.values.write_json(rated.metadata)
        self._execute("set_feedback", {"id": rated.id, "feedback": rated.feedback, "metadata": metadata})

    def disliked_messages(self) -> Sequence[Message]:
        """Give the messages that were rated down."""
        return [self._codec.message(row) for row in self._rows("disliked_messages")]

    def delete_messages(self, ids: Sequence[str]) -> None:
        """Remove messages with their terms, vectors and jobs."""
        self._remove("message", ids)

    def delete_conversation(self, conversation_id: str) -> None:
        """Remove a conversation, whose messages are gone already."""
        self._execute("delete_conversation", {"id": conversation_id})

    def derive(self, derivations: Sequence[Derivation], now: datetime) -> None:
        """Note what was made from what; what is noted already stays as it is."""
        self._execute_many("insert_derivation", [{"now": now, **derivation._asdict()} for derivation in derivations])

    def drop_derivations(self, ids: Sequence[str]) -> None:
        """Remove every note about these items, as makers and as made."""
        self._execute("delete_derivations", {"ids": list(ids)})

    def bury(self, fingerprints: Sequence[str], now: datetime) -> None:
        """Note what was forgotten, by fingerprints."""
        tombstones = {self._secrets.mark(mark) for mark in fingerprints}
        self._execute("insert_tombstones", {"fingerprints": sorted(tombstones), "now": now})

    def exhume(self, fingerprints: Sequence[str]) -> None:
        """Note that these were said again, after they were forgotten."""
        tombstones = [tombstone for mark in fingerprints for tombstone in self._secrets.marks(mark)]
        self._execute("lift_tombstones", {"fingerprints": tombstones})

    def has_tombstones(self) -> bool:
        """Say whether the user has forgotten anything that left a tombstone."""
        return bool(self._rows("any_tombstone"))

    def delete_tombstones(self) -> None:
        """Forget also what was forgotten."""
        self._execute("delete_tombstones")

    def record_spending(self, day: str, purpose: str, model: str, usage: Usage) -> None:
        """Add to what was spent."""
        tokens = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
        self._execute("add_spending", {"day": day, "purpose": purpose, "model": model, **tokens})

    def save_file(self, record: FileRecord) -> None:
        """Write a file, new or changed."""
        self._execute("save_file", self._codec.file_values(record))

    def touch_files(self, touched: Sequence[TouchedFile]) -> None:
        """Note paths, sizes and times of files whose bytes are what they were."""
        self._execute_many("touch_file", [{"name": name_of(file.path), **file._asdict()} for file in touched])

    def insert_chunks(self, record: FileRecord, drafts: Sequence[ChunkDraft], space: Space | None) -> None:
        """Write chunks with their terms and vectors.

        One that says the very same as another chunk of this user gets its vectors; what lacks one is owed it by a job.
        """
        if not drafts:
            return
        hashes = sorted({draft.indexed.content_hash for draft in drafts})
        has_vectors = list_spaces(self._session).numbers_of("chunk")
        older_ids: dict[str, str] = dict(self._rows("same_chunks", {"hashes": hashes})) if has_vectors else {}
        numbered = list(zip(self._next_numbers(len(drafts)), drafts, strict=True))
        rows = [{**self._codec.chunk_values(self._user, record, draft), "seq": seq} for seq, draft in numbered]
        self._session.execute_many("insert_chunk", rows)
        written = [WrittenItem(draft.id, draft.vector, seq) for seq, draft in numbered]
        if not self._owe("chunk", written, space, record.updated_at):
            return
        lacking = [(draft.indexed.content_hash, draft.id) for draft in drafts if draft.vector is None]
        pairs = [(older_ids[digest], chunk_id) for digest, chunk_id in lacking if digest in older_ids]
        if pairs:
            self._copy_vectors("chunk", pairs)
        self.note_embedded([("chunk", chunk_id) for _, chunk_id in pairs], record.updated_at)

    def mark_chunks(self, marks: Sequence[ChunkMark]) -> None:
        """Note where chunks stand now, and since when, whose text is what it was."""
        self._execute_many("mark_chunk", [mark._asdict() for mark in marks])

    def delete_chunks(self, ids: Sequence[str]) -> None:
        """Remove chunks with their terms, vectors and jobs."""
        if ids:
            self._delete("chunk", ids)

    def delete_files(self, ids: Sequence[str]) -> None:
        """Remove files, whose chunks are gone already."""
        self._execute("delete_files", {"ids": list(ids)})

    def save_folder(self, folder: Folder) -> None:
        """Note that a folder was looked through."""
        self._execute("save_folder", self._codec.folder_values(folder))

    def delete_folder(self, root: str) -> None:
        """Forget that a folder was ever synced."""
        self._execute("delete_folder", {"root": root})

    def known_rows(self, table: TransferTable, rows: Sequence[Row]) -> Mapping[Row, Row]:
        """Give the rows that are there under the keys of these."""
        first = table.names.index(table.key[0])
        keys = list(dict.fromkeys(row[first] for row in rows))
        if table is TOMBSTONES:
            keys = [self._secrets.stored(key) for key in keys]
        codec = RowCodec(table, self._codec, self._secrets)
        found = map(codec.read, self._rows(transfer_query("some", table), {"keys": keys}))
        return {table.key_of(row): row for row in found}

    def known_ids(self, table: TransferTable, ids: Sequence[str]) -> frozenset[str]:
        """Say which of these ids are there."""
        position = table.names.index(table.key[0])
        rows = self._rows(transfer_query("some", table), {"keys": list(ids)}) if ids else ()
        return frozenset(row[position] for row in rows)

    def insert_rows(
        self, table: TransferTable, rows: Sequence[IncomingRow], space: Space | None, now: datetime
    ) -> frozenset[Row]:
        """Write rows, with all that belongs to them but vectors; gives the keys that a unique index refused."""
        if not rows:
            return frozenset()
        if table is UNREAD_MESSAGES:
            self.owe_readings([row.values[0] for row in rows], now)
            return frozenset()
        codec = RowCodec(table, self._codec, self._secrets)
        laid_out = [{"user_id": self._user, **codec.layout(row)} for row in rows]
        seqs = self._next_numbers(len(rows)) if table.kind else [0] * len(rows)
        numbered = [{**values, "seq": seq} for values, seq in zip(laid_out, seqs, strict=True)]
        self._session.execute_many(transfer_query("add", table), numbered)
        refused: frozenset[Row] = frozenset()
        if table in _ONCE:  # what is not there though it was written: another row says the same
            there = self.known_ids(table, [row.values[0] for row in rows])
            refused = frozenset(table.key_of(row.values) for row in rows if row.values[0] not in there)
        if table.kind:
            kept = [(row, seq) for row, seq in zip(rows, seqs, strict=True) if table.key_of(row.values) not in refused]
            self._owe(table.kind, [WrittenItem(row.values[0], None, seq) for row, seq in kept], space, now)
            self._settle(table.kind, [row.item for row, _ in kept if row.item is not None], now)
        return refused

    def insert_late_vectors(self, space: Space, kind: VectorKind, ids: Sequence[str], vectors: Sequence[Vector]) -> int:
        """Give items without vectors theirs, a matrix for each, and remove the jobs; says how many vectors."""
        number = list_spaces(self._session).number(kind, space)
        if number is None:
            return 0
        known = {row[0] for row in self._rows("items_with_vector", {"ids": list(ids)}, kind=kind, space=number)}
        positions = [position for position, item_id in enumerate(ids) if item_id not in known]
        if not positions:
            return 0
        lacking = {ids[position]: vectors[position] for position in positions}
        waiting_ids = self._finish_kind(kind, NumberedSpace(space, number), [*lacking], [*lacking.values()])
        return sum(len(lacking[item_id]) for item_id in waiting_ids)

    def extend_conversation(self, values: Row) -> None:
        """Let a conversation that is there be as long as the one in the archive."""
        conversation_id, _, last_sequence, *_, updated_at = values
        self._execute(
            "extend_conversation", {"id": conversation_id, "last_sequence": last_sequence, "updated_at": updated_at}
        )

    def settle_import(self) -> int:
        """Remove versions whose successor was refused, and count the chunks of files; says how many were removed."""
        removed = 0
        while lost := self._ids("lost_versions"):
            for first in range(0, len(lost), _VERSIONS):
                self.drop_derivations(lost[first : first + _VERSIONS])
                self.delete(lost[first : first + _VERSIONS])
            removed += len(lost)
        self._execute("recount_chunks")
        return removed


def _confirmation(record: MemoryRecord) -> dict[str, Any]:
    return {name: getattr(record, name) for name in CONFIRMED_FIELDS}


def cached_values(space: Space, role: Role, paid: CachedPassageVector, now: datetime) -> dict[str, Any]:
    """Lay out an entry of the cache of vectors."""
    entry = {"key": paid.key, "item_id": paid.item_id, "vector": paid.vector.astype("<f4").tobytes()}
    return {**entry, "space": space_label(space), "role": role, "now": now}
