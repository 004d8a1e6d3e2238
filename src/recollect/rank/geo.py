"""What a place is worth in a score: how near something is, how much its place is like the one somebody is at."""

from recollect.places import PlacePart

_LIKE_AT_LEAST = 0.25  # names that have nothing in common are still this much alike


def nearness(distance_km: float, scale_km: float) -> float:
    """Give 1 for what is here, and half as much for every further `scale_km`."""
    return float(0.5 ** (distance_km / scale_km))


def likeness(cosine: float) -> float:
    """Give how much two places are alike, from the cosine of their names; 0 for what is no more alike than any two."""
    return min(1.0, max(0.0, (cosine - _LIKE_AT_LEAST) / (1.0 - _LIKE_AT_LEAST)))


def part(content: float, weight: float, distance_km: float | None, near: float | None, like: float | None) -> PlacePart:
    """Put together what a place does to a score: whichever of nearness and likeness says more counts."""
    geo = max(value for value in (near, like, 0.0) if value is not None)
    return PlacePart(weight, content, geo, distance_km, near, like)


def blended(one: PlacePart) -> float:
    """Give the score."""
    return (1.0 - one.weight) * one.content + one.weight * one.geo
