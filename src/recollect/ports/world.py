"""What the engine asks of the world outside of the store: the time, vectors, tokens, summaries, names of places."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from recollect.model.memories import Space, Vector
from recollect.model.messages import Summarized, SummaryTask, Usage
from recollect.model.places import Located
from recollect.model.readings import Reading

Role = Literal["query", "passage"]


class Clock(Protocol):
    """Where the time comes from. Databases are never asked."""

    def now(self) -> datetime:
        """Give the present moment, aware, in UTC."""


class Embedder(Protocol):
    """Makes vectors. The vector of a text depends on the text, its role and the space, and on nothing else."""

    @property
    def space(self) -> Space | None:
        """The space its vectors live in; None until their length is known. Asking loads no model and no network."""

    @property
    def languages(self) -> frozenset[str] | None:
        """The languages it has learned, as ISO 639-1 codes; None when it takes any."""

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        """Give one row per text. Raises EmbeddingError when it cannot."""

    def close(self) -> None:
        """Give back threads, connections and memory."""


@runtime_checkable
class RemoteEmbedder(Embedder, Protocol):
    """An embedder behind a network: slow and perhaps metered, so no caller waits for it unasked."""

    @property
    def batch_size(self) -> int:
        """How many texts one request takes."""

    @property
    def price(self) -> float | None:
        """Dollars for a million tokens; None when unknown."""

    @property
    def bulk(self) -> "BulkEmbedder | None":
        """The provider's way for large amounts, if it has one."""

    def embed_metered(self, texts: Sequence[str], role: Role) -> tuple[Vector, Usage]:
        """Give one row per text, and what they cost.

        Raises ProviderUnavailable when no text is to blame, TextRefused when one of them may be, and EmbeddingError
        for an answer that makes no sense.
        """


BulkPhase = Literal["running", "finished", "failed"]


@dataclass(frozen=True, slots=True)
class BulkProgress:
    """How far a batch is at the provider. A failed one has a `reason`; what it finished may still be collected."""

    phase: BulkPhase
    done: int = 0
    total: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class BulkOutcome:
    """What came of a batch: vectors by the names of the texts, reasons for those that failed, and the cost of each."""

    vectors: Mapping[str, Vector]
    failed: Mapping[str, str]
    tokens: Mapping[str, int]

    @property
    def usage(self) -> Usage:
        """The cost of all of them."""
        return Usage(sum(self.tokens.values()))


class BulkEmbedder(Protocol):
    """Large amounts of passages, embedded by the provider within a day. The batch has an id that outlives us."""

    @property
    def most_texts(self) -> int:
        """How many texts one batch takes."""

    def submit(self, texts: Mapping[str, str]) -> str:
        """Hand in passages by name; gives the provider's id of the batch. Raises as `embed_metered` does."""

    def progress(self, batch: str) -> BulkProgress:
        """Ask how far it is."""

    def collect(self, batch: str) -> BulkOutcome:
        """Fetch what is finished; names that are in neither part of the outcome were never embedded.

        Raises ProviderUnavailable when it may be there later, and EmbeddingError when it never will.
        """

    def cancel(self, batch: str) -> None:
        """Ask the provider to stop. A batch that is over already is no error."""

    def forget(self, batch: str) -> None:
        """Remove what the provider keeps of it, as far as it lets us."""


Stage = Literal["embed", "store", "rank", "rerank", "total"]


class Observer(Protocol):
    """Metrics hook: hears how long searches take and what answers had to do without, never what they say."""

    def took(self, stage: Stage, seconds: float) -> None:
        """Hear how long a part of one search took. Called in the thread that searches; must not raise."""

    def went_without(self, part: str) -> None:
        """Hear that an answer had to do without a part. Must not raise."""


class Tokenizer(Protocol):
    """Counts the tokens of a text."""

    def count(self, text: str) -> int:
        """Say how many tokens a model would read."""


class Summarizer(Protocol):
    """Makes a summary of what was said."""

    @property
    def name(self) -> str:
        """Which one it is, for people: `extractive`, or the name of a model."""

    @property
    def costs(self) -> bool:
        """Whether it spends tokens that are paid for."""

    def summarize(self, task: SummaryTask) -> Summarized:
        """Give the points of a summary. Raises SummaryError when none can be made."""


class Reader(Protocol):
    """Reads a user's message: what lasts, what is not the user's own words, whether an answer needs memory."""

    @property
    def name(self) -> str:
        """Which model it is. Asking loads nothing."""

    @property
    def costs(self) -> bool:
        """Whether it spends tokens that are paid for."""

    def read(self, text: str, before: str = "") -> Reading:
        """Read one message after the turn before it. Raises ReaderError when it cannot."""

    def close(self) -> None:
        """Give back memory and connections."""


class RerankText(NamedTuple):
    """A text that may answer a question. `previous` is the turn before it, which often says what it is about."""

    text: str
    previous: str = ""


class Reranker(Protocol):
    """Scores how well texts answer a question: question and text are read together."""

    @property
    def name(self) -> str:
        """Which model it is. Asking loads nothing."""

    @property
    def is_remote(self) -> bool:
        """Whether it is asked over a network."""

    def prepare(self) -> None:
        """Begin to load what it needs, and return at once."""

    def score(self, question: str, texts: Sequence[RerankText], budget_s: float | None = None) -> Sequence[float]:
        """Give a logit for each of the first texts, as many as the time allows: 0 is even, more is better.

        Raises RerankerError when it cannot.
        """

    def close(self) -> None:
        """Give back memory and connections."""


class Geocoder(Protocol):
    """Knows what places are called. Coordinates reach it rounded; what it says of the same ones is the same."""

    @property
    def name(self) -> str:
        """Which one it is, for people and for the cache: `offline@1000`, or `nominatim` with its host."""

    @property
    def remote(self) -> bool:
        """Whether it is behind a network: then storing does not wait for it, and searches wait little."""

    def reverse(self, lat: float, lng: float) -> Located | None:
        """Say where coordinates are; None where nothing has a name. Raises GeocoderUnavailable."""

    def find(self, name: str, limit: int = 5) -> Sequence[Located]:
        """Give the places of a name, the likeliest first. Raises GeocoderUnavailable."""

    def close(self) -> None:
        """Give back connections and memory."""
