"""Nearest neighbours of many vectors among each other, without comparing all pairs, and groups along them.

Vectors are put into cells around about sqrt(n) centres, and each is compared with those of a few cells near its own:
n * sqrt(n) comparisons. Few vectors are one cell, and their neighbours exact. The same vectors give the same answer.

Groups are joined by average linkage in rounds. How alike two groups are is the mean over all their pairs, which is the
dot product of their means; so a group costs as much as a vector. In each round every group joins the group most like
it, if they are alike enough for the round; rounds begin with what is nearly the same. Only groups with a neighbour in
each other are compared, so a round is linear.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recollect.model.memories import Vector

Rows: TypeAlias = NDArray[np.int64]
ByteVectors: TypeAlias = NDArray[np.int8]  # a quarter of the memory, and precise enough to compare

_ONE_CELL: Final = 4_096  # up to here all are compared with all
_SAMPLED: Final = 48  # vectors a centre is found from
_ROUNDS: Final = 5
_PROBED: Final = 6
_CROWDED: Final = 4  # as many times the usual size of a cell
_BLOCK: Final = 1_024
_SEED: Final = 20_260
_TINY: Final = 1e-9
_STEPS: Final = 254  # of a byte between 0 and 1; no number of a unit vector with many is above a half
_LEVELS: Final = 24
_PAIRS_AT_ONCE: Final = 4_096


def as_bytes(vectors: Vector) -> ByteVectors:
    """Round vectors of about unit length to bytes."""
    return np.rint(np.clip(vectors * _STEPS, -127, 127)).astype(np.int8)


def from_bytes(vectors: ByteVectors) -> Vector:
    """Give such vectors as floats."""
    return vectors.astype(np.float32) * np.float32(1 / _STEPS)


class NearestRows(NamedTuple):
    """The nearest vectors of each vector, by their rows, and the dot products with them. -1 where there is none."""

    rows: Rows
    products: Vector


def nearest_rows(vectors: ByteVectors, amount: int, give_way: Callable[[], None]) -> NearestRows:
    """Find the `amount` nearest of each vector by dot product. None is its own. `give_way` is called between cells."""
    near = NearestRows(np.full((len(vectors), amount), -1), np.zeros((len(vectors), amount), np.float32))
    cells = _cells(vectors)
    means = np.array([from_bytes(vectors[cell]).mean(axis=0) for cell in cells], np.float32)
    for number, cell in enumerate(cells):
        probed = np.argsort(-(means @ means[number]), kind="stable")[:_PROBED]
        others = np.sort(np.concatenate([cells[one] for one in {number, *probed.tolist()}]))
        wide = from_bytes(vectors[others])
        for start in range(0, len(cell), _BLOCK):
            give_way()
            rows = cell[start : start + _BLOCK]
            products = from_bytes(vectors[rows]) @ wide.T
            products[np.arange(len(rows)), np.searchsorted(others, rows)] = -np.inf  # itself
            _keep_best(near, rows, others, products)
    return near


def _keep_best(near: NearestRows, rows: Rows, others: Rows, products: Vector) -> None:
    wanted = min(near.rows.shape[1], len(others) - 1)
    if wanted < 1:
        return
    best = np.argpartition(-products, wanted - 1, axis=1)[:, :wanted]
    near.rows[rows, :wanted] = others[best]
    near.products[rows, :wanted] = np.take_along_axis(products, best, axis=1)


def _cells(vectors: ByteVectors) -> Sequence[Rows]:
    """Put each vector to the nearest centre. A crowded cell is cut, so that equal texts do not make it quadratic."""
    total = len(vectors)
    if total <= _ONE_CELL:
        return [np.arange(total)]
    centres = _centres(vectors, int(total**0.5))
    placed = np.concatenate([(from_bytes(block) @ centres.T).argmax(axis=1) for block in _blocks(vectors)])
    order = np.argsort(placed, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(placed[order])) + 1)
    most = _CROWDED * total // len(centres)
    return [cell[start : start + most] for cell in members for start in range(0, len(cell), most)]


def _centres(vectors: ByteVectors, amount: int) -> Vector:
    """Find centres by a few rounds of k-means over a sample."""
    chance = np.random.default_rng(_SEED)
    sample = vectors[np.sort(chance.choice(len(vectors), min(len(vectors), amount * _SAMPLED), replace=False))]
    centres = from_bytes(sample[chance.choice(len(sample), amount, replace=False)])
    for _ in range(_ROUNDS):
        centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), _TINY)
        sums = np.zeros_like(centres)
        for block in _blocks(sample):
            wide = from_bytes(block)
            np.add.at(sums, (wide @ centres.T).argmax(axis=1), wide)
        filled = sums.any(axis=1)
        centres[filled] = sums[filled]
    centres /= np.maximum(np.linalg.norm(centres, axis=1, keepdims=True), _TINY)
    return centres


def _blocks(vectors: ByteVectors) -> Iterator[ByteVectors]:
    return (vectors[start : start + _BLOCK] for start in range(0, len(vectors), _BLOCK))


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
        blocks = (group[start : start + _PAIRS_AT_ONCE] for start in range(0, len(group), _PAIRS_AT_ONCE))
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
    for start in range(0, len(low), _PAIRS_AT_ONCE):
        part = slice(start, start + _PAIRS_AT_ONCE)
        products[part] = np.einsum("ij,ij->i", from_bytes(vectors[low[part]]), from_bytes(vectors[high[part]]))
    return products
