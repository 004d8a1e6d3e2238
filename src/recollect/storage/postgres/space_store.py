"""The part of the server's store that is about embedding spaces, the queue of what they lack, and the cache."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import numpy as np
import psycopg

from recollect.model.literals import VECTOR_KINDS, VectorKind
from recollect.model.memories import Scope, Space, Vector
from recollect.model.stats import BulkBatch, CacheFigures, Coverage, KnownSpace, ParkedItem, SpaceState
from recollect.ports import CachedPassageVector, CachedQueryVector, EmbedJob
from recollect.storage.jobs import Claimed, bulk_of, fetch, grouped
from recollect.storage.postgres import spaces
from recollect.storage.postgres.connection import Connection
from recollect.storage.postgres.items import ItemRows
from recollect.storage.postgres.rows import QUERIES, one
from recollect.storage.postgres.wall import Walled, for_everybody, for_user
from recollect.storage.postgres.writer import cached_values
from recollect.storage.rows import of_kind
from recollect.storage.spaces import Listing, label, name_of


class PostgresSpaces(Walled):
    """Spaces, jobs and what was paid for, on a server."""

    @contextmanager
    def _changing(self) -> Iterator[Connection]:
        """Lend a connection inside a transaction in which nobody else writes, or makes or changes spaces."""
        with self._everybody() as connection:
            spaces.claim(connection)
            yield connection

    def spaces(self) -> Sequence[KnownSpace]:
        """Give the spaces that exist."""
        with self._everybody() as connection:
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
        """Look through all rows."""
        return sum(self._owe_kind(kind, space, now) for kind in VECTOR_KINDS)

    def _owe_kind(self, kind: VectorKind, space: Space, now: datetime) -> int:
        with self._everybody() as connection:
            known = spaces.listing(connection)
        number = known.number(kind, space)
        if known.state(space) == "kept":
            return 0
        if number is None:  # nothing of this kind was ever stored in the space
            with self._changing() as connection:
                number = spaces.register(connection, kind, space, known.state(space), now)
        sql = of_kind(QUERIES["owe_jobs"], kind).replace("{space}", str(number))
        with self._everybody() as connection:
            return connection.execute(sql.encode(), {"item_kind": kind, "now": now}).rowcount

    def coverage(self, space: Space) -> Sequence[Coverage]:
        """Count what a space has and lacks."""
        with self._everybody() as connection:
            return [_coverage(connection, kind, spaces.listing(connection), space) for kind in VECTOR_KINDS]

    def activate(self, space: Space, *, without_parked: bool = False) -> bool:
        """Let searches use a space that has everything."""
        with self._changing() as connection:
            known = spaces.listing(connection)
            if known.state(space) != "building":  # somebody has cancelled it, or was faster
                return False
            covered = [_coverage(connection, kind, known, space) for kind in VECTOR_KINDS]
            if any(part.items > part.vectors + (part.parked if without_parked else 0) for part in covered):
                return False
            for row in known:
                if row.state == "active" and row.space != space:
                    _run(connection, "set_space_state", {"number": row.number, "state": "kept"})
                    _run(connection, "delete_jobs_of_space", {"space": row.number})
            for number in known.numbers(space):
                _run(connection, "set_space_state", {"number": number, "state": "active"})
        return True

    def set_unrelated(self, space: Space, unrelated: float) -> None:
        """Note what a cosine is worth."""
        with self._everybody() as connection:
            for number in spaces.listing(connection).numbers(space):
                _run(connection, "set_unrelated", {"number": number, "unrelated": unrelated})

    def shelve_space(self, space: Space) -> None:
        """Keep a space as it is."""
        with self._changing() as connection:
            for number in spaces.listing(connection).numbers(space):
                _run(connection, "set_space_state", {"number": number, "state": "kept"})
                _run(connection, "delete_jobs_of_space", {"space": number})

    def drop_space(self, space: Space) -> None:
        """Remove a space."""
        with self._changing() as connection:
            for number in spaces.listing(connection).numbers(space):
                _run(connection, "delete_jobs_of_space", {"space": number})
                _run(connection, "drop_vectors", {"number": number})
                _run(connection, "delete_space", {"number": number})
            _run(connection, "forget_cached_space", {"space": label(space)})
            _run(connection, "delete_bulks_of_space", {"space": label(space)})

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
        values = {"now": now, "lease_until": lease_until, "only_user": scope.user_id if scope else "", "bulk": bulk}
        claimed: list[EmbedJob] = []
        with self._whom(scope) as connection:
            for row in spaces.listing(connection):
                if row.space == space and len(claimed) < limit:
                    asked = {**values, "space": row.number, "limit": limit - len(claimed)}
                    taken = _run(connection, "claim_jobs", asked).fetchall()
                    with _apart(connection, scope):
                        claimed += _jobs(connection, taken, space)
        return claimed

    def postpone_jobs(self, jobs: Sequence[EmbedJob], reason: str, due: datetime | None, *, to_blame: bool) -> None:
        """Note a failure."""
        values = {"reason": reason, "due_at": due, "failures": int(to_blame)}
        with self._everybody() as connection:
            for user, number, ids in grouped(jobs, spaces.listing(connection)):
                for_user(connection, Scope(user))
                _run(connection, "postpone_jobs", {**values, "user_id": user, "space": number, "ids": ids})

    def parked(self, limit: int) -> Sequence[ParkedItem]:
        """Give what was given up on."""
        with self._everybody() as connection:
            spaces_by_number = {row.number: row.space for row in spaces.listing(connection)}
            return [
                ParkedItem(user, kind, item_id, spaces_by_number[number], attempts, reason)
                for user, kind, item_id, number, attempts, reason in _run(connection, "parked_jobs", {"limit": limit})
            ]

    def revive_parked(self, now: datetime) -> int:
        """Let it be tried again."""
        with self._everybody() as connection:
            return _run(connection, "revive_jobs", {"now": now}).rowcount

    def cached(self, scope: Scope, space: Space, role: str, keys: Sequence[str]) -> Mapping[str, Vector]:
        """Give what was paid for."""
        values = {"user_id": scope.user_id, "space": label(space), "role": role, "keys": list(keys)}
        with self._for(scope) as connection:
            found = _run(connection, "cached_vectors", values).fetchall()
        return {key: np.frombuffer(vector, "<f4") for key, vector in found}

    def resets(self, scope: Scope) -> int:
        """Count what was forgotten."""
        with self._for(scope) as connection:
            return _resets(connection, scope)

    def note_question(self, scope: Scope, asked: CachedQueryVector, *, day: str, now: datetime) -> None:
        """Keep the vector of a question."""
        spent = {"day": day, "purpose": "embedding", "model": name_of(asked.space)}
        tokens = {"input_tokens": asked.usage.input_tokens, "output_tokens": asked.usage.output_tokens}
        with self._for(scope) as connection:
            user = {"user_id": scope.user_id}
            if asked.key and _resets(connection, scope, "lock_resets") == asked.resets:
                entry = cached_values(asked.space, "query", CachedPassageVector(asked.key, "", asked.vector), now)
                _run(connection, "insert_cached", {**user, **entry})
            _run(connection, "add_spending", {**user, **spent, **tokens})

    def count_cache_uses(self, scope: Scope, hits: int, misses: int) -> None:
        """Count."""
        with self._for(scope) as connection:
            _run(connection, "count_cache_uses", {"user_id": scope.user_id, "hits": hits, "misses": misses})

    def cache_figures(self, scope: Scope | None = None) -> CacheFigures:
        """Give the figures of the cache."""
        with self._whom(scope) as connection:
            whose = {"only_user": scope.user_id if scope else ""}
            size, uses = one(_run(connection, "cache_size", whose)), one(_run(connection, "cache_uses", whose))
        return CacheFigures(*map(int, size), *map(int, uses))

    def trim_cache(self, most_bytes: int) -> int:
        """Let go of the oldest."""
        with self._everybody() as connection:
            gone = 0
            while True:  # the oldest may be smaller than the others
                entries, size = map(int, one(_run(connection, "cache_size", {"only_user": ""})))
                if size <= most_bytes:
                    return gone
                surplus = -(-entries * (size - most_bytes) // size)
                gone += _run(connection, "trim_cache", {"amount": surplus}).rowcount

    def characters(self) -> int:
        """Count all text."""
        with self._everybody() as connection:
            return int(one(_run(connection, "characters"))[0])

    def bulks(self, limit: int = 100) -> Sequence[BulkBatch]:
        """Give the batches."""
        with self._everybody() as connection:
            by_label = {label(row.space): row.space for row in spaces.listing(connection)}
            found = _run(connection, "list_bulks", {"limit": limit}).fetchall()
        return [bulk_of(row, by_label[row[1]], _in_utc) for row in found if row[1] in by_label]

    def open_bulks(self, space: Space) -> Sequence[BulkBatch]:
        """Give the batches that are not over."""
        with self._everybody() as connection:
            found = _run(connection, "open_bulks", {"space": label(space)}).fetchall()
        return [bulk_of(row, space, _in_utc) for row in found]

    def failed_bulks(self, space: Space, since: datetime) -> Sequence[BulkBatch]:
        """Give the batches that failed of late."""
        with self._everybody() as connection:
            found = _run(connection, "failed_bulks", {"space": label(space), "since": since}).fetchall()
        return [bulk_of(row, space, _in_utc) for row in found]

    def save_bulk(self, bulk: BulkBatch) -> None:
        """Note a batch."""
        values = {**_bulk_values(bulk), "space": label(bulk.space), "submitted_at": bulk.submitted_at}
        with self._everybody() as connection:
            _run(connection, "save_bulk", values)

    def change_bulk(self, was: BulkBatch, bulk: BulkBatch) -> bool:
        """Note how a batch has changed."""
        before = {"was_state": was.state, "was_checked_at": was.checked_at}
        with self._everybody() as connection:
            return _run(connection, "change_bulk", {**_bulk_values(bulk), **before}).rowcount > 0

    def forget_bulks(self, before: datetime) -> None:
        """Forget batches that have been over for long."""
        with self._everybody() as connection:
            _run(connection, "forget_bulks", {"before": before})

    def delete_bulk(self, bulk: BulkBatch) -> None:
        """Forget a batch."""
        with self._everybody() as connection:
            _run(connection, "delete_bulk", {"id": bulk.id})

    def bulk_jobs(self, bulk: BulkBatch) -> Sequence[EmbedJob]:
        """Give the jobs of a batch."""
        found: list[EmbedJob] = []
        with self._everybody() as connection:
            for number in spaces.listing(connection).numbers(bulk.space):
                claimed = _run(connection, "jobs_of_bulk", {"bulk": bulk.id, "space": number}).fetchall()
                with _apart(connection):
                    found += _jobs(connection, claimed, bulk.space)
        return found

    def release_bulk(self, bulk: BulkBatch, reason: str, now: datetime) -> None:
        """Let what is left be done by somebody else."""
        with self._everybody() as connection:
            _run(connection, "release_bulk", {"bulk": bulk.id, "reason": reason, "now": now})


def _in_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def _run(connection: Connection, name: str, values: dict[str, Any] | None = None) -> "psycopg.Cursor[tuple[Any, ...]]":
    return connection.execute(QUERIES[name].encode(), values)


def _bulk_values(bulk: BulkBatch) -> dict[str, Any]:
    names = ("id", "provider_id", "state", "texts", "done", "tokens", "reason", "checked_at")
    return {name: getattr(bulk, name) for name in names}


def _resets(connection: Connection, scope: Scope, query: str = "user_resets") -> int:
    return next((int(row[0]) for row in _run(connection, query, {"user_id": scope.user_id})), 0)


def _coverage(connection: Connection, kind: VectorKind, known: Listing, space: Space) -> Coverage:
    _, memories, messages, chunks, *_ = one(_run(connection, "store_counts"))
    (places,) = one(_run(connection, "count_places"))
    items = int({"memory": memories, "message": messages, "chunk": chunks, "place": places}[kind])
    number = known.number(kind, space)
    if number is None:
        return Coverage(kind, items, 0, 0, 0)
    counted = connection.execute(QUERIES["count_all_vectors"].replace("{space}", str(number)).encode())
    waiting, parked, oldest = one(_run(connection, "jobs_of_space", {"space": number}))
    since = None if oldest is None else oldest.astimezone(UTC)
    return Coverage(kind, items, one(counted)[0], waiting, parked, since)


@contextmanager
def _apart(connection: Connection, scope: Scope | None = None) -> Iterator[None]:
    """Let each user's part be done in that user's name, and go on for whom it was before."""
    yield
    if scope is None:
        for_everybody(connection)
    else:
        for_user(connection, scope)


def _rows_of(connection: Connection, scope: Scope) -> ItemRows:
    for_user(connection, scope)
    return ItemRows(connection, scope)


def _jobs(connection: Connection, claimed: Iterable[Claimed], space: Space) -> list[EmbedJob]:
    """Fetch the items of claimed jobs, each user's in that user's name; a job whose item is gone goes too."""
    jobs, orphans = fetch(claimed, space, lambda scope: _rows_of(connection, scope))
    for user, ids in orphans.items():
        for_user(connection, Scope(user))
        _run(connection, "delete_jobs", {"user_id": user, "ids": ids})
    return jobs
