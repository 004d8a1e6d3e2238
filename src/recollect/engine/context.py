"""What every verb works with: the ports and the settings, passed as one value."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from threading import Thread
from typing import Protocol, TypeVar

from recollect.engine.answers import Answers
from recollect.engine.background import Background
from recollect.engine.lately import Lately
from recollect.engine.models import Models
from recollect.engine.observing import Observed
from recollect.engine.resting import Resting
from recollect.ports import (
    CachedPlace,
    Clock,
    Disk,
    Documents,
    Extractor,
    Geocoder,
    Pending,
    Store,
    Summarizer,
    Tokenizer,
    Writer,
)
from recollect.settings import Settings
from recollect.text.capture import NONE as NO_PATTERNS
from recollect.text.capture import CompiledPatterns
from recollect.types import Scope, Space, Vector

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


class Noted(Protocol):
    """Somebody's deed: what their writes are to leave behind besides what they write."""

    def noted(self, scope: Scope, work: Callable[[Writer], T], now: datetime) -> Callable[[Writer], T]:
        """Give the work together with all that it is to leave behind."""
        ...


@dataclass(frozen=True, slots=True)
class Engine:
    """The ports, ready to use."""

    store: Store
    models: Models
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
    answers: Answers = field(default_factory=lambda: Answers(0))
    background: Background = field(default_factory=Background)
    kept: Iterator[int] = field(default_factory=lambda: count(1))  # numbers the vectors that go into the cache
    searching: set[Thread] = field(default_factory=set)  # searches that took longer than somebody could wait
    observed: Observed = field(default_factory=Observed)  # who wants to know how searches go
    named: Lately[CachedPlace] = field(default_factory=lambda: Lately(_PLACES))  # what places are called
    name_vectors: Lately[Vector] = field(default_factory=lambda: Lately(_PLACES))
    geocoding: Resting = field(default_factory=Resting)  # whether the geocoder is left alone
    deed: Noted | None = None  # what is being done, and by whom, if that is to be noted

    def leave_behind(self, search: Thread) -> None:
        """Let a search go on that nobody waits for any more; those that have ended meanwhile are forgotten."""
        self.searching.difference_update([one for one in tuple(self.searching) if not one.is_alive()])
        self.searching.add(search)

    def write(self, scope: Scope, work: Callable[[Writer], T]) -> T:
        """Run changes in one transaction, together with the note of who made them."""
        return self.store.write(scope, self._noted(scope, work))

    def write_behind(self, scope: Scope, work: Callable[[Writer], T]) -> Pending[T]:
        """Do the same, and commit in the background."""
        return self.store.write_behind(scope, self._noted(scope, work))

    def _noted(self, scope: Scope, work: Callable[[Writer], T]) -> Callable[[Writer], T]:
        _ = self.models.space  # looks, if that is due, before the write: inside it there is only `models.latest`
        return work if self.deed is None else self.deed.noted(scope, work, self.clock.now())

    @property
    def space(self) -> Space | None:
        """The space to search and to embed for. It may change at any time: whoever makes a vector asks once."""
        return self.models.space
