"""What every verb works with: the ports and the settings, passed as one value."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from threading import Thread
from typing import Protocol, TypeVar

from recollect.engine.base.active_models import ActiveModels
from recollect.engine.base.background import BackgroundThread
from recollect.engine.base.cooldown import Cooldown
from recollect.engine.base.lru import LruCache
from recollect.engine.base.result_cache import ResultCache
from recollect.engine.base.search_metrics import SearchMetrics
from recollect.model.memories import Scope, Space, Vector
from recollect.ports import (
    CachedPlace,
    Clock,
    Disk,
    Documents,
    Extractor,
    Geocoder,
    PendingWrite,
    Store,
    StoreWriter,
    Summarizer,
    Tokenizer,
)
from recollect.settings import Settings
from recollect.text.capture import NONE as NO_PATTERNS
from recollect.text.capture import CompiledPatterns

T = TypeVar("T")

_PLACES = 1_000  # of which a process remembers what they are called

VECTOR = "vector"
TEXT = "text"
CONTEXT = "context"
REWORDING = "rewording"
SUMMARIZER = "summarizer"
EXTRACTOR = "extractor"
RECALL = "recall"
SAVING = "saving"
UPKEEP = "upkeep"
MESSAGE = "message"
PLACE = "place"


class WriteWrapper(Protocol):
    """Somebody's deed: what their writes are to leave behind besides what they write."""

    def noted(self, scope: Scope, work: Callable[[StoreWriter], T], now: datetime) -> Callable[[StoreWriter], T]:
        """Give the work together with all that it is to leave behind."""
        ...


@dataclass(frozen=True, slots=True)
class Engine:
    """The ports, ready to use."""

    store: Store
    models: ActiveModels
    clock: Clock
    settings: Settings
    tokenizer: Tokenizer
    summarizer: Summarizer
    local_summarizer: Summarizer
    disk: Disk
    documents: Documents
    extractor: Extractor | None = None
    geocoder: Geocoder | None = None
    patterns: CompiledPatterns = NO_PATTERNS
    answers: ResultCache = field(default_factory=lambda: ResultCache(0))
    background: BackgroundThread = field(default_factory=BackgroundThread)
    kept: Iterator[int] = field(default_factory=lambda: count(1))  # numbers the vectors that go into the cache
    searching: set[Thread] = field(default_factory=set)  # searches that took longer than somebody could wait
    observed: SearchMetrics = field(default_factory=SearchMetrics)  # who wants to know how searches go
    named: LruCache[CachedPlace] = field(default_factory=lambda: LruCache(_PLACES))  # what places are called
    name_vectors: LruCache[Vector] = field(default_factory=lambda: LruCache(_PLACES))
    geocoding: Cooldown = field(default_factory=Cooldown)  # whether the geocoder is left alone
    deed: WriteWrapper | None = None  # what is being done, and by whom, if that is to be noted

    def leave_behind(self, search: Thread) -> None:
        """Let a search go on that nobody waits for any more; those that have ended meanwhile are forgotten."""
        self.searching.difference_update([one for one in tuple(self.searching) if not one.is_alive()])
        self.searching.add(search)

    def write(self, scope: Scope, work: Callable[[StoreWriter], T]) -> T:
        """Run changes in one transaction, together with the note of who made them."""
        return self.store.write(scope, self._noted(scope, work))

    def write_behind(self, scope: Scope, work: Callable[[StoreWriter], T]) -> PendingWrite[T]:
        """Do the same, and commit in the background."""
        return self.store.write_behind(scope, self._noted(scope, work))

    def _noted(self, scope: Scope, work: Callable[[StoreWriter], T]) -> Callable[[StoreWriter], T]:
        _ = self.models.space  # looks, if that is due, before the write: inside it there is only `models.latest`
        return work if self.deed is None else self.deed.noted(scope, work, self.clock.now())

    @property
    def space(self) -> Space | None:
        """The space to search and to embed for. It may change at any time: whoever makes a vector asks once."""
        return self.models.space
