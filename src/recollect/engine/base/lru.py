"""Two small things a process remembers: an LRU cache by user, and a cool-down for a port that failed."""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock
from typing import Generic, TypeVar

from recollect.model.memories import Scope

T = TypeVar("T")


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
