"""The part of the embedded store that is about embedding spaces, the queue of what they lack, and the cache."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

import apsw
import numpy as np

from recollect.model.literals import VECTOR_KINDS, VectorKind
from recollect.model.memories import Scope, Space, Vector
from recollect.model.stats import BulkBatch, CacheFigures, Coverage, KnownSpace, ParkedItem, SpaceState
from recollect.ports import CachedPassageVector, CachedQueryVector, EmbedJob
from recollect.storage.jobs import Claimed, bulk_of, fetch, grouped
from recollect.storage.rows import of_kind
from recollect.storage.spaces import Listing, label, name_of
from recollect.storage.sqlite import codec, spaces
from recollect.storage.sqlite.connection import rows
from recollect.storage.sqlite.items import ItemRows
from recollect.storage.sqlite.rows import QUERIES, id_array
from recollect.storage.sqlite.writer import cached_values

_SLICE = 5_000  # rows looked through at a time while nobody else can write


class SqliteSpaces:
    """Spaces, jobs and what was paid for, in one file."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[apsw.Connection]:
        """Lend a connection with an open snapshot."""

    @abstractmethod
    def _changing(self) -> AbstractContextManager[apsw.Connection]:
        """Lend the connection that writes, inside a transaction of its own."""

    def spaces(self) -> Sequence[KnownSpace]:
        """Give the spaces that exist."""
        with self._reading() as connection:
            return spaces.listing(connection).known()

    def open_space(self, space: Space, state: SpaceState, now: datetime) -> None:
        """Make a space, or use one that exists for something else."""
        with self._changing() as connection:
            known = spaces.listing(connection)
            known.insist_on_one(space, state)
            if known.state(space) == "active":  # it was completed meanwhile
                return
            for kind in VECTOR_KINDS:
                spaces.register(connection, kind, space, state, now)

    def owe(self, space: Space, now: datetime) -> int:
        """Look through all rows, slice by slice."""
        return sum(self._owe_kind(kind, space, now) for kind in VECTOR_KINDS)

    def _owe_kind(self, kind: VectorKind, space: Space, now: datetime) -> int:
        owed, last = 0, 0
        values: dict[str, Any] = {"item_kind": kind, "now": codec.to_micros(now)}
        while True:
            with self._changing() as connection:
                known = spaces.listing(connection)
                upto = _one(connection, of_kind(QUERIES["next_slice"], kind), {"after": last, "limit": _SLICE})[0]
                if upto is None or known.state(space) == "kept":
                    return owed
                number = known.number(kind, space)
                if number is None:  # nothing of this kind was ever stored in the space
                    number = spaces.register(connection, kind, space, known.state(space), now)
                sql = of_kind(QUERIES["owe_jobs"], kind).replace("{space}", str(number))
                connection.execute(sql, {**values, "after": last, "last": upto})
                owed, last = owed + connection.changes(), upto

    def coverage(self, space: Space) -> Sequence[Coverage]:
        """Count what a space has and lacks."""
        with self._reading() as connection:
            return [_coverage(connection, kind, spaces.listing(connection), space) for kind in VECTOR_KINDS]

    def activate(self, space: Space, *, without_parked: bool = False) -> bool:
        """Let searches use a space that has everything."""
        with self._changing() as connection:
            known = spaces.listing(connection)
            if known.state(space) != "building":  # somebody has cancelled it, or was faster
                return False
            covered = [_coverage(connection, kind, known, space) for kind in VECTOR_KINDS]
            if any(one.items > one.vectors + (one.parked if without_parked else 0) for one in covered):
                return False
            for row in known:
                if row.state == "active" and row.space != space:
                    connection.execute(QUERIES["set_space_state"], {"number": row.number, "state": "kept"})
                    connection.execute(QUERIES["delete_jobs_of_space"], {"space": row.number})
            for number in known.numbers(space):
                connection.execute(QUERIES["set_space_state"], {"number": number, "state": "active"})
        return True

    def set_unrelated(self, space: Space, unrelated: float) -> None:
        """Note what a cosine is worth."""
        with self._changing() as connection:
            for number in spaces.listing(connection).numbers(space):
                connection.execute(QUERIES["set_unrelated"], {"number": number, "unrelated": unrelated})

    def shelve_space(self, space: Space) -> None:
        """Keep a space as it is."""
        with self._changing() as connection:
            for number in spaces.listing(connection).numbers(space):
                connection.execute(QUERIES["set_space_state"], {"number": number, "state": "kept"})
                connection.execute(QUERIES["delete_jobs_of_space"], {"space": number})

    def drop_space(self, space: Space) -> None:
        """Remove a space."""
        with self._changing() as connection:
            for number in spaces.listing(connection).numbers(space):
                connection.execute(QUERIES["delete_jobs_of_space"], {"space": number})
                for table in ("drop_vectors", "drop_codes"):
                    connection.execute(QUERIES[table].replace("{space}", str(number)))
                connection.execute(QUERIES["delete_space"], {"number": number})
            connection.execute(QUERIES["forget_cached_space"], {"space": label(space)})
            connection.execute(QUERIES["delete_bulks_of_space"], {"space": label(space)})

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
        """Take jobs that are due, of memories first."""
        moments = {"now": codec.to_micros(now), "lease_until": codec.to_micros(lease_until)}
        values = {**moments, "only_user": scope.user_id if scope else "", "bulk": bulk}
        claimed: list[EmbedJob] = []
        with self._changing() as connection:
            for row in spaces.listing(connection):
                if row.space == space and len(claimed) < limit:
                    asked = {**values, "space": row.number, "limit": limit - len(claimed)}
                    claimed += _jobs(connection, rows(connection, QUERIES["claim_jobs"], asked), space)
        return claimed

    def postpone_jobs(self, jobs: Sequence[EmbedJob], reason: str, due: datetime | None, *, to_blame: bool) -> None:
        """Note a failure."""
        values = {"reason": reason, "due_at": codec.to_micros(due), "failures": int(to_blame)}
        with self._changing() as connection:
            for user, number, ids in grouped(jobs, spaces.listing(connection)):
                whose = {"user_id": user, "space": number, "ids": id_array(ids)}
                connection.execute(QUERIES["postpone_jobs"], {**values, **whose})

    def parked(self, limit: int) -> Sequence[ParkedItem]:
        """Give what was given up on."""
        with self._reading() as connection:
            spaces_by_number = {row.number: row.space for row in spaces.listing(connection)}
            return [
                ParkedItem(user, kind, item_id, spaces_by_number[number], attempts, reason)
                for user, kind, item_id, number, attempts, reason in rows(
                    connection, QUERIES["parked_jobs"], {"limit": limit}
                )
            ]

    def revive_parked(self, now: datetime) -> int:
        """Let it be tried again."""
        with self._changing() as connection:
            connection.execute(QUERIES["revive_jobs"], {"now": codec.to_micros(now)})
            return connection.changes()

    def cached(self, scope: Scope, space: Space, role: str, keys: Sequence[str]) -> Mapping[str, Vector]:
        """Give what was paid for."""
        values = {"user_id": scope.user_id, "space": label(space), "role": role, "keys": id_array(keys)}
        with self._reading() as connection:
            found = rows(connection, QUERIES["cached_vectors"], values)
        return {key: np.frombuffer(vector, "<f4") for key, vector in found}

    def resets(self, scope: Scope) -> int:
        """Count what was forgotten."""
        with self._reading() as connection:
            return _resets(connection, scope)

    def note_question(self, scope: Scope, asked: CachedQueryVector, *, day: str, now: datetime) -> None:
        """Keep the vector of a question."""
        spent = {"day": day, "purpose": "embedding", "model": name_of(asked.space)}
        tokens = {"input_tokens": asked.usage.input_tokens, "output_tokens": asked.usage.output_tokens}
        with self._changing() as connection:
            user = {"user_id": scope.user_id}
            if asked.key and _resets(connection, scope) == asked.resets:
                entry = cached_values(asked.space, "query", CachedPassageVector(asked.key, "", asked.vector), now)
                connection.execute(QUERIES["insert_cached"], {**user, **entry})
            connection.execute(QUERIES["add_spending"], {**user, **spent, **tokens})

    def count_cache_uses(self, scope: Scope, hits: int, misses: int) -> None:
        """Count."""
        with self._changing() as connection:
            values = {"user_id": scope.user_id, "hits": hits, "misses": misses}
            connection.execute(QUERIES["count_cache_uses"], values)

    def cache_figures(self, scope: Scope | None = None) -> CacheFigures:
        """Give the figures of the cache."""
        with self._reading() as connection:
            whose = {"only_user": scope.user_id if scope else ""}
            size, uses = _one(connection, QUERIES["cache_size"], whose), _one(connection, QUERIES["cache_uses"], whose)
        return CacheFigures(*size, *uses)

    def trim_cache(self, most_bytes: int) -> int:
        """Let go of the oldest."""
        with self._changing() as connection:
            gone = 0
            while True:  # the oldest may be smaller than the others
                entries, size = _one(connection, QUERIES["cache_size"], {"only_user": ""})
                if size <= most_bytes:
                    return gone
                surplus = -(-entries * (size - most_bytes) // size)
                connection.execute(QUERIES["trim_cache"], {"amount": surplus})
                gone += surplus

    def characters(self) -> int:
        """Count all text."""
        with self._reading() as connection:
            return int(_one(connection, QUERIES["characters"])[0])

    def bulks(self, limit: int = 100) -> Sequence[BulkBatch]:
        """Give the batches."""
        with self._reading() as connection:
            by_label = {label(row.space): row.space for row in spaces.listing(connection)}
            found = rows(connection, QUERIES["list_bulks"], {"limit": limit})
        return [bulk_of(row, by_label[row[1]], codec.from_micros) for row in found if row[1] in by_label]

    def open_bulks(self, space: Space) -> Sequence[BulkBatch]:
        """Give the batches that are not over."""
        with self._reading() as connection:
            found = rows(connection, QUERIES["open_bulks"], {"space": label(space)})
        return [bulk_of(row, space, codec.from_micros) for row in found]

    def failed_bulks(self, space: Space, since: datetime) -> Sequence[BulkBatch]:
        """Give the batches that failed of late."""
        with self._reading() as connection:
            values = {"space": label(space), "since": codec.to_micros(since)}
            found = rows(connection, QUERIES["failed_bulks"], values)
        return [bulk_of(row, space, codec.from_micros) for row in found]

    def save_bulk(self, bulk: BulkBatch) -> None:
        """Note a batch."""
        values = _bulk_values(bulk)
        values |= {"space": label(bulk.space), "submitted_at": codec.to_micros(bulk.submitted_at)}
        with self._changing() as connection:
            connection.execute(QUERIES["save_bulk"], values)

    def change_bulk(self, was: BulkBatch, bulk: BulkBatch) -> bool:
        """Note how a batch has changed."""
        before = {"was_state": was.state, "was_checked_at": codec.to_micros(was.checked_at)}
        with self._changing() as connection:
            connection.execute(QUERIES["change_bulk"], {**_bulk_values(bulk), **before})
            return connection.changes() > 0

    def forget_bulks(self, before: datetime) -> None:
        """Forget batches that have been over for long."""
        with self._changing() as connection:
            connection.execute(QUERIES["forget_bulks"], {"before": codec.to_micros(before)})

    def delete_bulk(self, bulk: BulkBatch) -> None:
        """Forget a batch."""
        with self._changing() as connection:
            connection.execute(QUERIES["delete_bulk"], {"id": bulk.id})

    def bulk_jobs(self, bulk: BulkBatch) -> Sequence[EmbedJob]:
        """Give the jobs of a batch."""
        found: list[EmbedJob] = []
        with self._changing() as connection:
            for number in spaces.listing(connection).numbers(bulk.space):
                claimed = rows(connection, QUERIES["jobs_of_bulk"], {"bulk": bulk.id, "space": number})
                found += _jobs(connection, claimed, bulk.space)
        return found

    def release_bulk(self, bulk: BulkBatch, reason: str, now: datetime) -> None:
        """Let what is left be done by somebody else."""
        with self._changing() as connection:
            values = {"bulk": bulk.id, "reason": reason, "now": codec.to_micros(now)}
            connection.execute(QUERIES["release_bulk"], values)


def _one(connection: apsw.Connection, sql: str, values: dict[str, Any] | None = None) -> tuple[Any, ...]:
    found: tuple[Any, ...] = rows(connection, sql, values)[0]
    return found


def _bulk_values(bulk: BulkBatch) -> dict[str, Any]:
    names = ("id", "provider_id", "state", "texts", "done", "tokens", "reason")
    return {**{name: getattr(bulk, name) for name in names}, "checked_at": codec.to_micros(bulk.checked_at)}


def _resets(connection: apsw.Connection, scope: Scope) -> int:
    return next((int(row[0]) for row in rows(connection, QUERIES["user_resets"], {"user_id": scope.user_id})), 0)


def _coverage(connection: apsw.Connection, kind: VectorKind, known: Listing, space: Space) -> Coverage:
    _, memories, messages, chunks, *_ = _one(connection, QUERIES["store_counts"])
    (places,) = _one(connection, QUERIES["count_places"])
    items = {"memory": memories, "message": messages, "chunk": chunks, "place": places}[kind]
    number = known.number(kind, space)
    if number is None:
        return Coverage(kind, items, 0, 0, 0)
    (vectors,) = _one(connection, QUERIES["count_all_vectors"].replace("{space}", str(number)))
    waiting, parked, oldest = _one(connection, QUERIES["jobs_of_space"], {"space": number})
    return Coverage(kind, items, vectors, waiting, parked, None if oldest is None else codec.from_micros(oldest))


def _jobs(connection: apsw.Connection, claimed: Iterable[Claimed], space: Space) -> list[EmbedJob]:
    """Fetch the items of claimed jobs; a job whose item is gone goes too."""
    jobs, orphans = fetch(claimed, space, lambda scope: ItemRows(connection, scope))
    for user, ids in orphans.items():
        connection.execute(QUERIES["delete_jobs"], {"user_id": user, "ids": id_array(ids)})
    return jobs
