"""Who works in the database: a role that neither owns its tables nor may look behind the wall.

The login opens the store and brings the schema up to date; then every connection of the pool takes on the application's
role. When there is no such role and the login may make one, it is made. A login that may not goes on as it is: the wall
stands for the owner of the tables as well, and falls only before superusers and those who may bypass it.
"""

from collections.abc import Callable, Sequence
from time import sleep
from typing import Final, NamedTuple

import psycopg
from psycopg import sql

from recollect.storage.postgres.connection import Connection
from recollect.storage.postgres.rows import QUERIES, one
from recollect.storage.postgres.spaces import lock

_TRIES: Final = 20
_AGAIN_S: Final = 0.05

# What the server says when two sessions make or grant the same role at the same moment, each in a database of its own.
_AT_ONCE = (psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation, psycopg.errors.InternalError_)


class Standing(NamedTuple):
    """How far the wall holds for whoever works here."""

    login: str
    role: str  # what connections take on; '' when they go on as the login
    holds: bool  # whether the wall stands for them
    owns: bool  # whether the login may index and analyse tables
    searches: bool  # whether words are looked up by functions of their own
    searches_files: bool  # the same of the words in files
    advice: Sequence[str] = ()


class _Seen(NamedTuple):
    """A row of `standing`."""

    login: str
    bypasses: bool
    super: bool
    creates_roles: bool
    owns: bool
    known: bool
    unfit: bool
    admitted: bool
    searches: bool
    searches_files: bool


def standing(connection: Connection, role: str) -> Standing:
    """Find out who works here, and make and admit the application's role if that is possible and not done yet."""
    seen = _look(connection, role)
    if role and seen.owns and not seen.unfit and _lacks_something(seen):
        _establish(connection, role, seen)
        seen = _look(connection, role)
    if role and seen.known and seen.admitted and not seen.unfit and _takes(connection, role):
        looked_up = (seen.searches, seen.searches_files)
        return Standing(seen.login, role, True, seen.owns, *looked_up)  # noqa: FBT003 - the wall holds
    looked_up = (seen.searches and not seen.bypasses, seen.searches_files and not seen.bypasses)
    return Standing(seen.login, "", not seen.bypasses, seen.owns, *looked_up, _advice(role, seen))


def _lacks_something(seen: _Seen) -> bool:
    """Whether there is anything to make that this login might be able to make."""
    return (seen.known or seen.creates_roles) and not (
        seen.admitted and ((seen.searches and seen.searches_files) or not seen.creates_roles)
    )


def _advice(role: str, seen: _Seen) -> Sequence[str]:
    """Say what is missing."""
    if seen.bypasses:
        why = f"cannot take on the role {role}" if role else "has no role to take on (postgres.role is empty)"
        lack = (
            f"{seen.login} sees past the server's own wall between users and {why}: only the queries keep users apart"
        )
    elif role and seen.owns:
        lack = f"{seen.login} owns the tables and cannot take on the role {role}: who has this login can lift the wall"
    else:
        return ()
    return (f"{lack}. Set up the roles as docs/postgresql.md shows.",)


def _look(connection: Connection, role: str) -> _Seen:
    return _Seen(*one(connection.execute(QUERIES["standing"].encode(), {"role": role})))


def _takes(connection: Connection, role: str) -> bool:
    """Whether the login may take on the role."""
    try:
        with connection.transaction(force_rollback=True):
            take(connection, role)
    except psycopg.errors.InsufficientPrivilege:
        return False
    return True


def take(connection: "psycopg.Connection[tuple[object, ...]]", role: str) -> None:
    """Take on a role for as long as the connection lasts."""
    connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))


def searcher_of(role: str) -> str:
    """Name the role that looks up words for the application."""
    return f"{role}_search"


def _establish(connection: Connection, role: str, seen: _Seen) -> None:
    """Make what is missing, as far as the login may. What it may not is seen afterwards."""
    login, searcher = sql.Identifier(seen.login), sql.Identifier(searcher_of(role))
    if seen.creates_roles:
        for name in (sql.Identifier(role), searcher):
            _try(connection, sql.SQL("CREATE ROLE {}").format(name))
            if not seen.super:  # who makes a role may give it away, but not take it on
                _try(connection, sql.SQL("GRANT {} TO {}").format(name, login))
    if not _admit(connection, role, searcher_of(role)):
        _admit(connection, role, "")
    if seen.creates_roles and not seen.super:  # it has its functions; the login must not read what they may
        _try(connection, sql.SQL("REVOKE {} FROM {}").format(searcher, login))


def _try(connection: Connection, statement: sql.Composed) -> bool:
    """Run a statement about roles; says whether it had its way, by itself or by somebody else."""
    return _insist(lambda: connection.execute(statement))


def _admit(connection: Connection, role: str, searcher: str) -> bool:
    """Let the role do its part; processes that open the same database at once wait for each other."""

    def admit() -> None:
        with connection.transaction():
            lock(connection)
            connection.execute(QUERIES["admit"].encode(), {"role": role, "searcher": searcher})

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
