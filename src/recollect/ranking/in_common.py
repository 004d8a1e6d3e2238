"""What rows about several people share: each is measured by the row about another person that it resembles most.

The invariant: a share is in [0, 1], and depends on which rows are about whom, never on their order. What all rows about
a person resemble each other in, such as the name, does not count.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from recollect.model.memories import Vector

WEIGHT = 3.0  # of a row that has its like about the others, beside the best relevance

_TO_THE_POINT = 0.6  # the power of the other row's relevance, as a share of the best one
_LEAST = 1e-3
_FEWEST = 3  # rows about a person that show what all of them resemble each other in


def shares(
    vectors: Mapping[str, Vector], parties: Sequence[AbstractSet[str]], relevance: Mapping[str, float]
) -> dict[str, float]:
    """Give what each row shares with the others' rows: of the most similar one the likeness, the less it has to do
    with the question the less. A row about all of them shares everything, and of several people the least counts.

    `parties` holds the rows about each person; rows without a vector are left out. Nothing when a person has none.
    """
    groups = [sorted(party & vectors.keys()) for party in parties]
    if not all(groups):
        return {}
    best = max(relevance.values(), default=0.0) or 1.0
    matrices = [_without_mean(np.stack([vectors[row] for row in group])) for group in groups]
    points = [
        np.array([max(_LEAST, relevance.get(row, 0.0) / best) for row in group], np.float32) ** _TO_THE_POINT
        for group in groups
    ]
    found: dict[str, float] = {}
    for number, (group, matrix) in enumerate(zip(groups, matrices, strict=True)):
        least = np.ones(len(group), np.float32)
        for other, (of_other, to_the_point) in enumerate(zip(matrices, points, strict=True)):
            if other != number:
                least = np.minimum(least, (np.fmax(0.0, matrix @ of_other.T) * to_the_point).max(axis=1))
        for row, share in zip(group, least.tolist(), strict=True):
            found[row] = max(found.get(row, 0.0), share)
    return {row: 1.0 if all(row in party for party in parties) else share for row, share in found.items()}


def _without_mean(matrix: Vector) -> Vector:
    """Take away what the rows have in common, unless there are too few to tell."""
    if len(matrix) < _FEWEST:
        return matrix
    apart: Vector = matrix - matrix.mean(axis=0)
    apart /= np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), _LEAST)
    return apart
