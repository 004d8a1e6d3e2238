"""Circuit breaker: a server that keeps failing is not asked for a while, and callers are told so at once.

The invariant: while it is open no call goes through; after its pause exactly one probe does, and its outcome decides.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final

_LONGEST_ASKED_S: Final = 3_600.0  # a longer pause is taken for a mistake


class BreakerOpen(Exception):
    """Not now; perhaps in `wait_s` seconds."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"open for another {wait_s:g} s")
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class BreakerPass:
    """The permission for one call. A probe is the first after a pause."""

    probe: bool


class CircuitBreaker:
    """Counts calls that fail in a row. Threads share one; every admitted call reports how it ended."""

    def __init__(
        self,
        *,
        failures: int = 5,
        first_pause_s: float = 5.0,
        longest_pause_s: float = 300.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open after so many failures in a row, first for a short pause, then for twice the last one."""
        self._limit = failures
        self._first_pause_s = first_pause_s
        self._longest_pause_s = longest_pause_s
        self._monotonic = monotonic
        self._lock = Lock()
        self._failures = 0
        self._pause_s = first_pause_s
        self._until: float | None = None
        self._probing = False

    @property
    def failures(self) -> int:
        """How many calls have failed in a row."""
        return self._failures

    @property
    def wait_s(self) -> float:
        """How long it stays open from now on; 0 when a call may go through."""
        with self._lock:
            return max(0.0, self._until - self._monotonic()) if self._until is not None else 0.0

    def admit(self) -> BreakerPass:
        """Let a call through. Raises BreakerOpen."""
        with self._lock:
            if self._until is None:
                return BreakerPass(probe=False)
            left_s = self._until - self._monotonic()
            if left_s > 0:
                raise BreakerOpen(left_s)
            if self._probing:
                raise BreakerOpen(self._first_pause_s)
            self._probing = True
            return BreakerPass(probe=True)

    def succeeded(self, permission: BreakerPass) -> None:
        """A call went well: everything is forgotten."""
        with self._lock:
            self._probing = self._probing and not permission.probe
            self._failures = 0
            self._pause_s = self._first_pause_s
            self._until = None

    def failed(self, permission: BreakerPass, asked_s: float | None = None) -> None:
        """A call failed; `asked_s` is the pause the server asked for.

        A call that had begun before the breaker opened tells nothing new, except that pause.
        """
        asked_s = min(asked_s or 0.0, _LONGEST_ASKED_S)
        with self._lock:
            self._failures += 1
            if permission.probe:
                self._probing = False
                self._open(asked_s)
            elif self._until is not None:
                self._until = max(self._until, self._monotonic() + asked_s)
            elif self._failures >= self._limit:
                self._open(asked_s)

    def abandoned(self, permission: BreakerPass) -> None:
        """A call ended without telling anything about the server; another may be the probe."""
        with self._lock:
            self._probing = self._probing and not permission.probe

    def _open(self, asked_s: float) -> None:
        self._until = self._monotonic() + max(self._pause_s, asked_s)
        self._pause_s = min(2 * self._pause_s, self._longest_pause_s)
