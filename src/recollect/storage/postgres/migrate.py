"""Brings a database up to this version's schema: in one transaction, and only one process at a time."""

from datetime import datetime

from recollect.storage.base.migrations import AppliedMigration, load_migrations, pending_migrations
from recollect.storage.base.tables import ANALYSER
from recollect.storage.postgres.connection import PgConnection, ensure_vector
from recollect.storage.postgres.session import SCHEMA_LOCK

MIGRATIONS_TABLE = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    version    integer     NOT NULL PRIMARY KEY,
    name       text        NOT NULL,
    checksum   text        NOT NULL,
    applied_at timestamptz NOT NULL
)
"""


def migrate(connection: PgConnection, where: str, now: datetime, analyser: int) -> None:
    """Apply what is missing. Processes that open the same database at once wait for each other at the lock.

    A new database notes which version of the analyser will make its terms.
    """
    known = load_migrations("postgres")
    if has_migrations_table(connection) and not pending_migrations(known, _applied(connection), where):
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (SCHEMA_LOCK,))
        connection.execute("SET LOCAL recollect.reach = 'store'")  # the owner too is under row security
        connection.execute(
            "SET LOCAL citus.multi_shard_modify_mode = 'sequential'"
        )  # of use to a store that is distributed
        ensure_vector(connection)
        connection.execute(MIGRATIONS_TABLE)
        applied = _applied(connection)
        for migration in pending_migrations(known, applied, where):
            connection.execute(migration.sql.encode())
            row = (migration.version, migration.name, migration.checksum, now)
            connection.execute("INSERT INTO schema_migrations VALUES (%s, %s, %s, %s)", row)
        if not applied:
            connection.execute("UPDATE store_marks SET value = %s WHERE name = %s", (analyser, ANALYSER))


def has_migrations_table(connection: PgConnection) -> bool:
    """Tell whether there is a store, of whatever version."""
    row = connection.execute("SELECT to_regclass('schema_migrations')").fetchone()
    return row is not None and row[0] is not None


def _applied(connection: PgConnection) -> list[AppliedMigration]:
    rows = connection.execute("SELECT version, name, checksum FROM schema_migrations")
    return [AppliedMigration(*row) for row in rows]


def applied_version(connection: PgConnection) -> int:
    """The number of the newest migration that was applied."""
    return max((row.version for row in _applied(connection)), default=0)
