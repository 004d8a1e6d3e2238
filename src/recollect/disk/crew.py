"""Reads many files with processes beside this one, which takes part whenever none of their answers is there yet.

The invariant: every wish is answered once. What a process had not answered when it died is read here.

A process has one bundle of wishes at a time. When answers that nobody took yet fill `_MOST_WAITING_BYTES`, it waits.
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

from recollect.disk.hand import Errand, receive, send, unpacked
from recollect.disk.reading import Detect, Later
from recollect.model.files import SkippedFile
from recollect.ports.files import ReadFile, ReadRequest

_MOST_WAITING_BYTES: Final = 12 * 2**20
_BUNDLE: Final = 64
_PIPE_BYTES: Final = 2**20  # so much may be under way before a process waits for this one
_MOST_HANDS: Final = 3


def spare_cores() -> int:
    """Say how many cores are left beside the one that this process keeps busy."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:
        cores = os.cpu_count() or 1
    return min(_MOST_HANDS, cores - 1) if sys.executable else 0


def can_travel(detect: Detect) -> bool:
    """Say whether another process can find a function by its name."""
    try:
        pickle.dumps(detect)
    except (pickle.PickleError, AttributeError, TypeError):
        return False
    return True


class Pool:
    """The wishes that nobody has taken yet."""

    def __init__(self, wishes: Sequence[ReadRequest]) -> None:
        self._wishes = deque(wishes)

    def __len__(self) -> int:
        """Count them."""
        return len(self._wishes)

    def bundle(self) -> list[ReadRequest]:
        """Take some from the front, which lie together; none when there are none."""
        taken: list[ReadRequest] = []
        with suppress(IndexError):
            while len(taken) < _BUNDLE:
                taken.append(self._wishes.popleft())
        return taken

    def one(self) -> ReadRequest | None:
        """Take one from the back."""
        try:
            return self._wishes.pop()
        except IndexError:
            return None

    def give_back(self, wishes: Sequence[ReadRequest]) -> None:
        """Put wishes back that were not answered."""
        self._wishes.extend(wishes)


class Crew:
    """Processes that read, each with a thread here that hands out wishes and collects answers."""

    def __init__(self, size: int, errand: Errand, pool: Pool) -> None:
        self._pool = pool
        self._told = pickle.dumps(errand, 5)
        self._answers: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._changed = threading.Condition()
        self._closed = False
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads = [
            threading.Thread(target=self._lead, name="recollect-reading", daemon=True) for _ in range(size)
        ]
        self._leading = size
        for thread in self._threads:
            thread.start()

    def answer(self, *, wait: bool) -> ReadFile | SkippedFile | Later | None:
        """Give an answer; None if there is none yet, or with `wait` none will come any more."""
        with self._changed:
            while wait and not self._answers and self._leading:
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

    def _lead(self) -> None:
        """Lead one process until no wishes are left."""
        try:
            process = self._hired()
            if process:
                with process:
                    self._hand_out(process)
        except OSError:
            return  # what was handed out is back in the pool; whoever takes the answers reads it
        finally:
            with self._changed:
                self._leading -= 1
                self._changed.notify_all()

    def _hired(self) -> subprocess.Popen[bytes] | None:
        with self._changed:
            if self._closed:
                return None
            process = subprocess.Popen(
                # -P: a module that lies in the folder we happen to be in must not be mistaken for one of ours.
                [sys.executable, "-P", "-m", "recollect.disk.hand"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                # Ctrl-C is for whoever runs this process, which then ends that one.
                start_new_session=True,
            )
            self._processes.append(process)
        _widen(cast("BinaryIO", process.stdout))
        return process

    def _hand_out(self, process: subprocess.Popen[bytes]) -> None:
        wishes_to, answers_from = cast("BinaryIO", process.stdin), cast("BinaryIO", process.stdout)
        try:
            send(wishes_to, self._told)
            while not self._closed and (bundle := self._pool.bundle()):
                self._ask(wishes_to, answers_from, bundle)
        finally:
            process.kill()  # there is nothing it could lose

    def _ask(self, wishes_to: BinaryIO, answers_from: BinaryIO, bundle: list[ReadRequest]) -> None:
        """Have a bundle read. What is not answered goes back to the pool. Raises OSError when the process is gone."""
        answered = 0
        try:
            send(wishes_to, pickle.dumps(bundle, 5))
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
