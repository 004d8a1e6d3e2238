"""Places: what one does to a score, by how near it is and how much it is like the one the user is at; and the places at
which a user's memories cluster: sightings that lie close together are one place.

The invariant: the order of sightings changes nothing, and no place is larger than a cell with those around it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from operator import itemgetter
from typing import Final, NamedTuple

from recollect.model.geo import EARTH_KM, Grid, Point, distance_km
from recollect.model.places import NamedPlace, PlacePart, PlaceSummary, Sighting

_ANSWERED_HERE = 0.75  # as much of the best content is here where the place decides
_ANSWERED_ELSEWHERE = 0.65  # and where it holds nothing against what is elsewhere
_LIKE_AT_LEAST = 0.5  # names of places that have nothing in common are this much alike: most name a country
_GRID: Final = Grid(0.005)  # cells of about half a kilometre
_NAMED_KM: Final = 0.5  # how far from a place that has a name something may be and still be there
_NAMED_GRID: Final = Grid(0.01)  # of which half a cell is more than that


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


class _PlaceCluster(NamedTuple):
    sightings: Sequence[Sighting]
    name: NamedPlace | None = None


def summarize(
    sightings: Iterable[Sighting], named: Sequence[NamedPlace], limit: int, zone: tzinfo
) -> tuple[PlaceSummary, ...]:
    """Give the places where most was, those with most of it first. A place that only has a name is none of them."""
    ranked = sorted(((_rank(cluster), cluster) for cluster in _clusters(sightings, named)), key=itemgetter(0))
    last = ranked[limit - 1][0] if limit <= len(ranked) else None
    # Few of many are shown, so that only those and their equals, which go by name, are summed up.
    found = [_summary(cluster, zone) for rank, cluster in ranked if last is None or rank <= last]
    found.sort(key=lambda place: (-place.memories - place.messages, -place.last_visit.timestamp(), place.name))
    return tuple(found[:limit])


def _rank(cluster: _PlaceCluster) -> tuple[int, float]:
    return -len(cluster.sightings), -max(sighting.moment for sighting in cluster.sightings).timestamp()


def _clusters(sightings: Iterable[Sighting], named: Sequence[NamedPlace]) -> list[_PlaceCluster]:
    """Put together what is at a place with a name, and of the rest what lies in cells that touch."""
    at_name = defaultdict[int, list[Sighting]](list)
    cells = defaultdict[tuple[int, int], list[Sighting]](list)
    names = _by_cell(named)
    for sighting in sightings:
        name = _closest(sighting, names) if names else None
        if name is None:
            cells[_GRID.cell(sighting.lat, sighting.lng)].append(sighting)
        else:
            at_name[name].append(sighting)
    own = [_PlaceCluster(group, named[number]) for number, group in at_name.items()]
    return [*own, *(_PlaceCluster(group) for group in _joined(cells))]


def _by_cell(named: Sequence[NamedPlace]) -> Mapping[tuple[int, int], list[tuple[int, NamedPlace]]]:
    """Give the places with a name, and their numbers, by all the cells in which something may be that is there."""
    cells = defaultdict[tuple[int, int], list[tuple[int, NamedPlace]]](list)
    for number, place in enumerate(named):
        own = _NAMED_GRID.cell(place.lat, place.lng)
        for cell in (own, *_NAMED_GRID.around(*own)):
            cells[cell].append((number, place))
    return cells


def _closest(sighting: Sighting, names: Mapping[tuple[int, int], list[tuple[int, NamedPlace]]]) -> int | None:
    there = names.get(_NAMED_GRID.cell(sighting.lat, sighting.lng), ())
    apart = [(distance_km(sighting.lat, sighting.lng, place.lat, place.lng), number) for number, place in there]
    nearest = min(apart, default=(EARTH_KM, 0))
    return nearest[1] if nearest[0] <= _NAMED_KM else None


def _joined(cells: Mapping[tuple[int, int], list[Sighting]]) -> Iterable[list[Sighting]]:
    """Let each cell, that with most in it first, take along those that touch it: a city is many places."""
    left = dict(cells)
    for start in sorted(cells, key=lambda cell: (-len(cells[cell]), cell)):
        group = left.pop(start, [])
        if not group:
            continue
        for cell in _GRID.around(*start):
            group = group + left.pop(cell, [])
        yield group


def _middle(group: Sequence[Sighting]) -> Point:
    """Give the sighting that is nearest to the mean of all; a mean alone may lie in a river."""
    first = group[0]
    lat = sum(sighting.lat for sighting in group) / len(group)
    lng = first.lng + sum((sighting.lng - first.lng + 180) % 360 - 180 for sighting in group) / len(group)
    spots = Counter((sighting.lat, sighting.lng) for sighting in group)
    return Point(*min(spots, key=lambda spot: (distance_km(lat, lng, *spot), spot)))


def _summary(cluster: _PlaceCluster, zone: tzinfo) -> PlaceSummary:
    name = cluster.name
    group = sorted(cluster.sightings, key=lambda seen: (seen.moment, seen))  # so that equals come in one order
    lat, lng = Point(name.lat, name.lng) if name else _middle(group)
    labels = [label for label, _ in Counter(seen.place_label for seen in group if seen.place_label).most_common()]
    addresses = Counter(sighting.address for sighting in group if sighting.address).most_common(1)
    address = name.address if name and name.address else next((text for text, _ in addresses), "")
    moments = [sighting.moment for sighting in group]
    return PlaceSummary(
        name=name.name if name else next(iter(labels), address) or f"{lat:.4f},{lng:.4f}",
        lat=lat,
        lng=lng,
        address=address,
        labels=tuple(labels),
        memories=sum(sighting.kind == "memory" for sighting in group),
        messages=sum(sighting.kind == "message" for sighting in group),
        visits=len({moment.astimezone(zone).date() for moment in moments}),
        first_visit=min(moments),
        last_visit=max(moments),
        radius_km=round(max(distance_km(lat, lng, sighting.lat, sighting.lng) for sighting in group), 3),
        named=name is not None,
    )
