"""What every verb works with: the ports and the settings, passed as one value."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from threading import Thread

from recollect.engine.answers import Answers
from recollect.engine.background import Background
from recollect.engine.models import Models
from recollect.ports import Clock, Extractor, Store, Summarizer, Tokenizer
from recollect.settings import Settings
from recollect.text.capture import NONE as NO_PATTERNS
from recollect.text.capture import CompiledPatterns
from recollect.types import Space

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
    extractor: Extractor | None = None
    patterns: CompiledPatterns = NO_PATTERNS
    answers: Answers = field(default_factory=lambda: Answers(0))
    background: Background = field(default_factory=Background)
    kept: Iterator[int] = field(default_factory=lambda: count(1))  # numbers the vectors that go into the cache
    searching: set[Thread] = field(default_factory=set)  # searches that took longer than somebody could wait

    @property
    def space(self) -> Space | None:
        """The space to search and to embed for. It may change at any time: whoever makes a vector asks once."""
        return self.models.space
