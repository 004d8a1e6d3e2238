"""The part of a store that is about work that waits, of all users: vectors, addresses and readings that items lack, and
what was paid for. What concerns a single user's rows is asked of readers and writers.
"""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta

import numpy as np

from recollect.model.literals import VECTOR_KINDS, VectorKind
from recollect.model.memories import Scope, Space, Vector
from recollect.model.stats import BulkBatch, CacheFigures, Coverage, KnownSpace, ParkedItem, SpaceState, UnreadMessages
from recollect.storage.base.codec import RecordCodec, cached_place_values
from recollect.storage.base.session import ResultRow, StoreSession, Values
from recollect.storage.base.spaces import (
    SpaceList,
    bulk_batch,
    bulk_values,
    embed_jobs,
    geocode_jobs,
    list_spaces,
    read_jobs,
    register_space,
    space_label,
)
from recollect.storage.base.tables import LOCATED, UNREAD
from recollect.storage.base.values import (
    CachedPassageVector,
    CachedPlace,
    CachedQueryVector,
    EmbedJob,
    GeocodeJob,
    ReadJob,
    UnnamedPlace,
)
from recollect.storage.base.writer import cached_values

_LONGEST_DELAY = timedelta(days=2)  # longer than any lease, or any pause between two tries


class QueueStore(ABC):
    """Embedding spaces and the jobs in them, batches of a provider, caches of what was paid for, and other jobs."""

    codec: RecordCodec

    @abstractmethod
    def _reading(self, scope: Scope | None = None) -> AbstractContextManager[StoreSession]:
        """Lend a session for questions of one user, or of the store as a whole."""

    @abstractmethod
    def _writing(self, scope: Scope | None = None, *, patient: bool = True) -> AbstractContextManager[StoreSession]:
        """Lend a session for changes in a transaction of its own.

        One that is not patient raises StoreUnavailable rather than wait for another writer, where one must wait.
        """

    def _exclusive(self) -> AbstractContextManager[StoreSession]:
        """Lend a session for changes during which no other process writes, or makes or changes spaces."""
        return self._writing()

    def _ask(self, name: str, values: Values | None = None) -> list[ResultRow]:
        """Run one query about the store as a whole."""
        with self._reading() as session:
            return session.rows(name, values)

    def _tell(self, name: str, values: Values) -> None:
        """Run one change of the store as a whole."""
        with self._writing() as session:
            session.execute(name, values)

    def _postpone(self, items: Iterable[tuple[Scope, str]], values: Values) -> None:
        """Postpone the jobs of items, each user's in that user's name."""
        by_user = defaultdict[Scope, list[str]](list)
        for scope, item_id in items:
            by_user[scope].append(item_id)
        with self._writing() as session:
            for scope, ids in by_user.items():
                session.act_for(scope)
                session.execute("postpone_jobs", {**values, "user_id": scope.user_id, "ids": ids})

    @abstractmethod
    def _owe_kind(self, kind: VectorKind, space: Space, now: datetime) -> int:
        """Write a job for every item of a kind that lacks both a vector and a job; says how many."""

    def spaces(self) -> Sequence[KnownSpace]:
        """Give the spaces that exist, oldest first."""
        with self._reading() as session:
            return list_spaces(session).known()

    def open_space(self, space: Space, state: SpaceState, now: datetime) -> None:
        """Make a space, or use one that exists for something else.

        In one that is `active` or `building` whatever is stored from now on is owed a vector.
        """
        with self._exclusive() as session:
            known = list_spaces(session)
            known.insist_on_one(space, state)
            if known.state(space) == "active":  # it was completed meanwhile
                return
            for kind in VECTOR_KINDS:
                register_space(session, kind, space, state, now)

    def owe(self, space: Space, now: datetime) -> int:
        """Write a job for every item that lacks both a vector in this space and a job; says how many."""
        return sum(self._owe_kind(kind, space, now) for kind in VECTOR_KINDS)

    def coverage(self, space: Space) -> Sequence[Coverage]:
        """Count what has a vector in this space, and what waits for one."""
        with self._reading() as session:
            return _coverage(session, list_spaces(session), space)

    def activate(self, space: Space, *, without_parked: bool = False) -> bool:
        """Let searches use this space if every item has a vector in it, and keep the one they used, in one step.

        `without_parked` does so though some items could not be embedded. Says whether it was done.
        """
        with self._exclusive() as session:
            known = list_spaces(session)
            if known.state(space) != "building":  # another process has cancelled it, or was faster
                return False
            covered = _coverage(session, known, space)
            if any(part.items > part.vectors + (part.parked if without_parked else 0) for part in covered):
                return False
            for row in known:
                if row.state == "active" and row.space != space:
                    _shelve(session, row.number)
            for number in known.numbers(space):
                session.execute("set_space_state", {"number": number, "state": "active"})
        return True

    def set_unrelated(self, space: Space, unrelated: float) -> None:
        """Note the usual cosine of what has nothing to do with each other in this space."""
        with self._writing() as session:
            for number in list_spaces(session).numbers(space):
                session.execute("set_unrelated", {"number": number, "unrelated": unrelated})

    def shelve_space(self, space: Space) -> None:
        """Merely keep a space that is not searched: nothing is owed a vector in it any more."""
        with self._exclusive() as session:
            for number in list_spaces(session).numbers(space):
                _shelve(session, number)

    def drop_space(self, space: Space) -> None:
        """Remove a space that is not searched, with its vectors, jobs and what is cached of it."""
        with self._exclusive() as session:  # no transaction on a cluster changes rows of other tables and drops tables
            for number in list_spaces(session).numbers(space):
                _shelve(session, number)
            session.execute("forget_cached_space", {"space": space_label(space)})
            session.execute("delete_bulks_of_space", {"space": space_label(space)})
        with self._exclusive() as session:
            for number in list_spaces(session).numbers(space):
                session.drop_space(number)
                session.execute("delete_space", {"number": number})

    def claim_jobs(
        self,
        space: Space,
        limit: int,
        *,
        now: datetime,
        lease_until: datetime,
        scope: Scope | None = None,
        bulk: str = "",
    ) -> Sequence[EmbedJob]:
        """Lease jobs that are due, of one user or of all: no other worker takes them before the lease ends.

        With `bulk` they become part of a batch instead, and no worker takes them until it is over.
        """
        values = {"now": now, "lease_until": lease_until, "only_user": scope.user_id if scope else "", "bulk": bulk}
        jobs: list[EmbedJob] = []
        with self._writing(scope) as session:
            for number in list_spaces(session).numbers(space):
                if len(jobs) < limit:
                    claim = {**values, "space": number, "limit": limit - len(jobs)}
                    jobs += embed_jobs(session, session.claim("jobs", claim), space)
                    session.act_for(scope)
        return jobs

    def postpone_jobs(self, jobs: Sequence[EmbedJob], reason: str, due: datetime | None, *, to_blame: bool) -> None:
        """Note why jobs failed: try again when due, or park them when it is None.

        `to_blame` counts it as an attempt of the items themselves. It is no write of a user: nothing of theirs changed.
        """
        values = {"reason": reason, "due_at": due, "failures": int(to_blame)}
        by_space = defaultdict[tuple[Scope, int | None], list[str]](list)
        with self._writing() as session:
            known = list_spaces(session)
            for job in jobs:
                by_space[job.scope, known.number(job.kind, job.space)].append(job.item.id)
            for (scope, number), ids in by_space.items():
                if number is not None:  # a space that was dropped needs nothing
                    session.act_for(scope)
                    session.execute("postpone_jobs", {**values, "user_id": scope.user_id, "space": number, "ids": ids})

    def parked(self, limit: int) -> Sequence[ParkedItem]:
        """Give parked jobs, which no worker tries again by itself, oldest first."""
        with self._reading() as session:
            by_number = {row.number: row.space for row in list_spaces(session)}
            return [
                ParkedItem(user, kind, item_id, by_number[number], attempts, reason)
                for user, kind, item_id, number, attempts, reason in session.rows("parked_jobs", {"limit": limit})
            ]

    def revive_parked(self, now: datetime) -> int:
        """Let everything that was parked be tried again; says how many."""
        with self._writing() as session:
            return session.changed("revive_jobs", {"now": now})

    def recall_jobs_ahead(self, now: datetime) -> int:
        """Make jobs due that a clock which was ahead has put off further than any job can be; says how many."""
        horizon = {"horizon": now + _LONGEST_DELAY}
        if not self._ask("jobs_ahead", horizon)[0][0]:
            return 0
        with self._writing() as session:
            return session.changed("recall_jobs_ahead", {"now": now, **horizon})

    def bulks(self, limit: int = 100) -> Sequence[BulkBatch]:
        """Give the batches, newest first."""
        with self._reading() as session:
            by_label = {space_label(row.space): row.space for row in list_spaces(session)}
            rows = session.rows("list_bulks", {"limit": limit})
            return [bulk_batch(row, by_label[row[1]], session.codec) for row in rows if row[1] in by_label]

    def open_bulks(self, space: Space) -> Sequence[BulkBatch]:
        """Give all batches of a space that are not over, oldest first."""
        rows = self._ask("open_bulks", {"space": space_label(space)})
        return [bulk_batch(row, space, self.codec) for row in rows]

    def failed_bulks(self, space: Space, since: datetime) -> Sequence[BulkBatch]:
        """Give the batches of a space that were found to have failed after a moment."""
        rows = self._ask("failed_bulks", {"space": space_label(space), "since": since})
        return [bulk_batch(row, space, self.codec) for row in rows]

    def save_bulk(self, bulk: BulkBatch) -> None:
        """Note a batch, new or changed."""
        values = {"space": space_label(bulk.space), "submitted_at": bulk.submitted_at}
        self._tell("save_bulk", {**bulk_values(bulk), **values})

    def change_bulk(self, was: BulkBatch, bulk: BulkBatch) -> bool:
        """Note how a batch has changed, unless its state or `checked_at` is another by now; says whether it was done.

        Of several workers that saw the same batch, one succeeds.
        """
        before = {"was_state": was.state, "was_checked_at": was.checked_at}
        with self._writing() as session:
            return session.changed("change_bulk", {**bulk_values(bulk), **before}) > 0

    def forget_bulks(self, before: datetime) -> None:
        """Forget all batches that were over before a moment."""
        self._tell("forget_bulks", {"before": before})

    def delete_bulk(self, bulk: BulkBatch) -> None:
        """Forget a batch that came to nothing."""
        self._tell("delete_bulk", {"id": bulk.id})

    def bulk_jobs(self, bulk: BulkBatch) -> Sequence[EmbedJob]:
        """Give the jobs that are still part of a batch."""
        jobs: list[EmbedJob] = []
        with self._writing() as session:
            for number in list_spaces(session).numbers(bulk.space):
                claimed = session.rows("jobs_of_bulk", {"bulk": bulk.id, "space": number})
                jobs += embed_jobs(session, claimed, bulk.space)
                session.act_for(None)
        return jobs

    def release_bulk(self, bulk: BulkBatch, reason: str, now: datetime) -> None:
        """Give the rest of a batch back to the queue."""
        self._tell("release_bulk", {"bulk": bulk.id, "reason": reason, "now": now})

    def cached(self, scope: Scope, space: Space, role: str, keys: Sequence[str]) -> Mapping[str, Vector]:
        """Give the vectors that were paid for already, by the hashes of their texts."""
        values = {"user_id": scope.user_id, "space": space_label(space), "role": role, "keys": list(keys)}
        with self._reading(scope) as session:
            rows = session.rows("cached_vectors", values)
        return {key: np.frombuffer(vector, "<f4") for key, vector in rows}

    def resets(self, scope: Scope) -> int:
        """Give a number that grows whenever something of this user is forgotten."""
        with self._reading(scope) as session:
            return _resets(session, scope, "user_resets")

    def note_question(self, scope: Scope, asked: CachedQueryVector, *, day: str, now: datetime) -> None:
        """Note what a question cost, and keep its vector unless something was forgotten since it was asked.

        It is no write of the user: what was read stays true.
        """
        spent = {"day": day, "purpose": "embedding", "model": f"{asked.space.provider}/{asked.space.model}"}
        tokens = {"input_tokens": asked.usage.input_tokens, "output_tokens": asked.usage.output_tokens}
        user = {"user_id": scope.user_id}
        with self._writing(scope) as session:
            if asked.key and _resets(session, scope, "lock_resets") == asked.resets:
                entry = cached_values(asked.space, "query", CachedPassageVector(asked.key, "", asked.vector), now)
                session.execute("insert_cached", {**user, **entry})
            session.execute("add_spending", {**user, **spent, **tokens})

    def count_cache_uses(self, scope: Scope, hits: int, misses: int) -> None:
        """Add to how often the cache knew, and how often it did not."""
        with self._writing(scope) as session:
            session.execute("count_cache_uses", {"user_id": scope.user_id, "hits": hits, "misses": misses})

    def cache_figures(self, scope: Scope | None = None) -> CacheFigures:
        """Say how large the cache is, and how often it knew: for all users together, or for one."""
        user = {"only_user": scope.user_id if scope else ""}
        with self._reading(scope) as session:
            size, uses = session.row("cache_size", user), session.row("cache_uses", user)
        return CacheFigures(*map(int, size), *map(int, uses))

    def trim_cache(self, most_bytes: int) -> int:
        """Let go of the oldest entries until the rest fits; says of how many."""
        with self._writing() as session:
            dropped = 0
            while True:  # the oldest may be smaller than the others
                entries, size = map(int, session.row("cache_size", {"only_user": ""}))
                if size <= most_bytes:
                    return dropped
                surplus = -(-entries * (size - most_bytes) // size)
                dropped += session.changed("trim_cache", {"amount": surplus})

    def characters(self) -> int:
        """Say how long all texts together are."""
        return int(self._ask("characters")[0][0])

    def owe_addresses(self, now: datetime) -> int:
        """Write a job for all that has coordinates and lacks both an address and a job; says how many."""
        owed = 0
        for kind in LOCATED:
            with self._writing() as session:
                owed += session.changed("owe_geocoding", {"item_kind": kind, "now": now}, kind=kind)
        return owed

    def unnamed_places(self, limit: int) -> Sequence[UnnamedPlace]:
        """Give rows that were written before the names of places were noted."""
        with self._reading() as session:
            return [
                UnnamedPlace(Scope(user), kind, *row)
                for kind in LOCATED
                for user, *row in session.rows("unnamed_places", {"limit": limit}, kind=kind)
            ]

    def geocoding_counts(self) -> tuple[int, int]:
        """Say how much waits for an address, and how much was given up on."""
        waiting, parked = self._ask("geocoding_counts")[0]
        return waiting, parked

    def claim_geocoding(
        self, limit: int, *, now: datetime, lease_until: datetime, scope: Scope | None = None
    ) -> Sequence[GeocodeJob]:
        """Lease jobs that are due: no other worker takes them before the lease ends."""
        values = {"now": now, "lease_until": lease_until, "only_user": scope.user_id if scope else "", "bulk": ""}
        with self._writing(scope) as session:
            return geocode_jobs(session, session.claim("jobs", {**values, "space": 0, "limit": limit}))

    def postpone_geocoding(
        self, jobs: Sequence[GeocodeJob], reason: str, due: datetime | None, *, to_blame: bool
    ) -> None:
        """Note why jobs failed: try again when due, or park them when it is None; `to_blame` counts an attempt."""
        values = {"reason": reason, "due_at": due, "failures": int(to_blame), "space": 0}
        self._postpone(((job.scope, job.item.id) for job in jobs), values)

    def keep_geocoded(
        self, scope: Scope, geocoder: str, places: Sequence[CachedPlace], *, now: datetime, most: int, resets: int
    ) -> None:
        """Keep what a geocoder said, unless something was forgotten since it was asked; it is no write of the user.

        What was used longest ago goes until no more than `most` are left.
        """
        user = {"user_id": scope.user_id}
        with self._writing(scope) as session:
            if sum(row[0] for row in session.rows("lock_resets", user)) != resets:
                return
            shared = {**user, "geocoder": geocoder, "now": now}
            session.execute_many("keep_geocoded", [{**shared, **cached_place_values(place)} for place in places])
            session.execute("trim_geocoded", {**user, "most": most})

    def touch_geocoded(self, scope: Scope, geocoder: str, cell: str, now: datetime) -> None:
        """Note that what is known of a cell was of use. It is no write of the user."""
        with self._writing(scope) as session:
            values = {"user_id": scope.user_id, "geocoder": geocoder, "cell": cell, "now": now}
            session.execute("touch_geocoded", values)

    def unread(self) -> UnreadMessages:
        """Count the messages that wait to be read."""
        waiting, parked, oldest, reason = self._ask("unread_messages")[0]
        return UnreadMessages(waiting, parked, self.codec.time_or_none(oldest), reason)

    def claim_readings(
        self, limit: int, *, now: datetime, lease_until: datetime, scope: Scope | None = None
    ) -> Sequence[ReadJob]:
        """Lease messages that are due, the oldest first: no other worker takes their users before the lease ends.

        So the messages of a user are read one after the other, in the order in which they came.
        """
        values = {"now": now, "lease_until": lease_until, "only_user": scope.user_id if scope else "", "bulk": ""}
        with self._writing(scope) as session:
            return read_jobs(session, session.claim("readings", {**values, "space": UNREAD, "limit": limit}))

    def postpone_readings(self, jobs: Sequence[ReadJob], reason: str, due: datetime | None, *, to_blame: bool) -> None:
        """Note why jobs failed: try again when due, or park them when it is None; `to_blame` counts an attempt."""
        values = {"reason": reason, "due_at": due, "failures": int(to_blame), "space": UNREAD}
        self._postpone(((job.scope, job.message.id) for job in jobs), values)


def _shelve(session: StoreSession, number: int) -> None:
    session.execute("set_space_state", {"number": number, "state": "kept"})
    session.execute("delete_jobs_of_space", {"space": number})


def _resets(session: StoreSession, scope: Scope, query: str) -> int:
    return next((int(row[0]) for row in session.rows(query, {"user_id": scope.user_id})), 0)


def _coverage(session: StoreSession, known: SpaceList, space: Space) -> list[Coverage]:
    _, memories, messages, chunks, *_ = session.row("store_counts")
    (places,) = session.row("count_places")
    items = {"memory": memories, "message": messages, "chunk": chunks, "place": places}
    covered = []
    for kind in VECTOR_KINDS:
        number = known.number(kind, space)
        if number is None:
            covered.append(Coverage(kind, int(items[kind]), 0, 0, 0))
            continue
        (vectors,) = session.row("count_all_vectors", space=number)
        waiting, parked, oldest = session.row("jobs_of_space", {"space": number})
        since = session.codec.time_or_none(oldest)
        covered.append(Coverage(kind, int(items[kind]), vectors, waiting, parked, since))
    return covered
