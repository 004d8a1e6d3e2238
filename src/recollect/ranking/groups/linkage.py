"""Sub-cluster components: average linkage in rounds, along a graph of neighbours.

How alike two groups are is the mean over all their pairs, which is the dot product of their means; so a group costs as
much as a vector. In each round every group joins the group most like it, if they are alike enough for the round; rounds
begin with what is nearly the same. Only groups with a neighbour in each other are compared, so a round is linear.
"""

from typing import Final, NamedTuple, Self

import numpy as np

from recollect.model.memories import Vector
from recollect.ranking.groups.neighbours import ByteVectors, Rows, as_bytes, from_bytes

_LEVELS: Final = 24
_BLOCK: Final = 4_096


class GroupPairs(NamedTuple):
    """Groups to compare, each pair once, by the rows of their means, and the dot products of these."""

    low: Rows
    high: Rows
    products: Vector

    @classmethod
    def of(cls, means: ByteVectors, one: Rows, other: Rows) -> Self:
        """Compare pairs that may be named twice, and both ways."""
        low, high = np.minimum(one, other), np.maximum(one, other)
        keys = np.unique((low * len(means) + high)[low != high])
        low, high = keys // len(means), keys % len(means)
        return cls(low, high, _products(means, low, high))

    def where(self, chosen: Rows) -> Self:
        """Give some of the pairs."""
        return type(self)(self.low[chosen], self.high[chosen], self.products[chosen])


def link(means: ByteVectors, sizes: Vector, edges: tuple[Rows, Rows], threshold: float) -> Rows:
    """Say of each vector to which group it belongs, by the lowest row in the group.

    `means` are the vectors, each of as many texts as `sizes` say. The lowest row of a group becomes its mean.
    """
    groups = np.arange(len(means))
    pairs = GroupPairs.of(means, *edges)
    highest = max(float(pairs.products.max(initial=threshold)), threshold)
    levels = [*np.linspace(highest, threshold, _LEVELS)[1:].tolist(), threshold]
    while levels:
        pairs = pairs.where(np.flatnonzero(pairs.products >= threshold))
        became = _join_nearest(pairs, levels[0], len(means))
        changed = _join(means, sizes, became)
        if len(levels) > 1 or not changed.any():
            levels.pop(0)
        groups = became[groups]
        pairs = _after(means, pairs, became, changed)
    return groups


def _join_nearest(pairs: GroupPairs, level: float, total: int) -> Rows:
    """Say what each group becomes, by the lowest row of those that are joined."""
    best = np.full(total, -np.inf, np.float32)
    np.maximum.at(best, pairs.low, pairs.products)
    np.maximum.at(best, pairs.high, pairs.products)
    near = pairs.products >= level
    chosen = np.flatnonzero(near & ((pairs.products == best[pairs.low]) | (pairs.products == best[pairs.high])))
    low, high = pairs.low[chosen], pairs.high[chosen]
    became = np.arange(total)
    while True:
        lowest = became.copy()
        np.minimum.at(lowest, low, became[high])
        np.minimum.at(lowest, high, became[low])
        lowest = lowest[lowest]
        if np.array_equal(lowest, became):
            return became
        became = lowest


def _join(means: ByteVectors, sizes: Vector, became: Rows) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Let the lowest row of joined groups be their mean; says which rows are new means."""
    changed = np.zeros(len(means), bool)
    gone = np.flatnonzero(became != np.arange(len(means)))
    changed[became[gone]] = True
    rows = np.flatnonzero(changed[became] & (sizes > 0))
    rows = rows[np.argsort(became[rows], kind="stable")]
    for group in np.split(rows, np.flatnonzero(np.diff(became[rows])) + 1) if len(rows) else ():
        size, first = sizes[group].sum(), group[0]
        blocks = (group[start : start + _BLOCK] for start in range(0, len(group), _BLOCK))
        means[first] = as_bytes(np.sum([(sizes[block] / size) @ from_bytes(means[block]) for block in blocks], axis=0))
        sizes[group] = 0
        sizes[first] = size
    return changed


def _after(
    means: ByteVectors, pairs: GroupPairs, became: Rows, changed: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> GroupPairs:
    """Let pairs name what groups have become, and compare those that changed."""
    low, high = became[pairs.low], became[pairs.high]
    moved = changed[low] | changed[high]
    same = pairs.where(np.flatnonzero(~moved))
    anew = GroupPairs.of(means, low[moved], high[moved])
    return GroupPairs(
        np.concatenate((same.low, anew.low)),
        np.concatenate((same.high, anew.high)),
        np.concatenate((same.products, anew.products)),
    )


def _products(vectors: ByteVectors, low: Rows, high: Rows) -> Vector:
    products = np.zeros(len(low), np.float32)
    for start in range(0, len(low), _BLOCK):
        part = slice(start, start + _BLOCK)
        products[part] = np.einsum("ij,ij->i", from_bytes(vectors[low[part]]), from_bytes(vectors[high[part]]))
    return products
