"""What a process keeps in memory about a file: one-bit codes of a user's vectors, and users with few rows whole.

The codes are what makes an exact search over a hundred thousand rows fast. A vector's code is the signs of its numbers.
Counting the bits in which two codes differ is far cheaper than a product of floats and ranks nearly alike; weighing the
bits by the query's numbers ranks better still. So the first choice is made by counting, the second by weighing, and
only for the few rows that are left are floats read. The codes are only ever a hint: scores come from the floats, and
rows that are gone are simply not found there. On 100,000 sentences embedded with the bundled encoder, counting down to
600 and weighing down to 120 keeps 99.5 % of the true best ten.

For users with few rows every index is slower than a full scan. A copy of one is good for one generation of its user and
until the first of its rows ends; any write of any process makes a new one necessary.
"""

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from threading import Lock
from typing import Self

import numpy as np
from numpy.typing import NDArray

from recollect.errors import StoreDamaged
from recollect.model.memories import TextCandidate, Vector
from recollect.storage.base.values import Neighbour

Codes = NDArray[np.uint8]
Seqs = NDArray[np.int64]
Positions = NDArray[np.intp]

_NUMBERS_OF_ITEM = 256  # as space.sql says: an item has up to 255 passages
_WORD = 8  # bytes that are compared at once
_SMALLEST_CAPACITY = 256
_FEWEST_RESCORED = 120
_COUNTED = 5  # rows that are weighed for each one whose floats are read
_AT_ONCE = 32_768  # rows
_SAMPLE = 8  # every eighth distance tells well enough where to cut


def encode(vectors: Vector) -> Codes:
    """Give the signs of each row, eight to a byte, padded with zeros to whole words."""
    bits = np.packbits(vectors > 0, axis=1)
    missing = -bits.shape[1] % _WORD
    return np.pad(bits, ((0, 0), (0, missing))) if missing else bits


def as_codes(blobs: Sequence[bytes], dimensions: int) -> Codes:
    """Lay stored codes below each other; none may differ from the length that `encode` gives."""
    if set(map(len, blobs)) - {-(-dimensions // (8 * _WORD)) * _WORD}:
        raise StoreDamaged("The code of a vector has the wrong length. Run `recollect doctor`, or restore a backup.")
    return np.frombuffer(b"".join(blobs), np.uint8).reshape(len(blobs), -1)


def passage_numbers(seqs: Seqs, parts: Sequence[int]) -> Seqs:
    """Give the numbers of passages from those of their items; they are below zero."""
    return -(seqs * _NUMBERS_OF_ITEM + np.asarray(parts, np.int64))


def items_of(numbers: Seqs) -> Seqs:
    """Give the numbers of the items that vectors belong to."""
    items: Seqs = np.where(numbers < 0, -numbers // _NUMBERS_OF_ITEM, numbers)
    return items


def best_of_items(numbers: Seqs, cosines: Vector) -> tuple[Seqs, Vector]:
    """Give each item once, with the cosine of its best passage, best first."""
    order = np.argsort(-cosines, kind="stable")
    numbers, cosines = numbers[order], cosines[order]
    if len(numbers) and numbers.min() < 0:
        items, first = np.unique(items_of(numbers), return_index=True)
        order = np.argsort(first)
        return items[order], cosines[first[order]]
    return numbers, cosines


def rescored(rows: int) -> int:
    """Say how many rows deserve an exact score: the larger the store, the more rows stand as close as the best."""
    return max(_FEWEST_RESCORED, int(0.38 * rows**0.5))


@dataclass
class UserCodes:
    """The codes of one user in one space, as of a write, a deletion and a late vector of that user.

    They are kept twice: by column, so that counting runs over one machine word of all rows at a time, and by row, so
    that weighing a few of them touches few places in memory.
    """

    generation: int = -1
    resets: int = 0
    late: int = 0
    size: int = 0
    has_passages: bool = False
    seqs: Seqs = field(default_factory=lambda: np.empty(0, np.int64))
    columns: NDArray[np.uint64] = field(default_factory=lambda: np.empty((0, 0), np.uint64))
    rows: Codes = field(default_factory=lambda: np.empty((0, 0), np.uint8))

    @property
    def newest(self) -> int:
        return max(0, int(self.seqs[: self.size].max())) if self.size else 0

    @property
    def bytes(self) -> int:
        return self.seqs.nbytes + self.columns.nbytes + self.rows.nbytes

    def append(self, seqs: Seqs, codes: Codes) -> None:
        """Add rows that are not here yet."""
        if not len(seqs):
            return
        self.has_passages = self.has_passages or bool(seqs.min() < 0)
        words = codes.view(np.uint64)
        self._reserve(self.size + len(seqs), words.shape[1])
        end = self.size + len(seqs)
        self.seqs[self.size : end] = seqs
        self.columns[:, self.size : end] = words.T
        self.rows[self.size : end] = codes
        self.size = end

    def missing(self, seqs: Seqs) -> NDArray[np.bool_]:
        """Say which of these rows are not here yet; above the newest none is."""
        if not self.size or (len(seqs) and seqs.min() > self.newest):
            return np.ones(len(seqs), np.bool_)
        return np.isin(seqs, self.seqs[: self.size], assume_unique=True, invert=True)

    def keep(self, seqs: Seqs) -> None:
        """Let go of all other rows. What looks at them already goes on seeing them."""
        if not self.size:
            return
        kept = np.flatnonzero(np.isin(self.seqs[: self.size], seqs))
        self.size = len(kept)
        self.seqs, self.columns, self.rows = self.seqs[kept], self.columns[:, kept], self.rows[kept]

    def _reserve(self, wanted: int, width: int) -> None:
        capacity = len(self.seqs)
        if wanted <= capacity:
            return
        capacity = max(_SMALLEST_CAPACITY, wanted + wanted // 4)
        seqs = np.empty(capacity, np.int64)
        columns = np.empty((width, capacity), np.uint64)
        rows = np.empty((capacity, _WORD * width), np.uint8)
        seqs[: self.size] = self.seqs[: self.size]
        if self.size:
            columns[:, : self.size] = self.columns[:, : self.size]
            rows[: self.size] = self.rows[: self.size]
        self.seqs, self.columns, self.rows = seqs, columns, rows

    def view(self) -> "CodeView":
        """Give the rows as they are now; what is appended later does not show in it."""
        codes = (self.seqs[: self.size], self.columns[:, : self.size], self.rows[: self.size])
        return CodeView(*codes, self.has_passages)


@dataclass(frozen=True, slots=True)
class CodeView:
    """Codes to search, unaffected by other threads."""

    seqs: Seqs
    columns: NDArray[np.uint64]
    rows: Codes
    has_passages: bool = False

    def among(self, allowed: Seqs) -> "CodeView":
        if self.has_passages:
            keep = np.isin(items_of(self.seqs), allowed)
        else:
            keep = np.isin(self.seqs, allowed, assume_unique=True)
        return CodeView(self.seqs[keep], self.columns[:, keep], self.rows[keep], self.has_passages)

    def closest(self, vector: Vector, wanted: int) -> Seqs:
        """Give the numbers of the rows that are probably nearest to the vector, in no order."""
        if len(self.seqs) <= wanted:
            return self.seqs
        differing = _differing_bits(self.columns, encode(vector[None, :]).view(np.uint64)[0])
        counted = _least(differing, _COUNTED * wanted)
        if len(counted) <= wanted:
            return self.seqs[counted]
        bits = np.unpackbits(self.rows[counted], axis=1, count=len(vector)).astype(np.float32)
        return self.seqs[counted[np.argpartition(-products(bits, vector), wanted)[:wanted]]]


def _least(distances: NDArray[np.uint16], wanted: int) -> Positions:
    """Give the positions of the smallest distances, about as many as wanted; a sample tells where to cut."""
    if len(distances) <= wanted:
        return np.arange(len(distances))
    sampled = np.cumsum(np.bincount(distances[::_SAMPLE])) * _SAMPLE
    cut = int(np.searchsorted(sampled, wanted))
    while len(chosen := np.flatnonzero(distances <= cut)) < wanted:
        cut += 1
    return chosen


def products(rows: Vector, vector: Vector) -> Vector:
    """Multiply a few rows by a vector in this thread. A threaded product would mostly wait for busy processors."""
    scores: Vector = np.einsum("ij,j->i", rows, vector)
    return scores


def _differing_bits(columns: NDArray[np.uint64], query: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Count, one machine word after the other, over as many rows at once as stay in a processor's cache.

    Three words differ in 192 bits at most, so that their sum still fits into the byte that counting gives.
    """
    distances = np.zeros(columns.shape[1], np.uint16)
    for first in range(0, len(distances), _AT_ONCE):
        block, sums = columns[:, first : first + _AT_ONCE], distances[first : first + _AT_ONCE]
        rows = len(sums)
        differing, counts, subtotal = np.empty(rows, np.uint64), np.empty(rows, np.uint8), np.empty(rows, np.uint8)
        for start in range(0, len(query), 3):
            np.bitwise_count(np.bitwise_xor(block[start], query[start], out=differing), out=subtotal)
            for word in range(start + 1, min(start + 3, len(query))):
                np.bitwise_count(np.bitwise_xor(block[word], query[word], out=differing), out=counts)
                subtotal += counts
            sums += subtotal
    return distances


class CodeCache:
    """The codes of the users asked about last, within a bound on memory."""

    def __init__(self, max_bytes: int = 256 * 2**20) -> None:
        self._max_bytes = max_bytes
        self._users: OrderedDict[tuple[str, int], UserCodes] = OrderedDict()
        self.lock = Lock()

    def take(self, user_id: str, space: int) -> UserCodes:
        """Get a user's codes, empty at first. Hold the lock while they are brought up to date."""
        codes = self._users.setdefault((user_id, space), UserCodes())
        self._users.move_to_end((user_id, space))
        return codes

    def shrink(self) -> None:
        total = sum(codes.bytes for codes in self._users.values())
        while total > self._max_bytes and len(self._users) > 1:
            _, codes = self._users.popitem(last=False)
            total -= codes.bytes


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
    holders = defaultdict[str, list[int]](list)
    for row, candidate in enumerate(candidates):
        for term in frozenset(candidate.terms):
            holders[term].append(row)
    return InMemoryUser(
        generation,
        loaded_at=now,
        good_until=min((end for *_, end in rows if end is not None), default=_FOREVER),
        candidates=candidates,
        holders=dict(holders),
        embedded=[memory_id for memory_id, _ in embedded],
        matrix=as_matrix([floats for _, floats in (*embedded, *passages)], dimensions),
        owners=np.array([places[memory_id] for memory_id, _ in passages], np.intp),
    )


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
