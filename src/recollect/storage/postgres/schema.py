"""Brings a database up to this version's schema, in one transaction and one process at a time, and sees to the roles.

The application's role in the database neither owns the tables nor may bypass row-level security. The login opens the
store and brings the schema up to date; then every transaction takes on the application's role, and lays it down at its
end. When there is no such role and the login may make one, it is made. A login that may not goes on as it is: row-level
security is forced on the owner of the tables as well, and only superusers and roles with BYPASSRLS get past.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from time import sleep
from typing import Final, NamedTuple

import psycopg
from psycopg import sql

from recollect.storage.base.statements import AppliedMigration, load_migrations, pending_migrations
from recollect.storage.base.tables import ANALYSER
from recollect.storage.postgres.connection import PgConnection, ensure_vector
from recollect.storage.postgres.session import SCHEMA_LOCK, PostgresSession

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
    return max((row.version for row in _applied(connection)), default=0)


_TRIES: Final = 20
_AGAIN_S: Final = 0.05

# What the server says when two sessions make or grant the same role at the same moment, each in a database of its own.
_AT_ONCE = (psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation, psycopg.errors.InternalError_)


class LoginRights(NamedTuple):
    """What the login may do, and whether row-level security holds for it."""

    login: str
    role: str  # what transactions take on; '' when they go on as the login
    holds: bool  # whether row-level security applies to them
    owns: bool  # whether the login may index and analyse tables
    searches: bool  # whether words are looked up by a function with the rights of another role
    advice: Sequence[str] = ()


class _RightsRow(NamedTuple):
    """A row of `login_rights`."""

    login: str
    bypasses: bool
    super: bool
    creates_roles: bool
    owns: bool
    known: bool
    unfit: bool
    admitted: bool
    searches: bool


def login_rights(connection: PgConnection, role: str) -> LoginRights:
    """Find out what the login may do; make and admit the application's role if that is possible and not done yet."""
    rights = _look(connection, role)
    is_whole = rights.admitted and (rights.searches or not rights.creates_roles)
    if role and rights.owns and not rights.unfit and (rights.known or rights.creates_roles) and not is_whole:
        _establish(connection, role, rights)
        rights = _look(connection, role)
    if role and rights.known and rights.admitted and not rights.unfit and _takes(connection, role):
        return LoginRights(rights.login, role, True, rights.owns, rights.searches)  # noqa: FBT003 - it holds
    searches = rights.searches and not rights.bypasses
    return LoginRights(rights.login, "", not rights.bypasses, rights.owns, searches, _advice(role, rights))


def _advice(role: str, rights: _RightsRow) -> Sequence[str]:
    if rights.bypasses:
        why = f"cannot take on the role {role}" if role else "has no role to take on (postgres.role is empty)"
        lack = f"{rights.login} bypasses row-level security and {why}: only the queries keep users apart"
    elif role and rights.owns:
        can = "this login can switch row-level security off"
        lack = f"{rights.login} owns the tables and cannot take on the role {role}: {can}"
    else:
        return ()
    return (f"{lack}. Set up the roles as docs/postgresql.md shows.",)


def _look(connection: PgConnection, role: str) -> _RightsRow:
    return _RightsRow(*PostgresSession(connection).row("login_rights", {"role": role}))


def _takes(connection: PgConnection, role: str) -> bool:
    try:
        with connection.transaction(force_rollback=True):
            connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(role)))
    except psycopg.errors.InsufficientPrivilege:
        return False
    return True


def searcher_of(role: str) -> str:
    """Name the role that looks up words for the application."""
    return f"{role}_search"


def _establish(connection: PgConnection, role: str, rights: _RightsRow) -> None:
    """Make what is missing, as far as the login may. What it may not shows afterwards."""
    login, searcher = sql.Identifier(rights.login), sql.Identifier(searcher_of(role))
    if rights.creates_roles:
        for name in (sql.Identifier(role), searcher):
            _try(connection, sql.SQL("CREATE ROLE {}").format(name))
            if not rights.super:  # a role that makes another may give it away, but not take it on
                _try(connection, sql.SQL("GRANT {} TO {}").format(name, login))
    if not _admit(connection, role, searcher_of(role)):
        _admit(connection, role, "")
    if rights.creates_roles and not rights.super:  # it has its functions; the login must not read what they may
        _try(connection, sql.SQL("REVOKE {} FROM {}").format(searcher, login))


def _try(connection: PgConnection, statement: sql.Composed) -> bool:
    """Run a statement about roles; says whether it had its way, here or in another process."""
    return _insist(lambda: connection.execute(statement))


def _admit(connection: PgConnection, role: str, searcher: str) -> bool:
    """Let the role do its part; processes that open the same database at once wait for each other."""

    def admit() -> None:
        with connection.transaction():
            session = PostgresSession(connection)
            session.lock_spaces()
            connection.execute("SET LOCAL citus.multi_shard_modify_mode = 'sequential'")
            session.execute("admit", {"role": role, "searcher": searcher})

    return _insist(admit)


def _insist(step: Callable[[], object]) -> bool:
    for _ in range(_TRIES):
        try:
            step()
        except psycopg.errors.DuplicateObject:
            return True
        except _AT_ONCE:
            sleep(_AGAIN_S)
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedObject):
            return False
        else:
            return True
    return False
