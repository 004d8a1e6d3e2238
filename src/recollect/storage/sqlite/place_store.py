"""The part of the embedded store that is about places of anybody: what is owed an address."""

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime

import apsw

from recollect.model.memories import Scope
from recollect.ports import CachedPlace, GeocodeJob, UnnamedPlace
from recollect.storage import placed
from recollect.storage.jobs import geocode_jobs, of_users
from recollect.storage.rows import LOCATED, of_kind
from recollect.storage.sqlite import codec
from recollect.storage.sqlite.connection import rows
from recollect.storage.sqlite.items import ItemRows
from recollect.storage.sqlite.rows import QUERIES, id_array


class SqlitePlaces:
    """What waits for an address, in one file."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[apsw.Connection]:
        """Lend a connection with an open snapshot."""

    @abstractmethod
    def _changing(self) -> AbstractContextManager[apsw.Connection]:
        """Lend the connection that writes, inside a transaction of its own."""

    def owe_addresses(self, now: datetime) -> int:
        """Look through all rows."""
        owed = 0
        for kind in LOCATED:
            with self._changing() as connection:
                values = {"item_kind": kind, "now": codec.to_micros(now)}
                connection.execute(of_kind(QUERIES["owe_geocoding"], kind), values)
                owed += connection.changes()
        return owed

    def unnamed_places(self, limit: int) -> Sequence[UnnamedPlace]:
        """Give rows whose places have names that were not noted."""
        with self._reading() as connection:
            return [
                UnnamedPlace(Scope(user), kind, *row)
                for kind in LOCATED
                for user, *row in rows(connection, of_kind(QUERIES["unnamed_places"], kind), {"limit": limit})
            ]

    def geocoding_counts(self) -> tuple[int, int]:
        """Count what waits."""
        with self._reading() as connection:
            waiting, parked = rows(connection, QUERIES["geocoding_counts"])[0]
            return waiting, parked

    def claim_geocoding(
        self, limit: int, *, now: datetime, lease_until: datetime, scope: Scope | None = None
    ) -> Sequence[GeocodeJob]:
        """Take jobs that are due."""
        moments = {"now": codec.to_micros(now), "lease_until": codec.to_micros(lease_until)}
        values = {**moments, "only_user": scope.user_id if scope else "", "bulk": "", "space": 0, "limit": limit}
        with self._changing() as connection:
            claimed = rows(connection, QUERIES["claim_jobs"], values)
            jobs, done = geocode_jobs(claimed, lambda one: ItemRows(connection, one))
            for user, ids in done.items():
                connection.execute(QUERIES["finish_jobs"], {"user_id": user, "space": 0, "ids": id_array(ids)})
        return jobs

    def postpone_geocoding(
        self, jobs: Sequence[GeocodeJob], reason: str, due: datetime | None, *, to_blame: bool
    ) -> None:
        """Note a failure."""
        values = {"reason": reason, "due_at": codec.to_micros(due), "failures": int(to_blame), "space": 0}
        with self._changing() as connection:
            for user, ids in of_users(jobs).items():
                connection.execute(QUERIES["postpone_jobs"], {**values, "user_id": user, "ids": id_array(ids)})

    def keep_geocoded(
        self, scope: Scope, geocoder: str, places: Sequence[CachedPlace], *, now: datetime, most: int, resets: int
    ) -> None:
        """Keep what a geocoder said."""
        shared = {"user_id": scope.user_id, "geocoder": geocoder, "now": codec.to_micros(now)}
        with self._changing() as connection:
            held = rows(connection, QUERIES["user_resets"], {"user_id": scope.user_id})
            if sum(row[0] for row in held) != resets:
                return
            for place in places:
                answer = {"answer": placed.written(place), "good_until": codec.to_micros(place.good_until)}
                connection.execute(QUERIES["keep_geocoded"], {**shared, "cell": place.cell, **answer})
            connection.execute(QUERIES["trim_geocoded"], {"user_id": scope.user_id, "most": most})

    def touch_geocoded(self, scope: Scope, geocoder: str, cell: str, now: datetime) -> None:
        """Note that an answer was of use."""
        values = {"user_id": scope.user_id, "geocoder": geocoder, "cell": cell, "now": codec.to_micros(now)}
        with self._changing() as connection:
            connection.execute(QUERIES["touch_geocoded"], values)
