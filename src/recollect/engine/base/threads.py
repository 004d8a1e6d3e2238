"""The threads of a process: a background worker that ends when idle, and patient work that gives way to urgent calls.

Threads of one process share its interpreter and its processors. A thread that is marked as patient pauses between the
pieces of its work while urgent calls are under way; never for long, so that it gets its part of a busy process, too.
"""

import atexit
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Condition, Event, Lock, Thread, local
from typing import Final, TypeVar

_IDLE_S = 10.0
_RETRY_S = 30.0
_MAX_JOIN_S = 2.0
T = TypeVar("T")

_LONGEST_PAUSE_S: Final = 0.25


class BackgroundThread:
    """The worker thread of a process. Without work it does nothing, however often it is woken."""

    def __init__(self) -> None:
        self._work: Callable[[Event], float | None] | None = None
        self._lock = Lock()
        self._thread: Thread | None = None
        self._woken = Event()
        self._stop = Event()

    def employ(self, work: Callable[[Event], float | None]) -> None:
        """Set the work: it does all there is and gives None, or the seconds after which to run it again.

        Its argument is set when it should stop early.
        """
        self._work = work

    def wake(self) -> None:
        """Run the work, now or once more after the present run."""
        if self._work is None or self._stop.is_set():
            return
        with self._lock:
            self._woken.set()
            if self._thread is None or not self._thread.is_alive():
                # A daemon, because a provider may hang; what it has not written is not lost. But a model must not be
                # torn down while it works, so a program that ends waits a little.
                atexit.register(self.close)
                self._thread = Thread(target=self._run, name="recollect-background", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._woken.clear()
            try:
                pause_s = self._work(self._stop) if self._work else None
            except Exception:  # noqa: BLE001 - the edge of the thread: what was not done is tried again
                pause_s = _RETRY_S
            woken = self._woken.wait(_IDLE_S if pause_s is None else pause_s)
            if pause_s is None and not woken and self._ends():
                return

    def _ends(self) -> bool:
        with self._lock:
            if self._woken.is_set():
                return False
            self._thread = None
            atexit.unregister(self.close)
            return True

    def close(self) -> None:
        """Stop, and wait a little for the work that is under way."""
        self._stop.set()
        self._woken.set()
        thread = self._thread
        if thread is not None:
            thread.join(_MAX_JOIN_S)
        atexit.unregister(self.close)


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
