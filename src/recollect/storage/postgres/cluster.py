"""Citus, for a store that is distributed: which workers answer, and what can be done to the store without the others.

A user's statements go to one worker, so a worker that is away costs its own users only. Statements about the store as a
whole go to all of them: while one is away, such a statement is about the users of the others.
"""

import json
import re
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from functools import reduce
from time import monotonic
from typing import Final, NamedTuple

from psycopg import sql

from recollect.storage.base.statements import load_own
from recollect.storage.postgres.connection import PgConnection

CLUSTER_QUERIES: Final = load_own("postgres", "cluster.sql")

_BELIEVED_S: Final = 5.0
_WORD: Final = re.compile(r"\w+")
_VECTORS: Final = re.compile(r"vectors_\d+")


class AwayWorkers(NamedTuple):
    """The workers that do not answer, and the users whose rows are on the others."""

    names: tuple[str, ...] = ()
    reached: tuple[str, ...] = ()


class ServerCluster:
    """The workers of a store, and the names of its tables that are on them.

    That a worker is away is believed for a moment, or each of many statements would try to connect to it. That all of
    them answer is never believed.
    """

    def __init__(self, tables: Collection[str]) -> None:
        self._tables = frozenset(tables)
        self._away, self._until = AwayWorkers(), 0.0

    def look(self, connection: PgConnection) -> AwayWorkers:
        """Ask all workers whether they answer, if there are any."""
        if not self._tables:
            return AwayWorkers()
        workers = connection.execute(CLUSTER_QUERIES["workers"].encode(), {}).fetchall()
        names, users = tuple(str(worker) for worker, answers in workers if not answers), list[str]()
        if names:
            lists = connection.execute(CLUSTER_QUERIES["reached_users"].encode(), {"away": list(names)}).fetchall()
            users = sorted(user for (found,) in lists for user in json.loads(found))
        self._away, self._until = AwayWorkers(names, tuple(users)), monotonic() + _BELIEVED_S
        return self._away

    def away(self, connection: PgConnection) -> AwayWorkers:
        """Give the workers that were away a moment ago; if none was, look."""
        away = self._away
        return away if away.names and monotonic() < self._until else self.look(connection)

    def tables_in(self, statement: str) -> set[str]:
        """Give the distributed tables that a statement may be about."""
        return {word for word in _WORD.findall(statement) if word in self._tables or _VECTORS.fullmatch(word)}


class ReachedRows:
    """Lets questions leave out the users of workers that are away.

    Until `close`, views that have only the other users hide the tables of the same names, each from the first statement
    on that names it.
    """

    def __init__(self, connection: PgConnection, cluster: ServerCluster) -> None:
        self._connection, self._cluster = connection, cluster
        self._hidden: set[str] = set()
        self._views = ExitStack()
        self.away: AwayWorkers | None = None  # not asked yet

    def prepare(self, statement: str) -> None:
        """Hide the tables that a statement is about, if any worker is away."""
        tables = self._cluster.tables_in(statement) - self._hidden
        if not tables:
            return
        if self.away is None:
            self.away = self._cluster.away(self._connection)
            if self.away.names:
                self._views.enter_context(self._connection.transaction(force_rollback=True))
        if not self.away.names:
            return
        view = sql.SQL("CREATE TEMPORARY VIEW {} AS SELECT * FROM {} WHERE user_id = ANY({}::text[])")
        ((schema,),) = self._connection.execute("SELECT current_schema()").fetchall()
        users = sql.Literal(list(self.away.reached))
        for table in sorted(tables):
            self._connection.execute(view.format(sql.Identifier(table), sql.Identifier(schema, table), users))
        self._hidden |= tables

    def close(self) -> None:
        self._views.close()


class PlacementRun(NamedTuple):
    """What became of commands for placements of tables, each a shard on one server; `away` are on workers that are."""

    done: int = 0
    away: int = 0
    failures: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return self.done + self.away + len(self.failures)

    def plus(self, other: "PlacementRun") -> "PlacementRun":
        return PlacementRun(self.done + other.done, self.away + other.away, (*self.failures, *other.failures))


def run_on_reached(owner: PgConnection, command: str, table: str, away: Sequence[str]) -> PlacementRun:
    """Run a command, with `%s` for a table, on the workers that answer; for one that is on none, at the coordinator."""
    values = {"command": command, "name": table, "away": list(away)}
    ((unreached,),) = owner.execute(CLUSTER_QUERIES["unreached_placements"].encode(), values).fetchall()
    rows = owner.execute(CLUSTER_QUERIES["run_on_placements"].encode(), values).fetchall()
    if not rows and not unreached:
        owner.execute(sql.SQL(command.replace("%s", "{}")).format(sql.Identifier(table)))
        return PlacementRun(done=1)
    failures = tuple(f"{table} at {worker}: {said}" for worker, succeeded, said in rows if not succeeded)
    return PlacementRun(len(rows) - len(failures), int(unreached), failures)


def run_for_tables(owner: PgConnection, command: str, tables: Sequence[str], away: Sequence[str]) -> PlacementRun:
    """Do the same for several tables."""
    return reduce(PlacementRun.plus, (run_on_reached(owner, command, table, away) for table in tables), PlacementRun())
