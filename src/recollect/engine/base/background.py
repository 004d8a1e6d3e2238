"""A background worker thread: it starts when there is work and ends when idle."""

import atexit
from collections.abc import Callable
from threading import Event, Lock, Thread

_IDLE_S = 10.0
_RETRY_S = 30.0
_MAX_JOIN_S = 2.0


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
            pause_s = self._run_work()
            woken = self._woken.wait(_IDLE_S if pause_s is None else pause_s)
            if pause_s is None and not woken and self._ends():
                return

    def _run_work(self) -> float | None:
        try:
            return self._work(self._stop) if self._work else None
        except Exception:  # noqa: BLE001 - the edge of the thread: what was not done is tried again
            return _RETRY_S

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
