"""Authorization of commands: the permissions that a command declares, and the check before the store is used.

Without a key, access to the database is enough. With a key in the settings only what the key allows counts, so that an
agent that runs commands can be held to less than the owner of the machine may do.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from recollect.model.literals import Permission

if TYPE_CHECKING:
    from recollect.api.memory import Memory
    from recollect.authorization import Principal
    from recollect.settings import Settings


class CommandPermissions(NamedTuple):
    """What a command needs: always, and with certain options. `free` says why a command needs nothing.

    A command that may write makes a store where none is, and no other does; `creates` says otherwise.
    """

    always: tuple[Permission, ...] = ()
    when_given: Mapping[str, Permission] = {}
    free: str = ""
    creates: bool | None = None

    def needed(self, given: Mapping[str, object]) -> tuple[Permission, ...]:
        """Give all permissions that the command needs with the options that were given."""
        return (*self.always, *(need for option, need in self.when_given.items() if given.get(option) is not None))

    def makes_store(self, given: Mapping[str, object]) -> bool:
        """Tell whether the command, with the options that were given, begins a store where none is."""
        return "write" in self.needed(given) if self.creates is None else self.creates


def admit(memory: "Memory", *needed: Permission, named: str = "") -> "tuple[Principal, str]":
    """Authorize the caller for a user, and give both: `named` is the one that was typed, that of the settings usual.

    Raises UnknownKey or NotPermitted.
    """
    from recollect.authorization import LOCAL, authorize

    settings = memory.settings
    principal = memory.keys.identify(settings.key) if settings.key else LOCAL
    users = [authorize(principal, permission, user=named, default=settings.user) for permission in needed]
    return principal, users[0]


def is_admin(memory: "Memory") -> bool:
    """Tell whether the caller may do everything."""
    from recollect.errors import NotPermitted

    try:
        admit(memory, "admin")
    except NotPermitted:
        return False
    return True


def require_permission(settings: "Settings", needed: Permission, *, named: str = "") -> None:
    """Authorize the caller before a server opens the store itself. Without a key there is nothing to look up."""
    if settings.key:
        from recollect.api.memory import Memory

        with Memory.open(settings=settings, create=False) as memory:
            admit(memory, needed, named=named)
