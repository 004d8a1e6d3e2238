"""How long searches take and what they go without, for whoever wants to know; nobody does unless a door says so.

Candidates come from the store a few at a time while they are being ranked. So both are timed by standing between the
two, and only while somebody watches.
"""

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any, TypeVar, cast

from recollect.model.memories import Scope
from recollect.ports import Observer, Stage, Store, StoreReader

T = TypeVar("T")


class SearchMetrics:
    """Where an engine tells how its searches go. One is made with the engine; the observer may come later."""

    __slots__ = ("observer",)

    def __init__(self) -> None:
        self.observer: Observer | None = None

    def took(self, stage: Stage, started: float) -> None:
        """Tell how long a stage took that began at this reading of `perf_counter`."""
        if self.observer is not None:
            self.observer.took(stage, perf_counter() - started)

    def went_without(self, parts: Iterable[str]) -> None:
        """Tell what an answer had to do without."""
        if self.observer is not None:
            for part in parts:
                self.observer.went_without(part)

    def read(self, store: Store, scope: Scope, work: Callable[[StoreReader], T]) -> T:
        """Read as the store does, and tell how much of the time was the store's, and how much was the work's own."""
        observer = self.observer
        if observer is None:
            return store.read(scope, work)
        started, working, reading = perf_counter(), 0.0, _Stopwatch()

        def timed(reader: StoreReader) -> T:
            nonlocal working
            began = perf_counter()
            try:
                return work(cast("StoreReader", _TimedReader(reader, reading)))
            finally:
                working += perf_counter() - began

        try:
            return store.read(scope, timed)
        finally:
            ranking = max(0.0, working - reading.seconds)
            observer.took("store", max(0.0, perf_counter() - started - ranking))
            observer.took("rank", ranking)


class _Stopwatch:
    __slots__ = ("seconds",)

    def __init__(self) -> None:
        self.seconds = 0.0


class _TimedReader:
    """A reader whose verbs are timed, all together."""

    __slots__ = ("_reader", "_reading")

    def __init__(self, reader: StoreReader, reading: _Stopwatch) -> None:
        self._reader = reader
        self._reading = reading

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the reader has
        found = getattr(self._reader, name)
        if not callable(found):
            return found
        reading = self._reading

        def timed(*given: object, **named: object) -> object:
            began = perf_counter()
            try:
                return found(*given, **named)
            finally:
                reading.seconds += perf_counter() - began

        return timed
