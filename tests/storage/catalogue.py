"""Looks at databases through plain drivers, and makes stores as older versions would have left them."""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import psycopg

from recollect.storage.base.statements import Migration
from recollect.storage.postgres import schema as postgres_migrate
from recollect.storage.sqlite import upkeep as sqlite_migrate
from recollect.storage.sqlite.connection import open_connection

MOMENT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

_SQLITE_CATALOGUE = {
    "schema": "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY 1, 2",
    "sequence": "SELECT name, value FROM sequence ORDER BY name",
    "terms": "SELECT k, v FROM memory_terms_config ORDER BY k",
    "header": "PRAGMA application_id",
}
_POSTGRES_CATALOGUE = {
    "columns": """
        SELECT table_name, ordinal_position, column_name, data_type, udt_name, is_nullable, column_default,
               is_identity, is_generated, collation_name
          FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2""",
    "relations": """
        SELECT relname, relkind, relpersistence, relrowsecurity, relforcerowsecurity, reloptions
          FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1""",
    "statistics": """
        SELECT attrelid::regclass::text, attname FROM pg_attribute
         WHERE attrelid::regclass::text IN ('memories', 'messages', 'chunks') AND attstattarget = 0 AND attnum > 0
         ORDER BY 1, 2""",
    "constraints": """
        SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid)
          FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conrelid <> 0 ORDER BY 1, 2""",
    "indexes": "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2",
    "views": "SELECT viewname, definition FROM pg_views WHERE schemaname = 'public' ORDER BY 1",
    "policies": """
        SELECT tablename, policyname, permissive, roles, cmd, qual, with_check
          FROM pg_policies WHERE schemaname = 'public' AND policyname <> 'recollect_search' ORDER BY 1, 2""",
    "functions": """
        SELECT p.proname, pg_get_function_identity_arguments(p.oid), p.prosecdef, pg_get_functiondef(p.oid),
               (SELECT array_agg(a.privilege_type ORDER BY 1) FROM aclexplode(p.proacl) a WHERE a.grantee = 0)
          FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.proname LIKE 'recollect%' ORDER BY 1, 2""",
    "extensions": "SELECT extname FROM pg_extension ORDER BY 1",
}


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

    def rows(self, sql: str, values: tuple[Any, ...] | None = None) -> list[tuple[Any, ...]]:
        """Run SQL; both dialects must understand it, or the caller must know which one it is."""
        if isinstance(self._connection, apsw.Connection):
            return list(self._connection.execute(sql, values))
        cursor = self._connection.execute(sql.encode(), values)
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


def contents(database: str) -> dict[str, str]:
    """Read all rows of all tables, as a text for each table."""
    tables = (
        "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        if is_server(database)
        else "SELECT name FROM sqlite_schema WHERE type = 'table'"
    )
    with plain(database) as store:
        return {
            name: "\n".join(map(str, store.rows(f'SELECT * FROM "{name}"')))  # noqa: S608 - a name from the catalogue
            for (name,) in store.rows(tables)
        }


def catalogue(database: str) -> dict[str, list[tuple[Any, ...]]]:
    """Describe all that a store consists of, so that two stores can be compared."""
    queries = _POSTGRES_CATALOGUE if is_server(database) else _SQLITE_CATALOGUE
    with plain(database) as store:
        return {name: [_normalised(row) for row in store.rows(query)] for name, query in queries.items()}


def _normalised(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Leave out what does not count in the text of a statement: comments and spaces."""
    return tuple(_bare(part) if isinstance(part, str) else part for part in row)


def _bare(statement: str) -> str:
    spaced = " ".join(re.sub(r"--.*", "", statement).split())
    return re.sub(r" ?([(),]) ?", r"\1", spaced)


def older_store(database: str, migrations: Sequence[Migration]) -> None:
    """Take an empty database to some version of the schema, with the records that version would have written."""
    if not migrations:
        return
    if not is_server(database):
        open_connection(Path(database), busy_timeout_s=10).close()
    with plain(database) as store:
        if is_server(database):
            store.rows("CREATE EXTENSION IF NOT EXISTS vector")
        store.rows((postgres_migrate if is_server(database) else sqlite_migrate).MIGRATIONS_TABLE)
        for migration in migrations:
            store.rows(migration.sql)
            record(store, database, migration)


def record(store: Plain, database: str, migration: Migration) -> None:
    """Record a migration as applied."""
    moment: object = MOMENT if is_server(database) else int(MOMENT.timestamp() * 1_000_000)
    gaps = "%s, %s, %s, %s" if is_server(database) else "?, ?, ?, ?"
    values = (migration.version, migration.name, migration.checksum, moment)
    store.rows(f"INSERT INTO schema_migrations VALUES ({gaps})", values)  # noqa: S608 - only the gaps differ
