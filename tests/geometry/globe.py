"""A second opinion about the globe, by unit vectors, and circles with points that are hard to judge.

The reference shares no formula with the code under test: an angle is the arc tangent of the cross product over the dot
product, which is exact for the smallest and the largest alike.
"""

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from recollect.model.geo import EARTH_KM, Box

Numbers: TypeAlias = npt.NDArray[np.float64]

HALF_ROUND_KM = math.pi * EARTH_KM
MARGIN = 1e-9  # of the radius: a point nearer to the rim than this is not judged
_NEAREST_EXPONENT = -13.0  # how near to a rim points are put, as a power of ten of the radius


@dataclass(frozen=True)
class Trials:
    """Circles, and one point to judge for each."""

    lat: Numbers
    lng: Numbers
    radius_km: Numbers
    point_lat: Numbers
    point_lng: Numbers

    @property
    def distance_km(self) -> Numbers:
        return distances_km(self.lat, self.lng, self.point_lat, self.point_lng)

    @property
    def margin_km(self) -> Numbers:
        """How near to the rim a point is not judged; more where a circle is nearly the globe, as its rim is a point."""
        angle = np.minimum(self.radius_km / EARTH_KM, math.pi)
        rounding = np.minimum(4e-16 / np.maximum(np.sin(angle), 1e-300), 4e-8) * EARTH_KM
        return np.maximum(MARGIN * self.radius_km, rounding)


def unit(lat: Numbers, lng: Numbers) -> Numbers:
    """Give points as unit vectors, one in each row."""
    north, east = np.radians(lat), np.radians(lng)
    return np.stack((np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)), axis=-1)


def distances_km(lat: Numbers, lng: Numbers, other_lat: Numbers, other_lng: Numbers) -> Numbers:
    """Give the distance of each point from the one at the same position."""
    here, there = unit(lat, lng), unit(other_lat, other_lng)
    across = np.linalg.norm(np.cross(here, there), axis=-1)
    angles: Numbers = np.arctan2(across, np.sum(here * there, axis=-1))
    return angles * EARTH_KM


def destinations(lat: Numbers, lng: Numbers, bearing: Numbers, distance_km: Numbers) -> tuple[Numbers, Numbers]:
    """Go from each point in a direction, along the surface, and say where that leads."""
    here = unit(lat, lng)
    north, east = np.radians(lat), np.radians(lng)
    to_east = np.stack((-np.sin(east), np.cos(east), np.zeros_like(east)), axis=-1)
    to_north = np.stack((-np.sin(north) * np.cos(east), -np.sin(north) * np.sin(east), np.cos(north)), axis=-1)
    ahead = np.sin(bearing)[:, None] * to_east + np.cos(bearing)[:, None] * to_north
    angle = (distance_km / EARTH_KM)[:, None]
    x, y, z = np.moveaxis(np.cos(angle) * here + np.sin(angle) * ahead, -1, 0)
    return np.degrees(np.arctan2(z, np.hypot(x, y))), np.degrees(np.arctan2(y, x))


def in_box(box: Box, lat: float, lng: float) -> bool:
    """Tell whether a place is in a box, as a store does it: by comparing numbers."""
    return box.south <= lat <= box.north and box.west <= lng <= box.east


def trials(seed: int, amount: int, lat: float, lng: float) -> Trials:
    """Make circles near a place, of all sizes, with points anywhere, inside, about the rim, and at odd places."""
    chance = np.random.default_rng(seed)
    lats = np.clip(lat + chance.choice([0.0, 0.0, 1e-9, 0.001, 1.0], amount) * chance.uniform(-1, 1, amount), -90, 90)
    lngs = np.clip(lng + chance.choice([0.0, 0.0, 1e-9, 0.001, 1.0], amount) * chance.uniform(-1, 1, amount), -180, 180)
    radii = _radii(chance, lats)
    near = _near_rim(chance, lats, lngs, radii)
    odd = _odd(chance, lats, lngs)
    anywhere = np.degrees(np.arcsin(chance.uniform(-1, 1, amount))), chance.uniform(-180, 180, amount)
    inside = destinations(lats, lngs, chance.uniform(0, 2 * math.pi, amount), radii * np.sqrt(chance.random(amount)))
    kind = chance.choice(4, amount, p=[0.5, 0.2, 0.1, 0.2])
    chosen = [np.choose(kind, sides) for sides in zip(near, odd, anywhere, inside, strict=True)]
    return Trials(lats, lngs, radii, *chosen)


def _radii(chance: np.random.Generator, lats: Numbers) -> Numbers:
    """From 100 m to half the way round, often what may be asked for, and often just up to a pole."""
    amount = len(lats)
    usual = 10 ** chance.uniform(-1, 2, amount)
    large = 10 ** chance.uniform(2, math.log10(HALF_ROUND_KM), amount)
    to_pole = np.radians(90 - np.abs(lats)) * EARTH_KM * (1 + _slightly(chance, amount))
    ends = chance.choice([0.1, 100.0, HALF_ROUND_KM], amount)
    kind = chance.choice(4, amount, p=[0.5, 0.25, 0.15, 0.1])
    chosen: Numbers = np.choose(kind, (usual, large, to_pole, ends))
    return np.clip(chosen, 0.1, HALF_ROUND_KM)


def _near_rim(chance: np.random.Generator, lats: Numbers, lngs: Numbers, radii: Numbers) -> tuple[Numbers, Numbers]:
    """Points a little within or without, half of them where the circle is widest: there a box is touched."""
    amount = len(lats)
    angle = np.minimum(radii / EARTH_KM, math.pi)
    widest = np.arccos(np.clip(np.tan(np.radians(lats)) * np.tan(angle), -1, 1))
    bearing = np.where(chance.random(amount) < 0.5, widest * chance.choice([-1, 1], amount),
                       chance.uniform(0, 2 * math.pi, amount))  # fmt: skip
    return destinations(lats, lngs, bearing, np.minimum(radii * (1 + _slightly(chance, amount)), HALF_ROUND_KM))


def _odd(chance: np.random.Generator, lats: Numbers, lngs: Numbers) -> tuple[Numbers, Numbers]:
    """Poles, the ends of the longitudes, the same parallel or meridian, the other side of the globe."""
    amount = len(lats)
    kind = chance.integers(5, size=amount)
    zero = np.zeros(amount)
    at = np.choose(kind, (zero + 90, zero - 90, lats, lats, -lats))
    other_side = np.where(lngs > 0, lngs - 180, lngs + 180)
    return at, np.choose(kind, (lngs, -lngs, zero + chance.choice([-180.0, 180.0], amount), -lngs, other_side))


def _slightly(chance: np.random.Generator, amount: int) -> Numbers:
    """Parts of a radius, from a tenth down to less than can be told."""
    parts: Numbers = chance.choice([-1, 1], amount) * 10 ** chance.uniform(_NEAREST_EXPONENT, -1, amount)
    return parts
