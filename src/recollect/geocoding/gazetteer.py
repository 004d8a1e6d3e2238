"""Which named place is nearest, and where the places of a name are: by a table of all of them, exactly.

The nearest is sought among all places by the angle between directions, so that nothing is special about poles and the
meridian at which longitudes begin.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np

from recollect.geocoding.tables import Country, Floats, Record, Tables, fold
from recollect.model.geo import EARTH_KM, distance_km, half_chord
from recollect.model.places import LONGEST_ADDRESS, Located

FARTHEST_KM: Final = 300.0  # what is farther from all places is at none: oceans, ice, the middle of deserts
NAMED_KM: Final = 50.0  # what is farther from a place is called by its region and country only
NEAR_KM: Final = 15.0  # how far a small place may be from the large one that it is said to be near
NEAR_PEOPLE: Final = 15_000
NEAR_TIMES: Final = 15  # how many times as large that one is

_ROUNDING: Final = 1e-14  # of a cosine: who is within this of the nearest may be nearer
_MOST_READ: Final = 1_000  # places of one name that are looked at
_MOST_WORDS: Final = 3  # of a country or region that follows a name without a comma
_LEAST_LETTERS: Final = 4  # of the beginning of a region's name that stands for all of it
_LONGEST: Final = 200  # characters; no place is called by more
# What people call countries, beside their names and codes.
_CALLED: Final = {
    "america": "US",
    "britain": "GB",
    "czech republic": "CZ",
    "great britain": "GB",
    "holland": "NL",
    "uk": "GB",
    "united states of america": "US",
}


class PlaceQuery(NamedTuple):
    """A name, folded, and the regions or countries that the place must be in, each."""

    name: str
    within: tuple[str, ...] = ()

    def fits(self, record: Record, country: Country | None) -> bool:
        """Tell whether a place is in all of them."""
        return all(_is_in(where, record, country or Country("")) for where in self.within)


def asked(text: str) -> Iterator[PlaceQuery]:
    """Give what a text may mean, the likeliest first."""
    head, *rest = [fold(part.partition(" near ")[0]) for part in text[:_LONGEST].split(",")]
    within = tuple(part for part in rest if part)
    if not head:
        return
    yield PlaceQuery(head, within)
    words = head.split()
    for count in range(1, min(_MOST_WORDS, len(words) - 1) + 1):
        yield PlaceQuery(" ".join(words[:-count]), (" ".join(words[-count:]), *within))


def _is_in(where: str, record: Record, country: Country) -> bool:
    if where in {fold(record.country_code), fold(country.name), fold(country.code), fold(record.region_code)}:
        return True
    if _CALLED.get(where) == record.country_code:
        return True
    region = fold(record.region)
    return bool(region) and (
        where == region or where.startswith(f"{region} ") or (len(where) >= _LEAST_LETTERS and region.startswith(where))
    )


class Gazetteer:
    """Knows places by a table of them. Threads may share one."""

    def __init__(self, tables: Tables) -> None:
        """Take tables as they are; nothing is read before the first lookup."""
        self._tables = tables
        self._large: int | None = None

    @property
    def whole(self) -> bool:
        """Whether its tables can still be read."""
        return self._tables.whole

    def reverse(self, lat: float, lng: float) -> Located | None:
        """Say where coordinates are, by the nearest place; None if that is farther than `FARTHEST_KM`.

        Of places that are equally near the one with most people is meant, then the one with the smallest id.
        """
        row = self._nearest(lat, lng)
        if row is None:
            return None
        away_km = distance_km(lat, lng, *self._coordinates(row))
        return self._located(row, away_km) if away_km <= FARTHEST_KM else None

    def find(self, name: str, limit: int = 5) -> tuple[Located, ...]:
        """Give the places of a name, or of a name in a region or country, those with most people first."""
        if limit < 1:
            return ()
        for question in asked(name):
            if rows := self._rows(question, limit):
                return tuple(self._located(row, 0.0) for row in rows)
        return ()

    def _nearest(self, lat: float, lng: float) -> int | None:
        if not self._tables.count or not math.isfinite(lat) or not math.isfinite(lng):
            return None
        cosines = self._cosines(lat, lng, self._tables.count)
        close = np.flatnonzero(cosines >= cosines.max() - _ROUNDING)
        return min(map(int, close), key=lambda row: (half_chord(lat, lng, *self._coordinates(row)), row))

    def _cosines(self, lat: float, lng: float, count: int) -> Floats:
        """Give the cosines of the angles to the first so many places."""
        phi, theta = math.radians(lat), math.radians(lng)
        towards = np.array([math.cos(phi) * math.cos(theta), math.cos(phi) * math.sin(theta), math.sin(phi)])
        # Not a product of matrices: the library that multiplies them starts threads, which wait for each other.
        cosines: Floats = np.einsum("i,ij->j", towards, self._tables.vectors[:, :count])
        return cosines

    def _coordinates(self, row: int) -> tuple[float, float]:
        lat, lng = self._tables.coordinates[:, row]
        return float(lat), float(lng)

    def _rows(self, question: PlaceQuery, limit: int) -> list[int]:
        named = self._tables.named(question.name)[:_MOST_READ]
        if not question.within:
            return named[:limit]
        found: list[int] = []
        for row in named:
            record = self._tables.record(row)
            if question.fits(record, self._tables.countries.get(record.country_code)):
                found.append(row)
                if len(found) == limit:
                    break
        return found

    def _located(self, row: int, away_km: float) -> Located:
        record = self._tables.record(row)
        country = self._tables.countries.get(record.country_code, Country("")).name
        lat, lng = self._coordinates(row)
        return Located(
            lat=lat,
            lng=lng,
            name=record.name,
            region=record.region,
            country=country,
            country_code=record.country_code,
            timezone=record.timezone,
            address=self._address(row, record, country, away_km),
            distance_km=away_km,
        )

    def _address(self, row: int, record: Record, country: str, away_km: float) -> str:
        around = [record.region, country]
        if away_km > NAMED_KM and any(around):
            return ", ".join(_unrepeated(around))[:LONGEST_ADDRESS]
        large = self._large_beside(row, record)
        parts = _unrepeated([record.name, large, *around])
        if large and parts[1:2] == [large]:
            parts[:2] = [f"{record.name} near {large}"]
        return ", ".join(parts)[:LONGEST_ADDRESS]

    def _large_beside(self, row: int, record: Record) -> str:
        """Give the name of the largest place of the same country that is near a small one and much larger, or ""."""
        people = int(self._tables.numbers[1, row])
        lat, lng = self._coordinates(row)
        if self._large is None:
            self._large = int(np.searchsorted(-self._tables.numbers[1], -NEAR_PEOPLE, "right"))
        cosines = self._cosines(lat, lng, min(row, self._large))
        for other in map(int, np.flatnonzero(cosines >= math.cos(NEAR_KM / EARTH_KM))):
            if int(self._tables.numbers[1, other]) < NEAR_TIMES * people:
                return ""
            found = self._tables.record(other)
            if found.country_code == record.country_code:
                return found.name
        return ""


def _unrepeated(parts: Iterable[str]) -> list[str]:
    """Give the parts that say something which none before them has said."""
    seen: set[str] = {""}
    kept = []
    for part in parts:
        folded = fold(part)
        if folded not in seen:
            kept.append(part)
            seen.add(folded)
    return kept
