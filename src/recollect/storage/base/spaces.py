"""Embedding spaces: one row for each kind of item, with a number that names its tables."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from recollect.errors import InvalidInput
from recollect.model.literals import VectorKind
from recollect.model.memories import Space
from recollect.model.stats import KnownSpace, SpaceState
from recollect.storage.base.session import StoreSession


class SpaceRow(NamedTuple):
    """A space as one kind of item has it."""

    number: int
    kind: VectorKind
    space: Space
    state: SpaceState
    created_at: datetime
    unrelated: float | None


class SpaceList(tuple[SpaceRow, ...]):
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
        """Give the usual cosine of texts that have nothing to do with each other, once it was measured."""
        return next((row.unrelated for row in self if row.space == space), None)

    def numbers(self, space: Space) -> list[int]:
        """Give the numbers of a space, of all kinds."""
        return [row.number for row in self if row.space == space]

    def numbers_of(self, kind: VectorKind) -> list[int]:
        """Give the numbers of all spaces of one kind."""
        return [row.number for row in self if row.kind == kind]

    def wanted(self, new_space: Space | None) -> dict[Space, SpaceState]:
        """Give the spaces in which a new item needs a vector. The first that is ever given is searched."""
        wanted_spaces: dict[Space, SpaceState] = {row.space: row.state for row in self if row.state != "kept"}
        if new_space is not None and self.active() is None:
            wanted_spaces[new_space] = "active"
        return wanted_spaces

    def known(self) -> Sequence[KnownSpace]:
        """Give the spaces as people see them, oldest first."""
        first = {row.space: row for row in reversed(self)}
        rows = (first[space] for space in dict.fromkeys(row.space for row in self))
        return [KnownSpace(row.space, row.state, row.created_at, row.unrelated) for row in rows]


_space = lru_cache(maxsize=64)(Space)  # each transaction reads the same few again


def list_spaces(session: StoreSession) -> SpaceList:
    """Read all spaces."""
    rows = []
    for number, kind, provider, model, revision, scheme, dimensions, normalised, *rest in session.rows("list_spaces"):
        space = _space(provider, model, revision, scheme, dimensions, bool(normalised))
        state, created_at, unrelated = rest
        rows.append(SpaceRow(number, kind, space, state, session.codec.time(created_at), unrelated))
    return SpaceList(rows)


def owed_spaces(session: StoreSession, kind: VectorKind, new_space: Space | None, now: datetime) -> dict[Space, int]:
    """Give the spaces in which a new item of this kind needs a vector, with their numbers.

    Spaces belong to the store: one that is missing is made in a transaction of the store's, and stays whatever becomes
    of the user's.
    """
    known = list_spaces(session)
    owed = {space: known.number(kind, space) for space in known.wanted(new_space)}
    numbered = {space: number for space, number in owed.items() if number is not None}
    if len(numbered) == len(owed):
        return numbered
    with session.beside() as whole:
        whole.lock_spaces()
        known = list_spaces(whole)  # another process may have been first
        return {
            space: known.number(kind, space) or register_space(whole, kind, space, state, now)
            for space, state in known.wanted(new_space).items()
        }


def register_space(session: StoreSession, kind: VectorKind, space: Space, state: SpaceState, now: datetime) -> int:
    """Give a space its number and make its tables, while spaces are locked; one that exists gets the state."""
    number = list_spaces(session).number(kind, space)
    if number is not None:
        session.execute("set_space_state", {"number": number, "state": state})
        return number
    number = session.create_space(space)
    values = {"number": number, "kind": kind, "state": state, "now": now}
    session.execute("insert_space", {**asdict(space), **values})
    return number


def model_name(space: Space) -> str:
    """Name a model as bills do."""
    return f"{space.provider}/{space.model}"


def space_label(space: Space) -> str:
    """Name a space in one word, for tables that outlive its number."""
    normalised = "unit" if space.normalised else "raw"
    return "|".join(
        (space.provider, space.model, space.revision, space.prefix_scheme, str(space.dimensions), normalised)
    )
