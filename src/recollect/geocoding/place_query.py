"""Parses the name of a place: `Brno`, `Paris, Texas`, `Springfield IL`, `Modřice near Brno, Czechia`."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from recollect.geocoding.names import fold
from recollect.geocoding.tables import Country, Record

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
