"""`distribute` without Citus: what it would do, what it refuses, and a store that is marked as distributed."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from recollect import InvalidInput, Memory, StoreError
from recollect.errors import StoreTooOld, StoreUnavailable
from recollect.model.media import original_name
from recollect.model.memories import Scope
from recollect.storage.postgres.cluster import AwayWorkers, ServerCluster
from recollect.storage.postgres.connection import PgConnection
from recollect.storage.postgres.store import PostgresStore
from tests.fixtures import Server, SteppingClock
from tests.reliability.opening import WITH_VECTORS, QuickEmbedder, open_memory, vector_of
from tests.storage.life import live
from tests.storage.logins import logged_in, login

_SOUND = b"ID3\x04\0\0\0\0\0\0" + b"\xff\xfb\x90\0" * 8
_GOLDEN = Path(__file__).parent / "distributed.sql"
_MARK = "INSERT INTO store_marks VALUES ('distributed', {}) ON CONFLICT (name) DO UPDATE SET value = excluded.value"


@pytest.fixture
def address(server: Server) -> str:
    """A store with a vector."""
    address = server.fresh()
    with open_memory(address, **WITH_VECTORS) as memory:
        memory.user("me").remember("Something", vector=vector_of("Something"))
    return address


def _mark(address: str, value: int) -> None:
    with psycopg.connect(address) as connection:
        connection.execute(_MARK.format(value).encode())


def test_the_statements_are_those_that_are_known(address: str) -> None:
    """Write the file anew by deleting it: what differs then shows what would be done otherwise."""
    done = Memory.distribute(address, shards=64, dry_run=True)
    database = conninfo_to_dict(address)["dbname"]
    text = "".join(f"{statement};\n" for statement in done.statements).replace(f'"{database}"', '"memory"')
    if not _GOLDEN.exists():
        _GOLDEN.write_text(text)
    assert text == _GOLDEN.read_text()
    assert done.dry_run
    with open_memory(address) as memory:
        assert len(memory.user("me").list().items) == 1


def test_a_server_without_citus_is_left_as_it_is(address: str) -> None:
    with pytest.raises(StoreError, match=r"no extension citus.*shared_preload_libraries.*CREATE EXTENSION citus"):
        Memory.distribute(address)
    with open_memory(address) as memory:
        assert memory.doctor() == ()


def test_a_file_cannot_be_distributed(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"memory\.db is a SQLite file.*recollect export"):
        Memory.distribute(tmp_path / "memory.db")


@pytest.mark.parametrize("shards", [-1, 64_001, True, "32"])
def test_a_number_of_shards_that_cannot_be_is_refused_before_anything_is_done(address: str, shards: Any) -> None:
    with pytest.raises(InvalidInput, match=r"shards is .*; it must be from 1 to 64000"):
        Memory.distribute(address, shards=shards)
    Memory.open(address).close()  # as before: it is not on its way


def test_a_store_is_distributed_once(address: str) -> None:
    _mark(address, 2)
    with pytest.raises(InvalidInput, match="distributed already"):
        Memory.distribute(address)


def test_a_distributed_store_is_not_dumped(address: str, tmp_path: Path) -> None:
    _mark(address, 2)
    way = r"distributed over several.*base backups.*citus_create_restore_point\('NAME'\).*recollect export"
    with open_memory(address) as memory, pytest.raises(StoreError, match=way):
        memory.backup(tmp_path / "backups")


def test_no_process_opens_a_store_on_its_way(address: str) -> None:
    _mark(address, 1)
    with pytest.raises(StoreUnavailable, match=r"is being distributed.*recollect distribute"):
        Memory.open(address)
    assert Memory.distribute(address, dry_run=True).statements  # which goes on


def test_only_the_owner_of_the_tables_may(server: Server, address: str) -> None:
    login(server, "guest_of_tables")
    with psycopg.connect(address) as connection:
        connection.execute("GRANT recollect_app TO guest_of_tables")
    with pytest.raises(StoreError, match="guest_of_tables does not own the tables"):
        Memory.distribute(logged_in(address, "guest_of_tables"), dry_run=True)


def test_an_empty_database_is_not_distributed(server: Server) -> None:
    with pytest.raises(StoreTooOld, match="no store of this version yet"):
        Memory.distribute(server.fresh(empty=True), dry_run=True)


def test_a_life_is_the_same_in_a_store_that_is_marked(server: Server, tmp_path: Path) -> None:
    marked = server.fresh()
    _mark(marked, 2)
    (tmp_path / "plain").mkdir()
    (tmp_path / "marked").mkdir()
    assert live(marked, tmp_path / "marked") == live(str(tmp_path / "memory.db"), tmp_path / "plain")


class _HalfAway(ServerCluster):
    """A cluster of which one worker does not answer, and on the other are these users."""

    def __init__(self, tables: Sequence[str], reached: Sequence[str]) -> None:
        super().__init__(tables)
        self._found = AwayWorkers(("worker:5432",), tuple(reached))

    def look(self, connection: PgConnection) -> AwayWorkers:
        """Say what is to be found."""
        return self._found


def test_a_store_without_some_of_its_users_is_asked_and_kept_up_for_the_others(server: Server, tmp_path: Path) -> None:
    clock, users = SteppingClock(), ("anna", "ben")
    folder = {"files.originals": str(tmp_path / "originals"), "embedding.provider": "quick"}
    with open_memory(server.fresh(), clock=clock, **folder) as memory:
        store = memory._engine.store
        assert isinstance(store, PostgresStore)
        for user in users:
            me = memory.user(user)
            me.remember(f"{user} has a lamp", media=[me.media.add(_SOUND)])
        originals = [original_name(user, sha256(_SOUND).hexdigest()) for user in (*users, "a stranger")]
        assert store.known_originals(originals) == set(originals[:2])
        with store._lent() as session:
            session.connection.execute("DELETE FROM vectors_1")
            tables = [str(row[0]) for row in session.rows("user_tables")]
        store._transactions = store._transactions._replace(cluster=_HalfAway(tables, ["anna"]))

        assert store.stats().users == 1
        assert store.reached_users() == ([Scope("anna")], False)
        assert store.owe(QuickEmbedder.space, clock.now()) == 1
        assert store.known_originals(originals) == set(originals)  # of those who are away, nothing is known
        clock.advance(days=400)
        now = clock.now()
        store.forget_old_logs(answers=now, changes=now, searches=now, sessions=now)
        assert not store.activate(QuickEmbedder.space)
        assert store.erasure().reason

        store._transactions = store._transactions._replace(cluster=None)
        assert store.owe(QuickEmbedder.space, clock.now()) == 1, "that of ben"
        with store._lent() as session:
            assert session.connection.execute("SELECT DISTINCT user_id FROM changes").fetchall() == [("ben",)]
