"""Asking again when that may help, and not asking at all when it has not helped for long.

The invariant of the circuit breaker: while it is open no call goes through; after its pause exactly one probe does, and
its outcome decides.
"""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from threading import Lock
from types import MappingProxyType
from typing import Final, TypeVar

from recollect.http_client.connection import HttpConnection
from recollect.http_client.exchange import ApiKey, HttpRequest, HttpResponse, RemoteError, Transient

Answer = TypeVar("Answer")

_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 8.0
_NO_ADVICE: Final[Mapping[int, str]] = MappingProxyType({})
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


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long one attempt may take in all, how many follow the first, and how long a server may make us wait.

    One that asks for a longer pause is asked again after the longest we grant; unless `stubborn` is False, in which
    case the caller is told of the pause at once.
    """

    timeout_s: float
    retries: int = 2
    longest_wait_s: float = 30.0
    stubborn: bool = True


class Endpoint:
    """A server to ask. Threads may share one."""

    def __init__(
        self,
        url: str,
        key: ApiKey,
        patience: RetryPolicy,
        *,
        advice: Mapping[int, str] = _NO_ADVICE,
        breaker: CircuitBreaker | None = None,
        trips: Callable[[RemoteError], bool] = attrgetter("transient"),
        sleep: Callable[[float], None] = time.sleep,
        chance: Callable[[], float] = random.random,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take note of where to ask; nothing is loaded or opened before the first question.

        `url` has been checked. `trips` says which failures count towards opening the breaker.
        """
        self._connection = HttpConnection(url, key, timeout_s=patience.timeout_s, advice=advice, monotonic=monotonic)
        self._patience = patience
        self._breaker = breaker or CircuitBreaker(monotonic=monotonic)
        self._trips = trips
        self._sleep = sleep
        self._chance = chance

    @property
    def host(self) -> str:
        """The only host that is ever asked."""
        return self._connection.host

    def ask(self, request: HttpRequest, read: Callable[[HttpResponse], Answer]) -> Answer:
        """Ask and give what `read` makes of the answer.

        `read` may raise Transient to have the question asked again. Raises RemoteError when there is no answer.
        """
        permission = self._admitted()
        try:
            answer = self._asked(request, read, once=permission.probe or not request.repeatable)
        except RemoteError as error:
            if self._trips(error):
                self._breaker.failed(permission, error.retry_after_s)
            else:
                self._breaker.succeeded(permission)
            raise
        except BaseException:
            self._breaker.abandoned(permission)
            raise
        self._breaker.succeeded(permission)
        return answer

    @property
    def is_open(self) -> bool:
        """Whether the HTTP library is loaded and there is room for connections."""
        return self._connection.is_open

    def open(self) -> None:
        """Load the HTTP library now rather than with the first question."""
        self._connection.open()

    def close(self) -> None:
        """Give back the connections. Asking again would open new ones."""
        self._connection.close()

    def _admitted(self) -> BreakerPass:
        try:
            return self._breaker.admit()
        except BreakerOpen as closed:
            raise RemoteError(
                f"{self.host} has failed {self._breaker.failures} times in a row and is left in peace for another "
                f"{closed.wait_s:.1f} s",
                transient=True,
                attempts=0,
                retry_after_s=closed.wait_s,
            ) from None

    def _asked(self, request: HttpRequest, read: Callable[[HttpResponse], Answer], *, once: bool) -> Answer:
        attempts = 1 if once else self._patience.retries + 1
        for attempt in range(attempts):
            try:
                return read(self._connection.send(request))
            except Transient as failure:
                too_long = (failure.pause_s or 0.0) > self._patience.longest_wait_s and not self._patience.stubborn
                if attempt + 1 == attempts or too_long:
                    raise RemoteError(
                        failure.reason,
                        status=failure.status,
                        transient=True,
                        attempts=attempt + 1,
                        retry_after_s=failure.pause_s,
                    ) from failure
                self._sleep(self._pause_s(attempt, failure.pause_s))
        raise AssertionError("unreachable")

    def _pause_s(self, attempt: int, asked_s: float | None) -> float:
        if asked_s is not None:
            return min(asked_s, self._patience.longest_wait_s)
        return min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0**attempt) * (0.5 + self._chance())
