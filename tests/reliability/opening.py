"""Opens stores in the processes of these tests, and makes vectors that are the same in each of them."""

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np

from recollect import Memory, load_settings
from recollect.ports import Clock, Role
from recollect.types import Space, Vector

WITH_VECTORS: dict[str, Any] = {"embedding.provider": "local"}  # the encoder is not loaded as long as vectors are given
WITH_QUICK_VECTORS: dict[str, Any] = {
    "embedding.provider": "quick"
}  # and where they cannot be given, nobody waits for it

_DIMENSIONS = 384


class QuickEmbedder:
    """Makes vectors from checksums: a process that lives for milliseconds cannot load the encoder, which takes one."""

    space = Space("test", "quick", "1", "none", _DIMENSIONS, normalised=False)
    languages: frozenset[str] | None = None

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        """Give the vector that belongs to each text."""
        return np.array([vector_of(text) for text in texts], np.float32)

    def close(self) -> None:
        """There is nothing to give back."""


def open_memory(database: str, *, clock: Clock | None = None, **settings: Any) -> Memory:
    """Open a store; without vectors unless the settings say otherwise."""
    overrides = {"database": database, "embedding.provider": "none", "embedding.worker": False, **settings}
    embedder = None
    if overrides["embedding.provider"] == "quick":
        overrides["embedding.provider"], embedder = "none", QuickEmbedder()
    return Memory.open(settings=load_settings(environ={}, overrides=overrides), clock=clock, embedder=embedder)


def vector_of(text: str) -> list[float]:
    """Make the vector that belongs to a text, the same in every process."""
    made: list[float] = np.random.default_rng(crc32(text.encode())).standard_normal(_DIMENSIONS).tolist()
    return made
