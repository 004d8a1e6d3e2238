"""Points on the globe, and which of them are in a circle, by another formula than the package uses."""

import math
import random
from collections.abc import Sequence

from recollect.model.geo import EARTH_KM, Circle, Point

# Where circles are difficult: at poles, on the meridian where longitudes begin again, at both at once, and where they
# are not.
CENTRES = (
    Point(90.0, 0.0),
    Point(-90.0, 77.0),
    Point(89.9, -179.9),
    Point(0.0, 180.0),
    Point(-17.5, -180.0),
    Point(65.0, 179.99),
    Point(51.5, 0.0),
    Point(49.1951, 16.6068),
    Point(-89.2, 12.0),
    Point(0.0, 0.0),
)
_CLOSE_KM = 1e-6


def destination(start: Point, bearing: float, distance_km: float) -> Point:
    """Give the point that is reached by going straight on."""
    lat, angle = math.radians(start.lat), distance_km / EARTH_KM
    there = math.asin(
        max(-1.0, min(1.0, math.sin(lat) * math.cos(angle) + math.cos(lat) * math.sin(angle) * math.cos(bearing)))
    )
    turn = math.atan2(
        math.sin(bearing) * math.sin(angle) * math.cos(lat), math.cos(angle) - math.sin(lat) * math.sin(there)
    )
    lng = (start.lng + math.degrees(turn) + 540.0) % 360.0 - 180.0
    return Point(max(-90.0, min(90.0, math.degrees(there))), lng)


def scattered(amount: int, chance: random.Random) -> list[Point]:
    """Give points: most around the difficult centres, in every direction, near and far; some anywhere."""
    points = [*CENTRES, Point(0.0, -180.0), Point(90.0, 180.0), Point(-17.5, 180.0)]
    while len(points) < amount:
        if chance.random() < 0.1:
            points.append(Point(chance.uniform(-90, 90), chance.uniform(-180, 180)))
        else:
            distance = 10 ** chance.uniform(-2, 2.4)
            points.append(destination(chance.choice(CENTRES), chance.uniform(0, 2 * math.pi), distance))
    return points[:amount]


def circles(amount: int, chance: random.Random, most_km: float = 100.0) -> list[Circle]:
    """Give circles around the difficult centres, or near them."""
    found = []
    for number in range(amount):
        centre = CENTRES[number % len(CENTRES)]
        if chance.random() < 0.5:
            centre = destination(centre, chance.uniform(0, 2 * math.pi), 10 ** chance.uniform(-1, 2))
        found.append(Circle(*centre, min(most_km, max(0.1, 10 ** chance.uniform(-1, math.log10(most_km) + 0.2)))))
    return found


def apart_km(one: Point, other: Point) -> float:
    """Give a distance by way of vectors, which know of no meridians and no poles."""
    a, b = _vector(one), _vector(other)
    cross = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    return EARTH_KM * math.atan2(math.hypot(*cross), sum(x * y for x, y in zip(a, b, strict=True)))


def _vector(point: Point) -> tuple[float, float, float]:
    lat, lng = math.radians(point.lat), math.radians(point.lng)
    return math.cos(lat) * math.cos(lng), math.cos(lat) * math.sin(lng), math.sin(lat)


def insist_inside(points: Sequence[Point], circle: Circle, found: set[int]) -> None:
    """Insist that just the points inside were found: by the package's formula exactly, by ours up to a millimetre."""
    assert found == {number for number, point in enumerate(points) if circle.holds(*point)}
    for number, point in enumerate(points):
        apart = apart_km(Point(circle.lat, circle.lng), point)
        if abs(apart - circle.radius_km) > _CLOSE_KM:
            assert (number in found) == (apart < circle.radius_km), (circle, point, apart)
