"""Groups of similar texts, by their vectors and their words, for a hundred thousand texts at a time.

    projection   words as vectors, so that a text is one vector: its meaning and its words
    neighbours   the nearest texts of each text, and groups along these

Before groups are made, each text moves towards its neighbours: what is said in other words is then near through what
stands between. Texts are taken in any portions; the same texts in the same order give the same groups. Groups are drawn
in a square from 0 to 1: alike ones near each other, none over another.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from recollect.model.memories import Vector
from recollect.ranking.groups.neighbours import ByteVectors, NearestRows, Rows, as_bytes, from_bytes, link, nearest_rows
from recollect.ranking.groups.projection import WIDTH, TermTable

# Chosen on the tuning half of `benchmarks/data/clusters`.
_WORDS_WEIGHT: Final = 1.5  # of the likeness of words, beside 1 for that of vectors
_ALIKE: Final = 0.8  # mean likeness, of at most 2.5, from which groups are one
_NEIGHBOURS: Final = 8
_RELATED: Final = 0.3  # likeness from which a text moves towards a neighbour

_FEW: Final = 16  # of so few texts the mean says little about the model
_WIDEST: Final = 512  # longer vectors are projected to this length
_TOLD_TERMS: Final = 8
_COMMON: Final = 1.0  # added to what a rare term tells: first of all a group is called what most of it says
_REPEATED: Final = 0.85  # cosine from which two texts may say the same
_MOST_PAIRS: Final = 2_000
_BLOCK: Final = 1_024
_SEED: Final = 20_261
_TINY: Final = 1e-9
_COVERED: Final = 0.35  # share of the square that circles take
_ROUNDS: Final = 300
_PULL: Final = 0.02
_GAP: Final = 1.08
_LEAST_LENGTH: Final = 1e-6


class TextGroup(NamedTuple):
    """A group: its texts by their rows, the most typical first; its mean; the terms that tell it from the rest."""

    rows: Rows
    mean: Vector
    terms: tuple[str, ...]


class NearPair(NamedTuple):
    """Two texts whose vectors nearly coincide."""

    one: int
    other: int
    cosine: float


class TextGroups(NamedTuple):
    """All groups of two or more, the largest first, and what may say the same, the most alike first.

    `largest` describes the first of the groups, `sizes` counts the texts of all.
    """

    largest: Sequence[TextGroup]
    sizes: Sequence[int]
    pairs: Sequence[NearPair]
    labels: Rows


class TextGrouper:
    """Takes vectors and terms of texts, then groups them. `give_way` is called between portions of the work."""

    def __init__(self, dimensions: int, give_way: Callable[[], None]) -> None:
        self._give_way = give_way
        self._table = TermTable()
        self._portions: list[ByteVectors] = []
        chance = np.random.default_rng(_SEED)
        self._shorter: Vector | None = None
        if dimensions > _WIDEST:
            self._shorter = chance.standard_normal((dimensions, _WIDEST), np.float32) / np.float32(_WIDEST**0.5)

    def add(self, vectors: Vector, terms: Iterable[Sequence[str]]) -> None:
        """Take the next texts: unit vectors, one a row, and the terms of each."""
        self._portions.append(as_bytes(vectors if self._shorter is None else vectors @ self._shorter))
        for one in terms:
            self._table.add(one)

    def __len__(self) -> int:
        return len(self._table)

    def group(self, most: int) -> TextGroups:
        """Group what was taken, and describe the `most` largest groups."""
        if not len(self):
            return TextGroups((), (), (), np.zeros(0, np.int64))
        vectors, meaning = self._likeness_vectors()
        near = nearest_rows(vectors, _NEIGHBOURS, self._give_way)
        pairs = self._near_pairs(vectors[:, :meaning], *_edges(near))
        self._smooth(vectors, near)
        labels = self._linked(vectors, near)
        return self._described(vectors, near, labels, most, pairs)

    def _likeness_vectors(self) -> tuple[ByteVectors, int]:
        """Give vectors whose dot product is how alike two texts are, and how many of their numbers are of meaning."""
        total, meaning = len(self), self._portions[0].shape[1]
        mean = sum(from_bytes(portion).sum(axis=0) for portion in self._portions) / np.float32(total + _FEW)
        vectors = np.zeros((total, meaning + WIDTH), np.int8)
        start = 0
        for portion in self._portions:
            centred = from_bytes(portion) - mean
            vectors[start : start + len(portion), :meaning] = as_bytes(_units(centred))
            start += len(portion)
        self._portions.clear()
        for rows, words in self._table.project():
            self._give_way()
            vectors[rows, meaning:] = as_bytes(words * np.float32(_WORDS_WEIGHT**0.5))
        return vectors, meaning

    def _smooth(self, vectors: ByteVectors, near: NearestRows) -> None:
        """Move each text half of the way to the mean of its related neighbours."""
        weights = np.where((near.products >= _RELATED) & (near.rows >= 0), near.products, np.float32(0))
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), _TINY)
        for start in range(0, len(vectors), _BLOCK):
            self._give_way()
            block = slice(start, start + _BLOCK)
            moved = from_bytes(vectors[block])
            length = np.linalg.norm(moved, axis=1, keepdims=True)
            for number in range(_NEIGHBOURS):
                moved += weights[block, number, None] * from_bytes(vectors[near.rows[block, number]])
            vectors[block] = as_bytes(_units(moved) * length)

    def _linked(self, vectors: ByteVectors, near: NearestRows) -> Rows:
        """Link texts along their neighbours; then groups, because a text has more equals than neighbours."""
        labels = link(vectors, np.ones(len(self), np.float32), _edges(near), _ALIKE)
        firsts, sizes = np.unique(labels, return_counts=True)
        groups = firsts[sizes > 1]
        if not len(groups):
            return labels
        means = vectors[groups]
        near_groups = nearest_rows(means, _NEIGHBOURS, self._give_way)
        joined = link(means, sizes[sizes > 1].astype(np.float32), _edges(near_groups), _ALIKE)
        vectors[groups] = means
        became = np.arange(len(self))
        became[groups] = groups[joined]
        return became[labels]

    def _near_pairs(self, meanings: ByteVectors, one: Rows, other: Rows) -> list[NearPair]:
        first = one < other
        keys = np.unique(np.where(first, one, other) * len(self) + np.where(first, other, one))
        one, other = keys // len(self), keys % len(self)
        found: list[NearPair] = []
        for start in range(0, len(one), _BLOCK):
            low, high = one[start : start + _BLOCK], other[start : start + _BLOCK]
            cosines = np.einsum("ij,ij->i", from_bytes(meanings[low]), from_bytes(meanings[high]))
            at = np.flatnonzero(cosines >= _REPEATED)
            found += map(NearPair, low[at].tolist(), high[at].tolist(), np.minimum(cosines[at], 1.0).tolist())
        return sorted(found, key=lambda pair: (-pair.cosine, pair.one, pair.other))[:_MOST_PAIRS]

    def _described(
        self, vectors: ByteVectors, near: NearestRows, labels: Rows, most: int, pairs: list[NearPair]
    ) -> TextGroups:
        names, sizes = np.unique(labels, return_counts=True)
        order = np.lexsort((names, -sizes))
        order = order[sizes[order] > 1]
        inside = (labels[near.rows] == labels[:, None]) & (near.rows >= 0)
        typical = np.where(inside, near.products, 0).sum(axis=1)
        described: list[TextGroup] = []
        for name in names[order][:most]:
            rows = np.flatnonzero(labels == name)
            rows = rows[np.lexsort((rows, -typical[rows]))]
            described.append(TextGroup(rows, from_bytes(vectors[name]), self._telling_terms(rows)))
        return TextGroups(described, sizes[order].tolist(), pairs, labels)

    def _telling_terms(self, rows: Rows) -> tuple[str, ...]:
        """Give the terms that many texts of a group and few others hold."""
        numbers, counts = np.unique(np.concatenate(self._table.texts(rows)), return_counts=True)
        scored = [
            (-count / len(rows) * (_COMMON + self._table.rarity(number)), self._table.terms[number])
            for number, count in zip(numbers.tolist(), counts.tolist(), strict=True)
            if count > 1
        ]
        return tuple(term for _, term in sorted(scored)[:_TOLD_TERMS])


def _edges(near: NearestRows) -> tuple[Rows, Rows]:
    known = near.rows >= 0
    return np.repeat(np.arange(len(near.rows)), near.rows.shape[1])[known.ravel()], near.rows[known]


def _units(vectors: Vector) -> Vector:
    units: Vector = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(_TINY))
    return units


def place_circles(means: Vector, sizes: Vector) -> tuple[Vector, Vector]:
    """Give the centres and radii of circles whose areas stand for sizes.

    They start on the two principal axes of their means, and are pushed apart until none covers another.
    """
    radii = np.sqrt(sizes / max(float(sizes.sum()), _LEAST_LENGTH) * _COVERED / np.pi).astype(np.float32)
    places = _principal_axes(means)
    home = places.copy()
    for _ in range(_ROUNDS):
        apart = places[:, None] - places[None]
        distances = np.maximum(np.linalg.norm(apart, axis=2), _LEAST_LENGTH)
        overlaps = np.maximum(_GAP * (radii[:, None] + radii[None]) - distances, 0.0)
        np.fill_diagonal(overlaps, 0.0)
        places = places + (apart / distances[:, :, None] * overlaps[:, :, None]).sum(axis=1) / 2
        if not overlaps.any():
            break
        places += _PULL * (home - places) * (overlaps.sum(axis=1, keepdims=True) == 0)
    return _fitted(places, radii)


def _principal_axes(means: Vector) -> Vector:
    centred = means - means.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2][:2]
    places = np.zeros((len(means), 2), np.float32)
    found = centred @ axes.T
    places[:, : found.shape[1]] = found
    # Groups in one spot are told apart along a spiral, or no push would have a direction.
    turns = np.arange(len(means)) * np.pi * (3 - 5**0.5)
    places += (
        _LEAST_LENGTH
        * np.stack([np.cos(turns), np.sin(turns)], axis=1)
        * np.sqrt(np.arange(1, len(means) + 1))[:, None]
    )
    widest = max(float(np.abs(places).max()), _LEAST_LENGTH)
    return (places / widest / 2 + 0.5).astype(np.float32)


def _fitted(places: Vector, radii: Vector) -> tuple[Vector, Vector]:
    """Shrink and move everything into the square; one scale for both axes keeps circles round."""
    low = (places - radii[:, None]).min(axis=0)
    high = (places + radii[:, None]).max(axis=0)
    scale = min(1.0, 1.0 / max(float((high - low).max()), _LEAST_LENGTH))
    margin = (1.0 - (high - low) * scale) / 2
    return ((places - low) * scale + margin).astype(np.float32), (radii * scale).astype(np.float32)
