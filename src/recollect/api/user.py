"""One user's part of a store. Every verb belongs to a user; there is no way to ask for "everybody"."""

from dataclasses import replace
from typing import Self

from recollect.api.conversation import Conversation
from recollect.api.files import FileVerbs
from recollect.api.memory_verbs import MemoryVerbs
from recollect.api.places import PlaceVerbs
from recollect.api.turn_verbs import TurnVerbs
from recollect.api.typed_verbs import TypedVerbs
from recollect.engine.audit.idempotency import AuditedWrite

__all__ = ["Conversation", "UserMemory"]


class UserMemory(MemoryVerbs, TypedVerbs, TurnVerbs, FileVerbs, PlaceVerbs):
    """What one user has stored, and the verbs for it."""

    def acting(self, deed: AuditedWrite) -> Self:
        """Give the same verbs for somebody whose doings are noted in the log, in the transaction that does them."""
        return type(self)(replace(self._engine, deed=deed), self._scope)
