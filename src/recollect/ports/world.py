"""What the engine asks of the world outside of the store: the time, vectors, tokens, summaries."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol

from recollect.messages import Captured, Summarized, SummaryTask, Usage
from recollect.types import Space, Vector

Role = Literal["query", "passage"]


class Clock(Protocol):
    """Where the time comes from. Databases are never asked."""

    def now(self) -> datetime:
        """Give the present moment, aware, in UTC."""
        ...


class Embedder(Protocol):
    """Makes vectors. The vector of a text depends on the text, its role and the space, and on nothing else."""

    @property
    def space(self) -> Space:
        """The space its vectors live in. Asking must not load a model."""
        ...

    @property
    def languages(self) -> frozenset[str] | None:
        """The languages it has learned, as ISO 639-1 codes; None when it takes any."""
        ...

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        """Give one row per text. Raises EmbeddingError when it cannot."""
        ...

    def close(self) -> None:
        """Give back threads and memory."""
        ...


class Tokenizer(Protocol):
    """Counts the tokens of a text."""

    def count(self, text: str) -> int:
        """Say how many tokens a model would read."""
        ...


class Summarizer(Protocol):
    """Makes a summary of what was said."""

    @property
    def name(self) -> str:
        """Which one it is, for people: `extractive`, or the name of a model."""
        ...

    @property
    def costs(self) -> bool:
        """Whether it spends tokens that somebody pays for."""
        ...

    def summarize(self, task: SummaryTask) -> Summarized:
        """Give the points of a summary. Raises SummaryError when none can be made."""
        ...


class Extractor(Protocol):
    """Finds what is worth keeping in what a user said, beyond what the rules find. Costs tokens."""

    def extract(self, text: str, limit: int) -> tuple[tuple[Captured, ...], Usage]:
        """Give at most `limit` findings and what they cost. Raises LlmError when it cannot."""
        ...
