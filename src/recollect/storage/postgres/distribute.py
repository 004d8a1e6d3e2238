"""Turns a store on PostgreSQL into one that Citus distributes over servers, user by user.

Each step is one transaction, and the catalogue of the server says which were done: a run that was interrupted goes on
with the next. From the first step to the last a mark says that the store is on its way, and no process may open it.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from psycopg import sql

from recollect.errors import InvalidInput, StoreError, StoreTooOld, StoreUnavailable
from recollect.model.stats import Distribution
from recollect.settings import PostgresSettings, hide_password
from recollect.storage.base.session import StoreSession
from recollect.storage.base.statements import load_migrations
from recollect.storage.base.tables import DISTRIBUTED
from recollect.storage.base.values import StepListener
from recollect.storage.postgres import schema
from recollect.storage.postgres.cluster import ServerCluster
from recollect.storage.postgres.connection import PgConnection, check_server, connect, translated
from recollect.storage.postgres.schema import applied_version, has_migrations_table
from recollect.storage.postgres.session import PostgresSession, TransactionSettings

_UNDER_WAY: Final = 1
_DONE: Final = 2
_REFERENCE: Final = "embedding_spaces"  # every server has all of it
_FIRST: Final = "users"  # all other tables are kept beside it
_NO_CITUS: Final = (
    "{where} has no extension citus. Let an administrator add citus to shared_preload_libraries, restart the server, "
    "and run in this database: CREATE EXTENSION citus;"
)
_NO_WORKERS: Final = (
    "The cluster of {where} has no workers yet. Let an administrator run, at this server: SELECT "
    "citus_set_coordinator_host('HOST'); and for each worker: SELECT citus_add_node('HOST', 5432);"
)


class DistributionStep(NamedTuple):
    """What is done in one transaction."""

    doing: str
    statements: tuple[str, ...]


def find_cluster(session: StoreSession, where: str) -> ServerCluster | None:
    """Give the cluster of a store that is distributed. Raises StoreUnavailable for one that is on its way."""
    mark = session.mark(DISTRIBUTED)
    if mark == _UNDER_WAY:
        raise StoreUnavailable(
            f"{where} is being distributed over several servers, or that was interrupted. Wait until it is done; if it "
            "was interrupted, run `recollect distribute` again, which goes on."
        )
    if mark != _DONE:
        return None
    return ServerCluster([row[0] for row in session.rows("user_tables")] if session.row("has_citus")[0] else ())


def distribute(url: str, settings: PostgresSettings, *, shards: int, dry_run: bool, tell: StepListener) -> Distribution:
    """Distribute a store, or say in which statements that would be done."""
    where = hide_password(url)
    with translated(where), connect(url, settings.connect_timeout_s) as owner:
        rights = _checked_rights(owner, settings, where)
        steps = list(_steps(owner, rights, shards))
        statements = tuple(statement for step in steps for statement in step.statements)
        if dry_run:
            return Distribution(statements, dry_run=True)
        _check_cluster(owner, where)
        waits = TransactionSettings("", settings.lock_timeout_s)
        with connect(url, settings.connect_timeout_s) as keeper, keeper.transaction():
            session = PostgresSession(keeper, waits)
            session.act_for(None)
            session.claim_spaces()  # until the end: no process writes
            _run(owner, steps, tell)
    return Distribution(statements, dry_run=False)


def _checked_rights(owner: PgConnection, settings: PostgresSettings, where: str) -> schema.LoginRights:
    check_server(owner)
    known = len(load_migrations("postgres"))
    if not has_migrations_table(owner) or applied_version(owner) != known:
        raise StoreTooOld(
            f"{where} has no store of this version yet. Open it once, for example with `recollect status`, and try "
            "again."
        )
    if PostgresSession(owner).mark(DISTRIBUTED) == _DONE:
        raise InvalidInput(f"{where} is distributed already. Nothing was changed.")
    rights = schema.login_rights(owner, settings.role)
    if not rights.owns:
        raise StoreError(
            f"{rights.login} does not own the tables. Run `recollect distribute` with the login that does."
        )
    return rights


def _check_cluster(owner: PgConnection, where: str) -> None:
    session = PostgresSession(owner)
    if not session.row("has_citus")[0]:
        raise StoreError(_NO_CITUS.format(where=where))
    workers = owner.execute("SELECT count(*) FROM pg_dist_node WHERE isactive AND shouldhaveshards").fetchone()
    if not workers or not workers[0]:
        raise StoreError(_NO_WORKERS.format(where=where))


def _run(owner: PgConnection, steps: Sequence[DistributionStep], tell: StepListener) -> None:
    for number, step in enumerate(steps):
        tell(step.doing, number, len(steps))
        with owner.transaction():
            owner.execute("SET LOCAL citus.multi_shard_modify_mode = 'sequential'")
            owner.execute("SET LOCAL recollect.reach = 'store'")
            for statement in step.statements:
                owner.execute(statement.encode())
    tell("distributing the store", len(steps), len(steps))


def _steps(owner: PgConnection, rights: schema.LoginRights, shards: int) -> Iterator[DistributionStep]:
    session = PostgresSession(owner)
    yield DistributionStep("noting that it begins", (_text(owner, _SET_MARK, DISTRIBUTED, _UNDER_WAY),))
    database = sql.Identifier(owner.info.dbname)
    yield DistributionStep("passing settings on", (_text(owner, _PROPAGATE, database),))
    if rights.role:
        yield from _role_steps(owner, rights)
    large = [str(row[0]) for row in owner.execute(_LARGE_USER_INDEXES)]
    if large:
        drops = tuple(_text(owner, "DROP INDEX {}", sql.Identifier(name)) for name in large)
        yield DistributionStep("dropping the indexes of large users", drops)
    distributed = {str(row[0]) for row in owner.execute(_DISTRIBUTED)} if session.row("has_citus")[0] else set()
    for name in (_REFERENCE, *(str(row[0]) for row in session.rows("user_tables"))):
        yield from _table_steps(owner, name, shards, done=name in distributed)
    yield DistributionStep("noting that it is done", (_text(owner, _SET_MARK, DISTRIBUTED, _DONE),))


_SET_MARK: Final = (
    "INSERT INTO store_marks (name, value) VALUES ({}, {}) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)
_PROPAGATE: Final = "ALTER DATABASE {} SET citus.propagate_set_commands = 'local'"
_LARGE_USER_INDEXES: Final = """
SELECT relname FROM pg_class
 WHERE relnamespace = current_schema()::regnamespace AND relkind = 'i' AND relname ~ '^vectors_[0-9]+_user_'
 ORDER BY relname COLLATE "C"
"""
_DISTRIBUTED: Final = "SELECT logicalrelid::text FROM pg_dist_partition"
_ON_WORKERS: Final = "SELECT * FROM run_command_on_workers({})"
_MAKE_ROLE: Final = (
    "DO $do$ BEGIN SET LOCAL citus.enable_create_role_propagation = off; "
    "IF to_regrole({}) IS NULL THEN CREATE ROLE {} LOGIN; ELSE ALTER ROLE {} LOGIN; END IF; END $do$"
)
_ADMIT: Final = "SELECT recollect_admit({}, {})"
_LOCAL_ROWS: Final = "SELECT truncate_local_data_after_distributing_table({}::text::regclass)"


def _text(owner: PgConnection, statement: str, *parts: object) -> str:
    """Fill the gaps of a statement, as the server wants names and values quoted."""
    filled = [part if isinstance(part, sql.Composable) else sql.Literal(part) for part in parts]
    return sql.SQL(statement).format(*filled).as_string(owner)


def _role_steps(owner: PgConnection, rights: schema.LoginRights) -> Iterator[DistributionStep]:
    """Let the roles of the application connect from server to server: that is in whose name a statement goes there."""
    searcher = schema.searcher_of(rights.role)
    for name in (rights.role, searcher) if _has_role(owner, searcher) else (rights.role,):
        made = _text(owner, _MAKE_ROLE, sql.Literal(name), sql.Identifier(name), sql.Identifier(name))
        yield DistributionStep(f"making the role {name} on the workers", (_text(owner, _ON_WORKERS, made),))
        login = _text(owner, "ALTER ROLE {} LOGIN", sql.Identifier(name))
        yield DistributionStep(f"letting the role {name} connect", (login,))
    if not rights.searches and _has_role(owner, searcher):  # the other servers did not know it
        yield DistributionStep(f"admitting {searcher}", (_text(owner, _ADMIT, rights.role, searcher),))


def _has_role(owner: PgConnection, name: str) -> bool:
    return owner.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (name,)).fetchone() is not None


def _table_steps(owner: PgConnection, name: str, shards: int, *, done: bool) -> Iterator[DistributionStep]:
    table, value = sql.Identifier(name), sql.Literal(name)
    if not done:
        how = "SELECT create_reference_table({})"
        if name != _REFERENCE:
            how = "SELECT create_distributed_table({}, 'user_id', colocate_with => 'users')"
        if name == _FIRST:
            how = "SELECT create_distributed_table({}, 'user_id', colocate_with => 'none'"
            how += f", shard_count => {shards})" if shards else ")"
        # the rows are copied with the rights of the owner, whom row-level security must not stop
        statements = (
            _text(owner, "ALTER TABLE {} NO FORCE ROW LEVEL SECURITY", table),
            _text(owner, how, value),
            _text(owner, "ALTER TABLE {} FORCE ROW LEVEL SECURITY", table),
        )
        yield DistributionStep(f"distributing {name}", statements)
    (size,) = owner.execute("SELECT pg_relation_size(%s::text::regclass)", (name,)).fetchone() or (0,)
    if size or not done:
        yield DistributionStep(f"removing what {name} left here", (_text(owner, _LOCAL_ROWS, value),))
