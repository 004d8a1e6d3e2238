"""What a place is worth in a score: how near something is, how much its place is like the one somebody is at."""

from dataclasses import replace

from recollect.model.places import PlacePart

_ANSWERED_HERE = 0.75  # as much of the best content is here where the place decides
_ANSWERED_ELSEWHERE = 0.65  # and where it holds nothing against what is elsewhere
_LIKE_AT_LEAST = 0.5  # names of places that have nothing in common are this much alike: most name a country


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


def mercy(here: float) -> float:
    """Say how little being elsewhere counts against anything, from how much of the best content is here: 1, not at all.

    Where something here answers about as well as the best, the place decides. Otherwise the question has hardly
    anything to do with it.
    """
    return min(1.0, max(0.0, (_ANSWERED_HERE - here) / (_ANSWERED_HERE - _ANSWERED_ELSEWHERE)))


def gentle(place: PlacePart, best: float, mercy_: float) -> PlacePart:
    """Let a place count as far as the content is as good as the best one, and with mercy for no less than the content.

    So what is here and says nothing to a question stays where it was, and the surer the content is of its best, the
    less a place can do.
    """
    fit = min(1.0, place.content / best) if best > 0 else 1.0
    least = mercy_ * place.content
    return replace(place, geo=max(place.geo * fit, least), fit=fit, least=least)


def blended(one: PlacePart) -> float:
    """Give the score."""
    return (1.0 - one.weight) * one.content + one.weight * one.geo
