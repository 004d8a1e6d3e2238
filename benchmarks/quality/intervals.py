"""Bootstrap: how far a mean over questions may be from the mean over all questions of the same kind."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 2_000
CONFIDENCE = 0.95
_SEED = 1


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, and the bounds of its 95 % interval."""

    mean: float
    low: float
    high: float


def bootstrap(values: Sequence[float], resamples: int = RESAMPLES) -> Interval:
    """Draw the questions again with replacement; the middle 95 % of the means are the interval.

    The seed is fixed, so the same values give the same interval.
    """
    if not values:
        raise ValueError("There are no values; an interval needs at least one.")
    scores = np.asarray(values, dtype=np.float64)
    rng = np.random.default_rng(_SEED)
    means = [scores[rng.integers(len(scores), size=len(scores))].mean() for _ in range(resamples)]
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(means, (tail, 1 - tail))
    return Interval(float(scores.mean()), float(low), float(high))
