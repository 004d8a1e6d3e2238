"""Geometry on the globe: haversine distances, circles and their bounding boxes, and grids that coordinates round to.

Both stores agree on it: a row is inside a circle when its `half_chord` is at most the circle's.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

EARTH_KM = 6371.0088  # the mean radius
KM_PER_DEGREE = EARTH_KM * math.pi / 180
_POLE = 90.0
_END = 180.0  # of the longitudes, where they begin again
_ROUNDING = 1e-9  # degrees by which a box is larger than need be, so that no rounding leaves a row out of it
_BESIDE = 0.75  # of a cell: more than half, as rows nearer to a pole are narrower than they are in their middle


class Point(NamedTuple):
    """A place on the globe, in degrees."""

    lat: float
    lng: float


class Box(NamedTuple):
    """A bounding box between two parallels and two meridians; `west` is never east of `east`."""

    south: float
    north: float
    west: float
    east: float


@dataclass(frozen=True, slots=True)
class Circle:
    """All points within a distance of one."""

    lat: float
    lng: float
    radius_km: float

    @property
    def half_chord(self) -> float:
        """The square of half the chord that the radius spans, on a globe of radius 1: what stores compare."""
        return math.sin(min(self.radius_km / (2 * EARTH_KM), math.pi / 2)) ** 2

    def boxes(self) -> tuple[Box, ...]:
        """Return one or two boxes that hold the circle: two where it crosses the antimeridian."""
        reach = math.degrees(self.radius_km / EARTH_KM) + _ROUNDING
        south, north = max(-_POLE, self.lat - reach), min(_POLE, self.lat + reach)
        if self.lat + reach >= _POLE or self.lat - reach <= -_POLE:  # around a pole lies every meridian
            return (Box(south, north, -_END, _END),)
        # the arc sine of sin(reach) / cos(lat), written so that it loses nothing where the two are nearly the same
        depth = math.cos(math.radians(self.lat + reach)) * math.cos(math.radians(self.lat - reach))
        half = math.degrees(math.atan2(math.sin(math.radians(reach)), math.sqrt(depth))) + _ROUNDING
        west, east = self.lng - half, self.lng + half
        if west < -_END:
            return (Box(south, north, -_END, east), Box(south, north, west + 2 * _END, _END))
        if east > _END:
            return (Box(south, north, west, _END), Box(south, north, -_END, east - 2 * _END))
        return (Box(south, north, west, east),)

    def holds(self, lat: float, lng: float) -> bool:
        """Tell whether a point is inside."""
        return half_chord(self.lat, self.lng, lat, lng) <= self.half_chord


def half_chord(lat: float, lng: float, other_lat: float, other_lng: float) -> float:
    """Return the haversine of two points: the square of half the chord between them, on a globe of radius 1."""
    across = math.sin(math.radians(other_lat - lat) / 2)
    along = math.sin(math.radians(other_lng - lng) / 2)
    chord = across * across + math.cos(math.radians(lat)) * math.cos(math.radians(other_lat)) * along * along
    return min(1.0, chord)  # on the other side of the globe rounding may have it above


def distance_km(lat: float, lng: float, other_lat: float, other_lng: float) -> float:
    """Return the great-circle distance of two points."""
    return 2 * EARTH_KM * math.asin(math.sqrt(half_chord(lat, lng, other_lat, other_lng)))


class Grid(NamedTuple):
    """A grid of cells of about equal size: rows of `step` degrees, with fewer cells near the poles."""

    step: float

    def cell(self, lat: float, lng: float) -> tuple[int, int]:
        """Return the row and the column of the cell that holds a point."""
        row = round(lat / self.step)
        return row, math.floor((lng + 180) / 360 * _columns(self.step, row)) % _columns(self.step, row)

    def centre(self, row: int, column: int) -> Point:
        """Return the centre of a cell."""
        lat = max(-_POLE, min(_POLE, row * self.step))
        decimals = max(1, 2 - math.floor(math.log10(self.step)))
        return Point(round(lat, decimals), round((column + 0.5) * 360 / _columns(self.step, row) - 180, decimals))

    def rounded(self, lat: float, lng: float) -> Point:
        """Round a point to the centre of its cell."""
        return self.centre(*self.cell(lat, lng))

    def around(self, row: int, column: int) -> Iterator[tuple[int, int]]:
        """Return the neighbours of a cell: those less than three quarters of a cell away.

        A point less than half a step away from a point in the cell is in it or in one of these.
        """
        columns = _columns(self.step, row)
        for other in (row - 1, row, row + 1):
            if abs(other) <= round(_POLE / self.step):
                there = _columns(self.step, other)
                first = math.floor((column - _BESIDE) * there / columns)
                last = math.floor((column + 1 + _BESIDE) * there / columns)
                for at in range(first, min(last + 1, first + there)):
                    if other != row or at % there != column:
                        yield other, at % there


@lru_cache(maxsize=65_536)
def _columns(step: float, row: int) -> int:
    return max(1, math.floor(360 * max(0.0, math.cos(math.radians(row * step))) / step))


# From about a hundred metres: the precisions at which places are stored and geocoded.
STREET = Grid(0.001)
DISTRICT = Grid(0.01)
CITY = Grid(0.1)
