"""What reading and writing one user's rows have in common."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import psycopg

from recollect.model.literals import VectorKind
from recollect.model.memories import MemoryRecord, Scope
from recollect.storage.postgres import codec
from recollect.storage.postgres.connection import Connection
from recollect.storage.rows import of_kind
from recollect.storage.statements import load_queries

QUERIES = load_queries("postgres")


class PostgresRows:
    """One user's rows, for the length of one transaction."""

    def __init__(self, connection: Connection, scope: Scope) -> None:
        self._connection = connection
        self._user = scope.user_id

    def _run(
        self,
        name: str,
        values: dict[str, Any] | None = None,
        *,
        kind: VectorKind | None = None,
        space: int | None = None,
    ) -> "psycopg.Cursor[tuple[Any, ...]]":
        sql = QUERIES[name] if space is None else QUERIES[name].replace("{space}", str(space))
        if kind is not None:
            sql = of_kind(sql, kind)
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

    def of_session(self, session: str) -> Sequence[str]:
        """Give the ids of what was stored in a session."""
        return [row[0] for row in self._run("memories_of_session", {"session": session})]

    def of_source(self, source: str) -> Sequence[str]:
        """Give the ids of what came from a source."""
        return [row[0] for row in self._run("memories_of_source", {"source": source})]

    def expired(self, now: datetime) -> Sequence[str]:
        """Give the ids of memories past their expiry."""
        return [row[0] for row in self._run("expired_memories", {"now": now})]


def one(cursor: "psycopg.Cursor[tuple[Any, ...]]") -> tuple[Any, ...]:
    """Give the only row of an aggregate."""
    row = cursor.fetchone()
    assert row is not None, "an aggregate always has a row"  # noqa: S101 - for the type checker
    return row
