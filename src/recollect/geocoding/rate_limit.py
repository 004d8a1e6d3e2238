"""Rate limit for servers of others: requests are spaced out, over all threads of the process."""

import time
from collections.abc import Callable
from ipaddress import ip_address
from threading import Lock
from typing import Final

_OWN_ENDINGS: Final = (".local", ".internal", ".localhost")
_LONGEST_HOLD_S: Final = 3_600.0  # a longer pause is taken for a mistake


class TooBusy(Exception):
    """The rate limit is used up; try again in `wait_s` seconds."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"no turn for another {wait_s:g} s")
        self.wait_s = wait_s


class RequestPacer:
    """Hands out turns that are `1 / per_s` seconds apart; 0 means that they need not be. Threads share one."""

    def __init__(
        self,
        per_s: float,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._apart_s = 1 / per_s if per_s > 0 else 0.0
        self._monotonic = monotonic
        self._sleep = sleep
        self._lock = Lock()
        self._next = float("-inf")

    def wait(self, most_s: float) -> float:
        """Wait for one's turn and give the seconds that took. Raises TooBusy at once if they would be too many."""
        with self._lock:
            now = self._monotonic()
            turn = max(now, self._next)
            if turn - now > most_s:
                raise TooBusy(turn - now)
            self._next = turn + self._apart_s
        if turn > now:
            self._sleep(turn - now)
        return turn - now

    def hold(self, pause_s: float) -> None:
        """Let no request through for so long: the server asked for it."""
        with self._lock:
            self._next = max(self._next, self._monotonic() + min(pause_s, _LONGEST_HOLD_S))


def is_own(host: str) -> bool:
    """Tell whether a host is on this machine or in one's own network, as far as its name tells."""
    try:
        address = ip_address(host)
    except ValueError:
        name = host.rstrip(".").lower()
        return "." not in name or name.endswith(_OWN_ENDINGS)
    return address.is_private or address.is_loopback or address.is_link_local
