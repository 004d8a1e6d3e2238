"""Migrations: older stores come along, newer, changed and unreleased ones are left alone, a failure leaves nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import apsw
import psycopg
import pytest

from recollect import Memory, StoreError, ids
from recollect.errors import StoreDamaged, StoreTooNew, StoreTooOld
from recollect.storage.base.statements import Migration, load_migrations
from tests.fixtures import BACKENDS
from tests.reliability.worker import open_memory
from tests.rows import slow_but
from tests.storage.catalogue import MOMENT, backend_of, catalogue, is_server, older_store, plain, record
from tests.storage.conftest import FreshDatabase
from tests.storage.later import LATEST, as_version, later_migrations, later_version, write_migrations

_NEWEST = len(load_migrations("sqlite"))


def test_the_dialects_move_in_lockstep() -> None:
    steps = [[(step.version, step.name) for step in load_migrations(backend)] for backend in ("sqlite", "postgres")]
    assert steps[0] == steps[1]


def test_every_alter_table_has_one_subcommand() -> None:
    for migration in load_migrations("postgres"):
        for statement in migration.sql.split(";"):
            altered = " ".join(line for line in statement.splitlines() if not line.startswith("--")).strip()
            assert not (altered.startswith("ALTER TABLE") and "," in altered), altered


def test_numbers_have_no_gap(tmp_path: Path) -> None:
    first, _, third, _ = later_migrations("sqlite")
    write_migrations(tmp_path, (first, third), "sqlite")
    with as_version(tmp_path), pytest.raises(AssertionError, match="not numbered 1, 2, 3"):
        load_migrations("sqlite")


def test_checksums_are_recorded(fresh_database: FreshDatabase) -> None:
    database = fresh_database()
    Memory.open(database).close()
    expected = [(step.version, step.name, step.checksum) for step in load_migrations(backend_of(database))]
    assert _ledger(database) == expected


def _ledger(database: str) -> list[tuple[object, ...]]:
    with plain(database) as store:
        return store.rows("SELECT version, name, checksum FROM schema_migrations ORDER BY version")


@pytest.mark.parametrize(
    ("fresh_database", "version"),
    slow_but(product(BACKENDS, range(LATEST)), *product(["sqlite"], range(LATEST)), ("postgresql", 1)),
    indirect=["fresh_database"],
)
def test_an_older_store_is_brought_up_to_date(fresh_database: FreshDatabase, tmp_path: Path, version: int) -> None:
    database, new = fresh_database(), fresh_database()
    kept = ["Written by an older version"] if version else []
    if version:
        with as_version(later_version(tmp_path / "older", version)), open_memory(database) as memory:
            memory.user("me").remember(kept[0])
    with as_version(later_version(tmp_path / "later")):
        Memory.open(database).close()
        Memory.open(new).close()
        assert _structure(database) == _structure(new)
        with open_memory(database) as memory:
            assert memory.status().schema_version == LATEST
            memory.maintain()
            assert memory.doctor() == ()
            me = memory.user("me")
            assert [record.content for record in me.list().items] == kept
            assert [hit.content for hit in me.recall("older").hits] == kept
            assert me.remember("Written by this version").action == "created"
            assert len(me.forget(everything=True).ids) == len(kept) + 1
            assert memory.doctor() == ()
    with plain(database) as store:
        moods = store.rows("SELECT user_id, amount FROM moods")
    assert moods == ([("me", 1)] if version == 1 else []), "the rows of before are changed by the migrations"


def _structure(database: str) -> dict[str, list[tuple[object, ...]]]:
    return {name: rows for name, rows in catalogue(database).items() if name != "sequence"}


def test_rows_outlive_a_table_that_is_made_anew(fresh_database: FreshDatabase, tmp_path: Path) -> None:
    database = fresh_database()
    older_store(database, later_migrations(backend_of(database))[:-1])
    due = "now()" if is_server(database) else "7"
    columns = "user_id, kind, item_kind, item_id, space, attempts, due_at, lease_until, bulk, reason, created_at"
    row = f"'me', 'geocode', 'memory', '{ids.new(MOMENT)}', 0, 3, NULL, {due}, 'batch', 'why', {due}"
    with plain(database) as store:
        store.rows(f"INSERT INTO jobs ({columns}) VALUES ({row})")  # noqa: S608 - written here
        before = store.rows(f"SELECT {columns} FROM jobs")  # noqa: S608
    with as_version(later_version(tmp_path)):
        Memory.open(database).close()
    with plain(database) as store:
        assert store.rows(f"SELECT {columns} FROM jobs") == before  # noqa: S608
        store.rows("UPDATE jobs SET kind = 'guess'")
        with pytest.raises((apsw.ConstraintError, psycopg.errors.CheckViolation)):
            store.rows("UPDATE jobs SET kind = 'know'")


@contextmanager
def _unchanged(database: str) -> Iterator[None]:
    """Whatever happens inside must leave the store as it was."""
    before = catalogue(database), _ledger(database), _files(database)
    yield
    assert (catalogue(database), _ledger(database), _files(database)) == before


def _files(database: str) -> dict[str, bytes]:
    """Read the files of the stores in a folder, but for what readers share of a log."""
    if is_server(database):
        return {}
    return {
        file.name: file.read_bytes() for file in Path(database).parent.glob("*.db*") if not file.name.endswith("-shm")
    }


def test_a_newer_store_is_refused(fresh_database: FreshDatabase) -> None:
    database = fresh_database()
    Memory.open(database).close()
    with plain(database) as store:
        record(store, database, Migration(99, "from_the_future", "SELECT 1"))
    with (
        _unchanged(database),
        pytest.raises(StoreTooNew, match=rf"99.*knows {_NEWEST}.*Upgrade recollect.*nothing was changed"),
    ):
        Memory.open(database)


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE schema_migrations SET checksum = 'something else' WHERE version = 2",
        "DELETE FROM schema_migrations WHERE version = 1",
    ],
)
def test_a_store_with_other_migrations_is_refused(
    fresh_database: FreshDatabase, tmp_path: Path, tampering: str
) -> None:
    database = fresh_database()
    with as_version(later_version(tmp_path / "later")):
        Memory.open(database).close()
        with plain(database) as store:
            store.rows(tampering)
        with _unchanged(database), pytest.raises(StoreDamaged, match=r"migration [12] \(\w+\).*checksum.*backup"):
            Memory.open(database)


_UNRELEASED = (
    "initial", "storage_parameters", "reading_queue", "keyed_tombstones", "file_changes", "readable_views",
    "spaces_of_the_store", "photo_places", "user_bytes", "statistics", "passages", "secrets_of_other_stores",
    "shared_scopes", "search_log", "ranked_words", "message_vectors", "media", "cluster_rules", "searches_of_a_cluster",
    "vectors_of_own_statements", "named_folders",
)  # fmt: skip


@pytest.mark.parametrize("amount", [1, len(_UNRELEASED)])
def test_a_store_of_an_unreleased_version_is_refused(fresh_database: FreshDatabase, amount: int) -> None:
    database = fresh_database()
    Memory.open(database).close()
    with plain(database) as store:
        store.rows("DELETE FROM schema_migrations")
        for version, name in enumerate(_UNRELEASED[:amount], 1):
            record(store, database, Migration(version, name, "SELECT 1"))
    found = rf"unreleased version.*number {amount}, begins with the migration 'initial'.*Nothing was changed"
    with (
        _unchanged(database),
        pytest.raises(StoreTooOld, match=rf"{found}.*recollect export.*that wrote it.*recollect import.*new file"),
    ):
        Memory.open(database)


def test_a_migration_that_fails_leaves_nothing_behind(fresh_database: FreshDatabase, tmp_path: Path) -> None:
    database = fresh_database()
    backend = backend_of(database)
    chain = later_migrations(backend)
    older_store(database, chain[:2])
    failing = Migration(
        len(chain) + 1, "failing", "CREATE TABLE half_done (id integer); INSERT INTO lacking VALUES (1);"
    )
    write_migrations(tmp_path / "failing", (*chain, failing), backend)
    with (
        as_version(tmp_path / "failing"),
        _unchanged(database),
        pytest.raises(StoreError, match="lacking"),
    ):
        Memory.open(database)
    with as_version(later_version(tmp_path / "later")), open_memory(database) as memory:
        assert memory.status().schema_version == LATEST
        assert memory.doctor() == ()
