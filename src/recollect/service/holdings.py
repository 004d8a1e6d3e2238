"""What the store holds and what waits in it, as gauges. It is asked once in a few seconds, however often we are."""

from collections.abc import Iterator
from threading import Lock
from time import monotonic
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from recollect.api.memory import Memory
from recollect.errors import RecollectError
from recollect.model.stats import Status

ASKED_EVERY_S: Final = 5.0


class Holdings:
    """The figures of a store. When it cannot be reached, that is a figure too."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._lock = Lock()
        self._asked: float | None = None
        self._status: Status | None = None
        self._addresses = (0, 0)

    def collect(self) -> Iterator[Metric]:
        """Give what is known of the store."""
        status = self.status()
        yield GaugeMetricFamily("recollect_up", "Whether the store can be reached.", float(status is not None))
        if status is not None:
            yield from _rows(status)
            yield from _queue(status, self.lag_s(status))
            yield from _unlocated(*self._addresses)
            yield from _cache(status)

    def lag_s(self, status: Status) -> float:
        """Say for how long the item has waited for its vector that has waited longest."""
        since = status.waiting_since
        return 0.0 if since is None else max(0.0, (self._memory.operations.now() - since).total_seconds())

    def status(self) -> Status | None:
        """Say how the store was a few seconds ago at most; None if it could not be reached."""
        with self._lock:  # several who ask at once are one
            if self._asked is None or monotonic() - self._asked > ASKED_EVERY_S:
                try:
                    self._status, self._addresses = self._memory.status(), self._memory.operations.address_counts()
                except RecollectError:
                    self._status = None
                self._asked = monotonic()
            return self._status


def _rows(status: Status) -> Iterator[Metric]:
    stats = status.stats
    yield GaugeMetricFamily("recollect_users", "Users that have something stored.", stats.users)
    yield GaugeMetricFamily("recollect_memories", "Memories that hold now.", stats.memories)
    yield GaugeMetricFamily("recollect_messages", "Messages of all conversations.", stats.messages)
    yield GaugeMetricFamily("recollect_files", "Files of synced folders, and documents.", stats.files)
    yield GaugeMetricFamily("recollect_chunks", "Pieces in which files are found.", stats.chunks)
    yield GaugeMetricFamily("recollect_vectors", "Vectors in the space that is searched.", stats.vectors)
    yield GaugeMetricFamily("recollect_store_bytes", "Size of the store.", stats.size_bytes)


def _queue(status: Status, lag_s: float) -> Iterator[Metric]:
    yield GaugeMetricFamily("recollect_queue_items", "Items that wait for a vector.", status.stats.pending_jobs)
    yield GaugeMetricFamily("recollect_queue_lag_seconds", "Age of the item that waits longest for a vector.", lag_s)
    yield GaugeMetricFamily(
        "recollect_parked_items", "Items that nobody tries to embed any more.", status.stats.parked_jobs
    )
    covered = GaugeMetricFamily(
        "recollect_coverage_ratio", "Part of the items that can be found by meaning.", labels=["kind"]
    )
    for part in status.coverage:
        covered.add_metric([part.source], part.share)
    yield covered


def _unlocated(waiting: int, parked: int) -> Iterator[Metric]:
    yield GaugeMetricFamily("recollect_addresses_waiting", "Items whose address is still to be found out.", waiting)
    yield GaugeMetricFamily("recollect_addresses_parked", "Items whose address nobody looks for any more.", parked)


def _cache(status: Status) -> Iterator[Metric]:
    cache = status.cache
    yield GaugeMetricFamily("recollect_cache_bytes", "Size of the cache of vectors.", cache.bytes)
    yield GaugeMetricFamily("recollect_cache_entries", "Vectors in the cache.", cache.entries)
    yield CounterMetricFamily("recollect_cache_hits", "Texts whose vector was known.", cache.hits)
    yield CounterMetricFamily("recollect_cache_misses", "Texts whose vector had to be made.", cache.misses)
    spent = GaugeMetricFamily(
        "recollect_tokens_today", "Tokens spent since midnight (UTC), by what for.", labels=["purpose"]
    )
    spent.add_metric(["embedding"], status.embedding_today.tokens)
    spent.add_metric(["language_model"], status.spent_today.tokens)
    yield spent
