"""Search notes: figures about searches that wait to be written, off the path of the answers."""

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock
from typing import TypeAlias

from recollect.engine.base.background import BackgroundThread
from recollect.errors import StoreError
from recollect.model.memories import Scope
from recollect.ports import SearchNote

NotesWriter: TypeAlias = Callable[[Scope, Sequence[SearchNote]], None]

_MOST_WAITING = 1_000


def _drop(_: Scope, __: Sequence[SearchNote]) -> None:
    """Write nothing."""


class SearchNotes:
    """The notes of a process that wait, written by a thread of their own. When there are too many, the oldest go."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Scope, SearchNote]] = deque(maxlen=_MOST_WAITING)
        self._turn = Lock()
        self._write: NotesWriter = _drop
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
        self._write = _drop  # or the store would live on as part of a cycle, and take part in forks
