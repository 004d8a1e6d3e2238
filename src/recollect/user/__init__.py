"""One user's part of a store. Every verb belongs to a user; there is no way to ask for "everybody"."""

from dataclasses import replace
from typing import Self

from recollect.engine.deeds import Deed
from recollect.user.conversation import Conversation
from recollect.user.files import FileVerbs
from recollect.user.memories import MemoryVerbs
from recollect.user.places import PlaceVerbs
from recollect.user.turns import TurnVerbs
from recollect.user.typed import TypedVerbs

__all__ = ["Conversation", "UserMemory"]


class UserMemory(MemoryVerbs, TypedVerbs, TurnVerbs, FileVerbs, PlaceVerbs):
    """What one user has stored, and the verbs for it."""

    def acting(self, deed: Deed) -> Self:
        """Give the same verbs for somebody whose doings are noted in the log, in the transaction that does them."""
        return type(self)(replace(self._engine, deed=deed), self._scope)
