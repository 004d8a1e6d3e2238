"""Who is typing, and whose memories they may touch: the way from the command line to the one lock of all doors.

Whoever can open the store needs no key to it. With a key in the settings, what the key may counts, and nothing else: so
an agent that runs commands can be held to less than the machine's owner may do.
"""

from typing import NamedTuple

from recollect.api.memory import Memory
from recollect.authorization import LOCAL, Principal, authorize
from recollect.model.literals import Permission
from recollect.settings import Settings


class Admitted(NamedTuple):
    """Somebody who may do what they ask for, and the user for whom they do it."""

    who: Principal
    user_id: str


def admit(memory: Memory, *needs: Permission, named: str = "") -> Admitted:
    """Let in whoever types. `named` is the user that was typed; the one in the settings only stands in for nobody.

    Raises UnknownKey or NotPermitted.
    """
    settings = memory.settings
    who = memory.keys.identify(settings.key) if settings.key else LOCAL
    users = [authorize(who, one, user=named, default=settings.user) for one in needs]
    return Admitted(who, users[0])


def insist(settings: Settings, needs: Permission, *, named: str = "") -> None:
    """Do the same before a server opens the store for itself. Without a key there is nothing to look up."""
    if settings.key:
        with Memory.open(settings=settings) as memory:
            admit(memory, needs, named=named)
