"""A pool of reader processes; the calling process reads too while none of their results is ready.

The invariant: every request is answered once. What a process had not answered when it died is read by the caller.

A process has one batch of requests at a time. Back-pressure: it waits while unread results fill `_MOST_WAITING_BYTES`.
"""

import fcntl
import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import BinaryIO, Final, cast

from recollect.model.files import SkippedFile
from recollect_files.disk.file_reader import Detect, RetryLater
from recollect_files.disk.reader_process import ReaderTask, receive, send, unpacked
from recollect_files.ports import ReadFile, ReadRequest

_MOST_WAITING_BYTES: Final = 12 * 2**20
_BUNDLE: Final = 64
_PIPE_BYTES: Final = 2**20  # so much may be under way before a process waits for this one
_MOST_PROCESSES: Final = 3


def spare_cores() -> int:
    """Say how many cores are left beside the one that this process keeps busy."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:
        cores = os.cpu_count() or 1
    return min(_MOST_PROCESSES, cores - 1) if sys.executable else 0


def can_travel(detect: Detect) -> bool:
    """Say whether another process can find a function by its name."""
    try:
        pickle.dumps(detect)
    except (pickle.PickleError, AttributeError, TypeError):
        return False
    return True


class RequestPool:
    """Requests that wait for a reader."""

    def __init__(self, requests: Sequence[ReadRequest]) -> None:
        self._requests = deque(requests)

    def __len__(self) -> int:
        """Count them."""
        return len(self._requests)

    def bundle(self) -> list[ReadRequest]:
        """Take some from the front, which lie together; none when there are none."""
        file: list[ReadRequest] = []
        with suppress(IndexError):
            while len(file) < _BUNDLE:
                file.append(self._requests.popleft())
        return file

    def one(self) -> ReadRequest | None:
        """Take one from the back."""
        try:
            return self._requests.pop()
        except IndexError:
            return None

    def give_back(self, requests: Sequence[ReadRequest]) -> None:
        """Put requests back that were not answered."""
        self._requests.extend(requests)


class ReaderPool:
    """Processes that read, each with a thread here that hands out requests and collects answers."""

    def __init__(self, size: int, task: ReaderTask, pool: RequestPool) -> None:
        self._pool = pool
        self._task = pickle.dumps(task, 5)
        self._answers: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._changed = threading.Condition()
        self._closed = False
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads = [
            threading.Thread(target=self._run_reader, name="recollect-reading", daemon=True) for _ in range(size)
        ]
        self._running = size
        for thread in self._threads:
            thread.start()

    def answer(self, *, wait: bool) -> ReadFile | SkippedFile | RetryLater | None:
        """Give an answer; None if there is none yet, or with `wait` none will come any more."""
        with self._changed:
            while wait and not self._answers and self._running:
                self._changed.wait()
            if not self._answers:
                return None
            payload = self._answers.popleft()
            self._waiting_bytes -= len(payload)
            self._changed.notify_all()
        return unpacked(payload)

    def close(self) -> None:
        """End the processes, whatever they are doing."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            processes = tuple(self._processes)
        for process in processes:
            process.kill()
        for thread in self._threads:
            thread.join()

    def _run_reader(self) -> None:
        """Serve one process until no requests are left."""
        try:
            process = self._start_process()
            if process:
                with process:
                    self._serve_process(process)
        except OSError:
            return  # unanswered requests are back in the pool; the caller reads them
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def _start_process(self) -> subprocess.Popen[bytes] | None:
        with self._changed:
            if self._closed:
                return None
            process = subprocess.Popen(
                # -P: a module that lies in the folder we happen to be in must not be mistaken for one of ours.
                [sys.executable, "-P", "-m", "recollect_files.disk.reader_process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                # Ctrl-C is for the parent process, which then ends this one.
                start_new_session=True,
            )
            self._processes.append(process)
        _widen(cast("BinaryIO", process.stdout))
        return process

    def _serve_process(self, process: subprocess.Popen[bytes]) -> None:
        requests_to, answers_from = cast("BinaryIO", process.stdin), cast("BinaryIO", process.stdout)
        try:
            send(requests_to, self._task)
            while not self._closed and (bundle := self._pool.bundle()):
                self._ask(requests_to, answers_from, bundle)
        finally:
            process.kill()  # there is nothing it could lose

    def _ask(self, requests_to: BinaryIO, answers_from: BinaryIO, bundle: list[ReadRequest]) -> None:
        """Have a bundle read. What is not answered goes back to the pool. Raises OSError when the process is gone."""
        answered = 0
        try:
            send(requests_to, pickle.dumps(bundle, 5))
            while answered < len(bundle):
                payload = receive(answers_from)
                if payload is None:
                    raise BrokenPipeError
                self._put(payload)
                answered += 1
        finally:
            self._pool.give_back(bundle[answered:])

    def _put(self, payload: bytes) -> None:
        """Keep an answer until it is wanted, once there is room for it."""
        with self._changed:
            while self._waiting_bytes > _MOST_WAITING_BYTES and not self._closed:
                self._changed.wait()
            self._answers.append(payload)
            self._waiting_bytes += len(payload)
            self._changed.notify_all()


def _widen(pipe: BinaryIO) -> None:
    """Let a pipe hold more than one answer, where the system can: its reader is often busy with something else."""
    with suppress(AttributeError, OSError):
        fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
