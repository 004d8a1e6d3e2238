"""Random projection of words: texts that share words, or parts of words, get vectors with a high dot product.

Each term stands for a direction of its own and those of its runs of four letters, so that compounds and other forms of
a word are near it. A direction is a hash read as signs: the same in every process, and nothing has to be kept.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from recollect.model.memories import Vector

WIDTH: Final = 512
_BYTES: Final = WIDTH // 8
_RUN: Final = 4
_MOST_TERMS: Final = 64  # of a text; a long one is told from others by these
_TEXTS: Final = 1_024
_TERMS: Final = 1_024
_KEPT: Final = 65_536
_STEPS: Final = 12  # of a byte for 1


class TermTable:
    """The terms of texts as numbers, and how many texts hold each."""

    def __init__(self) -> None:
        self.terms: list[str] = []
        self.frequencies: list[int] = []
        self._numbers: dict[str, int] = {}
        self._texts: list[NDArray[np.int32]] = []

    def add(self, terms: Iterable[str]) -> None:
        """Take the terms of the next text, each once."""
        numbers = [self._number(term) for term in list(dict.fromkeys(terms))[:_MOST_TERMS]]
        for number in numbers:
            self.frequencies[number] += 1
        self._texts.append(np.array(numbers, np.int32))

    def _number(self, term: str) -> int:
        number = self._numbers.setdefault(term, len(self.terms))
        if number == len(self.terms):
            self.terms.append(term)
            self.frequencies.append(0)
        return number

    def __len__(self) -> int:
        return len(self._texts)

    def texts(self, rows: Sequence[int] | NDArray[np.integer]) -> list[NDArray[np.int32]]:
        """Give the numbers of the terms of some texts."""
        return [self._texts[row] for row in rows]

    def rarity(self, number: int) -> float:
        """Say how much a term tells: much if few texts hold it, next to nothing if all do."""
        return log((len(self) + 1) / self.frequencies[number])

    def project(self) -> Iterator[tuple[slice, Vector]]:
        """Give a unit vector for each text, some texts at a time; for one without terms it is 0."""
        directions = _Directions(self.terms, np.array(self.frequencies, np.int64))
        for start in range(0, len(self), _TEXTS):
            texts = self._texts[start : start + _TEXTS]
            yield slice(start, start + len(texts)), self._project(texts, directions)

    def _project(self, texts: Sequence[NDArray[np.int32]], directions: "_Directions") -> Vector:
        used, places = np.unique(np.concatenate(texts), return_inverse=True)
        vectors = np.zeros((len(texts), WIDTH), np.float32)
        if not len(used):
            return vectors
        rarities = np.array([self.rarity(number) for number in used.tolist()], np.float32)
        words = directions.of(used) * rarities[:, None]
        ends = np.cumsum([len(text) for text in texts])
        for row, (text, end) in enumerate(zip(texts, ends, strict=True)):
            if len(text):
                vectors[row] = words[places[end - len(text) : end]].sum(axis=0)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.where(norms > 0, norms, np.float32(1))
        return vectors


class _Directions:
    """The directions of terms. Those of the most frequent ones are kept, as bytes; others are made when needed."""

    def __init__(self, terms: Sequence[str], frequencies: NDArray[np.int64]) -> None:
        self._terms = terms
        self._runs: dict[str, bytes] = {}
        often = np.argsort(-frequencies, kind="stable")[:_KEPT]
        self._places = np.full(len(terms), -1)
        self._places[often] = np.arange(len(often))
        self._kept = np.zeros((len(often), WIDTH), np.int8)
        self._made = np.zeros(len(often), bool)

    def of(self, numbers: NDArray[np.int32]) -> Vector:
        """Give the directions of some terms."""
        places = self._places[numbers]
        ready = (places >= 0) & self._made[places]
        found = np.empty((len(numbers), WIDTH), np.float32)
        found[ready] = self._kept[places[ready]]
        lacking = np.flatnonzero(~ready)
        for start in range(0, len(lacking), _TERMS):
            some = lacking[start : start + _TERMS]
            found[some] = self._make([self._terms[number] for number in numbers[some].tolist()])
            kept = some[places[some] >= 0]
            self._kept[places[kept]] = found[kept]
            self._made[places[kept]] = True
        return found

    def _make(self, terms: Sequence[str]) -> Vector:
        runs = [[term[at : at + _RUN] for at in range(max(1, len(term) - _RUN + 1))] for term in terms]
        counts = np.array([len(some) for some in runs])
        found = np.rint(_STEPS * (2 * _unpacked([_signs(f"{term} ") for term in terms]).astype(np.float32) - 1))
        for count in np.unique(counts).tolist():
            rows = np.flatnonzero(counts == count)
            hashed = _unpacked([self._hashed(run) for row in rows.tolist() for run in runs[row]])
            together = hashed.reshape(len(rows), count, WIDTH).sum(axis=1, dtype=np.float32)
            found[rows] += np.rint(_STEPS / count**0.5 * (2 * together - count))
        return np.clip(found, -127, 127)

    def _hashed(self, run: str) -> bytes:
        found = self._runs.get(run)
        if found is None:
            found = self._runs[run] = _signs(run)
        return found


def _unpacked(signs: Sequence[bytes]) -> NDArray[np.uint8]:
    return np.unpackbits(np.frombuffer(b"".join(signs), np.uint8)).reshape(-1, WIDTH)


def _signs(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=_BYTES).digest()
