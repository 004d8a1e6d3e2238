"""Looks at databases through plain drivers, and makes stores as older versions would have left them."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import psycopg

from recollect.storage.postgres import migrate as postgres_migrate
from recollect.storage.sqlite import migrate as sqlite_migrate
from recollect.storage.sqlite.connection import open_connection
from recollect.storage.statements import Migration, load_migrations

MOMENT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def is_server(database: str) -> bool:
    """Whether a store is a PostgreSQL database rather than a file."""
    return "://" in database


def backend_of(database: str) -> str:
    """Give the name of the folder with the store's SQL."""
    return "postgres" if is_server(database) else "sqlite"


class Plain:
    """A store without any of our code: the driver, and rows as tuples."""

    def __init__(self, connection: apsw.Connection | psycopg.Connection[Any]) -> None:
        self._connection = connection

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Run SQL; both dialects must understand it, or the caller must know which one it is."""
        if isinstance(self._connection, apsw.Connection):
            return list(self._connection.execute(sql))
        cursor = self._connection.execute(sql.encode())
        return cursor.fetchall() if cursor.description else []


@contextmanager
def plain(database: str) -> Iterator[Plain]:
    """Open a store with nothing but its driver; what is done is committed at the end."""
    if is_server(database):
        with psycopg.connect(database) as connection:
            yield Plain(connection)
        return
    with closing(apsw.Connection(database)) as file, file:
        yield Plain(file)


def older_store(database: str, version: int) -> None:
    """Take an empty database to an older version of the schema, with the ledger that version would have written."""
    if version == 0:
        return
    if not is_server(database):
        open_connection(Path(database), busy_timeout_s=10).close()
    ledger = postgres_migrate._LEDGER if is_server(database) else sqlite_migrate._LEDGER
    with plain(database) as store:
        store.rows(ledger)
        for migration in load_migrations(backend_of(database))[:version]:
            store.rows(migration.sql)
            record(store, database, migration)


def record(store: Plain, database: str, migration: Migration) -> None:
    """Write a line of the ledger."""
    moment = f"'{MOMENT.isoformat()}'" if is_server(database) else str(int(MOMENT.timestamp() * 1_000_000))
    values = f"{migration.version}, '{migration.name}', '{migration.checksum}', {moment}"
    store.rows(f"INSERT INTO schema_migrations VALUES ({values})")  # noqa: S608 - our own migrations
