"""Migrations: older stores come along, newer, changed and unreleased ones are left alone, a failure leaves nothing."""

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager

import apsw
import numpy as np
import psycopg
import pytest

from recollect import Memory, StoreError, ids
from recollect.engine.drafts.memory_drafts import draft_memories
from recollect.errors import StoreDamaged, StoreTooNew, StoreTooOld
from recollect.model.memories import NewMemory
from recollect.storage.migrations import Migration, load_migrations
from recollect.storage.postgres import migrate as postgres_migrate
from recollect.storage.postgres.codec import memory_columns
from recollect.storage.postgres.connection import register_types
from recollect.storage.rows import of_kind
from recollect.storage.sqlite import codec as sqlite_codec
from recollect.storage.sqlite import migrate as sqlite_migrate
from recollect.storage.sqlite.session import seq_array
from recollect.storage.statements import load_own
from tests.reliability.worker import open_memory
from tests.storage.catalogue import MOMENT, backend_of, catalogue, is_server, older_store, plain, record
from tests.storage.conftest import FreshDatabase

_LATEST = len(load_migrations("sqlite"))
_COUNTS_BYTES, _HAS_MEDIA = 9, 17
_MEDIA = re.compile(r", (?::|r\.)?media\b")


def test_the_dialects_move_in_lockstep() -> None:
    steps = [[(step.version, step.name) for step in load_migrations(backend)] for backend in ("sqlite", "postgres")]
    assert steps[0] == steps[1]


def test_every_alter_table_has_one_subcommand() -> None:
    for migration in load_migrations("postgres"):
        for statement in migration.sql.split(";"):
            altered = " ".join(line for line in statement.splitlines() if not line.startswith("--")).strip()
            assert not (altered.startswith("ALTER TABLE") and "," in altered), altered


def test_the_second_migration_changes_what_it_names(fresh_database: FreshDatabase) -> None:
    changed = set(_changes_of(fresh_database, 2))
    assert changed == ({"indexes", "relations", "statistics"} if is_server(fresh_database()) else {"header"})


def test_the_third_migration_changes_the_queue_alone(fresh_database: FreshDatabase) -> None:
    changed = _changes_of(fresh_database, 3)
    assert set(changed) == ({"constraints"} if is_server(fresh_database()) else {"schema"})
    assert all("jobs" in row for rows in changed.values() for row in rows)


def test_the_fourth_migration_adds_a_secret_and_nothing_else(fresh_database: FreshDatabase) -> None:
    changed = _changes_of(fresh_database, 4)
    assert all("store_secrets" in str(row) for rows in changed.values() for row in rows)


def _changes_of(fresh_database: FreshDatabase, version: int) -> dict[str, list[tuple[object, ...]]]:
    """Give the rows of each part of the catalogue that a migration changes."""
    before, after = fresh_database(), fresh_database()
    older_store(before, version - 1)
    older_store(after, version)
    old, new = catalogue(before), catalogue(after)
    differing = {
        name: [row for row in (*old[name], *new[name]) if (row in old[name]) != (row in new[name])] for name in new
    }
    return {name: rows for name, rows in differing.items() if rows}


def test_jobs_outlive_a_new_kind_of_job(fresh_database: FreshDatabase) -> None:
    database = fresh_database()
    older_store(database, 2)
    due = "now()" if is_server(database) else "7"
    columns = "user_id, kind, item_kind, item_id, space, attempts, due_at, lease_until, bulk, reason, created_at"
    row = f"'me', 'geocode', 'memory', '{ids.new(MOMENT)}', 0, 3, NULL, {due}, 'batch', 'why', {due}"
    with plain(database) as store:
        store.rows(f"INSERT INTO jobs ({columns}) VALUES ({row})")  # noqa: S608 - written here
        before = store.rows(f"SELECT {columns} FROM jobs")  # noqa: S608
    Memory.open(database).close()
    with plain(database) as store:
        assert store.rows(f"SELECT {columns} FROM jobs") == before  # noqa: S608
        store.rows("UPDATE jobs SET kind = 'read'")
        with pytest.raises((apsw.ConstraintError, psycopg.errors.CheckViolation)):
            store.rows("UPDATE jobs SET kind = 'guess'")


_FILE = (
    "user_id, id, root, path, name, source, kind, mime, size, mtime_ns, digest, recipe, lines, chunks, trust, "
    "original, notes, created_at, updated_at, metadata"
)


def test_photos_get_their_places_from_what_was_stored(fresh_database: FreshDatabase) -> None:
    database = fresh_database()
    older_store(database, 7)
    moment, uuid = ("now()" if is_server(database) else "7"), "01a1dea8-db60-7912-8e1b-f1c64866180"
    rows = [
        ("image", '{"latitude": 48.2082, "longitude": 16}'),
        ("image", '{"latitude": 91.5, "longitude": 16.5}'),
        ("image", '{"latitude": "1", "longitude": 16.5}'),
        ("markdown", '{"latitude": 48.5, "longitude": 16.5}'),
    ]
    with plain(database) as store:
        for number, (kind, metadata) in enumerate(rows):
            row = f"'me', '{uuid}{number}', '', '{number}', '{number}', 'document', '{kind}', '', 1, 1, '{number}'"
            row = f"{row}, 1, 1, 0, 1, '', '[]', {moment}, {moment}, '{metadata}'"
            store.rows(f"INSERT INTO files ({_FILE}) VALUES ({row})")  # noqa: S608 - written here
    with Memory.open(database) as memory:
        places = {file.path: (file.lat, file.lng) for file in memory.user("me").files.list().items}
    assert places == {"0": (48.2082, 16.0), "1": (None, None), "2": (None, None), "3": (None, None)}


def test_checksums_are_recorded(fresh_database: FreshDatabase) -> None:
    database = fresh_database()
    Memory.open(database).close()
    expected = [(step.version, step.name, step.checksum) for step in load_migrations(backend_of(database))]
    assert _ledger(database) == expected


def _ledger(database: str) -> list[tuple[object, ...]]:
    with plain(database) as store:
        return store.rows("SELECT version, name, checksum FROM schema_migrations ORDER BY version")


@pytest.mark.parametrize("version", range(_LATEST))
def test_an_older_store_is_brought_up_to_date(fresh_database: FreshDatabase, version: int) -> None:
    database, new = fresh_database(), fresh_database()
    older_store(database, version)
    kept = ["Written by an older version"] if version else []
    if version:
        _write_into(database, version)
    Memory.open(database).close()
    Memory.open(new).close()
    assert _structure(database) == _structure(new)
    with open_memory(database) as memory:
        assert memory.status().schema_version == _LATEST
        memory.maintain()
        assert memory.doctor() == ()
        me = memory.user("me")
        assert [record.content for record in me.list().items] == kept
        assert [hit.content for hit in me.recall("older").hits] == kept
        assert me.remember("Written by this version").action == "created"
        assert len(me.forget(everything=True).ids) == len(kept) + 1
        assert memory.doctor() == ()


def _structure(database: str) -> dict[str, list[tuple[object, ...]]]:
    return {name: rows for name, rows in catalogue(database).items() if name != "sequence"}


_USER_WITH_BYTES = "INSERT INTO users (user_id, generation, resets, memories, bytes) VALUES ('me', 1, 0, 1, 27)"
_OLD_USER = "INSERT INTO users (user_id, generation, resets, memories) VALUES ('me', 1, 0, 1)"


def _write_into(database: str, version: int = 1) -> None:
    """Store a memory as the first version of the schema has it, with the plain drivers."""
    (draft,) = draft_memories([NewMemory("Written by an older version")], MOMENT)
    user = _USER_WITH_BYTES if version >= _COUNTS_BYTES else _OLD_USER
    backend, row = backend_of(database), sqlite_codec.to_row(1, "me", draft)
    queries = load_own(backend, "dialect.sql")
    insert = queries["insert_memories" if is_server(database) else "insert_memory"]
    if version < _HAS_MEDIA:
        insert, row = _MEDIA.sub("", insert), row[:-1]
    if is_server(database):
        with psycopg.connect(database) as connection:
            register_types(connection)
            connection.execute("SELECT set_config('recollect.reach', 'store', true)")
            connection.execute(user)
            connection.execute(insert.encode(), {"user_id": "me", **memory_columns([draft])})
        return
    with closing(apsw.Connection(database)) as file, file:
        file.execute(user)
        file.execute(insert, row)
        file.execute(of_kind(queries["insert_terms"], "memory"), {"seqs": seq_array(np.array([1], np.int64))})
        file.execute("UPDATE sequence SET value = 1 WHERE name = 'item'")


@contextmanager
def _unchanged(database: str) -> Iterator[None]:
    """Whatever happens inside must leave the store as it was."""
    before = catalogue(database), _ledger(database)
    yield
    assert (catalogue(database), _ledger(database)) == before


def test_a_newer_store_is_refused(fresh_database: FreshDatabase) -> None:
    database = fresh_database()
    Memory.open(database).close()
    with plain(database) as store:
        record(store, database, Migration(99, "from_the_future", "SELECT 1"))
    with (
        _unchanged(database),
        pytest.raises(StoreTooNew, match=rf"99.*knows {_LATEST}.*Upgrade recollect.*nothing was changed"),
    ):
        Memory.open(database)


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE schema_migrations SET checksum = 'something else' WHERE version = 2",
        "DELETE FROM schema_migrations WHERE version = 1",
    ],
)
def test_a_store_with_other_migrations_is_refused(fresh_database: FreshDatabase, tampering: str) -> None:
    database = fresh_database()
    Memory.open(database).close()
    with plain(database) as store:
        store.rows(tampering)
    with _unchanged(database), pytest.raises(StoreDamaged, match=r"migration [12] \(\w+\).*checksum.*backup"):
        Memory.open(database)


_BEFORE_THE_FIRST_RELEASE = (
    "memories", "vectors", "jobs", "views", "conversations", "conversation_views", "speakers", "marks", "spaces",
    "doors", "walls", "files", "file_walls", "places", "place_walls",
)  # fmt: skip


@pytest.mark.parametrize("amount", [1, len(_BEFORE_THE_FIRST_RELEASE)])
def test_a_store_from_before_the_first_release_is_refused(fresh_database: FreshDatabase, amount: int) -> None:
    database = fresh_database()
    Memory.open(database).close()
    with plain(database) as store:
        store.rows("DELETE FROM schema_migrations")
        for version, name in enumerate(_BEFORE_THE_FIRST_RELEASE[:amount], 1):
            record(store, database, Migration(version, name, "SELECT 1"))
    with (
        _unchanged(database),
        pytest.raises(StoreTooOld, match=r"development version.*before the first release.*Nothing was changed.*anew"),
    ):
        Memory.open(database)


def test_a_migration_that_fails_leaves_nothing_behind(
    fresh_database: FreshDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = fresh_database()
    older_store(database, 1)
    failing = Migration(_LATEST + 1, "failing", "CREATE TABLE half_done (id integer); INSERT INTO lacking VALUES (1);")
    backend = postgres_migrate if is_server(database) else sqlite_migrate
    with monkeypatch.context() as patch:
        patch.setattr(backend, "load_migrations", lambda name: (*load_migrations(name), failing))
        with _unchanged(database), pytest.raises(StoreError, match="lacking"):
            Memory.open(database)
    with open_memory(database) as memory:
        assert memory.status().schema_version == _LATEST
        assert memory.doctor() == ()
