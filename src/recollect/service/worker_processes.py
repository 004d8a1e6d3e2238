"""Worker processes that share one port: started, replaced when one dies, ended together.

Each holds a pipe to the parent process. When the parent is gone, however it went, the pipe breaks, and they end.
"""

import multiprocessing
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Final

from recollect.web.middleware import LOG
from recollect.web.server import ServerError

_START: Final = multiprocessing.get_context("spawn")
_TOO_SOON_S: Final = 5.0
_MOST_EARLY_DEATHS: Final = 5
_GRACE_S: Final = 5.0


class Lifeline:
    """A worker's end of the pipe. At any time one worker is the `first`, for what only one must do."""

    def __init__(self, pipe: Connection, *, first: bool = False) -> None:
        self._pipe = pipe
        self.first = first

    def say_ready(self) -> None:
        """Tell the parent that requests are answered."""
        self._pipe.send("ready")

    def wait(self) -> None:
        """Wait until the parent is gone."""
        try:
            self._pipe.recv()
        except (EOFError, OSError):
            return


class WorkerProcesses:
    """The workers. `work` runs in each, so it must be picklable; `ending` is called before they are told to end."""

    def __init__(
        self, size: int, work: Callable[[Lifeline], None], drain_s: float, ending: Callable[[], None] = lambda: None
    ) -> None:
        self._size = size
        self._work = work
        self._drain_s = drain_s
        self._ending = ending
        self._workers: dict[multiprocessing.process.BaseProcess, Connection] = {}
        self._first: multiprocessing.process.BaseProcess | None = None
        self._early_deaths = 0

    def run(self, announce: Callable[[], None]) -> None:
        """Keep all workers running until a signal ends this process. Raises ServerError when they keep dying."""
        started = time.monotonic()
        try:
            while len(self._workers) < self._size:
                self._start_worker()
            woken = wait([*self._workers.values(), *(worker.sentinel for worker in self._workers)])
            if any(pipe in woken for pipe in self._workers.values()):  # or one has died
                announce()
            while True:
                wait([worker.sentinel for worker in self._workers])
                self._replace_dead(started)
                started = time.monotonic()
        finally:
            self._stop_all()

    def _start_worker(self) -> None:
        ours, theirs = _START.Pipe()
        first = self._first is None
        worker = _START.Process(target=self._work, args=(Lifeline(theirs, first=first),))
        worker.start()
        if first:
            self._first = worker
        theirs.close()
        self._workers[worker] = ours

    def _replace_dead(self, since: float) -> None:
        dead = [worker for worker in self._workers if not worker.is_alive()]
        soon = time.monotonic() - since < _TOO_SOON_S
        self._early_deaths = self._early_deaths + len(dead) if soon else 0
        if self._early_deaths >= _MOST_EARLY_DEATHS:
            raise ServerError(
                "The processes of the service die as soon as they start. Try with --workers 1 to see why."
            )
        for worker in dead:
            LOG.error("process %s has died with %s and is replaced", worker.pid, worker.exitcode)
            self._workers.pop(worker).close()
            if worker is self._first:
                self._first = None
            self._start_worker()

    def _stop_all(self) -> None:
        """Let all workers finish their requests, and kill those that cannot."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)  # the end has begun; a second signal makes it no faster
        self._ending()
        for worker in self._workers:
            if worker.is_alive() and worker.pid is not None:
                worker.terminate()
        deadline = time.monotonic() + self._drain_s + _GRACE_S
        for worker, pipe in self._workers.items():
            worker.join(max(0.0, deadline - time.monotonic()))
            if worker.is_alive():
                worker.kill()
                worker.join()
            pipe.close()
        self._workers.clear()
