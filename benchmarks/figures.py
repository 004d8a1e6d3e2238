"""How a figure is measured and shown: two things alternate in one run, so that a busy machine slows down both."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Figure:
    """What was measured, as a ratio to its peer, and the bar it must reach."""

    name: str
    ratio: float
    bar: float
    direction: Literal["at most", "at least"]
    detail: str

    @property
    def reached(self) -> bool:
        """Whether the bar was reached."""
        return self.ratio <= self.bar if self.direction == "at most" else self.ratio >= self.bar

    def line(self) -> str:
        """Give the figure as a line for people."""
        verdict = "ok  " if self.reached else "MISS"
        return f"{verdict} {self.name}: {self.ratio:.3g} ({self.direction} {self.bar:g}) | {self.detail}"


def seconds(action: Callable[[], object]) -> float:
    """Time one run."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def alternate(ours: Callable[[], object], peer: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Time two things in turn; gives the median seconds of each, after one unmeasured round."""
    ours()
    peer()
    times = [(seconds(ours), seconds(peer)) for _ in range(rounds)]
    return statistics.median(mine for mine, _ in times), statistics.median(other for _, other in times)


class CpuTime:
    """Adds up the processor time of this process inside `with`."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __enter__(self) -> None:
        self.seconds -= time.process_time()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.process_time()
