"""Stand-ins for what costs money or takes time: a summariser and an embedder that misbehave when told to."""

import os
from collections.abc import Callable, Sequence
from threading import Event

from recollect import Memory, load_settings
from recollect.model.memories import Space, Vector
from recollect.model.messages import Summarized, SummaryPoints, SummaryTask, Usage
from recollect.ports import Embedder, Role
from tests.fixtures import SteppingClock

_PATIENCE_S = 30  # after this it answers, so that whoever waits for it gives an answer and fails its test
POINTS = SummaryPoints(("The garden was planned.",), ("Tulips were ordered.",), ("Find a gardener.",))


class Paid:
    """A summariser that costs tokens, and answers as the test says."""

    name = "expensive-1"

    def __init__(self, points: SummaryPoints = POINTS, *, costs: bool = True) -> None:
        self.costs = costs
        self.points = points
        self.fails: Exception | None = None
        self.asked: list[SummaryTask] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def summarize(self, task: SummaryTask) -> Summarized:
        self.asked.append(task)
        self.meanwhile()
        if self.fails is not None:
            raise self.fails
        return Summarized(self.points, Usage(100, 20))


class Stuck:
    """An embedder that does not answer while it is stuck."""

    def __init__(self, encoder: Embedder) -> None:
        self._encoder = encoder
        self._free = Event()
        self._free.set()

    @property
    def space(self) -> Space | None:
        return self._encoder.space

    @property
    def languages(self) -> frozenset[str] | None:
        return None

    def stick(self) -> None:
        self._free.clear()

    def free(self) -> None:
        self._free.set()

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        self._free.wait(_PATIENCE_S)
        return self._encoder.embed(texts, role)

    def close(self) -> None:
        pass


def opened(database: str, clock: SteppingClock, summarizer: Paid, **overrides: object) -> Memory:
    """Open a store that asks this summariser, without vectors."""
    named = {name.replace("__", "."): value for name, value in overrides.items()}
    given = {"database": database, "embedding.provider": "none", **named}
    settings = load_settings(os.devnull, environ={}, overrides=given)
    return Memory.open(settings=settings, clock=clock, summarizer=summarizer)
