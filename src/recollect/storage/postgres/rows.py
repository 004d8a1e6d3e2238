"""What reading and writing one user's rows have in common."""

from collections.abc import Sequence
from typing import Any

import psycopg

from recollect.storage.postgres import codec
from recollect.storage.postgres.connection import Connection
from recollect.storage.statements import load_queries
from recollect.types import MemoryRecord, Scope

QUERIES = load_queries("postgres", "queries.sql", "dialect.sql")


class PostgresRows:
    """One user's rows, for the length of one transaction."""

    def __init__(self, connection: Connection, scope: Scope) -> None:
        self._connection = connection
        self._user = scope.user_id

    def _run(
        self, name: str, values: dict[str, Any] | None = None, *, space: int | None = None
    ) -> "psycopg.Cursor[tuple[Any, ...]]":
        sql = QUERIES[name] if space is None else QUERIES[name].replace("{space}", str(space))
        return self._connection.execute(sql.encode(), {"user_id": self._user, **(values or {})})

    def get(self, ids: Sequence[str]) -> Sequence[MemoryRecord]:
        """Give rows by id."""
        return [codec.from_row(row) for row in self._run("get_memories", {"ids": list(ids)})]

    def chain(self, memory_id: str) -> Sequence[MemoryRecord]:
        """Give all versions of a memory, oldest first."""
        return [codec.from_row(row) for row in self._run("memory_chain", {"id": memory_id})]

    def everything(self) -> Sequence[str]:
        """Give the ids of all rows."""
        return [row[0] for row in self._run("all_memory_ids")]
