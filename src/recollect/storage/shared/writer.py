"""Changes one user's memories, conversations and files inside one transaction, and finishes jobs."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from operator import attrgetter
from typing import Any

from recollect.model.files import ChunkDraft, ChunkMark, FileRecord, Folder
from recollect.model.literals import VECTOR_KINDS, ItemKind, MessageStatus, VectorKind
from recollect.model.memories import Draft, MemoryRecord, MessageDraft, Space, Vector
from recollect.model.messages import ConversationRecord, Message, Usage
from recollect.ports import (
    WITH_SAME_WORDS,
    WORDS_HASH,
    CachedPassageVector,
    Derivation,
    EmbedJob,
    Fingerprint,
    LiveMemory,
    Retirement,
    Role,
    Slot,
    TouchedFile,
)
from recollect.ports.erasure import StoredRow
from recollect.storage.rows import UNREAD, name_of
from recollect.storage.session import ResultRow
from recollect.storage.shared.erasure import stored_rows
from recollect.storage.shared.item_writer import NumberedSpace, SharedItemWriter, WrittenItem
from recollect.storage.spaces import list_spaces, owed_spaces, space_label

FINGERPRINT_FIELDS = tuple(field.name for field in fields(Fingerprint))
CONFIRMED_FIELDS = ("id", "trust", "source", "confidence", "updated_at")
SLOT_FIELDS = tuple(field.name for field in fields(Slot))


class SharedMessageWriter(SharedItemWriter):
    """The part of a writer that is about conversations."""

    def save_conversation(self, record: ConversationRecord) -> None:
        self._execute("save_conversation", self._codec.conversation_values(record))

    def insert_messages(self, drafts: Sequence[MessageDraft], space: Space | None) -> None:
        if not drafts:
            return
        numbered = list(zip(self._next_numbers(len(drafts)), drafts, strict=True))
        rows = [{**self._codec.message_values(self._user, draft), "seq": seq} for seq, draft in numbered]
        self._session.execute_many("insert_message", rows)
        written = [WrittenItem(draft.message.id, draft.vector, seq) for seq, draft in numbered]
        self._owe("message", written, space, drafts[0].message.created_at)
        self._settle("message", [draft.message for draft in drafts], drafts[0].message.created_at)

    def set_status(self, ids: Sequence[str], status: MessageStatus) -> None:
        self._execute("set_status", {"ids": list(ids), "status": status})

    def mark_learned(self, ids: Sequence[str]) -> None:
        self._execute("mark_learned", {"ids": list(ids)})

    def owe_readings(self, ids: Sequence[str], now: datetime) -> None:
        self._execute_many("insert_reading", [{"item_id": message_id, "now": now} for message_id in ids])

    def finish_readings(self, ids: Sequence[str]) -> Sequence[str]:
        return self._ids("finish_jobs", {"space": UNREAD, "ids": list(ids)})

    def name_message(self, message_id: str, external_id: str) -> None:
        self._execute("name_message", {"id": message_id, "external_id": external_id})

    def set_feedback(self, rated: Message) -> None:
        metadata = self._codec.values.write_json(rated.metadata)
        self._execute("set_feedback", {"id": rated.id, "feedback": rated.feedback, "metadata": metadata})

    def disliked_messages(self) -> Sequence[Message]:
        return [self._codec.message(row) for row in self._rows("disliked_messages")]

    def delete_messages(self, ids: Sequence[str]) -> None:
        self._remove("message", ids)

    def delete_conversation(self, conversation_id: str) -> None:
        self._execute("delete_conversation", {"id": conversation_id})

    def derive(self, derivations: Sequence[Derivation], now: datetime) -> None:
        self._execute_many("insert_derivation", [{"now": now, **derivation._asdict()} for derivation in derivations])

    def drop_derivations(self, ids: Sequence[str]) -> None:
        self._execute("delete_derivations", {"ids": list(ids)})

    def bury(self, fingerprints: Sequence[str], now: datetime) -> None:
        tombstones = {self._secrets.mark(mark) for mark in fingerprints}
        self._execute("insert_tombstones", {"fingerprints": sorted(tombstones), "now": now})

    def exhume(self, fingerprints: Sequence[str]) -> None:
        """Remove tombstones of what was said again."""
        tombstones = [tombstone for mark in fingerprints for tombstone in self._secrets.marks(mark)]
        self._execute("lift_tombstones", {"fingerprints": tombstones})

    def has_tombstones(self) -> bool:
        return bool(self._rows("any_tombstone"))

    def delete_tombstones(self) -> None:
        self._execute("delete_tombstones")

    def record_spending(self, day: str, purpose: str, model: str, usage: Usage) -> None:
        tokens = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
        self._execute("add_spending", {"day": day, "purpose": purpose, "model": model, **tokens})


class SharedFileWriter(SharedItemWriter):
    """The part of a writer that is about files."""

    def save_file(self, record: FileRecord) -> None:
        self._execute("save_file", self._codec.file_values(record))

    def touch_files(self, touched: Sequence[TouchedFile]) -> None:
        self._execute_many("touch_file", [{"name": name_of(file.path), **file._asdict()} for file in touched])

    def insert_chunks(self, record: FileRecord, drafts: Sequence[ChunkDraft], space: Space | None) -> None:
        """Write chunks; one that says the same as an older one gets its vectors."""
        if not drafts:
            return
        older_ids = self._older_ids(drafts)
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

    def _older_ids(self, drafts: Sequence[ChunkDraft]) -> dict[str, str]:
        """Find rows that say the same as some drafts; gives their ids by hash."""
        if not list_spaces(self._session).numbers_of("chunk"):
            return {}
        hashes = sorted({draft.indexed.content_hash for draft in drafts})
        return dict(self._rows("same_chunks", {"hashes": hashes}))

    def mark_chunks(self, marks: Sequence[ChunkMark]) -> None:
        self._execute_many("mark_chunk", [mark._asdict() for mark in marks])

    def delete_chunks(self, ids: Sequence[str]) -> None:
        if ids:
            self._delete("chunk", ids)

    def delete_files(self, ids: Sequence[str]) -> None:
        self._execute("delete_files", {"ids": list(ids)})

    def save_folder(self, folder: Folder) -> None:
        self._execute("save_folder", self._codec.folder_values(folder))

    def delete_folder(self, root: str) -> None:
        self._execute("delete_folder", {"root": root})


class SharedWriter(SharedMessageWriter, SharedFileWriter):
    """One user's changes of every kind."""

    @abstractmethod
    def insert(self, drafts: Sequence[Draft], space: Space | None) -> frozenset[str]:
        """Write memories; gives the ids that the unique index refused."""

    @abstractmethod
    def holders_of(self, slots: Sequence[Slot]) -> Sequence[LiveMemory]:
        """Find the live memories that hold any of several slots."""

    @abstractmethod
    def _move_vectors(self, from_id: str, to_id: str) -> None:
        """Let the vectors of a memory follow it to another id."""

    @abstractmethod
    def _finish_kind(
        self, kind: VectorKind, target: NumberedSpace, item_ids: Sequence[str], vectors: Sequence[Vector]
    ) -> set[str]:
        """Store late vectors of one kind for the rows that still exist; gives the ids whose jobs were waiting."""

    def stored_rows(self) -> Iterator[StoredRow]:
        return stored_rows(self._session, self._user)

    def same(self, fingerprint: Fingerprint) -> MemoryRecord | None:
        rows = self._rows("same_memory", {name: getattr(fingerprint, name) for name in FINGERPRINT_FIELDS})
        return self._codec.memory(rows[0]) if rows else None

    def with_words(self, hashes: Sequence[str]) -> Sequence[LiveMemory]:
        """Find the live memories with any of several words; one is the usual case, and cheap."""
        if len(hashes) == 1:
            words = hashes[0][:WORDS_HASH]
            values = {"first": words, "beyond": f"{words}g", "limit": WITH_SAME_WORDS}
            if len(rows := self._rows("memories_from_hash", values)) < WITH_SAME_WORDS:
                return self._live(rows)
        return self._live(self._rows("memories_with_words", {"hashes": list(hashes), "limit": WITH_SAME_WORDS}))

    def rehash(self, hashes: Mapping[str, str]) -> Sequence[str]:
        """Write hashes, one after the other: each may be that of another row."""
        taken = []
        for memory_id, content_hash in hashes.items():
            values = {"id": memory_id, "content_hash": content_hash}
            if self._rows("has_twin", values):
                taken.append(memory_id)
            else:
                self._execute("set_memory_hash", values)
        return taken

    def holders(self, slot: Slot) -> Sequence[MemoryRecord]:
        return sorted((live.record for live in self._holders(slot)), key=attrgetter("id"), reverse=True)

    def _holders(self, slot: Slot) -> list[LiveMemory]:
        return self._live(self._rows("current_memory", {name: getattr(slot, name) for name in SLOT_FIELDS}))

    def _live(self, rows: Iterable[ResultRow]) -> list[LiveMemory]:
        """Read rows that end with their hash."""
        return [LiveMemory(self._codec.memory(row[:-1]), row[-1]) for row in rows]

    def retire(self, memory_id: str, valid_until: datetime, superseded_by: str) -> None:
        self._execute("retire_memory", Retirement(memory_id, valid_until, superseded_by)._asdict())

    def retire_many(self, retirements: Sequence[Retirement]) -> None:
        self._execute_many("retire_memory", [retirement._asdict() for retirement in retirements])

    def revive(self, memory_id: str) -> None:
        self._execute("revive_memory", {"id": memory_id})

    def confirm(self, confirmed: MemoryRecord) -> None:
        self._execute("confirm_memory", _confirmation(confirmed))

    def confirm_many(self, confirmed: Sequence[MemoryRecord]) -> None:
        self._execute_many("confirm_memory", map(_confirmation, confirmed))

    def set_metadata(self, memory_id: str, metadata: Mapping[str, Any]) -> None:
        self._execute("set_memory_metadata", {"id": memory_id, "metadata": self._codec.values.write_json(metadata)})

    def set_expiry(self, memory_id: str, expires_at: datetime | None, now: datetime) -> None:
        self._execute("set_memory_expiry", {"id": memory_id, "expires_at": expires_at, "now": now})

    def revise(
        self, version_id: str, draft: Draft, space: Space | None, *, valid_until: datetime, keep_vector: bool
    ) -> None:
        """Let the old row become a version in place, and write the new one beside it."""
        self._deferred.run()
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
        self._execute("relink_versions", {"from_id": from_id, "to_id": to_id})

    def delete(self, ids: Sequence[str]) -> None:
        self._remove("memory", ids)

    def owe_vectors(self, kind: ItemKind, ids: Sequence[str], now: datetime) -> None:
        for number in owed_spaces(self._session, kind, None, now).values():
            self._insert_jobs(kind, ids, number, now)

    def finish_jobs(self, jobs: Sequence[EmbedJob], vectors: Sequence[Vector]) -> frozenset[str]:
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
        self._execute_many("insert_cached", [cached_values(space, "passage", entry, now) for entry in paid])

    def forget_paid(self, item_ids: Sequence[str] | None, *, questions: bool = True) -> None:
        if item_ids is None:
            self._execute("forget_cached_all")
            self._execute("forget_cache_uses")
            return
        self._execute("forget_cached_items", {"ids": list(item_ids)})
        if questions:
            self._execute("forget_cached_questions")


def _confirmation(record: MemoryRecord) -> dict[str, Any]:
    return {name: getattr(record, name) for name in CONFIRMED_FIELDS}


def cached_values(space: Space, role: Role, paid: CachedPassageVector, now: datetime) -> dict[str, Any]:
    """Lay out an entry of the cache of vectors."""
    entry = {"key": paid.key, "item_id": paid.item_id, "vector": paid.vector.astype("<f4").tobytes()}
    return {**entry, "space": space_label(space), "role": role, "now": now}
