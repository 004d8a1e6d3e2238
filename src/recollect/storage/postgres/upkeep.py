"""Keeps a database in order: indexes for large users, and the removal of what deleted rows left in a server's files.

A partial HNSW index covers one of the few users whose rows are too many for an exact search, and slows down no other.
It is built while the database goes on serving.

A purge rewrites each table by itself, and a mark says so: one that was interrupted goes on with the tables it lacks.
Rows that an older transaction may still read cannot be removed; the server says how many, and the table stays unmarked.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from time import monotonic, sleep
from typing import Final

import psycopg
from psycopg import sql

from recollect.model.memories import Space
from recollect.model.stats import Purged
from recollect.storage.base.session import StoreSession
from recollect.storage.base.spaces import list_spaces
from recollect.storage.base.values import StepListener
from recollect.storage.postgres.cluster import PlacementRun, run_for_tables, run_on_reached
from recollect.storage.postgres.connection import PgConnection
from recollect.storage.postgres.session import PostgresSession, column_type

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


PURGED: Final = "purged"  # the mark that says up to which vanishing of rows all tables were rewritten
_LOCK_MS: Final = 2_000  # others wait as long as this purge waits for a table
_AGAIN_S: Final = 0.5
_MARK_LIMIT: Final = 2**31  # marks are integers
_CLEARING_SERVER: Final = 180_000  # from here on the owner of a table may clear its statistics
_NUMBER: Final = re.compile(r"\d+")
_ADMINISTRATOR: Final = (
    "The write-ahead log, its archive, replicas and backups of the server hold what they held before: recycle, "
    "rebuild or delete them."
)


def vanished(session: StoreSession) -> int:
    return int(session.row("count_resets")[0]) % _MARK_LIMIT


def owes_purge(session: StoreSession) -> bool:
    """Tell whether rows have vanished since all tables were rewritten."""
    return vanished(session) != (session.mark(PURGED) or 0)


def marked_tables(session: StoreSession) -> dict[str, int | None]:
    """Give the tables with rows of users, or about them, with the vanishing of rows up to which each was rewritten."""
    names = [str(row[0]) for row in session.rows("own_tables")]
    return {name: session.mark(f"{PURGED}:{name}") for name in names}


def set_mark(session: StoreSession, value: int, table: str = "") -> None:
    session.execute("set_mark", {"name": f"{PURGED}:{table}" if table else PURGED, "value": value})


def purge_reached(owner: PgConnection, tables: Sequence[str], away: Sequence[str], tell: StepListener) -> Purged:
    """Rewrite what is on the workers that answer. No table is marked: the next purge rewrites all of them."""
    rewritten = PlacementRun()
    for number, table in enumerate(tables):
        tell(f"rewriting {table}", number, len(tables))
        rewritten = rewritten.plus(run_on_reached(owner, "VACUUM (FULL) %s", table, away))
    tell("refreshing statistics", len(tables), len(tables))
    refreshed = refresh_statistics(owner, tables, away)
    servers = f"{len(away)} worker(s) that do not answer ({', '.join(away)})"
    left = f"{rewritten.away} of {rewritten.total} parts of the tables are on {servers}"
    notes = (f"rewrote {rewritten.done} of {rewritten.total} parts of the tables with their indexes", *refreshed.notes)
    return Purged(notes, (left, *rewritten.failures), refreshed.administrator)


def rewrite(owner: PgConnection, table: str, wait_s: float) -> str:
    """Rewrite a table with its indexes and long values; gives why it could not be done, or ''."""
    deadline, notices = monotonic() + wait_s, _KeptRows()
    owner.execute(f"SET lock_timeout = {_LOCK_MS}".encode())
    owner.add_notice_handler(notices.hear)
    try:
        while True:
            notices.amount = 0
            try:
                owner.execute(sql.SQL("VACUUM (FULL, VERBOSE) {}").format(sql.Identifier(table)))
            except psycopg.errors.LockNotAvailable:
                why = f"{table} is in use by a transaction that does not end"
            else:
                why = f"an older transaction may still read {notices.amount:,} deleted rows of {table}"
                if not notices.amount:
                    return ""
            if monotonic() >= deadline:
                return why
            sleep(_AGAIN_S)
    finally:
        owner.remove_notice_handler(notices.hear)


class _KeptRows:
    """Hears from the server how many deleted rows it had to keep; the number comes first, in whatever language."""

    amount = 0

    def hear(self, notice: psycopg.errors.Diagnostic) -> None:
        number = _NUMBER.search(notice.message_detail or "")
        if notice.severity_nonlocalized == "INFO" and number:
            self.amount += int(number[0])


def refresh_statistics(owner: PgConnection, tables: Sequence[str], away: Sequence[str] = ()) -> Purged:
    """Clear the statistics of our tables and take new ones, which hold no words; says what the login may not do."""
    notes, left = ["refreshed the planner's statistics"], []
    if not _clear(owner, tables):
        left.append(
            "Statistics of earlier versions may hold words, and this login may not remove them: let a superuser run "
            "DELETE FROM pg_statistic, then ANALYZE."
        )
    if away:
        run_for_tables(owner, "ANALYZE %s", tables, away)
    for table in () if away else tables:
        owner.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(table)))
    steps = (
        ("VACUUM (FULL) pg_statistic", "rewrite pg_statistic, where replaced statistics may be left: VACUUM FULL it"),
        ("CHECKPOINT", "write a checkpoint, after which the old files of the tables are gone: run CHECKPOINT"),
    )
    for statement, what in steps:
        try:
            owner.execute(statement.encode())
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.LockNotAvailable):
            left.append(f"This login may not, or cannot now, {what}.")
    return Purged(tuple(notes), administrator=(*left, _ADMINISTRATOR))


def _clear(owner: PgConnection, tables: Sequence[str]) -> bool:
    """Remove all statistics of our tables; says whether the login may."""
    session, ours = PostgresSession(owner), {"tables": list(tables)}
    if owner.info.server_version >= _CLEARING_SERVER:
        session.rows("clear_statistics", ours)
        return True
    try:
        session.execute("delete_statistics", ours)
    except psycopg.errors.InsufficientPrivilege:
        return False
    return True


def stale_samples(session: PostgresSession) -> int:
    """Count the columns whose statistics hold words though none are to be taken; 0 where the login may not look."""
    if not session.row("may_read_statistics")[0]:
        return 0
    return int(session.row("stale_samples")[0])
