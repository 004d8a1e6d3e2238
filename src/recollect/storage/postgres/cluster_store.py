"""The upkeep of a whole store that may be distributed: it waits until all workers are back; what users need goes on."""

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Final

from recollect.model.memories import Scope, Space
from recollect.storage.postgres.cluster import away_workers
from recollect.storage.postgres.session import PostgresSession, TransactionSettings
from recollect.storage.shared.space_store import SharedSpaceStore, VectorCacheStore
from recollect.storage.shared.store import SharedAccessLogStore, SharedPlaceStore

AWAY: Final = (
    "Its users get StoreUnavailable, and figures and checks leave them out. Start it again; nothing else is needed."
)


class ClusterStore(SharedSpaceStore, VectorCacheStore, SharedPlaceStore, SharedAccessLogStore):
    """What is done to the rows of all users at once."""

    _transactions: TransactionSettings

    @abstractmethod
    def _lent(self, scope: Scope | None = None) -> AbstractContextManager[PostgresSession]:
        """Lend a session inside a transaction."""

    def _away(self) -> Sequence[str]:
        """Name the workers that do not answer."""
        if not self._transactions.distributed:
            return ()
        with self._lent() as session:
            return away_workers(session.connection) if session.row("has_citus")[0] else ()

    def owe(self, space: Space, now: datetime) -> int:
        """Look through all rows, unless some cannot be reached."""
        return 0 if self._away() else super().owe(space, now)

    def owe_addresses(self, now: datetime) -> int:
        """Write a job for every item that lacks an address, unless some cannot be reached."""
        return 0 if self._away() else super().owe_addresses(now)

    def trim_cache(self, most_bytes: int) -> int:
        """Drop the oldest entries, unless some cannot be reached."""
        return 0 if self._away() else super().trim_cache(most_bytes)

    def forget_old_logs(self, *, answers: datetime, changes: datetime, searches: datetime, sessions: datetime) -> None:
        """Forget what is old, unless some of it cannot be reached."""
        if not self._away():
            super().forget_old_logs(answers=answers, changes=changes, searches=searches, sessions=sessions)
