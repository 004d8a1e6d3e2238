"""Vectors that a test can predict: words point somewhere, and a text points where its words do.

Texts that share words are near each other, so recall can be tested; the role and the model turn a vector a little, so
that a test notices when either is mixed up.
"""

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from recollect.model.memories import Vector

DEFAULT_DIMENSIONS: Final = 96
_DIMENSIONS: Final = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
    "embedding-3": 2048,
    "embedding-2": 1024,
    "intfloat/multilingual-e5-large": 1024,
    "nomic-embed-text": 768,
    "mxbai-embed-large": 1024,
    "gemini-embedding-001": 3072,
    "gemini-embedding-2": 3072,
}
_WORD: Final = re.compile(r"\w+")
_ACCENT: Final = 0.2  # how far a role or a model turns a vector


def dimensions_of(model: str, wanted: int | None = None) -> int:
    """Say how long the vectors of a model are, if it is asked for that many numbers."""
    return wanted or _DIMENSIONS.get(model, DEFAULT_DIMENSIONS)


def vectors_of(texts: Sequence[str], role: str, model: str, dimensions: int) -> list[Vector]:
    """Give the vector of each text."""
    return [vector_of(text, role, model, dimensions) for text in texts]


def vector_of(text: str, role: str, model: str, dimensions: int) -> Vector:
    """Give the vector of a text. It depends on nothing but what it is called with."""
    words = _WORD.findall(text.casefold()) or [""]
    total = np.sum([_direction(word, dimensions) for word in words], axis=0)
    total = total / np.linalg.norm(total)
    total = total + _ACCENT * (_direction(f"role {role}", dimensions) + _direction(f"model {model}", dimensions))
    return np.asarray(total / np.linalg.norm(total), dtype=np.float32)


@lru_cache(maxsize=20_000)
def _direction(word: str, dimensions: int) -> Vector:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
    direction = np.random.default_rng(seed).standard_normal(dimensions)
    return np.asarray(direction / np.linalg.norm(direction), dtype=np.float32)
