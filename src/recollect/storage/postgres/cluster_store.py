"""A store that may be distributed, while workers are away: what concerns the users of the others is done.

What needs all servers waits until they are back: tables and the list of embedding spaces, and the size of the cache.
"""

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Final

from recollect.model.literals import VectorKind
from recollect.model.memories import Scope, Space
from recollect.model.stats import SpaceState
from recollect.storage.postgres.session import PostgresSession, TransactionSettings
from recollect.storage.shared.space_store import SharedSpaceStore, VectorCacheStore
from recollect.storage.shared.store import StoreFigures
from recollect.storage.spaces import list_spaces, register_space

AWAY: Final = (
    "Its users get StoreUnavailable, and figures, checks and upkeep leave them out. Start it again; nothing else is "
    "needed."
)


class ClusterStore(SharedSpaceStore, VectorCacheStore, StoreFigures):
    """What is done to the rows of all users at once."""

    _transactions: TransactionSettings

    @abstractmethod
    def _lent(self, scope: Scope | None = None) -> AbstractContextManager[PostgresSession]:
        """Lend a session inside a transaction."""

    def away(self) -> Sequence[str]:
        """Name the workers that do not answer."""
        cluster = self._transactions.cluster
        if cluster is None:
            return ()
        with self._lent() as session:
            return cluster.look(session.connection).names

    def open_space(self, space: Space, state: SpaceState, now: datetime) -> None:
        """Make a space, or use one for something else, which takes all servers; one that is so already is left."""
        if self.away() and any(known.space == space and known.state == state for known in self.spaces()):
            return
        super().open_space(space, state, now)

    def activate(self, space: Space, *, without_parked: bool = False) -> bool:
        """Let searches use a space that has everything; with a worker away, nothing tells whether it has."""
        return not self.away() and super().activate(space, without_parked=without_parked)

    def trim_cache(self, most_bytes: int) -> int:
        """Drop the oldest entries, unless some cannot be reached."""
        return 0 if self.away() else super().trim_cache(most_bytes)

    def _owe_kind(self, kind: VectorKind, space: Space, now: datetime) -> int:
        with self._reading() as session:
            known = list_spaces(session)
        number = known.number(kind, space)
        if known.state(space) == "kept":
            return 0
        if number is None:  # nothing of this kind was ever stored in the space
            if self.away():
                return 0
            with self._exclusive() as session:
                number = register_space(session, kind, space, known.state(space), now)
        with self._writing() as session:
            return session.changed("owe_jobs", {"item_kind": kind, "now": now}, kind=kind, space=number)
