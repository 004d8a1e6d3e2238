"""Asking again when that may help, and not asking at all when it has not helped for long."""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeVar

from recollect.http_client.address import ApiKey
from recollect.http_client.circuit_breaker import BreakerOpen, BreakerPass, CircuitBreaker
from recollect.http_client.connection import HttpConnection
from recollect.http_client.exchange import HttpRequest, HttpResponse
from recollect.http_client.failures import RemoteError, Transient

Answer = TypeVar("Answer")

_FIRST_PAUSE_S: Final = 0.5
_LONGEST_PAUSE_S: Final = 8.0
_NO_ADVICE: Final[Mapping[int, str]] = MappingProxyType({})


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


def _by_nature(error: RemoteError) -> bool:
    return error.transient


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
        trips: Callable[[RemoteError], bool] = _by_nature,
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
                if attempt + 1 == attempts or self._is_too_long(failure.pause_s):
                    raise RemoteError(
                        failure.reason,
                        status=failure.status,
                        transient=True,
                        attempts=attempt + 1,
                        retry_after_s=failure.pause_s,
                    ) from failure
                self._sleep(self._pause_s(attempt, failure.pause_s))
        raise AssertionError("unreachable")

    def _is_too_long(self, asked_s: float | None) -> bool:
        return not self._patience.stubborn and asked_s is not None and asked_s > self._patience.longest_wait_s

    def _pause_s(self, attempt: int, asked_s: float | None) -> float:
        if asked_s is not None:
            return min(asked_s, self._patience.longest_wait_s)
        return min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0**attempt) * (0.5 + self._chance())
