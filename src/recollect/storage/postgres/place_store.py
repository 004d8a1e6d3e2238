"""The part of the server's store that is about places of anybody: what is owed an address."""

from collections.abc import Sequence
from datetime import datetime

from recollect.model.memories import Scope
from recollect.ports import CachedPlace, GeocodeJob, UnnamedPlace
from recollect.storage import placed
from recollect.storage.jobs import geocode_jobs, of_users
from recollect.storage.postgres.connection import Connection
from recollect.storage.postgres.items import ItemRows
from recollect.storage.postgres.rows import QUERIES, one
from recollect.storage.postgres.wall import Walled, for_everybody, for_user
from recollect.storage.rows import LOCATED, of_kind


class PostgresPlaces(Walled):
    """What waits for an address, on a server."""

    def owe_addresses(self, now: datetime) -> int:
        """Look through all rows."""
        owed = 0
        for kind in LOCATED:
            with self._everybody() as connection:
                sql = of_kind(QUERIES["owe_geocoding"], kind)
                owed += connection.execute(sql.encode(), {"item_kind": kind, "now": now}).rowcount
        return owed

    def unnamed_places(self, limit: int) -> Sequence[UnnamedPlace]:
        """Give rows whose places have names that were not noted."""
        found: list[UnnamedPlace] = []
        with self._everybody() as connection:
            for kind in LOCATED:
                sql = of_kind(QUERIES["unnamed_places"], kind).encode()
                rows = connection.execute(sql, {"limit": limit})
                found += [UnnamedPlace(Scope(user), kind, *row) for user, *row in rows]
        return found

    def geocoding_counts(self) -> tuple[int, int]:
        """Count what waits."""
        with self._everybody() as connection:
            waiting, parked = one(connection.execute(QUERIES["geocoding_counts"].encode()))
            return waiting, parked

    def claim_geocoding(
        self, limit: int, *, now: datetime, lease_until: datetime, scope: Scope | None = None
    ) -> Sequence[GeocodeJob]:
        """Take jobs that are due, each user's in that user's name."""
        values = {"now": now, "lease_until": lease_until, "only_user": scope.user_id if scope else "", "bulk": ""}
        with self._whom(scope) as connection:
            claimed = connection.execute(QUERIES["claim_jobs"].encode(), {**values, "space": 0, "limit": limit})
            jobs, done = geocode_jobs(claimed.fetchall(), lambda whose: _rows_of(connection, whose))
            for user, ids in done.items():
                for_user(connection, Scope(user))
                connection.execute(QUERIES["finish_jobs"].encode(), {"user_id": user, "space": 0, "ids": ids})
        return jobs

    def postpone_geocoding(
        self, jobs: Sequence[GeocodeJob], reason: str, due: datetime | None, *, to_blame: bool
    ) -> None:
        """Note a failure."""
        values = {"reason": reason, "due_at": due, "failures": int(to_blame), "space": 0}
        with self._everybody() as connection:
            for user, ids in of_users(jobs).items():
                for_user(connection, Scope(user))
                connection.execute(QUERIES["postpone_jobs"].encode(), {**values, "user_id": user, "ids": ids})
            for_everybody(connection)

    def keep_geocoded(
        self, scope: Scope, geocoder: str, places: Sequence[CachedPlace], *, now: datetime, most: int, resets: int
    ) -> None:
        """Keep what a geocoder said."""
        whose = {"user_id": scope.user_id}
        with self._for(scope) as connection:
            held = connection.execute(QUERIES["lock_resets"].encode(), whose)
            if sum(row[0] for row in held) != resets:
                return
            for place in places:
                answer = {"answer": placed.written(place), "good_until": place.good_until, "now": now}
                values = {**whose, "geocoder": geocoder, "cell": place.cell, **answer}
                connection.execute(QUERIES["keep_geocoded"].encode(), values)
            connection.execute(QUERIES["trim_geocoded"].encode(), {**whose, "most": most})

    def touch_geocoded(self, scope: Scope, geocoder: str, cell: str, now: datetime) -> None:
        """Note that an answer was of use."""
        values = {"user_id": scope.user_id, "geocoder": geocoder, "cell": cell, "now": now}
        with self._for(scope) as connection:
            connection.execute(QUERIES["touch_geocoded"].encode(), values)


def _rows_of(connection: Connection, scope: Scope) -> ItemRows:
    for_user(connection, scope)
    return ItemRows(connection, scope)
