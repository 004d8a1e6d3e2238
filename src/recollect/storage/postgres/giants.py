"""Indexes for the few users whose rows are too many for an exact search.

A partial index covers one user and slows down nobody else. It is built while the database goes on serving.
"""

import hashlib
from collections.abc import Iterable, Sequence

from psycopg import sql

from recollect.model.memories import Space
from recollect.storage.postgres import spaces
from recollect.storage.postgres.connection import Connection
from recollect.storage.postgres.rows import QUERIES
from recollect.storage.rows import of_kind


def missing(connection: Connection, rows: int) -> Iterable[tuple[Space, int, str]]:
    """Find giants without an index: the space, its number and the user."""
    for number, kind, space, state, *_ in spaces.listing(connection):
        if state == "kept" or kind == "place":  # nobody is at so many places
            continue
        giants = [row[0] for row in connection.execute(of_kind(QUERIES["large_users"], kind).encode(), {"rows": rows})]
        if not giants:
            continue
        query = QUERIES["large_user_indexes"].replace("{space}", str(number)).replace("%%", "%")
        existing = {row[0] for row in connection.execute(query.encode())}
        yield from ((space, number, user) for user in giants if index_name(number, user) not in existing)


def build(connection: Connection, lacking: Sequence[tuple[Space, int, str]]) -> Sequence[str]:
    """Build what is missing, one index after the other, outside of any transaction; says for how many users."""
    built = 0
    for space, number, user in lacking:
        name = sql.Identifier(index_name(number, user))
        connection.execute(sql.SQL("DROP INDEX IF EXISTS {}").format(name))  # what an interrupted build left behind
        connection.execute(
            sql.SQL("CREATE INDEX CONCURRENTLY {} ON {} USING hnsw (embedding {}) WHERE user_id = {}").format(
                name,
                sql.Identifier(f"vectors_{number}"),
                sql.Identifier(f"{spaces.column_type(space)}_cosine_ops"),
                sql.Literal(user),
            )
        )
        built += 1
    return [f"built a vector index for {built} large user(s)"] if built else []


def index_name(number: int, user: str) -> str:
    """Name a giant's index without revealing who it is."""
    return f"vectors_{number}_user_{hashlib.blake2b(user.encode(), digest_size=8).hexdigest()}"
