"""Shared scopes: memory that several users have in common, such as a family, a team or a project.

The items of a scope are those of a user with a reserved name, so everything that holds for a user's rows holds for
them: storage, row-level security, queues, forgetting, export and backup.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias, get_args

from recollect.model.memories import Scope

ScopeRole = Literal["reader", "writer"]
SCOPE_ROLES: Final[tuple[ScopeRole, ...]] = get_args(ScopeRole)

# Which shared scopes a search includes: all that the user belongs to, none, or those that are named.
ScopeChoice: TypeAlias = Literal["all", "none"] | tuple[str, ...]

# In the metadata of an item of a shared scope: the member who wrote it.
AUTHOR: Final = "author"

_PREFIX: Final = "scope:"


@dataclass(frozen=True, slots=True)
class Membership:
    """A member of a shared scope: a `reader` searches it, a `writer` also stores, changes and forgets."""

    scope: str
    user_id: str
    role: ScopeRole
    added_at: datetime
    added_by: str


@dataclass(frozen=True, slots=True)
class SharedScope:
    """A shared scope and its members. It may have none, and still hold what they stored."""

    name: str
    members: tuple[Membership, ...] = ()


def shared_scope(name: str) -> Scope:
    """Give the scope of the rows of a shared scope."""
    return Scope(_PREFIX + name)


def is_reserved(user_id: str) -> bool:
    """Tell whether a user's name is kept for shared scopes."""
    return user_id.startswith(_PREFIX)


def shared_name(user_id: str) -> str:
    """Give the name of a shared scope by the user that its rows belong to; '' for any other user."""
    return user_id.removeprefix(_PREFIX) if is_reserved(user_id) else ""
