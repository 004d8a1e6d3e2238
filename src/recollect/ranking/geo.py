"""Place factor of a score: how near an item is, and how much its place is like the one the user is at."""

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


def place_part(
    content: float, weight: float, distance_km: float | None, near: float | None, like: float | None
) -> PlacePart:
    """Put together what a place does to a score: whichever of nearness and likeness says more counts."""
    geo = max(value for value in (near, like, 0.0) if value is not None)
    return PlacePart(weight, content, geo, distance_km, near, like)


def elsewhere_floor(here: float) -> float:
    """Give the share of its content score that a row elsewhere keeps, from the share of the best content that is here.

    Where something here answers about as well as the best, the place decides; otherwise the question is about another.
    """
    return min(1.0, max(0.0, (_ANSWERED_HERE - here) / (_ANSWERED_HERE - _ANSWERED_ELSEWHERE)))


def scale_by_content(place: PlacePart, best: float, floor: float) -> PlacePart:
    """Scale a place's score by how good the content is against the best, but not below the floor for rows elsewhere.

    So what is here and says nothing to a question stays where it was.
    """
    content_ratio = min(1.0, place.content / best) if best > 0 else 1.0
    least = floor * place.content
    return replace(place, geo=max(place.geo * content_ratio, least), fit=content_ratio, least=least)


def blend(place: PlacePart) -> float:
    """Give the weighted sum of content and place."""
    return (1.0 - place.weight) * place.content + place.weight * place.geo
