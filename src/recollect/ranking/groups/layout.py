"""Where to draw groups: alike ones near each other, none over another, in a square from 0 to 1."""

from typing import Final

import numpy as np

from recollect.model.memories import Vector

_COVERED: Final = 0.35  # share of the square that circles take
_ROUNDS: Final = 300
_PULL: Final = 0.02
_GAP: Final = 1.08
_TINY: Final = 1e-6


def place_circles(means: Vector, sizes: Vector) -> tuple[Vector, Vector]:
    """Give the centres and radii of circles whose areas stand for sizes.

    They start on the two principal axes of their means, and are pushed apart until none covers another.
    """
    radii = np.sqrt(sizes / max(float(sizes.sum()), _TINY) * _COVERED / np.pi).astype(np.float32)
    places = _principal_axes(means)
    home = places.copy()
    for _ in range(_ROUNDS):
        apart = places[:, None] - places[None]
        distances = np.maximum(np.linalg.norm(apart, axis=2), _TINY)
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
    places += _TINY * np.stack([np.cos(turns), np.sin(turns)], axis=1) * np.sqrt(np.arange(1, len(means) + 1))[:, None]
    widest = max(float(np.abs(places).max()), _TINY)
    return (places / widest / 2 + 0.5).astype(np.float32)


def _fitted(places: Vector, radii: Vector) -> tuple[Vector, Vector]:
    """Shrink and move everything into the square; one scale for both axes keeps circles round."""
    low = (places - radii[:, None]).min(axis=0)
    high = (places + radii[:, None]).max(axis=0)
    scale = min(1.0, 1.0 / max(float((high - low).max()), _TINY))
    margin = (1.0 - (high - low) * scale) / 2
    return ((places - low) * scale + margin).astype(np.float32), (radii * scale).astype(np.float32)
