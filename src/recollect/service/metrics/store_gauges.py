"""Gauges of what the store holds and what waits in it, read from the store once in a few seconds at most."""

from collections.abc import Iterator
from threading import Lock
from time import monotonic
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from recollect.api.memory import Memory
from recollect.errors import RecollectError
from recollect.model.stats import Status

REFRESH_S: Final = 5.0


class StoreGauges:
    """The figures of a store. When it cannot be reached, that is a figure too."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._lock = Lock()
        self._refreshed_at: float | None = None
        self._status: Status | None = None
        self._addresses = (0, 0)

    def collect(self) -> Iterator[Metric]:
        status = self.status()
        yield GaugeMetricFamily("recollect_up", "Whether the store can be reached.", float(status is not None))
        if status is not None:
            yield from _rows(status)
            yield from _queue(status, self.lag_s(status), *self._addresses)
            yield from _cache(status)
            age = GaugeMetricFamily("recollect_backup_age_seconds", "Age of the newest backup.", labels=[])
            if status.backup is not None and status.backup.newest is not None:
                age.add_metric([], (self._memory.operations.now() - status.backup.newest).total_seconds())
            yield age

    def lag_s(self, status: Status) -> float:
        """Give the age of the item that waits longest for its vector."""
        since = status.waiting_since
        return 0.0 if since is None else max(0.0, (self._memory.operations.now() - since).total_seconds())

    def status(self) -> Status | None:
        """Give the status of the store, a few seconds old at most; None if it could not be reached."""
        with self._lock:  # callers at the same moment share one refresh
            if self._refreshed_at is None or monotonic() - self._refreshed_at > REFRESH_S:
                try:
                    operations = self._memory.operations
                    self._status, self._addresses = operations.quick_status(), operations.address_counts()
                except RecollectError:
                    self._status = None
                self._refreshed_at = monotonic()
            return self._status


def _rows(status: Status) -> Iterator[Metric]:
    stats = status.stats
    yield GaugeMetricFamily("recollect_users", "Users that have something stored.", stats.users)
    yield GaugeMetricFamily("recollect_memories", "Memories, with those that were replaced or expired.", stats.memories)
    yield GaugeMetricFamily("recollect_messages", "Messages of all conversations.", stats.messages)
    yield GaugeMetricFamily("recollect_files", "Files of synced folders, and documents.", stats.files)
    yield GaugeMetricFamily("recollect_chunks", "Pieces in which files are found.", stats.chunks)
    yield GaugeMetricFamily("recollect_vectors", "Vectors in the space that is searched.", stats.vectors)
    yield GaugeMetricFamily("recollect_store_bytes", "Size of the store.", stats.size_bytes)


def _queue(status: Status, lag_s: float, unlocated: int, not_locatable: int) -> Iterator[Metric]:
    stats, unread = status.stats, status.unread
    yield GaugeMetricFamily("recollect_queue_items", "Items that wait for a vector.", stats.pending_jobs)
    yield GaugeMetricFamily("recollect_queue_lag_seconds", "Age of the item that waits longest for a vector.", lag_s)
    yield GaugeMetricFamily(
        "recollect_parked_items", "Items that are no longer tried to be embedded.", stats.parked_jobs
    )
    coverage = GaugeMetricFamily(
        "recollect_coverage_ratio", "Part of the items that can be found by meaning.", labels=["kind"]
    )
    for part in status.coverage:
        coverage.add_metric([part.source], part.share)
    yield coverage
    yield GaugeMetricFamily("recollect_addresses_waiting", "Items whose address is still to be found out.", unlocated)
    yield GaugeMetricFamily("recollect_addresses_parked", "Items whose address is no longer looked for.", not_locatable)
    yield GaugeMetricFamily("recollect_messages_unread", "Messages that wait to be read by a worker.", unread.waiting)
    yield GaugeMetricFamily("recollect_messages_parked", "Messages that are no longer tried to be read.", unread.parked)


def _cache(status: Status) -> Iterator[Metric]:
    cache = status.cache
    yield GaugeMetricFamily("recollect_cache_bytes", "Size of the cache of vectors.", cache.bytes)
    yield GaugeMetricFamily("recollect_cache_entries", "Vectors in the cache.", cache.entries)
    yield CounterMetricFamily("recollect_cache_hits", "Texts whose vector was known.", cache.hits)
    yield CounterMetricFamily("recollect_cache_misses", "Texts whose vector had to be made.", cache.misses)
    tokens = GaugeMetricFamily(
        "recollect_tokens_today", "Tokens spent since midnight (UTC), by what for.", labels=["purpose"]
    )
    tokens.add_metric(["embedding"], status.embedding_today.tokens)
    tokens.add_metric(["language_model"], status.spent_today.tokens)
    yield tokens
