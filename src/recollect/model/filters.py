"""Filters of a search, applied inside the store. An absent filter lets everything pass."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, TypeAlias

from recollect.model.geo import Circle
from recollect.model.literals import ItemKind, MemoryType, MessageRole, VectorKind


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of memories.

    `since` and `until` bound when a memory occurred, or else when it was stored. `as_of` asks for what was held true at
    that moment. `now` is the caller's clock, against which memories expire. Of each group of terms in `holding` one
    must be there, of those in `lacking` none. `near` is a circle around it; `places` are the ids of its place's names.
    `unheld` asks for what never held: another memory had a better source when it was stored.
    """

    kind: ClassVar[ItemKind] = "memory"

    now: datetime
    types: tuple[MemoryType, ...] = ()
    holding: tuple[tuple[str, ...], ...] = ()
    lacking: tuple[str, ...] = ()
    subject: str | None = None
    key: str | None = None
    context: str | None = None
    session: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    min_importance: float | None = None
    min_trust: int | None = None
    near: Circle | None = None
    places: tuple[str, ...] = ()
    unheld: bool = False


@dataclass(frozen=True, slots=True)
class MessageFilters:
    """Filters of messages.

    `excluded` are the ids of the turn that is going on. `beyond` is a conversation whose active messages are left out,
    because the model sees them anyway.
    """

    kind: ClassVar[ItemKind] = "message"

    roles: tuple[MessageRole, ...] = ()
    conversation: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    min_trust: int | None = None
    excluded: tuple[str, ...] = ()
    beyond: str | None = None
    holding: tuple[tuple[str, ...], ...] = ()
    lacking: tuple[str, ...] = ()
    near: Circle | None = None
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkFilters:
    """Filters of file chunks.

    `files` are ids; `since` and `until` bound the date of a note or a turn, or else when the chunk was written; `near`
    is a circle around where a photo was taken.
    """

    kind: ClassVar[ItemKind] = "chunk"

    files: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    min_trust: int | None = None
    holding: tuple[tuple[str, ...], ...] = ()
    lacking: tuple[str, ...] = ()
    near: Circle | None = None


@dataclass(frozen=True, slots=True)
class PlaceFilters:
    """Filters of place names: there are none."""

    kind: ClassVar[VectorKind] = "place"


ItemFilters: TypeAlias = Filters | MessageFilters | ChunkFilters
