"""What the engine asks of a store about the members of shared scopes."""

from collections.abc import Sequence
from typing import Protocol

from recollect.model.memories import Scope
from recollect.model.scopes import Membership, ScopeRole


class ScopeRows(Protocol):
    """What reading and writing have in common, in a transaction for a shared scope."""

    def role_of(self, member: str) -> ScopeRole | None:
        """Say what a user may do in this scope; None for one who is no member."""


class ScopeReader(ScopeRows, Protocol):
    """The part of a reader that is about shared scopes."""

    def memberships(self) -> Sequence[Membership]:
        """Give the scopes that this user is a member of, by name."""


class ScopeWriter(ScopeRows, Protocol):
    """The part of a writer that is about shared scopes."""

    def set_member(self, membership: Membership) -> None:
        """Let a user be a member of this scope, or have another role in it."""

    def remove_member(self, member: str) -> bool:
        """Let a user be a member no more; says whether they were."""

    def end_memberships(self) -> None:
        """Remove this user from all scopes, or from this scope all members."""


class ScopeStore(Protocol):
    """The part of a store that is about shared scopes."""

    def members(self, scope: Scope | None = None) -> Sequence[Membership]:
        """Give the members of a scope, or of all of them, by scope and name."""
