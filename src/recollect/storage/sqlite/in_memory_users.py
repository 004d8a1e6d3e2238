"""An LRU cache of users with few rows, held in memory whole: for them every index is slower than a full scan.

A copy is good for one generation of its user and until the first of its rows ends; any write of any process makes a new
one necessary.
"""

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from threading import Lock
from typing import Self

import numpy as np

from recollect.errors import StoreDamaged
from recollect.model.memories import TextCandidate, Vector
from recollect.storage.base.values import Neighbour
from recollect.storage.sqlite.binary_codes import Positions, Seqs, products

FEW_ROWS = 300
FEW_INSIDE = 500  # rows inside a circle, for which the same is true
_MOST_USERS = 256
_MOST_BYTES = 128 * 2**20  # of all users together, about
_ROW_BYTES = 1_000  # of a row, besides its terms and vectors
_TERM_BYTES = 80
_FOREVER = 2**63 - 1
_MOST_COSINE = 1.01  # with room for rounding

# A row of the query `whole_user`: id, terms, vector, and the moment it ends.
WholeRow = tuple[str, str, bytes | None, int | None]


@dataclass(frozen=True, slots=True)
class InMemoryUser:
    """The live rows of a user at a moment: their terms, and the vectors of those that have one.

    `holders` says of each term which of the candidates hold it. Below the vectors of rows are those of passages;
    `owners` says to which of the embedded rows these belong.
    """

    generation: int
    loaded_at: int
    good_until: int
    candidates: Sequence[TextCandidate]
    holders: Mapping[str, Sequence[int]]
    embedded: Sequence[str]
    matrix: Vector
    owners: Positions

    def sharing(self, terms: Sequence[str]) -> tuple[list[TextCandidate], dict[str, int]]:
        """Give the rows that hold any of the terms, and how many hold each."""
        holders = {term: self.holders.get(term, ()) for term in terms}
        rows = sorted(set().union(*holders.values()))
        return [self.candidates[row] for row in rows], {term: len(holding) for term, holding in holders.items()}

    @property
    def bytes(self) -> int:
        """Say about how much memory this takes: long texts have many terms, and a vector for each passage."""
        terms = sum(len(candidate.terms) for candidate in self.candidates)
        return self.matrix.nbytes + _ROW_BYTES * len(self.candidates) + _TERM_BYTES * terms

    def scores(self, vector: Vector) -> Vector:
        """Give the scores of all embedded rows, each that of its best passage."""
        scores = sound_cosines(self.matrix, vector)
        if not len(self.owners):
            return scores
        best = scores[: len(self.embedded)].copy()
        np.maximum.at(best, self.owners, scores[len(best) :])
        return best


@dataclass(frozen=True, slots=True)
class AreaRows:
    """All rows inside a circle that pass: their numbers and terms."""

    seqs: Seqs
    candidates: Sequence[TextCandidate]

    @classmethod
    def of(cls, rows: Sequence[tuple[int, str, str]]) -> Self:
        """Prepare the rows of the query `inside`."""
        candidates = [TextCandidate(item_id, words.split(" ")) for _, item_id, words in rows]
        return cls(np.array([seq for seq, _, _ in rows], np.int64), candidates)

    def sharing(self, terms: Sequence[str], limit: int) -> list[TextCandidate]:
        """Give the rows that hold any of the terms; of too many those that hold most of them."""
        wanted = frozenset(terms)
        counted = [(len(wanted.intersection(row.terms)), row) for row in self.candidates]
        matching = [(shared, row) for shared, row in counted if shared]
        if len(matching) > limit:
            matching = nlargest(limit, matching, key=lambda pair: (pair[0], pair[1].id))
        return [row for _, row in matching]


def in_memory_user(
    generation: int, now: int, rows: Sequence[WholeRow], passages: Sequence[tuple[str, bytes]], dimensions: int
) -> InMemoryUser:
    """Prepare the rows of `whole_user` and `whole_user_passages` for searching."""
    candidates = [TextCandidate(memory_id, words.split(" ")) for memory_id, words, _, _ in rows]
    embedded = [(memory_id, floats) for memory_id, _, floats, _ in rows if floats is not None]
    places = {memory_id: place for place, (memory_id, _) in enumerate(embedded)}
    passages = [passage for passage in passages if passage[0] in places]
    return InMemoryUser(
        generation,
        loaded_at=now,
        good_until=min((end for *_, end in rows if end is not None), default=_FOREVER),
        candidates=candidates,
        holders=_holders(candidates),
        embedded=[memory_id for memory_id, _ in embedded],
        matrix=as_matrix([floats for _, floats in (*embedded, *passages)], dimensions),
        owners=np.array([places[memory_id] for memory_id, _ in passages], np.intp),
    )


def _holders(candidates: Sequence[TextCandidate]) -> dict[str, list[int]]:
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for row, candidate in enumerate(candidates):
        for term in frozenset(candidate.terms):
            holders[term].append(row)
    return dict(holders)


class SearchedUser:
    """A user's rows during one search. The vector is mostly the same each time, so its scores are kept."""

    def __init__(self, user: InMemoryUser) -> None:
        self.user = user
        self._vector: Vector | None = None
        self._scores: Vector = np.empty(0, np.float32)

    def nearest(self, vector: Vector, limit: int) -> list[Neighbour]:
        """Give the rows nearest to a vector, nearest first."""
        ids, scores = self.user.embedded, self._scored(vector)
        order = np.argsort(-scores, kind="stable")[:limit].tolist()
        return [Neighbour(ids[row], score) for row, score in zip(order, scores[order].tolist(), strict=True)]

    def cosines(self, vector: Vector, ids: Sequence[str]) -> dict[str, float]:
        """Give the scores of some rows."""
        scores = dict(zip(self.user.embedded, self._scored(vector).tolist(), strict=True))
        return {memory_id: scores[memory_id] for memory_id in ids if memory_id in scores}

    def _scored(self, vector: Vector) -> Vector:
        if self._vector is not vector:
            self._vector, self._scores = vector, self.user.scores(vector)
        return self._scores


def as_matrix(blobs: Sequence[bytes], dimensions: int) -> Vector:
    """Lay stored vectors below each other; none may differ from the space's length."""
    if set(map(len, blobs)) - {dimensions * np.dtype(np.float32).itemsize}:
        raise StoreDamaged("A stored vector has the wrong length. Run `recollect doctor`, or restore a backup.")
    return np.frombuffer(b"".join(blobs), np.float32).reshape(len(blobs), dimensions)


def sound_cosines(matrix: Vector, vector: Vector) -> Vector:
    """Give the cosines of stored vectors. All were of length 1 when they were stored, so none can be above 1."""
    scores = products(matrix, vector)
    if not (np.abs(scores) < _MOST_COSINE).all():
        raise StoreDamaged("A stored vector is not what was stored. Forget the memory, or restore a backup.")
    return scores


class InMemoryUsers:
    """The copies of the users that were searched last."""

    def __init__(self) -> None:
        self._users: OrderedDict[tuple[str, int], InMemoryUser] = OrderedDict()
        self._sizes: dict[tuple[str, int], int] = {}
        self._lock = Lock()

    @property
    def bytes(self) -> int:
        """Say about how much memory all copies take."""
        return sum(self._sizes.values())

    def fresh(self, key: tuple[str, int], generation: int, now: int, load: Callable[[], InMemoryUser]) -> InMemoryUser:
        """Give a copy that shows the user as of this generation and moment, loading it when the last one does not."""
        with self._lock:
            cached = self._users.get(key)
        if cached and cached.generation == generation and cached.loaded_at <= now < cached.good_until:
            return cached
        loaded = load()
        size = loaded.bytes
        with self._lock:
            self._users[key], self._sizes[key] = loaded, size
            self._users.move_to_end(key)
            while len(self._users) > _MOST_USERS or (self.bytes > _MOST_BYTES and len(self._users) > 1):
                del self._sizes[self._users.popitem(last=False)[0]]
        return loaded

    def drop(self, user_id: str) -> None:
        """Let go of a user's copies, so that what was forgotten does not linger in memory either."""
        with self._lock:
            for key in [key for key in self._users if key[0] == user_id]:
                del self._users[key], self._sizes[key]
