"""Made-up memories: short sentences from everyday words, and vectors that lie like those of real sentences.

The vectors share a mean, their directions are unequally used, and every text has a score of near relatives, as in the
spaces of real encoders. The same seed gives the same data.
"""

import random
from collections.abc import Sequence

import numpy as np

from recollect.model.memories import Vector

DIMENSIONS = 384


def _words(text: str) -> list[str]:
    return text.split()


_WHO = _words("Anna Ben Clara David Eva Filip Greta Hugo Iva Jan Klara Leo Mia Noah Olga Petr Quinn Rosa Sam Tereza")
_DOES = _words("likes prefers bought repaired decided on visited sold painted borrowed ordered returned planned")
_WHICH = _words("old new red blue small large quiet fast cheap second round wooden electric Italian green spare")
_WHAT = _words("bicycle lamp recipe train flat garden laptop thermostat guitar jacket printer kayak oven ladder sofa")
_WHERE = _words("kitchen garage office cellar attic Prague Brno Berlin Kyiv Vienna library station market school")
_WHEN = _words("spring summer autumn winter January March May July October Monday Friday Sunday weekends nights")


def sentences(amount: int, seed: int = 1) -> list[str]:
    """Make distinct short statements of about fifteen words."""
    rng = random.Random(seed)
    made: dict[str, None] = {}
    while len(made) < amount:
        made[
            f"{rng.choice(_WHO)} {rng.choice(_DOES)} the {rng.choice(_WHICH)} {rng.choice(_WHAT)} near the "
            f"{rng.choice(_WHERE)} in {rng.choice(_WHEN)}, together with {rng.choice(_WHO)} and a {rng.choice(_WHAT)}"
        ] = None
    return list(made)


def vectors(amount: int, seed: int = 1) -> Vector:
    """Make unit vectors with about twenty relatives each."""
    rng, world = np.random.default_rng(seed), np.random.default_rng(0)
    spread = (np.arange(DIMENSIONS) + 6.0) ** -0.575
    spread /= np.linalg.norm(spread)
    rotation, _ = np.linalg.qr(world.standard_normal((DIMENSIONS, DIMENSIONS)))
    topics = world.standard_normal((5_000, DIMENSIONS)) * spread
    own = rng.standard_normal((amount, DIMENSIONS)) * spread
    mixed = 0.65 * own + 0.76 * topics[rng.integers(len(topics), size=amount)]
    placed = mixed @ rotation.T + 0.3 * rotation[:, 0]
    units: Vector = (placed / np.linalg.norm(placed, axis=1, keepdims=True)).astype(np.float32)
    return units


def questions(amount: int, seed: int = 2) -> tuple[Sequence[str], Vector]:
    """Make questions about such memories, with vectors of the same kind."""
    rng = random.Random(seed)
    asked = [f"where is the {rng.choice(_WHICH)} {rng.choice(_WHAT)} of {rng.choice(_WHO)}?" for _ in range(amount)]
    return asked, vectors(amount, seed)
