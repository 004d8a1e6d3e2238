"""What writing items of all kinds has in common: their vectors, jobs and places, the user's figures, logs and keys.

Rows are written at once; their vectors wait until the end, so that a bulk load prepares its next batch meanwhile.
"""

from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from recollect.authorization import Key
from recollect.errors import QuotaExceeded
from recollect.model.literals import ITEM_KINDS, ItemKind, VectorKind
from recollect.model.memories import Draft, MemoryRecord, Scope, Space, Vector
from recollect.model.messages import Message
from recollect.model.places import NamedPlace, PlaceRow, folded, place_id
from recollect.model.scopes import Membership
from recollect.model.stats import AuditLine, UserLimits
from recollect.storage.base.codec import audit_values, key_values
from recollect.storage.base.forgotten import TombstoneSecrets
from recollect.storage.base.session import StoreSession, Values
from recollect.storage.base.spaces import owed_spaces
from recollect.storage.base.tables import FORGETTING, ROWS
from recollect.storage.base.user_rows import UserRows
from recollect.storage.base.values import ChangeKind, StoredResponse, UnlocatedItem, UnnamedPlace


class WrittenItem(NamedTuple):
    """A row that was just written, with its vector if it has one. `seq` is its number in SQLite.

    `passages` are the vectors of the passages of a long text, `size` are the bytes of its texts, if they were counted.
    """

    id: str
    vector: Vector | None
    seq: int
    passages: Vector | None = None
    size: int | None = None


def written_memory(draft: Draft, seq: int = 0) -> WrittenItem:
    """Say of a memory what is needed after it was written. How its media are written differs between stores."""
    record = draft.record
    size = None if record.media else _utf8_bytes(record.content) + _utf8_bytes(record.value)
    return WrittenItem(record.id, draft.vector, seq, draft.passages, size)


def _utf8_bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


class NumberedSpace(NamedTuple):
    """An embedding space with the number of its tables."""

    space: Space
    number: int


class PassageRows(NamedTuple):
    """Vectors of passages: the item that each belongs to, the vector, the number of the passage."""

    items: Sequence[WrittenItem]
    vectors: Vector
    parts: Sequence[int]


def passage_rows(items: Sequence[WrittenItem], matrices: Sequence[Vector | None]) -> PassageRows | None:
    """Lay the vectors of the passages of several items below each other; None when there are none."""
    pairs = zip(items, matrices, strict=True)
    owned = [(item, matrix) for item, matrix in pairs if matrix is not None and len(matrix)]
    if not owned:
        return None
    parts = [part for _, matrix in owned for part in range(1, len(matrix) + 1)]
    items = [item for item, matrix in owned for _ in matrix]
    return PassageRows(items, np.concatenate([matrix for _, matrix in owned]), parts)


class PendingChanges(NamedTuple):
    """Items that are still to be given their places in the order of changes."""

    what: ChangeKind
    kind: ItemKind
    ids: list[str]
    moment: datetime


class ItemWriter(UserRows, ABC):
    """One user's changes. `finish` must be called before the commit."""

    def __init__(
        self, session: StoreSession, scope: Scope, *, secrets: TombstoneSecrets, geocodes: bool = False
    ) -> None:
        super().__init__(session, scope, secrets=secrets)
        self._deferred: list[Callable[[], None]] = []
        self._geocodes = geocodes
        self._added: Counter[VectorKind] = Counter()
        self._new_sizes = defaultdict[VectorKind, dict[str, int | None]](dict)
        self._freed_bytes = 0
        self._limits = UserLimits()
        self._resets = 0
        self._changes: list[PendingChanges] = []
        self._execute("lock_user")

    def _next_numbers(self, amount: int) -> Sequence[int]:
        """Reserve numbers for rows, where rows have numbers; zeros elsewhere."""
        return [0] * amount

    def _id_array(self, ids: Iterable[str]) -> object:
        return list(ids)

    @abstractmethod
    def _index_terms(self, kind: ItemKind, written: Sequence[WrittenItem]) -> None:
        """See to it that new rows are found by their words."""

    @abstractmethod
    def _insert_vectors(
        self, target: NumberedSpace, items: Sequence[WrittenItem], vectors: Vector, parts: Sequence[int] = ()
    ) -> None:
        """Write a vector for each item: of the whole text, or of the passages with these numbers."""

    @abstractmethod
    def _copy_vectors(self, kind: VectorKind, pairs: Sequence[tuple[str, str]]) -> None:
        """Give rows the vectors of others, by their ids; in these spaces they are owed none."""

    @abstractmethod
    def _delete(self, kind: VectorKind, item_ids: Sequence[str]) -> None:
        """Remove rows and all that belongs to them."""

    @abstractmethod
    def _number_changes(self, before: int) -> None:
        """Write the changes in their order, which is also that of the commits: the user is locked.

        Their numbers follow that of the change before.
        """

    @abstractmethod
    def reindex(self, kind: ItemKind, terms: Mapping[str, Sequence[str]]) -> None:
        """Let items be found by other terms than before, by their ids; the items themselves stay as they are."""

    def _execute_many(self, name: str, rows: Iterable[Values]) -> None:
        self._session.execute_many(name, [{"user_id": self._user, **row} for row in rows])

    def finish(self) -> None:
        """Write what was deferred and the user's figures."""
        self._run_deferred()
        amount = sum(len(change.ids) for change in self._changes)
        if self._resets or any(self._added.values()) or any(self._new_sizes.values()):
            added = {ROWS[kind]: self._added[kind] for kind in ITEM_KINDS}
            new_ids = {f"new_{ROWS[kind]}": self._id_array(self._uncounted(kind)) for kind in ITEM_KINDS}
            figures = {"resets": self._resets, "freed": self._freed_bytes - self._counted_bytes(), "amount": amount}
            last = self._rows("count_user", {**added, **new_ids, **figures})
        elif amount:
            last = self._rows("next_changes", {"amount": amount})
        if self._limits.memories or self._limits.storage_mb:
            self._insist_on_limits()
        if amount:
            self._number_changes(int(last[0][0]) - amount)

    def _run_deferred(self) -> None:
        """Take the steps that were put off: at the end, or earlier when something must see what they do."""
        steps, self._deferred = self._deferred, []
        for step in steps:
            step()

    def limit_growth(self, limits: UserLimits) -> None:
        """Let the commit fail with QuotaExceeded if it adds something and leaves the user with more than that."""
        self._limits = limits

    def _insist_on_limits(self) -> None:
        """Refuse to grow beyond the user's limits. Other writers of the user wait meanwhile, so none overruns them."""
        limits = self._limits
        uncounted = sum(self._bytes_of(kind, self._uncounted(kind)) for kind in [*self._new_sizes])
        bytes_added = self._counted_bytes() + uncounted - self._freed_bytes
        if self._added["memory"] <= 0 and bytes_added <= 0:
            return
        memories, size = map(int, self._rows("user_usage")[0])
        if limits.memories and self._added["memory"] > 0 and memories > limits.memories:
            raise QuotaExceeded.of_memories(limits.memories)
        if limits.storage_mb and bytes_added > 0 and size > limits.storage_mb * 2**20:
            raise QuotaExceeded.of_storage(limits.storage_mb)

    def _uncounted(self, kind: VectorKind) -> list[str]:
        """Give the new rows of which only the store knows how large they are."""
        return sorted(item_id for item_id, size in self._new_sizes[kind].items() if size is None)

    def _counted_bytes(self) -> int:
        return sum(size or 0 for sizes in self._new_sizes.values() for size in sizes.values())

    def _bytes_of(self, kind: VectorKind, item_ids: Iterable[str]) -> int:
        if kind == "place":
            return 0
        ids = list(item_ids)
        return int(self._rows(f"bytes_of_{ROWS[kind]}", {"ids": ids})[0][0]) if ids else 0

    def _free(self, kind: VectorKind, item_ids: Sequence[str]) -> None:
        """Note how large rows are that are about to be removed; what this transaction wrote itself is not counted."""
        new = self._new_sizes[kind]
        self._freed_bytes += self._bytes_of(kind, set(item_ids) - new.keys())
        for item_id in item_ids:
            new.pop(item_id, None)

    def note_embedded(self, items: Iterable[tuple[ItemKind, str]], now: datetime) -> None:
        """Let what was stored without its vector be looked at once more."""
        for kind, run in groupby(items, key=itemgetter(0)):
            self._changes.append(PendingChanges("embedded", kind, [item_id for _, item_id in run], now))

    def _owe(self, kind: ItemKind, written: Sequence[WrittenItem], space: Space | None, now: datetime) -> bool:
        """Count new rows and put off their terms and vectors; note a job where there is no vector.

        Says whether there is any space in which they need one.
        """
        if not written:
            return False
        self._added[kind] += len(written)
        self._new_sizes[kind].update((row.id, row.size) for row in written)
        self._index_terms(kind, written)
        owed = owed_spaces(self._session, kind, space, now)
        for lacks_vector, run in groupby(written, key=lambda row: row.vector is None):
            what: ChangeKind = "words" if lacks_vector else "stored"
            self._changes.append(PendingChanges(what, kind, [row.id for row in run], now))
        for wanted, number in owed.items():
            rows = written if wanted == space else [row._replace(vector=None, passages=None) for row in written]
            self._owe_vectors(kind, rows, NumberedSpace(wanted, number), now)
        return bool(owed)

    def _owe_vectors(
        self, kind: ItemKind, written: Sequence[WrittenItem], target: NumberedSpace, now: datetime
    ) -> None:
        ready = [row for row in written if row.vector is not None]
        if ready:
            vectors = np.stack([row.vector for row in ready if row.vector is not None])
            self._deferred.append(lambda: self._insert_vectors(target, ready, vectors))
            passages = passage_rows(ready, [row.passages for row in ready])
            if passages is not None:
                self._deferred.append(lambda: self._insert_vectors(target, *passages))
        self._insert_jobs(kind, [row.id for row in written if row.vector is None], target.number, now)

    def _insert_jobs(self, kind: VectorKind, item_ids: Sequence[str], number: int, now: datetime) -> None:
        if item_ids:
            shared = {"item_kind": kind, "space": number, "now": now}
            self._execute_many("insert_job", [{**shared, "item_id": item_id} for item_id in item_ids])

    def _settle(self, kind: ItemKind, written: Sequence[MemoryRecord | Message], now: datetime) -> None:
        """Note what the places of new rows are called, which originals they have, and which lack an address."""
        self._name_places([(row.address, row.place_label) for row in written if row.address or row.place_label], now)
        originals = [
            {"item_id": row.id, "original": media.original, "size": media.size or 0}
            for row in written
            for media in row.media
            if media.original
        ]
        if originals:
            self._execute_many("insert_media_original", originals)
        if self._geocodes:
            lacking = [row.id for row in written if row.lat is not None and not row.address]
            shared = {"item_kind": kind, "now": now}
            if lacking:
                self._execute_many("insert_geocoding", [{**shared, "item_id": item_id} for item_id in lacking])

    def _name_places(self, names: Sequence[tuple[str, str]], now: datetime) -> None:
        """Note names that are new; each is owed a vector in every space."""
        wanted = {made: name for name in dict.fromkeys(names) if (made := place_id(*name))}
        known_ids = {row.id for row in self.get_places([*wanted])} if wanted else set()
        new = [PlaceRow(made, *name, now) for made, name in wanted.items() if made not in known_ids]
        if not new:
            return
        numbered = zip(self._next_numbers(len(new)), new, strict=True)
        self._execute_many("insert_place", [{**place._asdict(), "seq": seq} for seq, place in numbered])
        for number in owed_spaces(self._session, "place", None, now).values():
            self._insert_jobs("place", [place.id for place in new], number, now)

    def _remove(self, kind: ItemKind, item_ids: Sequence[str]) -> None:
        """Remove rows, names of places at which nothing is any more, and cached answers about places."""
        removed = {"ids": list(item_ids)}
        places = self._ids("places_of", removed, kind=kind)
        located = self._rows("are_located", removed, kind=kind)[0][0]
        self._delete(kind, item_ids)
        self._execute("delete_media_originals", removed)
        if located:
            self._execute("forget_geocoded")
        self._drop_unused(places)

    def _drop_unused(self, places: Sequence[str | None]) -> None:
        """Remove names of places at which nothing is any more."""
        wanted = [place for place in places if place]
        unused = self._ids("unused_places", {"ids": wanted}) if wanted else []
        if unused:
            self._delete("place", unused)
            self._execute("forget_cached_items", {"ids": unused})

    def set_address(self, item: UnlocatedItem, address: str, now: datetime) -> bool:
        """Give an address to what has none, if it is still where it was; says whether it was done."""
        records = self.get([item.id]) if item.kind == "memory" else self.get_messages([item.id])
        label = next((record.place_label for record in records), "")
        values = {"id": item.id, "lat": item.lat, "lng": item.lng, "address": address}
        done = bool(self._rows("set_address", {**values, "place": place_id(address, label)}, kind=item.kind))
        if done:
            self._name_places([(address, label)], now)
            self._drop_unused([place_id("", label)])
        return done

    def finish_geocoding(self, item_ids: Sequence[str]) -> None:
        """Remove the jobs of these."""
        self._execute("finish_jobs", {"space": 0, "ids": list(item_ids)})

    def save_named_place(self, place: NamedPlace) -> None:
        """Name a place, or say where it is by now."""
        self._execute("save_named_place", {**place._asdict(), "folded": folded(place.name)})

    def delete_named_place(self, name: str) -> bool:
        """Forget the name of a place; says whether there was one."""
        self._resets += 1
        return bool(self._rows("delete_named_place", {"folded": folded(name)}))

    def delete_named_places(self) -> None:
        """Forget all names that the user has given, and all that was asked about places."""
        self._execute("delete_named_places")
        self._execute("forget_geocoded")

    def name_place(self, row: UnnamedPlace, now: datetime) -> None:
        """Note what the place of a row is called that was written before names were noted."""
        values = {"id": row.id, "address": row.address, "place_label": row.place_label}
        if self._rows("set_place", {**values, "place": place_id(row.address, row.place_label)}, kind=row.kind):
            self._name_places([(row.address, row.place_label)], now)

    def keep_answer(self, key: str, answer: StoredResponse, now: datetime) -> None:
        """Keep what a request is answered."""
        self._execute("keep_answer", {"key": key, **answer._asdict(), "now": now})

    def add_audit(self, line: AuditLine) -> None:
        """Add a line to the log."""
        self._execute("insert_audit", audit_values(line))

    def forget_traces(self, ids: Collection[str] | None) -> None:
        """Take out of answers and logs what was said, asked or found of some items.

        None stands for all: then the order of changes goes, too.
        """
        self._resets += 1  # whatever else goes, there is something to erase
        self._execute("blank_answers")
        if ids is None:
            self._execute("delete_changes")
            self._execute("delete_searches")
            return
        self._execute("blank_searches")
        gone = frozenset(ids)
        for id_, found in self._rows("searches_that_found") if gone else ():
            left = [item_id for item_id in found.split() if item_id not in gone]
            if len(left) < len(found.split()):
                self._execute("set_found", {"id": id_, "found": " ".join(left)})

    def note_forgetting(self, request: str) -> None:
        """Note what is being forgotten in parts, for the whole store."""
        self._execute("set_mark", {"name": f"{FORGETTING}{request}", "value": 1})

    def drop_forgetting(self, request: str) -> None:
        """Remove that note."""
        self._execute("drop_mark", {"name": f"{FORGETTING}{request}"})

    def set_member(self, membership: Membership) -> None:
        """Let a user be a member of this scope, or have another role in it."""
        values = {"member": membership.user_id, "role": membership.role}
        self._execute("set_member", {**values, "added_at": membership.added_at, "added_by": membership.added_by})

    def remove_member(self, member: str) -> bool:
        """Let a user be a member no more; says whether they were."""
        return self._changed_rows("remove_member", {"member": member}) > 0

    def end_memberships(self) -> None:
        """Remove this user from all scopes, or from this scope all members."""
        self._execute("leave_scopes")
        self._execute("remove_members")

    def add_key(self, key: Key, secret_hash: str) -> None:
        """Keep a new key."""
        self._execute("insert_key", key_values(key, secret_hash))

    def revoke_key(self, key_id: str, now: datetime) -> bool:
        """Let a key open nothing any more; tells whether it did until now."""
        return self._changed_rows("revoke_key", {"id": key_id, "now": now}) > 0

    def last_audit(self) -> AuditLine | None:
        """Give the newest line of the log."""
        return next((self._codec.audit_line(row) for row in self._rows("last_audit")), None)
