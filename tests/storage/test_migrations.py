"""The schema has one truth: migrations and `schema.sql` agree, older stores come along, newer ones are left alone."""

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager

import apsw
import numpy as np
import psycopg
import pytest

from recollect import Memory, StoreDamaged, StoreError, StoreTooNew
from recollect.engine.drafts.memory_drafts import draft_memories
from recollect.model.memories import NewMemory
from recollect.model.places import PlaceFields
from recollect.storage.postgres import codec as postgres_codec
from recollect.storage.rows import of_kind
from recollect.storage.sqlite import codec as sqlite_codec
from recollect.storage.sqlite.rows import seq_array
from recollect.storage.statements import Migration, load_migrations, load_queries, sql_folder
from tests.reliability.worker import open_memory
from tests.storage.catalogue import MOMENT, backend_of, catalogue, is_server, older_store, plain, record
from tests.storage.conftest import FreshDatabase

_LATEST = len(load_migrations("sqlite"))


def test_the_dialects_move_in_lockstep() -> None:
    steps = [[(step.version, step.name) for step in load_migrations(backend)] for backend in ("sqlite", "postgres")]
    assert steps[0] == steps[1]


def test_all_migrations_make_the_schema(fresh_database: FreshDatabase) -> None:
    migrated, written = fresh_database(), fresh_database()
    Memory.open(migrated).close()
    folder = sql_folder(backend_of(written))
    with plain(written) as store:
        for part in ("schema.sql", "views.sql"):
            store.rows((folder / part).read_text(encoding="utf-8"))
        for walls in ("0011_walls.sql", "0013_file_walls.sql", "0015_place_walls.sql"):
            store.rows((folder / "migrations" / walls).read_text(encoding="utf-8"))
    assert catalogue(migrated) == catalogue(written)


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
        _write_into(database)
    Memory.open(database).close()
    Memory.open(new).close()
    assert _structure(database) == _structure(new)
    with open_memory(database) as memory:
        assert memory.status().schema_version == _LATEST
        assert {problem.check for problem in memory.doctor()} == (_OLD_PROBLEMS if version else set())
        memory.maintain()
        assert memory.doctor() == ()
        assert _names_of_places(database) == ([("Old Street 1", "the old house")] if version else [])
        me = memory.user("me")
        assert [record.content for record in me.list().items] == kept
        assert [hit.content for hit in me.recall("older").hits] == kept
        assert me.remember("Written by this version").action == "created"
        assert len(me.forget(everything=True).ids) == len(kept) + 1
        assert memory.doctor() == ()


def _structure(database: str) -> dict[str, list[tuple[object, ...]]]:
    return {name: rows for name, rows in catalogue(database).items() if name != "sequence"}


_OLD_PROBLEMS = {"index_of_words", "places_without_name"}
_OLD_USER = "INSERT INTO users (user_id, generation, resets, memories) VALUES ('me', 1, 0, 1)"


_PLACE = 4  # where a row of SQLite has the id of its place


def _without_place(insert: str) -> str:
    return re.sub(r"(?<=terms), place\b|(?<=:terms), :place\b|(?<=%\(terms\)s), %\(place\)s", "", insert)


def _names_of_places(database: str) -> list[tuple[object, ...]]:
    with plain(database) as store:
        return store.rows("SELECT address, place_label FROM places")


def _write_into(database: str) -> None:
    """Store a memory as the first version would have, which knew of nothing but memories and noted no names."""
    where: PlaceFields = {"lat": 49.2, "lng": 16.6, "address": "Old Street 1", "place_label": "the old house"}
    (draft,) = draft_memories([NewMemory("Written by an older version", **where)], MOMENT)
    if is_server(database):
        with psycopg.connect(database) as connection:
            connection.execute(_OLD_USER)
            insert = _without_place(load_queries("postgres", "dialect.sql")["insert_memory"])
            connection.execute(insert.encode(), postgres_codec.to_parameters("me", draft))
        return
    queries = load_queries("sqlite", "dialect.sql")
    with closing(apsw.Connection(database)) as file, file:
        file.execute(_OLD_USER)
        row = sqlite_codec.to_row(1, "me", draft)
        file.execute(_without_place(queries["insert_memory"]), (*row[:_PLACE], *row[_PLACE + 1 :]))
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
        "DELETE FROM schema_migrations WHERE version = 3",
    ],
)
def test_a_ledger_that_does_not_fit_is_refused(fresh_database: FreshDatabase, tampering: str) -> None:
    database = fresh_database()
    Memory.open(database).close()
    with plain(database) as store:
        store.rows(tampering)
    with _unchanged(database), pytest.raises(StoreDamaged, match=r"migration [23] \(\w+\).*checksum.*backup"):
        Memory.open(database)


def test_a_step_that_fails_leaves_nothing_behind(fresh_database: FreshDatabase) -> None:
    database = fresh_database()
    older_store(database, 1)
    with plain(database) as store:
        store.rows("CREATE TABLE jobs (somebody_elses integer)")
    with _unchanged(database), pytest.raises(StoreError, match="jobs"):
        Memory.open(database)
    with plain(database) as store:
        store.rows("DROP TABLE jobs")
    with open_memory(database) as memory:
        assert memory.doctor() == ()
