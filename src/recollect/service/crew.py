"""Several processes that share one port: started, watched, replaced when one dies, ended together.

Each holds a lifeline to the one that started it. When that one is gone, however it went, the line is cut, and they end.
"""

import multiprocessing
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Final

from recollect.web.guarded import LOG
from recollect.web.listening import ServerError

_START: Final = multiprocessing.get_context("spawn")
_TOO_SOON_S: Final = 5.0
_MOST_EARLY_DEATHS: Final = 5
_LAST_WORDS_S: Final = 5.0


class Lifeline:
    """A process's end of the line. One of them is the `first`, at any time, for what only one must do."""

    def __init__(self, line: Connection, *, first: bool = False) -> None:
        self._line = line
        self.first = first

    def say_ready(self) -> None:
        """Say that requests are answered."""
        self._line.send("ready")

    def wait(self) -> None:
        """Wait until the other end is gone."""
        try:
            self._line.recv()
        except (EOFError, OSError):
            return


class Crew:
    """The processes. `work` runs in each of them, and must be something that can be sent there.

    `ending` is called when the end begins, before they are told.
    """

    def __init__(
        self, size: int, work: Callable[[Lifeline], None], drain_s: float, ending: Callable[[], None] = lambda: None
    ) -> None:
        self._size = size
        self._work = work
        self._drain_s = drain_s
        self._ending = ending
        self._members: dict[multiprocessing.process.BaseProcess, Connection] = {}
        self._first: multiprocessing.process.BaseProcess | None = None
        self._early_deaths = 0

    def run(self, announce: Callable[[], None]) -> None:
        """Keep the crew complete until a signal ends this process. Raises ServerError when they keep dying."""
        started = time.monotonic()
        try:
            while len(self._members) < self._size:
                self._hire()
            if self._first_word():
                announce()
            while True:
                wait([member.sentinel for member in self._members])
                self._replace_the_dead(started)
                started = time.monotonic()
        finally:
            self._dismiss()

    def _hire(self) -> None:
        ours, theirs = _START.Pipe()
        first = self._first is None
        member = _START.Process(target=self._work, args=(Lifeline(theirs, first=first),))
        member.start()
        if first:
            self._first = member
        theirs.close()
        self._members[member] = ours

    def _first_word(self) -> bool:
        """Wait until one of them answers requests, or has died."""
        heard = wait([*self._members.values(), *(member.sentinel for member in self._members)])
        return any(line in heard for line in self._members.values())

    def _replace_the_dead(self, since: float) -> None:
        dead = [member for member in self._members if not member.is_alive()]
        soon = time.monotonic() - since < _TOO_SOON_S
        self._early_deaths = self._early_deaths + len(dead) if soon else 0
        if self._early_deaths >= _MOST_EARLY_DEATHS:
            raise ServerError(
                "The processes of the service die as soon as they start. Try with --workers 1 to see why."
            )
        for member in dead:
            LOG.error("process %s has died with %s and is replaced", member.pid, member.exitcode)
            self._members.pop(member).close()
            if member is self._first:
                self._first = None
            self._hire()

    def _dismiss(self) -> None:
        """Let everybody finish what they are at, and end those that cannot."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)  # the end has begun; a second call makes it no faster
        self._ending()
        for member in self._members:
            if member.is_alive() and member.pid is not None:
                member.terminate()
        deadline = time.monotonic() + self._drain_s + _LAST_WORDS_S
        for member, line in self._members.items():
            member.join(max(0.0, deadline - time.monotonic()))
            if member.is_alive():
                member.kill()
                member.join()
            line.close()
        self._members.clear()
