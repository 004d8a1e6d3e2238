"""Brings a file up to this version's schema: each step is a transaction, and only one process takes it."""

from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

import apsw

from recollect.errors import StoreError
from recollect.storage.base.migrations import AppliedMigration, Migration, load_migrations, pending_migrations
from recollect.storage.base.tables import ANALYSER
from recollect.storage.sqlite.codec import to_micros
from recollect.storage.sqlite.connection import open_for_reading

MIGRATIONS_TABLE = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    version    INTEGER NOT NULL PRIMARY KEY,
    name       TEXT    NOT NULL,
    checksum   TEXT    NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT
"""


def migrate(connection: apsw.Connection, where: str, now: datetime, analyser: int) -> None:
    """Apply what is missing. Processes that open the same file at once wait for each other at the lock.

    A new file notes which version of the analyser will make its terms.
    """
    known = load_migrations("sqlite")
    if _has_migrations_table(connection) and not pending_migrations(known, _applied(connection), where):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(MIGRATIONS_TABLE)
        applied = _applied(connection)
        for migration in pending_migrations(known, applied, where):
            _apply(connection, migration, now)
        if not applied:
            connection.execute("UPDATE store_marks SET value = ? WHERE name = ?", (analyser, ANALYSER))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def apply_migrations(connection: apsw.Connection, migrations: Sequence[Migration], now: datetime) -> None:
    """Make a schema in a new file, inside a transaction."""
    connection.execute(MIGRATIONS_TABLE)
    for migration in migrations:
        _apply(connection, migration, now)


def _apply(connection: apsw.Connection, migration: Migration, now: datetime) -> None:
    connection.execute(migration.sql)
    row = (migration.version, migration.name, migration.checksum, to_micros(now))
    connection.execute("INSERT INTO schema_migrations VALUES (?, ?, ?, ?)", row)


def holds_store(path: Path, busy_timeout_s: float) -> bool:
    """Tell whether a file is a store, of whatever version, without a change to it or its folder.

    What cannot be read is left to those who open it: they know what to do about damage.
    """
    if not path.exists():
        return False
    try:
        with closing(open_for_reading(path, busy_timeout_s)) as connection:
            return _has_migrations_table(connection)
    except (apsw.Error, StoreError):
        return True


def _has_migrations_table(connection: apsw.Connection) -> bool:
    return bool(connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").fetchall())


def _applied(connection: apsw.Connection) -> list[AppliedMigration]:
    rows = connection.execute("SELECT version, name, checksum FROM schema_migrations")
    return [AppliedMigration(*row) for row in rows]


def applied_version(connection: apsw.Connection) -> int:
    """The number of the newest migration that was applied."""
    return max((row.version for row in _applied(connection)), default=0)
