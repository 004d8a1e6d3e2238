"""Linear or quadratic, told from CPU time: a ratio of two sizes, so neither a slow nor a busy machine decides."""

from collections.abc import Callable
from time import thread_time
from typing import Final

_FACTOR: Final = 16
_MARGIN: Final = 4  # linear work grows 16 times, quadratic work 256 times: the bar is in the middle, at 64
_NOISE_S: Final = 0.02
_TRIES: Final = 5


def assert_linear(work: Callable[[int], object], size: int) -> None:
    """Work of a size costs about 16 times as much as work of a sixteenth, and by no means 256 times."""
    small, large = max(1, size // _FACTOR), size
    work(small)  # what is done once, such as compiling patterns, is not work
    small_s = large_s = float("inf")
    for _ in range(_TRIES):
        small_s, large_s = min(small_s, _spent_s(work, small)), min(large_s, _spent_s(work, large))
        if large_s <= _MARGIN * _FACTOR * small_s + _NOISE_S:
            return
    raise AssertionError(f"{small} took {small_s:.4f} s of CPU and {large} took {large_s:.4f} s: that is not linear")


def _spent_s(work: Callable[[int], object], size: int) -> float:
    started = thread_time()
    work(size)
    return thread_time() - started
