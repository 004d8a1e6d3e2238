"""What every verb works with: the ports and the settings, passed as one value."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Thread

from recollect.engine.answers import Answers
from recollect.errors import EmbeddingError, InvalidVector
from recollect.ports import Clock, Embedder, Extractor, Role, Store, Summarizer, Tokenizer
from recollect.settings import Settings
from recollect.text.capture import NONE as NO_PATTERNS
from recollect.text.capture import CompiledPatterns
from recollect.types import Space, Vector
from recollect.vectors import as_units

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
    embedder: Embedder | None
    clock: Clock
    settings: Settings
    tokenizer: Tokenizer
    summarizer: Summarizer
    local_summarizer: Summarizer
    extractor: Extractor | None = None
    patterns: CompiledPatterns = NO_PATTERNS
    answers: Answers = field(default_factory=lambda: Answers(0))
    searching: set[Thread] = field(default_factory=set)  # searches that took longer than somebody could wait

    @property
    def space(self) -> Space | None:
        """The space that is searched and written; None when vectors are switched off."""
        return self.embedder.space if self.embedder else None

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        """Make vectors and check them. Raises EmbeddingError, also for vectors that make no sense."""
        if self.embedder is None:
            raise EmbeddingError("Vectors are switched off by the setting embedding.provider.")
        vectors = self.embedder.embed(texts, role)
        if len(vectors) != len(texts):
            raise EmbeddingError(f"The embedder gave {len(vectors)} vectors for {len(texts)} texts.")
        try:
            return as_units(vectors, self.embedder.space.dimensions)
        except InvalidVector as error:
            raise EmbeddingError(f"The embedder gave a vector that cannot be used. {error}") from error
