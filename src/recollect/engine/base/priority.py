"""Work that can wait gives way to urgent calls of the same process, such as a search that a user waits for.

Threads of one process share its interpreter and its processors. A thread that is marked as patient pauses between the
pieces of its work while urgent calls are under way; never for long, so that it gets its part of a busy process, too.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Condition, local
from typing import Final, TypeVar

T = TypeVar("T")

_LONGEST_PAUSE_S: Final = 0.25


class WorkPriority:
    """Counts urgent calls, and lets patient threads wait for them. Without urgent calls nothing is paused or cut."""

    def __init__(self, longest_pause_s: float = _LONGEST_PAUSE_S) -> None:
        self._longest_pause_s = longest_pause_s
        self._idle = Condition()
        self._urgent = 0
        self._in_use = False
        self._thread = local()

    @contextmanager
    def urgent(self) -> Iterator[None]:
        """Let patient work give way for the time of a call."""
        with self._idle:
            self._in_use = True
            self._urgent += 1
        try:
            yield
        finally:
            with self._idle:
                self._urgent -= 1
                if not self._urgent:
                    self._idle.notify_all()

    @contextmanager
    def patient(self) -> Iterator[None]:
        """Let this thread give way."""
        before = self._is_patient()
        self._thread.patient = True
        try:
            yield
        finally:
            self._thread.patient = before

    def give_way(self) -> None:
        """Pause while urgent calls are under way, if this thread is patient."""
        if self._urgent and self._is_patient():
            with self._idle:
                self._idle.wait_for(lambda: not self._urgent, self._longest_pause_s)

    def slices(self, things: Sequence[T], size: int) -> Iterator[Sequence[T]]:
        """Cut patient work into slices, and give way before each; other work stays in one piece."""
        if not (self._in_use and self._is_patient()):
            size = max(1, len(things))
        for start in range(0, len(things), size):
            self.give_way()
            yield things[start : start + size]

    def _is_patient(self) -> bool:
        return bool(getattr(self._thread, "patient", False))
