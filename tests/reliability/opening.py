"""Opens stores in the processes of these tests, and makes vectors that are the same in each of them."""

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zlib import crc32

import numpy as np

from recollect import Memory, load_settings
from recollect.model.memories import Space, Vector
from recollect.model.places import Located
from recollect.ports import Clock, Role

WITH_VECTORS: dict[str, Any] = {"embedding.provider": "local"}  # the encoder is not loaded as long as vectors are given
WITH_QUICK_VECTORS: dict[str, Any] = {
    "embedding.provider": "quick"
}  # and where they cannot be given, nobody waits for it

WITH_QUICK_PLACES: dict[str, Any] = {"places.geocoder": "quick"}

_DIMENSIONS = 384
_QUICK_S = 0.002


class QuickEmbedder:
    """Makes vectors from checksums: a process that lives for milliseconds cannot load the encoder, which takes one."""

    space = Space("test", "quick", "1", "none", _DIMENSIONS, normalised=False)
    languages: frozenset[str] | None = None

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        """Give the vector that belongs to each text."""
        return np.array([vector_of(text) for text in texts], np.float32)

    def close(self) -> None:
        """There is nothing to give back."""


class QuickGeocoder:
    """Names places after their coordinates, after a moment in which one can be killed."""

    name = "quick"
    remote = False

    def reverse(self, lat: float, lng: float) -> Located | None:
        """Name a place."""
        time.sleep(_QUICK_S)
        return Located(lat, lng, "Village", address=f"Village {lat:.3f} {lng:.5f}")

    def find(self, name: str, limit: int = 5) -> Sequence[Located]:
        """Know no place by its name."""
        return ()

    def close(self) -> None:
        """There is nothing to give back."""


class LaterClock:
    """A clock that is ahead, so that what the dead have claimed is due again."""

    ahead = timedelta()

    def now(self) -> datetime:
        """Give the moment."""
        return datetime.now(UTC) + self.ahead


def open_memory(database: str, *, clock: Clock | None = None, **settings: Any) -> Memory:
    """Open a store; without vectors unless the settings say otherwise."""
    overrides = {
        "database": database,
        "embedding.provider": "none",
        "embedding.worker": False,
        "recall.deadline_s": 600,
        **settings,
    }
    embedder = None
    if overrides["embedding.provider"] == "quick":
        overrides["embedding.provider"], embedder = "none", QuickEmbedder()
    if overrides.get("places.geocoder", "none") != "quick":
        overrides.setdefault("places.geocoder", "none")
        return Memory.open(settings=load_settings(environ={}, overrides=overrides), clock=clock, embedder=embedder)
    overrides["places.geocoder"] = "none"
    opened = Memory.open(settings=load_settings(environ={}, overrides=overrides), clock=clock, embedder=embedder)
    opened._engine = replace(opened._engine, geocoder=QuickGeocoder())
    vars(opened._engine.store)["_geocodes"] = True
    return opened


def vector_of(text: str) -> list[float]:
    """Make the vector that belongs to a text, the same in every process."""
    made: list[float] = np.random.default_rng(crc32(text.encode())).standard_normal(_DIMENSIONS).tolist()
    return made
