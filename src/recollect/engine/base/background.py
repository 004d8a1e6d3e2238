"""A thread that does what nobody should have to wait for: it starts when there is work and ends when idle."""

import atexit
from collections.abc import Callable
from threading import Event, Lock, Thread

_IDLE_S = 10.0
_TROUBLE_PAUSE_S = 30.0
_LONGEST_GOODBYE_S = 2.0


class BackgroundThread:
    """The thread of a process. Without work it does nothing, however often it is woken."""

    def __init__(self) -> None:
        self._work: Callable[[Event], float | None] | None = None
        self._lock = Lock()
        self._thread: Thread | None = None
        self._woken = Event()
        self._stop = Event()

    def employ(self, work: Callable[[Event], float | None]) -> None:
        """Say what to do: do all there is and give None, or give the seconds after which to try again unasked.

        It is told by its argument when to stop early.
        """
        self._work = work

    def wake(self) -> None:
        """Note that there is something to do."""
        if self._work is None or self._stop.is_set():
            return
        with self._lock:
            self._woken.set()
            if self._thread is None or not self._thread.is_alive():
                # A daemon, because a provider may keep it waiting for long; what it has not written is not lost. But a
                # model must not be torn down while it works, so a program that ends waits a little.
                atexit.register(self.close)
                self._thread = Thread(target=self._run, name="recollect-background", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._woken.clear()
            pause = self._worked()
            woken = self._woken.wait(_IDLE_S if pause is None else pause)
            if pause is None and not woken and self._leaves():
                return

    def _worked(self) -> float | None:
        try:
            return self._work(self._stop) if self._work else None
        except Exception:  # noqa: BLE001 - nobody is here to tell; what was not done is tried again
            return _TROUBLE_PAUSE_S

    def _leaves(self) -> bool:
        with self._lock:
            if self._woken.is_set():
                return False
            self._thread = None
            atexit.unregister(self.close)
            return True

    def close(self) -> None:
        """Stop, and wait a little for what is under way."""
        self._stop.set()
        self._woken.set()
        thread = self._thread
        if thread is not None:
            thread.join(_LONGEST_GOODBYE_S)
        atexit.unregister(self.close)
