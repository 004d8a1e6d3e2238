"""PostgreSQL behind PgBouncer, which gives each transaction whichever connection is free."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from recollect import Memory, NewMemory
from recollect.storage.postgres.store import PostgresStore
from tests.fixtures import Server
from tests.pooler import pooler
from tests.reliability.worker import WITH_VECTORS, open_memory, vector_of
from tests.waiting import until

USERS = 6
TEXTS = [f"Tool {number} hangs on hook {number}" for number in range(30)]


@pytest.fixture
def address(server: Server) -> Iterator[str]:
    direct = server.fresh()
    with pooler(server.admin_url) as running:
        yield running.address(direct)
    server.drop(direct)


def _store(memory: Memory) -> PostgresStore:
    store = memory._engine.store
    assert isinstance(store, PostgresStore)
    return store


def test_users_share_connections_and_nothing_else(address: str) -> None:
    """Statements come often enough to be prepared, batches are loaded, and each user finds their own."""

    def live(number: int) -> None:
        me = memory.user(f"user{number}")
        me.remember_many([NewMemory(text, vector=vector_of(text)) for text in TEXTS])
        mine = me.remember(f"Hook {number} is mine", vector=vector_of("hook"))
        for _ in range(10):
            found = me.recall("whose hook is mine", vector=vector_of("hook"))
            assert [hit.id for hit in found.hits if "mine" in hit.content] == [mine.id]
            assert found.degraded == ()
        assert len(me.forget(everything=True).ids) == len(TEXTS) + 1

    with open_memory(address, **WITH_VECTORS) as memory, ThreadPoolExecutor(USERS) as threads:
        assert not _store(memory)._prepares
        assert list(threads.map(live, range(USERS))) == [None] * USERS
        assert memory.stats().memories == 0
        rows = [(f"user{number}", text) for text in TEXTS for number in range(USERS)]
        assert memory.load(rows).actions == {"created": len(rows)}
        assert memory.load(rows).actions == {"duplicate": len(rows)}
        assert memory.doctor() == ()
    left = (
        "SELECT current_user, current_setting('recollect.user_id', true), (SELECT count(*) FROM pg_prepared_statements)"
    )
    with psycopg.connect(address, autocommit=True) as connection:
        assert connection.execute(left).fetchall() == [("postgres", "", 0)]


def test_without_a_pooler_statements_are_prepared(server: Server) -> None:
    direct = server.fresh()
    for when, prepares in (("auto", True), ("never", False)):
        settings: dict[str, Any] = {**WITH_VECTORS, "postgres.prepare": when}
        with open_memory(direct, **settings) as memory:
            assert _store(memory)._prepares is prepares
    server.drop(direct)


def test_one_write_leaves_one_connection(server: Server) -> None:
    direct = server.fresh()
    others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    with open_memory(direct, **WITH_VECTORS) as memory, psycopg.connect(direct, autocommit=True) as watcher:
        memory.user("me").remember("Owns a kayak", vector=vector_of("kayak"))
        until(lambda: watcher.execute(others).fetchall() == [(1,)], "the end of all connections but one")
    server.drop(direct)
