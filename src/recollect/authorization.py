"""The one lock of all doors: who somebody is, and whether they may do what they ask for.

HTTP, MCP and the command line each find out who is asking in their own way; all of them then ask `authorize`.
"""

from dataclasses import dataclass
from datetime import datetime

from recollect.errors import NotPermitted
from recollect.model.literals import Permission


@dataclass(frozen=True, slots=True)
class Principal:
    """Whoever is asking. `user_id` is whose memories they may touch; '' is anybody's, which only `admin` may.

    `id` names them in the log of what was done: the id of their key, or `local` for whoever can open the store itself.
    """

    id: str
    user_id: str
    scopes: frozenset[Permission]

    def may(self, permission: Permission) -> bool:
        """Tell whether a permission is among theirs; `admin` holds all of them."""
        return permission in self.scopes or "admin" in self.scopes


# Whoever may read the database's file, or knows its password, needs no key to it.
LOCAL = Principal("local", "", frozenset({"admin"}))


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is known to the store, which keeps only a hash of its secret. `user_id` is '' for an admin's key."""

    id: str
    name: str
    user_id: str
    scopes: tuple[Permission, ...]
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None

    def is_live(self, now: datetime) -> bool:
        """Tell whether it opens anything."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made. `secret` is what its owner must keep: nobody can show it again."""

    key: ApiKey
    secret: str


def authorize(who: Principal, needs: Permission, *, user: str = "", default: str = "") -> str:
    """Give the user for whom somebody may do what needs a permission. Raises NotPermitted.

    `user` is the user they named, if they named one: only an admin may choose. An admin who names nobody works for the
    `default` one. It never comes from what a model says or a body holds.
    """
    if not who.may(needs):
        held = " ".join(sorted(who.scopes)) or "nothing"
        raise NotPermitted(f"This needs a key with the scope `{needs}`; yours has: {held}.")
    if who.user_id:
        if user and user != who.user_id:
            raise NotPermitted("This key belongs to another user. Leave out the user, or use a key of theirs.")
        return who.user_id
    if "admin" not in who.scopes:
        raise NotPermitted("This key belongs to no user. Make one with `recollect keys create --user NAME`.")
    return user or default
