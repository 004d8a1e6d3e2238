"""One PostgreSQL database for many tests: emptied after each of them, and replaced when more than rows has changed.

Emptying costs a third of the CPU time of making and dropping a database. What a test adds to the schema, such as the
table of a vector space, is dropped; whatever else it does to tables, grants or policies costs it the database.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import psycopg

from tests.kept_connections import KeptConnections, keep

_STILL_CONNECTED: Final = """
SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> ALL (%s::int[] || pg_backend_pid())
"""
_RELATIONS: Final = """
SELECT oid, relname, relkind::text, pg_relation_size(oid), reltuples,
       concat_ws(',', relacl::text, relowner, relrowsecurity, relforcerowsecurity, relhastriggers, relnatts)
FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'i', 'I', 'v', 'S')
"""
_CONSTANT: Final = """
SELECT (SELECT string_agg(one::text, '|' ORDER BY one::text) FROM store_marks AS one),
       (SELECT string_agg(one::text, '|' ORDER BY one::text) FROM store_secrets AS one),
       (SELECT string_agg(one::text, '|' ORDER BY one::text) FROM schema_migrations AS one),
       (SELECT string_agg(one::text, '|' ORDER BY one::text) FROM pg_policies AS one),
       (SELECT count(*) FROM pg_proc WHERE pronamespace = 'public'::regnamespace),
       (SELECT count(*) FROM pg_db_role_setting)
"""
_KEPT: Final = frozenset(("store_marks", "store_secrets", "schema_migrations"))
_LARGE_BYTES: Final = 64 * 1024  # of a table with dead rows: cutting it is cheaper than carrying them along


@dataclass(frozen=True, slots=True)
class _Relation:
    name: str
    kind: str
    size_bytes: int
    row_estimate: float
    rules: str


class SharedDatabase:
    """A database that was just made, and a connection to it that empties it."""

    def __init__(self, address: str, *, keeps_connections: bool = False) -> None:
        self.address = address
        self._connection = psycopg.connect(address, autocommit=True)
        self._relations = self._look()
        self._constant = self._connection.execute(_CONSTANT).fetchone()
        self._kept = KeptConnections(address)
        keep(self._kept if keeps_connections else None)

    def emptied(self) -> bool:
        """Empty the database; says False when that is not enough, or not possible."""
        try:
            return self._emptied()
        except psycopg.Error:
            return False

    def close(self) -> None:
        """Give up the connection."""
        keep(None)
        self._kept.close()
        self._connection.close()

    def _emptied(self) -> bool:
        self._connection.execute(_STILL_CONNECTED, (self._kept.process_ids(),))
        relations = self._look()
        if any(oid not in relations or relations[oid].rules != one.rules for oid, one in self._relations.items()):
            return False
        added = [one for oid, one in relations.items() if oid not in self._relations]
        if any(one.kind not in "ri" for one in added):
            return False
        used = [relations[oid] for oid in self._relations if relations[oid].kind == "r" and relations[oid].size_bytes]
        self._remove(added, [one for one in used if one.name not in _KEPT])
        left = self._look().keys() == self._relations.keys()
        return left and self._connection.execute(_CONSTANT).fetchone() == self._constant

    def _remove(self, added: list[_Relation], used: list[_Relation]) -> None:
        large = [one.name for one in used if one.size_bytes > _LARGE_BYTES or one.row_estimate > 0]
        steps = [f"DROP TABLE {one.name} CASCADE" for one in added if one.kind == "r"]
        steps += [f"DELETE FROM {one.name}" for one in used if one.name not in large]  # noqa: S608 - our own names
        steps += [f"TRUNCATE {', '.join(large)} CASCADE"] if large else []
        if steps:
            self._connection.execute("; ".join(steps).encode())

    def _look(self) -> Mapping[int, _Relation]:
        rows: list[tuple[Any, ...]] = self._connection.execute(_RELATIONS).fetchall()
        return {oid: _Relation(*found) for oid, *found in rows}
