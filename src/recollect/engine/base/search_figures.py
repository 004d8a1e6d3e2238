"""Figures about searches: how long each stage takes, which parts fail, and notes written off their path.

Candidates come from the store a few at a time while they are ranked, so a timed reader tells the two apart.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock
from time import perf_counter
from typing import Any, TypeAlias, cast

from recollect.engine.base.threads import BackgroundThread
from recollect.errors import StoreError
from recollect.model.memories import Scope
from recollect.ports import Observer, Stage
from recollect.storage.base import SearchNote, StoreReader

NotesWriter: TypeAlias = Callable[[Scope, Sequence[SearchNote]], None]

_MOST_WAITING = 1_000


class ReadTimer:
    """Tells the time that the store takes from the time that ranking takes, within one read."""

    __slots__ = ("_enabled", "reading_s", "working_s")

    def __init__(self, *, enabled: bool) -> None:
        self._enabled = enabled
        self.working_s = 0.0
        self.reading_s = 0.0

    @contextmanager
    def ranking(self, reader: StoreReader) -> Iterator[StoreReader]:
        """Time the work on a reader; gives a reader that times its own calls."""
        if not self._enabled:
            yield reader
            return
        started = perf_counter()
        try:
            yield cast("StoreReader", _TimedReader(reader, self))
        finally:
            self.working_s += perf_counter() - started


class SearchMetrics:
    """Where an engine reports its searches. It is made with the engine; the observer may come later."""

    __slots__ = ("observer",)

    def __init__(self) -> None:
        self.observer: Observer | None = None

    def record_time(self, stage: Stage, started: float) -> None:
        """Report how long a stage took that began at this reading of `perf_counter`."""
        if self.observer is not None:
            self.observer.took(stage, perf_counter() - started)

    def record_missing(self, parts: Iterable[str]) -> None:
        """Report the parts that an answer went without."""
        if self.observer is not None:
            for part in parts:
                self.observer.went_without(part)

    @contextmanager
    def timing(self) -> Iterator[ReadTimer]:
        """Time a read, and report the share of the store and that of ranking."""
        observer, started = self.observer, perf_counter()
        timer = ReadTimer(enabled=observer is not None)
        try:
            yield timer
        finally:
            if observer is not None:
                ranking_s = max(0.0, timer.working_s - timer.reading_s)
                observer.took("store", max(0.0, perf_counter() - started - ranking_s))
                observer.took("rank", ranking_s)


class _TimedReader:
    """A reader whose methods add their time to a timer."""

    __slots__ = ("_reader", "_timer")

    def __init__(self, reader: StoreReader, timer: ReadTimer) -> None:
        self._reader = reader
        self._timer = timer

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the reader has
        value = getattr(self._reader, name)
        if not callable(value):
            return value
        timer = self._timer

        def timed(*args: object, **kwargs: object) -> object:
            started = perf_counter()
            try:
                return value(*args, **kwargs)
            finally:
                timer.reading_s += perf_counter() - started

        return timed


class SearchNotes:
    """The notes of a process that wait, written by a thread of their own. When there are too many, the oldest go."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Scope, SearchNote]] = deque(maxlen=_MOST_WAITING)
        self._turn = Lock()
        self._write: NotesWriter = lambda _scope, _notes: None
        self.thread = BackgroundThread()

    def employ(self, write: NotesWriter) -> None:
        """Set what writes the notes of one user."""
        self._write = write
        self.thread.employ(lambda _: self.flush())

    def add(self, scope: Scope, note: SearchNote) -> None:
        """Let a note be written soon."""
        self._waiting.append((scope, note))
        self.thread.wake()

    def flush(self) -> None:
        """Write all notes that wait. What the store does not take is lost: an answer is worth more than its figures."""
        with self._turn:
            notes: defaultdict[Scope, list[SearchNote]] = defaultdict(list)
            while self._waiting:
                scope, note = self._waiting.popleft()
                notes[scope].append(note)
            for scope, several in notes.items():
                with suppress(StoreError):
                    self._write(scope, several)

    def close(self) -> None:
        """Write what waits, and stop."""
        self.thread.close()
        self.flush()
        self._write = lambda _scope, _notes: None  # or the store would live on in a cycle, and take part in forks
