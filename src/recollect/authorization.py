"""Authorization: principals, their scopes, and the one check that HTTP, MCP and the command line share."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

from recollect.errors import NotPermitted
from recollect.model.literals import Permission


@dataclass(frozen=True, slots=True)
class Principal:
    """An authenticated caller. `user_id` is the user it may work for; '' means any, which needs `admin`.

    `id` names it in the audit log: the id of its key, or `local` for a process that opens the store itself.
    """

    id: str
    user_id: str
    scopes: frozenset[Permission]

    def may(self, permission: Permission) -> bool:
        """Tell whether it holds a permission; `admin` holds all of them."""
        return permission in self.scopes or "admin" in self.scopes


_CLOCKS_DIFFER = timedelta(minutes=5)  # those of several machines, at most

# A process that can read the database's file, or knows its password, needs no key.
LOCAL = Principal("local", "", frozenset({"admin"}))


KeyKind: TypeAlias = Literal["key", "link", "session"]

# The first letter of an id tells what a row of the table of keys is; ids of API keys are hexadecimal.
KIND_LETTERS: Final[dict[str, KeyKind]] = {"l": "link", "s": "session"}


@dataclass(frozen=True, slots=True)
class Key:
    """An API key as the store knows it, with only a hash of its secret. `user_id` is '' for an admin's key.

    One-time links to the page and the sessions of browsers are keys, too, of another `kind`: none opens what another
    kind opens.
    """

    id: str
    name: str
    user_id: str
    scopes: tuple[Permission, ...]
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None

    @property
    def kind(self) -> KeyKind:
        """What it is: an API key, a one-time link to the page, or the session of a browser."""
        return KIND_LETTERS.get(self.id[:1], "key")

    def is_over(self, now: datetime) -> bool:
        """Tell whether its time has come to its end, but that was not noticed yet."""
        return self.revoked_at is None and self.expires_at is not None and self.expires_at <= now

    @property
    def closed_by_expiry(self) -> bool:
        """Whether it was revoked because its time was over."""
        return self.revoked_at is not None and self.expires_at is not None and self.expires_at <= self.revoked_at

    def is_live(self, now: datetime) -> bool:
        """Tell whether it is valid: neither revoked nor expired.

        A key that expires, but was made later than now, was made while the clock was ahead: when its time is over
        cannot be told, so it is not valid.
        """
        if self.revoked_at is not None or self.expires_at is None:
            return self.revoked_at is None
        return self.created_at - _CLOCKS_DIFFER <= now < self.expires_at


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made. `secret` must be kept by its owner: it cannot be shown again."""

    key: Key
    secret: str


def authorize(principal: Principal, permission: Permission, *, user: str = "", default: str = "") -> str:
    """Give the user that a principal with a permission may work for. Raises NotPermitted.

    `user` is the one it names, which only an admin may choose; an admin who names none works for `default`. Neither
    ever comes from what a model says or a body holds.
    """
    if not principal.may(permission):
        held = " ".join(sorted(principal.scopes)) or "nothing"
        raise NotPermitted(f"This needs a key with the scope `{permission}`; yours has: {held}.")
    if principal.user_id:
        if user and user != principal.user_id:
            raise NotPermitted("This key belongs to another user. Leave out the user, or use a key of theirs.")
        return principal.user_id
    if "admin" not in principal.scopes:
        raise NotPermitted("This key belongs to no user. Make one with `recollect keys create --user NAME`.")
    return user or default
