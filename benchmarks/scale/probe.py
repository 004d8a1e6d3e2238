"""What one process sees of a store: opening it, the first recall, many recalls, and what these take of memory.

    python -m benchmarks.scale.probe STORE USER,… QUESTIONS VECTORS

Runs in a process of its own, so that its memory is that of a program which does nothing else. Prints JSON.
"""

import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.figures import CpuTime, seconds
from benchmarks.stores import open_memory
from recollect import NewMemory, UserMemory
from recollect.model.memories import Vector


@dataclass(frozen=True, slots=True)
class Times:
    """What recalls took, in milliseconds: of the processor, and by the clock."""

    cpu_p50: float
    cpu_p95: float
    wall_p50: float
    wall_p95: float


@dataclass(frozen=True, slots=True)
class Probe:
    """What was seen. Seconds are those of the processor."""

    open_s: float
    first_recall_s: float
    usual: Times
    common: Times
    peak_mb: float
    remember_ms: float
    forget_ms: float
    after_forget_ms: float


def main(store: str, users: str, questions: str, given: str) -> None:
    """Measure and print."""
    asked: dict[str, list[str]] = json.loads(Path(questions).read_text("utf-8"))
    vectors: Vector = np.load(given)
    opening, first = CpuTime(), CpuTime()
    with opening:
        memory = open_memory(store)
    with memory:
        asking = [memory.user(user) for user in users.split(",")]
        with first:
            asking[0].recall(asked["usual"][0], vector=vectors[0], only_related=False)
        usual, common = (_times(asking, asked[name], vectors) for name in ("usual", "common"))
        peak = _peak_mb()
        writing = _writing(asking[0], asked["usual"][0], vectors)
    print(json.dumps(asdict(Probe(opening.seconds, first.seconds, usual, common, peak, *writing))))


def _times(users: Sequence[UserMemory], asked: Sequence[str], vectors: Vector) -> Times:
    """Ask everything twice, and measure the second time: the pages of the file are in memory then."""
    taken: list[tuple[float, float]] = []
    for measured in (False, True):
        for number, text in enumerate(asked):
            me, spent = users[number % len(users)], CpuTime()
            with spent:
                wall = seconds(partial(me.recall, text, vector=vectors[number], only_related=False))
            taken += [(spent.seconds, wall)] if measured else []
    (cpu_p50, cpu_p95), (wall_p50, wall_p95) = (_percentiles(column) for column in zip(*taken, strict=True))
    return Times(cpu_p50, cpu_p95, wall_p50, wall_p95)


def _percentiles(times: Sequence[float]) -> tuple[float, float]:
    cuts = statistics.quantiles(times, n=20)
    return 1e3 * statistics.median(times), 1e3 * cuts[-1]


def _writing(me: UserMemory, text: str, vectors: Vector) -> Sequence[float]:
    """Store a memory, forget it, and recall, which must notice."""
    storing, forgetting, noticing = CpuTime(), CpuTime(), CpuTime()
    with storing:
        (stored,) = me.remember_many([NewMemory(f"only for a moment {time.time()}", vector=vectors[0])])
    me.recall(text, vector=vectors[0], only_related=False)
    with forgetting:
        me.forget(stored.id)
    with noticing:
        me.recall(text, vector=vectors[0], only_related=False)
    return [1e3 * spent.seconds for spent in (storing, forgetting, noticing)]


def _peak_mb() -> float:
    """Give the most memory that this process has had, as Linux counts it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
