"""Whether requests can be answered, part by part: for whoever sends them here, which may ask every second.

So the store is asked next to nothing, the queue is looked at every few seconds, and the model is tried once a minute:
a provider wants to be paid. Nobody waits long for it either. What is answered are sentences that anybody may read, who
may read anything here; `recollect doctor` says more.
"""

from threading import Event, Lock, Thread
from time import monotonic
from typing import Final, Literal

from recollect.api.memory import Memory
from recollect.errors import RecollectError
from recollect.service.answered import Ready
from recollect.service.holdings import Holdings

FINE: Final = "ok"
WAITS_TOO_LONG_S: Final = 900
TRIED_EVERY_S: Final = 60.0
_PATIENCE_S: Final = 2.0

_NO_STORE: Final = "It cannot be reached."
_NO_MODEL: Final = "No vectors can be made: searches go by words. `recollect doctor` says why."
_SLOW_MODEL: Final = "It has not answered yet."
_LONG_QUEUE: Final = "What is stored waits long for its vector. Is a worker running?"
_UNSEEN: Final = "It could not be looked at."


class Health:
    """What is known about the parts of a service. Threads may share it."""

    def __init__(self, memory: Memory, holdings: Holdings, *, patience_s: float = _PATIENCE_S) -> None:
        self._memory = memory
        self._holdings = holdings
        self._model = _Model(memory, patience_s)

    def examine(self) -> Ready:
        """Look at the store, the queue and the model. Without the store nothing goes; without the others, worse."""
        try:
            self._memory.operations.check_reachable()
            checks = {"store": FINE, "queue": self._queue(), "model": self._model.look()}
        except RecollectError:
            return Ready(status="unavailable", checks={"store": _NO_STORE, "queue": _UNSEEN, "model": _UNSEEN})
        state: Literal["ready", "degraded"] = "ready" if all(one == FINE for one in checks.values()) else "degraded"
        return Ready(status=state, checks=checks)

    def _queue(self) -> str:
        status = self._holdings.status()
        if status is None:
            return _UNSEEN
        waited_s = self._holdings.lag_s(status)
        if waited_s <= WAITS_TOO_LONG_S:
            return FINE
        return _LONG_QUEUE


class _Model:
    """What the model said when it was last tried. At most one try is under way."""

    def __init__(self, memory: Memory, patience_s: float) -> None:
        self._memory = memory
        self._patience_s = patience_s
        self._lock = Lock()
        self._tried: float | None = None
        self._answered = Event()
        self._known = ""

    def look(self) -> str:
        """Give what is known. Only while nothing is known does whoever asks wait, a little."""
        with self._lock:
            tried = self._tried
            if tried is None or (self._answered.is_set() and monotonic() - tried > TRIED_EVERY_S):
                tried = self._start()
        if not self._known:
            self._answered.wait(self._patience_s)
        late = not self._answered.is_set() and monotonic() - tried > self._patience_s
        return _SLOW_MODEL if late or not self._known else self._known

    def _start(self) -> float:
        """Try it. A model must not be torn down while it works; but nobody waits for a provider that hangs."""
        trying = Thread(target=self._try, name="recollect-health", daemon=self._memory.operations.embeds_remotely())
        self._answered.clear()
        self._tried = monotonic()
        trying.start()
        return self._tried

    def _try(self) -> None:
        try:
            self._known = _NO_MODEL if self._memory.operations.embedder_problem() else FINE
        finally:
            self._answered.set()
