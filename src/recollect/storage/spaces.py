"""Embedding spaces as both stores list them: one row for each kind of item, with a number that names its tables."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from recollect.errors import InvalidInput
from recollect.model.literals import VectorKind
from recollect.model.memories import Space
from recollect.model.stats import KnownSpace, SpaceState


class Listed(NamedTuple):
    """A space as one kind of item has it."""

    number: int
    kind: VectorKind
    space: Space
    state: SpaceState
    created_at: datetime
    unrelated: float | None


class Listing(tuple[Listed, ...]):
    """All spaces of a store at a moment."""

    __slots__ = ()

    def number(self, kind: VectorKind, space: Space) -> int | None:
        """Give the number of a space, or None when it has no tables for this kind."""
        return next((row.number for row in self if row.kind == kind and row.space == space), None)

    def active(self) -> Space | None:
        """Give the space that is searched."""
        return next((row.space for row in self if row.state == "active"), None)

    def state(self, space: Space) -> SpaceState:
        """Say what a space is used for."""
        return next((row.state for row in self if row.space == space), "kept")

    def insist_on_one(self, space: Space, state: SpaceState) -> None:
        """Refuse to use a space for what another is used for. Raises InvalidInput."""
        holder = next((row.space for row in self if row.state == state), space)
        if state != "kept" and holder != space:
            raise InvalidInput(
                f"Another model, {holder.provider}/{holder.model}, is {state} already. Two changes at once are not "
                "possible: wait for the other one, or cancel it."
            )

    def unrelated(self, space: Space) -> float | None:
        """Give the usual cosine of what has nothing to do with each other, if somebody measured it."""
        return next((row.unrelated for row in self if row.space == space), None)

    def numbers(self, space: Space) -> list[int]:
        """Give the numbers of a space, of all kinds."""
        return [row.number for row in self if row.space == space]

    def of_kind(self, kind: VectorKind) -> list[Listed]:
        """Give the spaces of one kind."""
        return [row for row in self if row.kind == kind]

    def wanted(self, given: Space | None) -> dict[Space, SpaceState]:
        """Give the spaces in which whatever is stored needs a vector. The first that is ever given is searched."""
        wanted: dict[Space, SpaceState] = {row.space: row.state for row in self if row.state != "kept"}
        if given is not None and self.active() is None:
            wanted[given] = "active"
        return wanted

    def known(self) -> Sequence[KnownSpace]:
        """Give the spaces as people see them, oldest first."""
        first = {row.space: row for row in reversed(self)}
        rows = (first[space] for space in dict.fromkeys(row.space for row in self))
        return [KnownSpace(row.space, row.state, row.created_at, row.unrelated) for row in rows]


def listed(row: Sequence[Any], created_at: datetime) -> Listed:
    """Read a row of `list_spaces`."""
    number, kind, provider, model, revision, prefix_scheme, dimensions, normalised, state, _, unrelated = row
    space = Space(provider, model, revision, prefix_scheme, dimensions, bool(normalised))
    return Listed(number, kind, space, state, created_at, unrelated)


def name_of(space: Space) -> str:
    """Name a model as bills do."""
    return f"{space.provider}/{space.model}"


def label(space: Space) -> str:
    """Name a space in one word, for tables that outlive its number."""
    normalised = "unit" if space.normalised else "raw"
    return "|".join(
        (space.provider, space.model, space.revision, space.prefix_scheme, str(space.dimensions), normalised)
    )
