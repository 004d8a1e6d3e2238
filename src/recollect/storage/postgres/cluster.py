"""Citus, for a store that is distributed: which workers answer, and what can be asked of the store without the others.

A user's statements go to one worker, so a worker that is away costs its own users only. Statements about the store as a
whole go to all of them: while one is away, such a question is about the users of the others.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from psycopg import sql

from recollect.storage.postgres.connection import PgConnection
from recollect.storage.statements import load_own

_QUERIES: Final = load_own("postgres", "cluster.sql")


def away_workers(connection: PgConnection) -> Sequence[str]:
    """Name the workers that do not answer."""
    rows = connection.execute(_QUERIES["workers"].encode(), {}).fetchall()
    return [str(worker) for worker, answers in rows if not answers]


@contextmanager
def without_away_workers(connection: PgConnection, tables: Sequence[str]) -> Iterator[None]:
    """Let questions about the store leave out the users of workers that are away; nothing else is left of it.

    For so long, views that have only the other users hide the tables of the same names.
    """
    if not away_workers(connection):
        yield
        return
    lists = connection.execute(_QUERIES["reachable_users"].encode(), {}).fetchall()
    users = sorted(user for (found,) in lists for user in json.loads(found))
    ((schema,),) = connection.execute("SELECT current_schema()").fetchall()
    with connection.transaction(force_rollback=True):
        for table in tables:
            connection.execute(
                sql.SQL("CREATE TEMPORARY VIEW {} AS SELECT * FROM {} WHERE user_id = ANY({}::text[])").format(
                    sql.Identifier(table), sql.Identifier(schema, table), sql.Literal(users)
                )
            )
        yield
