"""Brings a file up to this version's schema: each step is a transaction, and only one process takes it."""

from datetime import datetime

import apsw

from recollect.storage import migrating
from recollect.storage.rows import ANALYSER
from recollect.storage.sqlite.codec import to_micros
from recollect.storage.sqlite.connection import rows
from recollect.storage.statements import Migration, load_migrations

_LEDGER = """
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
    if _has_ledger(connection) and not migrating.pending(known, _applied(connection), where):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(_LEDGER)
        applied = _applied(connection)
        for migration in migrating.pending(known, applied, where):
            _apply(connection, migration, now)
        if not applied:
            connection.execute("UPDATE store_marks SET value = ? WHERE name = ?", (analyser, ANALYSER))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _apply(connection: apsw.Connection, migration: Migration, now: datetime) -> None:
    connection.execute(migration.sql)
    row = (migration.version, migration.name, migration.checksum, to_micros(now))
    connection.execute("INSERT INTO schema_migrations VALUES (?, ?, ?, ?)", row)


def _has_ledger(connection: apsw.Connection) -> bool:
    return bool(rows(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'"))


def _applied(connection: apsw.Connection) -> dict[int, str]:
    return dict(rows(connection, "SELECT version, checksum FROM schema_migrations"))


def applied_version(connection: apsw.Connection) -> int:
    """The number of the newest step that was applied."""
    return max(_applied(connection), default=0)
