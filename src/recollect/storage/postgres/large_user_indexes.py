"""Partial HNSW indexes for the few users whose rows are too many for an exact search.

Such an index covers one user and slows down no other. It is built while the database goes on serving.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

from psycopg import sql

from recollect.model.memories import Space
from recollect.storage.base.spaces import list_spaces
from recollect.storage.postgres.codec import column_type
from recollect.storage.postgres.connection import PgConnection
from recollect.storage.postgres.session import PostgresSession

_COMPARED: Final = 128  # rows that a row is compared with when it is indexed; with fewer, groups of rows are missed


def missing_indexes(session: PostgresSession, rows: int) -> Iterable[tuple[Space, int, str]]:
    """Find large users without an index: the space, its number and the user."""
    for number, kind, space, state, *_ in list_spaces(session):
        if state == "kept" or kind == "place":  # no user is at so many places
            continue
        users = [row[0] for row in session.rows("large_users", {"rows": rows}, kind=kind, space=number)]
        existing = {row[0] for row in session.rows("large_user_indexes", space=number)} if users else set()
        yield from ((space, number, user) for user in users if index_name(number, user) not in existing)


def build_indexes(connection: PgConnection, lacking: Sequence[tuple[Space, int, str]]) -> Sequence[str]:
    """Build what is missing, one index after the other, outside of any transaction; says for how many users."""
    built = 0
    for space, number, user in lacking:
        name = sql.Identifier(index_name(number, user))
        connection.execute(sql.SQL("DROP INDEX IF EXISTS {}").format(name))  # what an interrupted build left behind
        connection.execute(
            sql.SQL(
                "CREATE INDEX CONCURRENTLY {} ON {} USING hnsw (embedding {})"
                " WITH (ef_construction = {}) WHERE user_id = {}"
            ).format(
                name,
                sql.Identifier(f"vectors_{number}"),
                sql.Identifier(f"{column_type(space)}_cosine_ops"),
                sql.Literal(_COMPARED),
                sql.Literal(user),
            )
        )
        built += 1
    return [f"built a vector index for {built} large user(s)"] if built else []


def index_name(number: int, user: str) -> str:
    """Name a large user's index without revealing who it is."""
    return f"vectors_{number}_user_{hashlib.blake2b(user.encode(), digest_size=8).hexdigest()}"
