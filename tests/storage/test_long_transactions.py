"""Transactions elsewhere that do not end: a writer waits only so long, and `doctor` tells of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import psycopg
import pytest

from recollect import Memory
from recollect.errors import StoreUnavailable
from recollect.storage.postgres import store
from tests.fixtures import Server
from tests.reliability.worker import WITH_VECTORS, open_memory, vector_of
from tests.waiting import until

ROWS = 50


@pytest.fixture
def address(server: Server) -> Iterator[str]:
    url = server.fresh()
    yield url
    server.drop(url)


@contextmanager
def _transaction(address: str, statement: str) -> Iterator[None]:
    """Hold what a statement locks or sees."""
    with psycopg.connect(address) as connection:
        connection.execute(statement.encode())
        yield
        connection.rollback()


def test_a_writer_behind_a_held_row_gives_up(address: str) -> None:
    settings: dict[str, Any] = {**WITH_VECTORS, "postgres.lock_timeout_s": 0.1}
    with open_memory(address, **settings) as memory:
        me = memory.user("me")
        me.remember("The pump hums", vector=vector_of("pump"))
        with _transaction(address, "SELECT 1 FROM users WHERE user_id = 'me' FOR UPDATE"):
            with pytest.raises(StoreUnavailable, match=r"postgres\.lock_timeout_s"):
                me.remember("The pump is silent", vector=vector_of("silence"))
            memory.user("you").remember("The pump is mine", vector=vector_of("pump"))
        me.remember("The pump is silent", vector=vector_of("silence"))
        assert me.stats().memories == 2


def test_doctor_tells_of_an_old_snapshot_and_of_what_it_holds(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_LONG_TRANSACTION_S", 0.0)
    monkeypatch.setattr(store, "_MANY_DEAD_ROWS", ROWS)
    with open_memory(address, **WITH_VECTORS) as memory:
        me = memory.user("me")
        for number in range(ROWS):
            me.remember(f"Pump {number} hums", vector=vector_of(str(number)))
        with _transaction(address, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM memories LIMIT 1"):
            me.forget(everything=True)
            memory.maintain()
            until(lambda: _names(memory) == {"long_transactions", "dead_rows"}, "what doctor says of an old snapshot")
        until(lambda: _is_mended(memory), "a healthy store")


def test_doctor_counts_transactions_of_clients_only(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker process of the server, here one that runs part of a client's query, is no transaction to be ended."""
    monkeypatch.setattr(store, "_LONG_TRANSACTION_S", 0.0)
    in_a_worker = (
        "SELECT set_config(name, 'on', false) FROM pg_settings"
        " WHERE name IN ('force_parallel_mode', 'debug_parallel_query')"  # until version 15, and since
    )
    running = "SELECT backend_type FROM pg_stat_activity WHERE query LIKE %s AND xact_start IS NOT NULL"
    with open_memory(address) as memory, psycopg.connect(address) as client, psycopg.connect(address) as bare:
        client.execute(in_a_worker)
        bare.autocommit = True
        asked = Thread(target=_run_until_cancelled, args=(client, "SELECT pg_sleep(600)"))
        asked.start()
        until(lambda: len(bare.execute(running, ("%pg_sleep(600)",)).fetchall()) == 2, "a worker process")
        counted = [problem.count for problem in memory.doctor() if problem.check == "long_transactions"]
        client.cancel()
        asked.join()
    assert counted == [1]


def _run_until_cancelled(connection: psycopg.Connection[Any], statement: str) -> None:
    with pytest.raises(psycopg.errors.QueryCanceled):
        connection.execute(statement.encode())


def _is_mended(memory: Memory) -> bool:
    """Maintain once more: autovacuum may have been at a table, or a session told of its deletions later."""
    memory.maintain()
    return not _names(memory)


def _names(memory: Memory) -> set[str]:
    return {problem.check for problem in memory.doctor()}
