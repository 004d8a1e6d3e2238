"""What every namespace of a user shares: the engine, the scope, and checks of arguments."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from recollect import ids
from recollect.errors import InvalidInput, InvalidMemory, NotFound
from recollect.model.filters import Filters
from recollect.model.kinds import FilterFields
from recollect.model.literals import MEMORY_TYPES, TYPE_ALIASES
from recollect.model.memories import NewMemory, OfferedMemory, Scope
from recollect.model.places import LocationLike, LocationMode, SearchLocation, as_location, with_location
from recollect.model.scopes import ScopeChoice
from recollect.text.clean import clean
from recollect.verbs import Verbs

if TYPE_CHECKING:
    from recollect.engine.base.context import Engine

MAX_PAGE = 1_000
_MAX_PATH_BYTES = 1_000  # more does not fit into an index


class Scoped(Verbs):
    """One user's part of an open store."""

    def __init__(self, engine: "Engine", scope: Scope) -> None:
        self._engine = engine
        self._scope = scope

    @property
    def _reading(self) -> "Engine":
        """The engine for verbs that only read, and not by an id from elsewhere: a replica may answer."""
        from recollect.engine.base.scopes import from_replicas

        return from_replicas(self._engine)

    def _filters(self, filters: FilterFields) -> Filters:
        from recollect.engine.drafts import memory_drafts
        from recollect.engine.search import times

        if unknown := sorted(filters.keys() - FilterFields.__annotations__.keys()):
            names = ", ".join(sorted(FilterFields.__annotations__))
            raise InvalidInput(f"There is no filter {unknown[0]!r}. The filters are: {names}.")
        given: dict[str, Any] = {name: value for name, value in filters.items() if value is not None}
        types = check_types(given.pop("type", ()))
        start, end = times.bounds(self._engine, *(given.pop(name, None) for name in ("since", "until", "when")))
        as_of = times.past(self._engine, given.pop("as_of", None), "as_of")
        given |= {"since": start, "until": end, "as_of": as_of}
        for name in ("subject", "key", "context", "session"):
            if name in given:
                given[name] = clean(given[name])  # as the field was when it was stored
        if "min_importance" in given:
            memory_drafts.check_share("min_importance", given["min_importance"])
        return Filters(now=self._engine.clock.now(), types=types, **given)


def as_offered(memory: OfferedMemory | Mapping[str, Any]) -> OfferedMemory:
    """Convert a mapping to a `NewMemory`. Raises InvalidMemory."""
    return memory if isinstance(memory, (str, NewMemory)) else new_memory(memory)


def new_memory(memory: Mapping[str, Any]) -> NewMemory:
    """Make a memory of its fields. Raises InvalidMemory."""
    try:
        return NewMemory(**with_location(memory))
    except (TypeError, AttributeError) as error:
        names = ", ".join((*(field.name for field in fields(NewMemory)), "location"))
        said = str(error).replace("NewMemory.__init__() ", "")
        raise InvalidMemory(f"A memory cannot be made from this: {said}. Its fields are: {names}.") from error


def scope_choice(given: str | Sequence[str] | None, default: ScopeChoice) -> ScopeChoice:
    """Give the shared scopes of a search: all, none, or those that are named."""
    if given is None:
        return default
    match (given,) if isinstance(given, str) else tuple(given):
        case ("all" | "none" as choice,):
            return choice
        case names:
            return names


def search_location(
    location: LocationLike | None, radii: tuple[float | None, float | None], weight: float | None, mode: LocationMode
) -> SearchLocation | None:
    """Build the location of a search; its radius has two names. Raises InvalidInput for both, or without a location."""
    if None not in radii:
        raise InvalidInput("radius_km and location_radius_km are the same; give one of them.")
    radius_km = radii[0] if radii[1] is None else radii[1]
    if location is not None:
        return SearchLocation(as_location(location), radius_km, weight, mode)
    if radius_km is not None:
        raise InvalidInput("A radius needs a location. Give lat and lng, or the name of a place.")
    return None


def canonical(id: str, noun: str = "memory") -> str:
    """Return an id in its stored form. Raises NotFound for what cannot be an id."""
    known_id = ids.canonical(id)
    if known_id is None:
        advice = " See what there is with `list`." if noun == "memory" else ""
        raise NotFound(f"No {noun} {id!r}: that is not an id.{advice}")
    return known_id


def check_path(path: str | PathLike[str]) -> str:
    """Return a path as text that can be stored. Raises InvalidInput."""
    from recollect.engine import stored_files

    text = fspath(path)
    if not text or stored_files.storable(text) != text or len(text.encode()) > _MAX_PATH_BYTES:
        raise InvalidInput(f"{text!a} is no path that can be noted. Name a folder whose name is text.")
    return text


def check_types(given: object) -> tuple[Any, ...]:
    """Return one or several memory types as a tuple. Raises InvalidInput for an unknown type."""
    several = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Sequence) else (given,)
    types = tuple(TYPE_ALIASES.get(name, name) if isinstance(name, str) else name for name in several)
    for name in types:
        if name not in MEMORY_TYPES:
            raise InvalidInput(f"Unknown memory type {name!r}. Known types: {', '.join(MEMORY_TYPES)}.")
    return types


def check_limit(limit: int) -> int:
    """Return a page size. Raises InvalidInput unless it is from 1 to `MAX_PAGE`."""
    return check_between("limit", limit, MAX_PAGE)


def check_between(name: str, number: int, most: int) -> int:
    """Return a number. Raises InvalidInput unless it is from 1 to the most."""
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= most:
        raise InvalidInput(f"{name} is {number}; it must be from 1 to {most}.")
    return number
