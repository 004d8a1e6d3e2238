"""Decisions about many memories in one transaction: what they may repeat or replace is looked up in one step, and what
was decided is written in another.

Invariant: each decision sees those before it, and the rows are the same as if each had been written by itself.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from recollect.engine.drafts import memory_drafts
from recollect.engine.drafts.memory_drafts import words_hash
from recollect.engine.drafts.tombstones import TombstoneWriter
from recollect.errors import StoreDamaged
from recollect.model.memories import Draft, Fingerprint, MemoryRecord, Slot, Space
from recollect.storage.base import WITH_SAME_WORDS, LiveMemory, Retirement, StoreWriter


class DecisionWriter(TombstoneWriter, Protocol):
    """What a decision about a memory asks of a writer; see `StoreWriter`."""

    def get(self, ids: Sequence[str]) -> Sequence[MemoryRecord]: ...
    def chain(self, memory_id: str) -> Sequence[MemoryRecord]: ...
    def same(self, fingerprint: Fingerprint) -> MemoryRecord | None: ...
    def with_words(self, hashes: Sequence[str]) -> Sequence[LiveMemory]: ...
    def holders(self, slot: Slot) -> Sequence[MemoryRecord]: ...
    def insert(self, drafts: Sequence[Draft], space: Space | None) -> frozenset[str]: ...
    def retire(self, memory_id: str, valid_until: datetime, superseded_by: str) -> None: ...
    def confirm(self, confirmed: MemoryRecord) -> None: ...
    def set_expiry(self, memory_id: str, expires_at: datetime | None, now: datetime) -> None: ...
    def drop_derivations(self, ids: Sequence[str]) -> None: ...

    def revise(
        self, version_id: str, draft: Draft, space: Space | None, *, valid_until: datetime, keep_vector: bool
    ) -> None: ...


class BatchWriter:
    """Answers decisions about some drafts from memory, and keeps their changes until `flush`."""

    def __init__(self, writer: StoreWriter, drafts: Sequence[Draft], space: Space | None) -> None:
        self._writer = writer
        self._space = space
        self._live: dict[str, MemoryRecord] = {}
        self._ids: dict[Fingerprint, str] = {}
        self._with_words = defaultdict[str, list[str]](list)
        self._with_hash = defaultdict[str, list[str]](list)
        self._fingerprints: dict[str, Fingerprint] = {}
        self._held = defaultdict[Slot, list[str]](list)
        self._new: dict[str, Draft] = {}
        self._retired: dict[str, Retirement] = {}
        self._confirmed: dict[str, MemoryRecord] = {}
        self._has_tombstones: bool | None = None
        slots = dict.fromkeys(slot for draft in drafts if (slot := memory_drafts.slot(draft.record)))
        for live in writer.holders_of([*slots]) if slots else ():
            self._add(live)
        hashes = dict.fromkeys(draft.content_hash for draft in drafts)
        for live in writer.with_words([*hashes]) if hashes else ():
            self._add(live)

    def _add(self, live: LiveMemory) -> None:
        record = live.record
        if record.id in self._live:
            return
        made = Fingerprint(record.type, record.subject, record.key, record.context, live.content_hash)
        self._live[record.id] = record
        self._fingerprints[record.id] = made
        self._ids[made] = record.id
        self._with_words[words_hash(live.content_hash)].append(record.id)
        self._with_hash[live.content_hash].append(record.id)
        slot = memory_drafts.slot(record)
        if slot is not None:
            self._held[slot].append(record.id)

    def _remove(self, memory_id: str) -> MemoryRecord:
        """Take a row out of what is live."""
        record, made = self._live.pop(memory_id), self._fingerprints.pop(memory_id)
        del self._ids[made]
        self._with_words[words_hash(made.content_hash)].remove(memory_id)
        self._with_hash[made.content_hash].remove(memory_id)
        slot = memory_drafts.slot(record)
        if slot is not None:
            self._held[slot].remove(memory_id)
        return record

    def get(self, ids: Sequence[str]) -> Sequence[MemoryRecord]:
        """Give rows, as they are after all decisions so far."""
        self.flush()
        return self._writer.get(ids)

    def chain(self, memory_id: str) -> Sequence[MemoryRecord]:
        """Give the versions of a memory, as they are after all decisions so far."""
        self.flush()
        return self._writer.chain(memory_id)

    def same(self, fingerprint: Fingerprint) -> MemoryRecord | None:
        """Find the live memory with the fingerprint of a draft."""
        memory_id = self._ids.get(fingerprint)
        return None if memory_id is None else self._live[memory_id]

    def with_words(self, hashes: Sequence[str]) -> Sequence[LiveMemory]:
        """Find the live memories with the words of a draft."""
        ids = [one for whole in hashes for one in self._with_words[words_hash(whole)][:WITH_SAME_WORDS]]
        ids += [one for whole in hashes for one in self._with_hash[whole]]
        return [LiveMemory(self._live[one], self._fingerprints[one].content_hash) for one in dict.fromkeys(ids)]

    def holders(self, slot: Slot) -> Sequence[MemoryRecord]:
        """Find the live memories that hold the slot of a draft, the newest first."""
        return [self._live[memory_id] for memory_id in sorted(self._held.get(slot, ()), reverse=True)]

    def insert(self, drafts: Sequence[Draft], space: Space | None) -> frozenset[str]:
        """Keep new rows; gives the ids of those whose fingerprint a live row has."""
        if space != self._space:
            raise ValueError("The vectors of a batch are of one space.")
        refused = set()
        for draft in drafts:
            if draft.record.superseded_by is None:
                if memory_drafts.fingerprint(draft) in self._ids:
                    refused.add(draft.record.id)
                    continue
                self._add(LiveMemory(draft.record, draft.content_hash))
            self._new[draft.record.id] = draft
        return frozenset(refused)

    def retire(self, memory_id: str, valid_until: datetime, superseded_by: str) -> None:
        """Let a live row be one no more."""
        record = self._remove(memory_id)
        if memory_id in self._new:
            ended = record._replace(valid_until=valid_until, superseded_by=superseded_by)
            self._new[memory_id] = self._new[memory_id]._replace(record=ended)
        else:
            self._retired[memory_id] = Retirement(memory_id, valid_until, superseded_by)

    def confirm(self, confirmed: MemoryRecord) -> None:
        """Change a live row."""
        self._live[confirmed.id] = confirmed
        if confirmed.id in self._new:
            self._new[confirmed.id] = self._new[confirmed.id]._replace(record=confirmed)
        else:
            self._confirmed[confirmed.id] = confirmed

    def set_expiry(self, memory_id: str, expires_at: datetime | None, now: datetime) -> None:
        """Write when a row expires."""
        self.flush()
        self._writer.set_expiry(memory_id, expires_at, now)
        self._live[memory_id] = self._live[memory_id]._replace(expires_at=expires_at, updated_at=now)

    def drop_derivations(self, ids: Sequence[str]) -> None:
        """Remove the notes about memories."""
        self.flush()
        self._writer.drop_derivations(ids)

    def revise(
        self, version_id: str, draft: Draft, space: Space | None, *, valid_until: datetime, keep_vector: bool
    ) -> None:
        """Replace a live row, which becomes a version."""
        self.flush()
        self._writer.revise(version_id, draft, space, valid_until=valid_until, keep_vector=keep_vector)
        self._remove(draft.record.id)
        self._add(LiveMemory(draft.record, draft.content_hash))

    def has_tombstones(self) -> bool:
        """Say whether there is any."""
        if self._has_tombstones is None:
            self._has_tombstones = self._writer.has_tombstones()
        return self._has_tombstones

    def exhume(self, fingerprints: Sequence[str]) -> None:
        """Remove tombstones."""
        self._has_tombstones = None
        self._writer.exhume(fingerprints)

    def flush(self) -> None:
        """Write all changes. Old rows make room first: of one fingerprint only one row may be live."""
        new, self._new = self._new, {}
        retired, self._retired = self._retired, {}
        confirmed, self._confirmed = self._confirmed, {}
        if confirmed:
            self._writer.confirm_many([*confirmed.values()])
        if retired:
            self._writer.retire_many([*retired.values()])
        if new and self._writer.insert([*new.values()], self._space):
            raise StoreDamaged("The index of memories knows a row that a search for it does not find. See `doctor`.")
