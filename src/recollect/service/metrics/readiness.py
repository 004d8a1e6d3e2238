"""Readiness checks of the store, the embedding queue and the model, cheap enough for one request a second.

The store is asked next to nothing, the queue every few seconds and the model once a minute, since a provider costs
money. The sentences hold nothing private; `recollect doctor` says more.
"""

from dataclasses import dataclass
from threading import Event, Lock, Thread
from time import monotonic
from typing import Final, Literal

from recollect.api.memory import Memory
from recollect.errors import RecollectError
from recollect.service.metrics.store_gauges import StoreGauges

OK: Final = "ok"
LONGEST_WAIT_S: Final = 900
MODEL_CHECK_S: Final = 60.0
_PATIENCE_S: Final = 2.0

_NO_STORE: Final = "It cannot be reached."
_NO_MODEL: Final = "No vectors can be made: searches go by words. `recollect doctor` says why."
_SLOW_MODEL: Final = "It has not answered yet."
_LONG_QUEUE: Final = "What is stored waits long for its vector. Is a worker running?"
_UNSEEN: Final = "It could not be looked at."


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether requests can be answered, and what is wrong with each part if not."""

    status: Literal["ready", "degraded", "unavailable"]
    checks: dict[str, str]


class ReadinessProbe:
    """The readiness checks of a service. Thread-safe."""

    def __init__(self, memory: Memory, gauges: StoreGauges, *, patience_s: float = _PATIENCE_S) -> None:
        self._memory = memory
        self._gauges = gauges
        self._model = _ModelProbe(memory, patience_s)

    def examine(self) -> Readiness:
        """Check all parts. Without the store the service is unavailable, without another part degraded."""
        try:
            self._memory.operations.check_reachable()
            queue, status = _UNSEEN, self._gauges.status()
            if status is not None:
                queue = OK if self._gauges.lag_s(status) <= LONGEST_WAIT_S else _LONG_QUEUE
            checks = {"store": OK, "queue": queue, "model": self._model.check()}
        except RecollectError:
            return Readiness("unavailable", {"store": _NO_STORE, "queue": _UNSEEN, "model": _UNSEEN})
        return Readiness("ready" if all(check == OK for check in checks.values()) else "degraded", checks)


class _ModelProbe:
    """The cached result of trying the model. At most one try is under way."""

    def __init__(self, memory: Memory, patience_s: float) -> None:
        self._memory = memory
        self._patience_s = patience_s
        self._lock = Lock()
        self._started_at: float | None = None
        self._finished = Event()
        self._result = ""

    def check(self) -> str:
        """Give the last result, and start a new try if it is old. Only the first caller waits, a little."""
        with self._lock:
            started_at = self._started_at
            if started_at is None or (self._finished.is_set() and monotonic() - started_at > MODEL_CHECK_S):
                started_at = self._start()
        if not self._result:
            self._finished.wait(self._patience_s)
        late = not self._finished.is_set() and monotonic() - started_at > self._patience_s
        return _SLOW_MODEL if late or not self._result else self._result

    def _start(self) -> float:
        # a local model must not be torn down while it works; a provider that hangs must not hold up the process
        thread = Thread(target=self._try, name="recollect-health", daemon=self._memory.operations.embeds_remotely())
        self._finished.clear()
        self._started_at = monotonic()
        thread.start()
        return self._started_at

    def _try(self) -> None:
        try:
            self._result = _NO_MODEL if self._memory.operations.embedder_problem() else OK
        finally:
            self._finished.set()
