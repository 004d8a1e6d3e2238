"""What a process remembers: LRU caches by user, the results of searches, and a cool-down for a port that failed.

The invariant: a result is given again only to the same user, for the same query, while nothing of that user was written
and none of its hits has lapsed. What a user forgets is dropped at once.
"""

from collections import OrderedDict
from collections.abc import Hashable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

from recollect.model.files import Chunk
from recollect.model.memories import MemoryRecord, Scope, lapsed
from recollect.model.messages import Message
from recollect.model.search import Hit, Recall

T = TypeVar("T")
_MOST_BYTES = 32 * 2**20  # of all results together, about
_HIT_BYTES = 4_000  # of a hit, besides its words
_MAX_AGE = timedelta(minutes=1)  # recency fades meanwhile, though not by much


class LruCache(Generic[T]):
    """An LRU cache with a fixed number of entries. What a user forgets is dropped at once."""

    def __init__(self, max_entries: int) -> None:
        self._max_entries = max_entries
        self._entries: OrderedDict[tuple[str, Hashable], T] = OrderedDict()
        self._lock = Lock()

    def find(self, scope: Scope, key: Hashable) -> T | None:
        """Give an entry and mark it as used."""
        with self._lock:
            value = self._entries.get((scope.user_id, key))
            if value is not None:
                self._entries.move_to_end((scope.user_id, key))
            return value

    def keep(self, scope: Scope, key: Hashable, value: T) -> None:
        """Add an entry; the least recently used one makes room."""
        with self._lock:
            self._entries[scope.user_id, key] = value
            self._entries.move_to_end((scope.user_id, key))
            while len(self._entries) > self._max_entries:
                self._entries.popitem(last=False)

    def drop(self, scope: Scope) -> None:
        """Drop the entries of a user."""
        with self._lock:
            for key in [key for key in self._entries if key[0] == scope.user_id]:
                del self._entries[key]

    def __len__(self) -> int:
        return len(self._entries)


@dataclass(slots=True)
class Cooldown:
    """A cool-down: until when a port that failed is not called again by this process."""

    _until: datetime | None = None

    def start(self, now: datetime, pause_s: float) -> None:
        """Begin a cool-down; 0 seconds end it."""
        self._until = now + timedelta(seconds=pause_s) if pause_s else None

    def left_s(self, now: datetime) -> float:
        """Say how many seconds of it are left."""
        return max(0.0, (self._until - now).total_seconds()) if self._until else 0.0


class CachedRecall(NamedTuple):
    """A result: at which of the user's writes, after how many drops, and when it was found."""

    generation: int
    drops: int
    found_at: datetime
    answer: Recall
    size: int = 0


@dataclass(slots=True)
class ResultCache:
    """The latest results of a process, by a key that holds all that a result depends on."""

    max_entries: int
    max_bytes: int = _MOST_BYTES
    held_bytes: int = 0
    drops: int = 0  # a result that was found before a drop is not kept after it
    _entries: OrderedDict[tuple[str, Hashable], CachedRecall] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def find(self, scope: Scope, query_key: Hashable, generation: int, now: datetime) -> Recall | None:
        """Give the result of a query, if it is cached and still true."""
        key = (scope.user_id, query_key)
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            if entry.generation != generation or not _is_fresh(entry, now):
                self._remove(key)
                return None
            self._entries.move_to_end(key)
        return _copy(entry.answer)

    def keep(self, scope: Scope, query_key: Hashable, entry: CachedRecall) -> None:
        """Keep a result, unless it is degraded or something was dropped since it was found."""
        if not self.max_entries or entry.answer.degraded:
            return
        words = sum(len(hit.record.content) + len(str(hit.metadata)) for hit in entry.answer.hits)
        size = _HIT_BYTES * (1 + len(entry.answer.hits)) + 2 * words  # about
        copied = entry._replace(answer=_copy(entry.answer), size=size)
        key = (scope.user_id, query_key)
        with self._lock:
            if entry.drops != self.drops:
                return
            self._remove(key)
            self._entries[key] = copied
            self.held_bytes += copied.size
            while len(self._entries) > self.max_entries or self.held_bytes > self.max_bytes:
                self._remove(next(iter(self._entries)))

    def drop(self, scope: Scope) -> None:
        """Drop a user's results."""
        with self._lock:
            self.drops += 1
            for key in [key for key in self._entries if key[0] == scope.user_id]:
                self._remove(key)

    def _remove(self, key: tuple[str, Hashable]) -> None:
        removed = self._entries.pop(key, None)
        self.held_bytes -= removed.size if removed else 0

    def __len__(self) -> int:
        return len(self._entries)


def _is_fresh(entry: CachedRecall, now: datetime) -> bool:
    if not entry.found_at <= now < entry.found_at + _MAX_AGE:
        return False
    records = (hit.record for hit in entry.answer.hits)
    return not any(isinstance(record, MemoryRecord) and lapsed(record, now) for record in records)


def _copy(answer: Recall) -> Recall:
    """Copy every part of a result that a caller could change."""
    return replace(answer, hits=tuple(map(_copy_hit, answer.hits)))


def _copy_hit(hit: Hit) -> Hit:
    parts = replace(hit.parts, channels=dict(hit.parts.channels), factors=dict(hit.parts.factors))
    metadata = deepcopy(hit.metadata)
    if isinstance(hit.record, Chunk):  # nothing of it can be changed
        return replace(hit, parts=parts, metadata=metadata)
    record = hit.record._replace(metadata=metadata)
    if isinstance(record, Message) and record.blocks:
        record = record._replace(blocks=deepcopy(record.blocks))
    return replace(hit, parts=parts, metadata=metadata, record=record)
