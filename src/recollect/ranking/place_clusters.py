"""Which places there are: sightings that lie close together are one place.

The invariant: the order of sightings changes nothing, and no place is larger than a cell with those around it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from operator import itemgetter
from typing import Final, NamedTuple

from recollect.model.geo import EARTH_KM, Grid, Point, distance_km
from recollect.model.places import NamedPlace, PlaceSummary, Sighting

_GRID: Final = Grid(0.005)  # cells of about half a kilometre
_NAMED_KM: Final = 0.5  # how far from a place that has a name something may be and still be there
_NAMED_GRID: Final = Grid(0.01)  # of which half a cell is more than that


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
