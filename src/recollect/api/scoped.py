"""What all verbs of a user have in common: the engine, the scope, and filters."""

from collections.abc import Sequence
from os import PathLike, fspath
from typing import Any

from recollect import ids
from recollect.engine.base.context import Engine
from recollect.engine.drafts import memory_drafts
from recollect.engine.files import file_chunks
from recollect.errors import InvalidInput, NotFound
from recollect.model.literals import MEMORY_TYPES
from recollect.model.memories import FilterFields, Filters, Scope
from recollect.model.places import Location, LocationLike, LocationMode, SearchLocation
from recollect.text.clean import clean

MAX_PAGE = 1_000
_LONGEST_PATH = 1_000  # bytes; more does not fit into an index


class Scoped:
    """One user's part of an open store."""

    def __init__(self, engine: Engine, scope: Scope) -> None:
        self._engine = engine
        self._scope = scope

    @property
    def user_id(self) -> str:
        """Whose memories these are."""
        return self._scope.user_id

    def _filters(self, filters: FilterFields) -> Filters:
        given: dict[str, Any] = {name: value for name, value in filters.items() if value is not None}
        types = types_of(given.pop("type", ()))
        for name in ("since", "until", "as_of"):
            if name in given:
                given[name] = memory_drafts.utc(given[name], name)
        for name in ("subject", "key", "context", "session"):
            if name in given:
                given[name] = clean(given[name])  # as the field was when it was stored
        if "min_importance" in given:
            memory_drafts.check_share("min_importance", given["min_importance"])
        try:
            return Filters(now=self._engine.clock.now(), types=types, **given)
        except TypeError as error:
            known = ", ".join(sorted(FilterFields.__annotations__))
            raise InvalidInput(f"{error}. The filters are: {known}.") from error


def as_location(given: LocationLike) -> Location:
    """Give a location for what stands for one: coordinates, or a name."""
    if isinstance(given, Location):
        return given
    if isinstance(given, str):
        return Location(place_label=given)
    try:
        lat, lng = given
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"The location is {given!r}; it must be a pair of lat and lng, a name, or a Location."
        ) from error
    return Location(lat, lng)


def whereabouts(
    location: LocationLike | None, radius_km: float | None, weight: float | None, mode: LocationMode
) -> SearchLocation | None:
    """Put together where somebody is while asking. Raises InvalidInput for a radius around nothing."""
    if location is not None:
        return SearchLocation(as_location(location), radius_km, weight, mode)
    if radius_km is not None:
        raise InvalidInput("A radius needs a location. Give lat and lng, or the name of a place.")
    return None


def canonical(id: str, noun: str = "memory") -> str:
    """Give an id as it is kept. Raises NotFound for what cannot be one."""
    known = ids.canonical(id)
    if known is None:
        advice = " See what there is with `list`." if noun == "memory" else ""
        raise NotFound(f"No {noun} {id!r}: that is not an id.{advice}")
    return known


def noted_path(path: str | PathLike[str]) -> str:
    """Insist on a path that can be noted. Raises InvalidInput."""
    told = fspath(path)
    if not told or file_chunks.storable(told) != told or len(told.encode()) > _LONGEST_PATH:
        raise InvalidInput(f"{told!a} is no path that can be noted. Name a folder whose name is text.")
    return told


def types_of(wanted: object) -> tuple[Any, ...]:
    """Insist on types of memories, one or several."""
    types = (wanted,) if isinstance(wanted, str) else tuple(wanted) if isinstance(wanted, Sequence) else (wanted,)
    for name in types:
        if name not in MEMORY_TYPES:
            raise InvalidInput(f"Unknown memory type {name!r}. Known types: {', '.join(MEMORY_TYPES)}.")
    return types


def check_limit(limit: int) -> int:
    """Insist on a number of items that one answer can hold."""
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_PAGE:
        raise InvalidInput(f"limit is {limit}; it must be from 1 to {MAX_PAGE}.")
    return limit
