"""All places as arrays: in memory, or in files that are mapped into it and read only where a question looks.

The invariant: rows are in order of population, the largest first, then of id. So of equals the first is meant, and the
large places are the first rows.
"""

import hashlib
import json
import os
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate, chain
from mmap import mmap
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

FORMAT: Final = 1  # of the files; raise it when their content or the regions change

_ABOUT: Final = "about.json"
_ARRAYS: Final = ("vectors", "coordinates", "numbers", "offsets", "records", "keys", "rows")
_BETWEEN: Final = "\x1f"  # the parts of a record

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.int64]

# Letters that Unicode does not take apart and people do.
_PLAIN: Final = {
    "ø": "o",
    "ł": "l",
    "đ": "d",
    "ð": "d",
    "ħ": "h",
    "\N{LATIN SMALL LETTER DOTLESS I}": "i",
    "æ": "ae",
    "œ": "oe",
    "þ": "th",
}


class _Letters(dict[int, str | None]):
    """What becomes of each letter, found out when it is first seen."""

    def __missing__(self, code: int) -> str | None:
        letter = chr(code)
        if unicodedata.combining(letter):
            kept = None
        elif letter.isalnum() or unicodedata.category(letter).startswith("M"):  # the vowels of some scripts are marks
            kept = _PLAIN.get(letter, letter)
        else:
            kept = " "
        self[code] = kept
        return kept


_LETTERS: Final = _Letters()


def fold(name: str) -> str:
    """Give a name by its letters and digits: in lower case, without accents, its words one space apart."""
    low = name.casefold()
    if low.isascii():
        return low if low.isalnum() else " ".join(low.translate(_LETTERS).split())
    apart = unicodedata.normalize("NFKD", low)
    return " ".join(apart.translate(_LETTERS).split())


def key(folded: str) -> int:
    """Give the number under which a folded name is found."""
    return int.from_bytes(hashlib.blake2b(folded.encode("utf-8", "replace"), digest_size=8).digest(), "little")


class Settlement(NamedTuple):
    """A place with a name, as a gazetteer lists it."""

    id: int
    name: str
    lat: float
    lng: float
    country_code: str = ""
    region: str = ""
    timezone: str = ""
    population: int = 0
    region_code: str = ""
    other_names: tuple[str, ...] = ()


class Country(NamedTuple):
    """A country by its English name; `code` is the one of three letters."""

    name: str
    code: str = ""


class Record(NamedTuple):
    """What is written about a place, beside its numbers."""

    name: str
    region: str
    region_code: str
    country_code: str
    timezone: str


class DamagedTables(Exception):
    """A folder does not hold what it should."""


@dataclass(frozen=True, slots=True)
class Tables:
    """All that is known of all places.

    `vectors` are the x, y and z of each place on a globe of radius 1, `coordinates` latitudes and longitudes, `numbers`
    ids and populations; record i is what lies in `records` from `offsets[i]` to the next. `keys` are those of all
    names, in order, and `rows` the place that each belongs to. `mapped` are the files that arrays lie in, if they do.
    """

    vectors: Floats
    coordinates: Floats
    numbers: Numbers
    offsets: Numbers
    records: NDArray[np.uint8]
    keys: NDArray[np.uint64]
    rows: NDArray[np.uint32]
    countries: Mapping[str, Country]
    mapped: tuple[mmap, ...] = ()

    @property
    def count(self) -> int:
        """How many places there are."""
        return len(self.offsets) - 1

    @property
    def whole(self) -> bool:
        """Whether no file was cut short since it was mapped: reading what is missing would end the process."""
        return all(file.size() >= len(file) for file in self.mapped)

    def record(self, row: int) -> Record:
        """Give what is written about a place."""
        written = self.records[int(self.offsets[row]) : int(self.offsets[row + 1])].tobytes()
        return Record(*written.decode("utf-8", "replace").split(_BETWEEN))

    def named(self, folded: str) -> list[int]:
        """Give the rows of all places that have this name among theirs, in order."""
        sought = np.uint64(key(folded))
        first = int(np.searchsorted(self.keys, sought, "left"))
        last = int(np.searchsorted(self.keys, sought, "right"))
        return sorted(map(int, self.rows[first:last]))

    def save(self, folder: Path) -> None:
        """Write everything into a folder that is there, so that it is on the disk when this returns."""
        for name in _ARRAYS:
            with (folder / f"{name}.npy").open("wb") as file:
                np.save(file, getattr(self, name), allow_pickle=False)
                _settle(file)
        sizes = {name: (folder / f"{name}.npy").stat().st_size for name in _ARRAYS}
        with (folder / _ABOUT).open("wb") as file:
            file.write(json.dumps({"format": FORMAT, "sizes": sizes, "countries": self.countries}).encode())
            _settle(file)


def compiled(settlements: Iterable[Settlement], countries: Mapping[str, Country]) -> Tables:
    """Make the tables of these places."""
    places = sorted(settlements, key=lambda place: (-place.population, place.id))
    written = [
        _BETWEEN.join(map(_plain, (p.name, p.region, p.region_code, p.country_code, p.timezone))).encode(
            "utf-8", "replace"
        )
        for p in places
    ]
    keys_of = [{key(fold(name)) for name in (place.name, *place.other_names)} for place in places]
    keys = np.fromiter(chain.from_iterable(keys_of), np.uint64)
    counts = np.fromiter(map(len, keys_of), np.intp, len(places))
    rows = np.repeat(np.arange(len(places), dtype=np.uint32), counts)
    order = np.lexsort((rows, keys))
    coordinates = np.array([(p.lat, p.lng) for p in places], np.float64).reshape(-1, 2).T.copy()
    lat, lng = np.radians(coordinates)
    return Tables(
        vectors=np.stack([np.cos(lat) * np.cos(lng), np.cos(lat) * np.sin(lng), np.sin(lat)]),
        coordinates=coordinates,
        numbers=np.array([(p.id, p.population) for p in places], np.int64).reshape(-1, 2).T.copy(),
        offsets=np.fromiter(accumulate(map(len, written), initial=0), np.int64, len(written) + 1),
        records=np.frombuffer(b"".join(written), np.uint8),
        keys=keys[order],
        rows=rows[order],
        countries=countries,
    )


def load(folder: Path) -> Tables:
    """Map what lies in a folder. Raises DamagedTables when it is not all there."""
    try:
        about = json.loads((folder / _ABOUT).read_bytes())
        sizes = {name: (folder / f"{name}.npy").stat().st_size for name in _ARRAYS}
        if about["format"] != FORMAT or about["sizes"] != sizes:
            raise DamagedTables(f"{folder} does not hold the tables of format {FORMAT}.")
        countries = {code: Country(*said) for code, said in about["countries"].items()}
        arrays: dict[str, NDArray[Any]]
        arrays = {name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in _ARRAYS}
        bases: list[object] = [array.base for array in arrays.values()]
        mapped = tuple(base for base in bases if isinstance(base, mmap))
        plain = {name: np.asarray(array).view(np.ndarray) for name, array in arrays.items()}
        return Tables(**plain, countries=countries, mapped=mapped)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedTables(f"{folder} cannot be read: {error}") from error


def _plain(part: str) -> str:
    """Give a part of a record on one line, without what parts are told apart by."""
    if part.isprintable():
        return part
    return " ".join("".join(letter if letter.isprintable() else " " for letter in part).split())


def _settle(file: Any) -> None:  # noqa: ANN401 - any file that is open
    file.flush()
    os.fsync(file.fileno())
