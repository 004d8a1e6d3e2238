"""Brings a database up to this version's schema: in one transaction, and only one process at a time."""

from datetime import datetime

from recollect.storage import migrating
from recollect.storage.postgres.connection import Connection, ensure_vector
from recollect.storage.postgres.spaces import SCHEMA_LOCK
from recollect.storage.rows import ANALYSER
from recollect.storage.statements import load_migrations

_LEDGER = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    version    integer     NOT NULL PRIMARY KEY,
    name       text        NOT NULL,
    checksum   text        NOT NULL,
    applied_at timestamptz NOT NULL
)
"""


def migrate(connection: Connection, where: str, now: datetime, analyser: int) -> None:
    """Apply what is missing. Processes that open the same database at once wait for each other at the lock.

    A new database notes which version of the analyser will make its terms.
    """
    known = load_migrations("postgres")
    if _has_ledger(connection) and not migrating.pending(known, _applied(connection), where):
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (SCHEMA_LOCK,))
        connection.execute("SELECT set_config('recollect.reach', 'store', true)")  # the wall stands for the owner too
        ensure_vector(connection)
        connection.execute(_LEDGER)
        applied = _applied(connection)
        for migration in migrating.pending(known, applied, where):
            connection.execute(migration.sql.encode())
            row = (migration.version, migration.name, migration.checksum, now)
            connection.execute("INSERT INTO schema_migrations VALUES (%s, %s, %s, %s)", row)
        if not applied:
            connection.execute("UPDATE store_marks SET value = %s WHERE name = %s", (analyser, ANALYSER))


def _has_ledger(connection: Connection) -> bool:
    row = connection.execute("SELECT to_regclass('schema_migrations')").fetchone()
    return row is not None and row[0] is not None


def _applied(connection: Connection) -> dict[int, str]:
    return dict(connection.execute("SELECT version, checksum FROM schema_migrations").fetchall())


def applied_version(connection: Connection) -> int:
    """The number of the newest step that was applied."""
    return max(_applied(connection), default=0)
