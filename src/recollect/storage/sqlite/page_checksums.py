"""The checksums of pages and of frames of the write-ahead log.

SQLite and its extension cksumvfs use the same sum: `s1 += a + s2; s2 += b + s1` over pairs of 32-bit words. It is
linear, so the sum of many pages is one product with fixed weights.
"""

from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

CHECKSUM_BYTES = 8
_MODULUS = 2**32

ChecksumWords: TypeAlias = NDArray[np.uint32]


class Weights(NamedTuple):
    """How much each word counts in the two sums, and what becomes of the sums that came before (a matrix)."""

    first: ChecksumWords
    second: ChecksumWords
    carried: tuple[int, int, int, int]


@cache
def weights(words: int) -> Weights:
    """Give the weights of so many words."""
    first, second = np.zeros(words, np.uint64), np.zeros(words, np.uint64)
    a, b, c, d = 1, 0, 0, 1
    for position in range(words - 2, -1, -2):
        first[position], first[position + 1] = (a + b) % _MODULUS, b
        second[position], second[position + 1] = (c + d) % _MODULUS, d
        a, b, c, d = (a + b) % _MODULUS, (a + 2 * b) % _MODULUS, (c + d) % _MODULUS, (c + 2 * d) % _MODULUS
    return Weights(first.astype(np.uint32), second.astype(np.uint32), (a, b, c, d))


def sound_pages(content: bytes, page_bytes: int) -> NDArray[np.bool_]:
    """Say of each page whether its checksum fits."""
    rows = np.frombuffer(content, "<u4").reshape(-1, page_bytes // 4)
    used = weights(page_bytes // 4 - 2)
    first = (rows[:, :-2] * used.first).sum(axis=1, dtype=np.uint32)
    second = (rows[:, :-2] * used.second).sum(axis=1, dtype=np.uint32)
    sound: NDArray[np.bool_] = (first == rows[:, -2]) & (second == rows[:, -1])
    return sound


def chained_sum(before: tuple[int, int], content: bytes, *, big_endian: bool) -> tuple[int, int]:
    """Give the sums of the log after some more bytes."""
    words = np.frombuffer(content, ">u4" if big_endian else "<u4").astype(np.uint32)
    used = weights(len(words))
    a, b, c, d = used.carried
    first = int((words * used.first).sum(dtype=np.uint32)) + a * before[0] + b * before[1]
    second = int((words * used.second).sum(dtype=np.uint32)) + c * before[0] + d * before[1]
    return first % _MODULUS, second % _MODULUS
