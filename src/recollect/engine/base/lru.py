"""What was found out lately about a user, kept in this process: the least recently used goes first."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

from recollect.model.memories import Scope

T = TypeVar("T")


class LruCache(Generic[T]):
    """A cache of so many entries. What is forgotten goes from here at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[str, Hashable], T] = OrderedDict()
        self._lock = Lock()

    def find(self, scope: Scope, key: Hashable) -> T | None:
        """Give what is known, and note that it was of use."""
        with self._lock:
            known = self._kept.get((scope.user_id, key))
            if known is not None:
                self._kept.move_to_end((scope.user_id, key))
            return known

    def keep(self, scope: Scope, key: Hashable, value: T) -> None:
        """Keep something, and make room for it."""
        with self._lock:
            self._kept[scope.user_id, key] = value
            self._kept.move_to_end((scope.user_id, key))
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def drop(self, scope: Scope) -> None:
        """Let go of all that is known about a user."""
        with self._lock:
            for key in [key for key in self._kept if key[0] == scope.user_id]:
                del self._kept[key]

    def __len__(self) -> int:
        return len(self._kept)
