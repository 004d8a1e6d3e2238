"""The part of a store that is about embedding spaces, the queue of jobs in them, batches, and the cache of vectors."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import numpy as np

from recollect.model.literals import VECTOR_KINDS, VectorKind
from recollect.model.memories import Scope, Space, Vector
from recollect.model.stats import BulkBatch, CacheFigures, Coverage, KnownSpace, ParkedItem, SpaceState
from recollect.ports import CachedPassageVector, CachedQueryVector, EmbedJob
from recollect.storage.session import StoreSession
from recollect.storage.shared.jobs import bulk_batch, bulk_values, embed_jobs, ids_by_user_and_space
from recollect.storage.shared.store import StoreBase
from recollect.storage.shared.writer import cached_values
from recollect.storage.spaces import SpaceList, list_spaces, model_name, register_space, space_label

_LONGEST_DELAY = timedelta(days=2)  # longer than any lease, or any pause between two tries


class SharedSpaceStore(StoreBase):
    """Embedding spaces and their jobs."""

    @abstractmethod
    def _owe_kind(self, kind: VectorKind, space: Space, now: datetime) -> int:
        """Write a job for every item of a kind that lacks both a vector and a job; says how many."""

    def spaces(self) -> Sequence[KnownSpace]:
        with self._reading() as session:
            return list_spaces(session).known()

    def open_space(self, space: Space, state: SpaceState, now: datetime) -> None:
        with self._exclusive() as session:
            known = list_spaces(session)
            known.insist_on_one(space, state)
            if known.state(space) == "active":  # it was completed meanwhile
                return
            for kind in VECTOR_KINDS:
                register_space(session, kind, space, state, now)

    def owe(self, space: Space, now: datetime) -> int:
        """Look through all rows."""
        return sum(self._owe_kind(kind, space, now) for kind in VECTOR_KINDS)

    def coverage(self, space: Space) -> Sequence[Coverage]:
        with self._reading() as session:
            return _coverage(session, list_spaces(session), space)

    def activate(self, space: Space, *, without_parked: bool = False) -> bool:
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
        with self._writing() as session:
            for number in list_spaces(session).numbers(space):
                session.execute("set_unrelated", {"number": number, "unrelated": unrelated})

    def shelve_space(self, space: Space) -> None:
        with self._exclusive() as session:
            for number in list_spaces(session).numbers(space):
                _shelve(session, number)

    def drop_space(self, space: Space) -> None:
        """Remove a space: first its rows in other tables, then its tables. No transaction does both on a cluster."""
        with self._exclusive() as session:
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
        """Lease jobs that are due, of memories first."""
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
        values = {"reason": reason, "due_at": due, "failures": int(to_blame)}
        with self._writing() as session:
            for user, number, ids in ids_by_user_and_space(jobs, list_spaces(session)):
                session.act_for(Scope(user))
                session.execute("postpone_jobs", {**values, "user_id": user, "space": number, "ids": ids})

    def parked(self, limit: int) -> Sequence[ParkedItem]:
        with self._reading() as session:
            by_number = {row.number: row.space for row in list_spaces(session)}
            return [
                ParkedItem(user, kind, item_id, by_number[number], attempts, reason)
                for user, kind, item_id, number, attempts, reason in session.rows("parked_jobs", {"limit": limit})
            ]

    def revive_parked(self, now: datetime) -> int:
        with self._writing() as session:
            return session.changed("revive_jobs", {"now": now})

    def recall_jobs_ahead(self, now: datetime) -> int:
        horizon = {"horizon": now + _LONGEST_DELAY}
        if not self._ask("jobs_ahead", horizon)[0][0]:
            return 0
        with self._writing() as session:
            return session.changed("recall_jobs_ahead", {"now": now, **horizon})


class VectorCacheStore(StoreBase):
    """The cache of vectors that were paid for."""

    def cached(self, scope: Scope, space: Space, role: str, keys: Sequence[str]) -> Mapping[str, Vector]:
        values = {"user_id": scope.user_id, "space": space_label(space), "role": role, "keys": list(keys)}
        with self._reading(scope) as session:
            rows = session.rows("cached_vectors", values)
        return {key: np.frombuffer(vector, "<f4") for key, vector in rows}

    def resets(self, scope: Scope) -> int:
        with self._reading(scope) as session:
            return _resets(session, scope, "user_resets")

    def note_question(self, scope: Scope, asked: CachedQueryVector, *, day: str, now: datetime) -> None:
        spent = {"day": day, "purpose": "embedding", "model": model_name(asked.space)}
        tokens = {"input_tokens": asked.usage.input_tokens, "output_tokens": asked.usage.output_tokens}
        user = {"user_id": scope.user_id}
        with self._writing(scope) as session:
            if asked.key and _resets(session, scope, "lock_resets") == asked.resets:
                entry = cached_values(asked.space, "query", CachedPassageVector(asked.key, "", asked.vector), now)
                session.execute("insert_cached", {**user, **entry})
            session.execute("add_spending", {**user, **spent, **tokens})

    def count_cache_uses(self, scope: Scope, hits: int, misses: int) -> None:
        with self._writing(scope) as session:
            session.execute("count_cache_uses", {"user_id": scope.user_id, "hits": hits, "misses": misses})

    def cache_figures(self, scope: Scope | None = None) -> CacheFigures:
        user = {"only_user": scope.user_id if scope else ""}
        with self._reading(scope) as session:
            size, uses = session.row("cache_size", user), session.row("cache_uses", user)
        return CacheFigures(*map(int, size), *map(int, uses))

    def trim_cache(self, most_bytes: int) -> int:
        with self._writing() as session:
            dropped = 0
            while True:  # the oldest may be smaller than the others
                entries, size = map(int, session.row("cache_size", {"only_user": ""}))
                if size <= most_bytes:
                    return dropped
                surplus = -(-entries * (size - most_bytes) // size)
                dropped += session.changed("trim_cache", {"amount": surplus})

    def characters(self) -> int:
        return int(self._ask("characters")[0][0])


class BatchStore(StoreBase):
    """Batches that were handed in to a provider."""

    def bulks(self, limit: int = 100) -> Sequence[BulkBatch]:
        with self._reading() as session:
            by_label = {space_label(row.space): row.space for row in list_spaces(session)}
            rows = session.rows("list_bulks", {"limit": limit})
            return [bulk_batch(row, by_label[row[1]], session.codec) for row in rows if row[1] in by_label]

    def open_bulks(self, space: Space) -> Sequence[BulkBatch]:
        with self._reading() as session:
            rows = session.rows("open_bulks", {"space": space_label(space)})
            return [bulk_batch(row, space, session.codec) for row in rows]

    def failed_bulks(self, space: Space, since: datetime) -> Sequence[BulkBatch]:
        with self._reading() as session:
            rows = session.rows("failed_bulks", {"space": space_label(space), "since": since})
            return [bulk_batch(row, space, session.codec) for row in rows]

    def save_bulk(self, bulk: BulkBatch) -> None:
        values = {"space": space_label(bulk.space), "submitted_at": bulk.submitted_at}
        self._tell("save_bulk", {**bulk_values(bulk), **values})

    def change_bulk(self, was: BulkBatch, bulk: BulkBatch) -> bool:
        before = {"was_state": was.state, "was_checked_at": was.checked_at}
        with self._writing() as session:
            return session.changed("change_bulk", {**bulk_values(bulk), **before}) > 0

    def forget_bulks(self, before: datetime) -> None:
        self._tell("forget_bulks", {"before": before})

    def delete_bulk(self, bulk: BulkBatch) -> None:
        self._tell("delete_bulk", {"id": bulk.id})

    def bulk_jobs(self, bulk: BulkBatch) -> Sequence[EmbedJob]:
        jobs: list[EmbedJob] = []
        with self._writing() as session:
            for number in list_spaces(session).numbers(bulk.space):
                claimed = session.rows("jobs_of_bulk", {"bulk": bulk.id, "space": number})
                jobs += embed_jobs(session, claimed, bulk.space)
                session.act_for(None)
        return jobs

    def release_bulk(self, bulk: BulkBatch, reason: str, now: datetime) -> None:
        self._tell("release_bulk", {"bulk": bulk.id, "reason": reason, "now": now})


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
