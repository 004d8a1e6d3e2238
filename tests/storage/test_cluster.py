"""A store that Citus distributes over two workers: the same life, one task a statement, workers that come and go."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import psycopg
import pytest

from recollect import Memory, NewMemory
from recollect.errors import StoreUnavailable
from recollect.settings import PostgresSettings
from recollect.storage.postgres import reader
from recollect.storage.postgres.connection import register_types
from recollect.storage.postgres.session import PostgresSession
from recollect.storage.postgres.store import PostgresStore
from recollect.storage.postgres.upkeep import index_name
from recollect.text.terms import ANALYSER
from tests.citus import Cluster, cluster, installed_programs
from tests.fixtures import SteppingClock
from tests.reliability.opening import WITH_QUICK_VECTORS, QuickEmbedder, open_memory, vector_of
from tests.storage.crossings import READS, WRITES
from tests.storage.life import live
from tests.storage.neighbours import furnish
from tests.waiting import until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(installed_programs() is None, reason="TEST_CITUS_PROGRAMS names no server with Citus"),
]
_SOUND = b"ID3\x04\0\0\0\0\0\0" + b"\xff\xfb\x90\0" * 8
_USERS = tuple(f"user {number}" for number in range(24))
_OF_A_USER = re.compile(r"user_id = %\((?:user_id|only_user|member)\)s")
_TASKS = re.compile(r"Task Count: (\d+)")
_OF_MEMBERS = "scope_id = %(user_id)s"  # members are users of their own


@pytest.fixture(scope="module")
def running() -> Iterator[Cluster]:
    """A cluster for all tests."""
    with cluster() as started:
        yield started


def _distributed(running: Cluster) -> str:
    address = running.fresh()
    Memory.open(address).close()
    Memory.distribute(address)
    return address


def test_a_life_is_the_same_on_a_cluster(running: Cluster, tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    (tmp_path / "cluster").mkdir()
    here = live(str(tmp_path / "memory.db"), tmp_path / "file")
    assert live(_distributed(running), tmp_path / "cluster") == here


class _InterruptedError(Exception):
    """Ends a run."""


def test_an_interrupted_run_goes_on(running: Cluster) -> None:
    address = running.fresh()
    with open_memory(address) as memory:
        for user in _USERS:
            memory.user(user).remember_many([f"{user} has lamp {number}" for number in range(30)])
    left = [10_000]

    def interrupt(_doing: str, number: int, total: int) -> None:
        left.append(total)
        if number == 7 and number < total:
            raise _InterruptedError

    for _ in range(200):
        try:
            Memory.distribute(address, tell=interrupt)
        except _InterruptedError:
            with pytest.raises(StoreUnavailable, match="is being distributed"):
                Memory.open(address)
        else:
            break
    assert len(set(left)) > 5, "it was interrupted often"
    with open_memory(address) as memory:
        assert memory.doctor() == ()
        assert {user: len(memory.user(user).list(limit=100).items) for user in _USERS} == dict.fromkeys(_USERS, 30)


_DISTRIBUTE = """
import sys
from recollect import Memory
Memory.distribute(sys.argv[1], tell=lambda doing, number, total: print(doing, flush=True))
"""


def _killed_at(address: str, step: str) -> None:
    """Distribute in a process of its own, and kill it in a step."""
    with subprocess.Popen([sys.executable, "-c", _DISTRIBUTE, address], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout
        assert any(line.strip() == step for line in run.stdout)
        run.kill()


def test_a_killed_run_goes_on(running: Cluster) -> None:
    address = running.fresh()
    with open_memory(address) as memory:
        for user in _USERS:
            memory.user(user).remember_many([f"{user} has lamp {number}" for number in range(30)])
    for step in ("distributing users", "distributing memories", "removing what memories left here"):
        _killed_at(address, step)
        with pytest.raises(StoreUnavailable, match="is being distributed"):
            Memory.open(address)
    Memory.distribute(address)
    with open_memory(address) as memory:
        assert memory.doctor() == ()
        assert {user: len(memory.user(user).list(limit=100).items) for user in _USERS} == dict.fromkeys(_USERS, 30)


def _owned(running: Cluster, owner: str) -> str:
    """Make a database that belongs to a login without the rights of an administrator, on all servers."""
    address = running.fresh()
    database = address.rpartition("/")[2]
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE {owner} LOGIN CREATEROLE".encode())
    for server in (running.coordinator, *running.workers):
        with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {database} OWNER TO {owner}".encode())
    return address.replace("//postgres@", f"//{owner}@")


def test_an_owner_who_is_no_superuser_distributes(running: Cluster) -> None:
    address = _owned(running, "keeper_of_memories")
    Memory.open(address).close()
    Memory.distribute(address)
    with open_memory(address, **WITH_QUICK_VECTORS) as memory:
        for user in _USERS:
            assert memory.user(user).remember(f"{user} has a lamp").action == "created"
        assert memory.status().advice == ()
        assert memory.maintain().failed == ()
        assert memory.purge().failed == ()
        assert memory.doctor() == ()
        assert [hit.content for hit in memory.user(_USERS[0]).recall("lamp").hits] == [f"{_USERS[0]} has a lamp"]


def test_a_role_under_row_security_searches_for_the_user_it_names(running: Cluster) -> None:
    address = _distributed(running)
    with open_memory(address, **WITH_QUICK_VECTORS) as memory:
        for user in _USERS:
            memory.user(user).remember(f"{user} has a lamp")
    with psycopg.connect(address, autocommit=True) as administrator:
        administrator.execute("CREATE ROLE guest_of_cluster LOGIN")
        administrator.execute("GRANT recollect_app TO guest_of_cluster")
    search = "SELECT content FROM search_memories(%s::vector, %s, p_threshold => 0.9)"
    with psycopg.connect(address.replace("//postgres@", "//guest_of_cluster@"), autocommit=True) as guest:
        for user in _USERS[:6]:
            vector = str(vector_of(f"{user} has a lamp"))
            with guest.transaction():
                assert guest.execute(search, (vector, user)).fetchall() == [(f"{user} has a lamp",)]
            with guest.transaction():
                assert guest.execute("SELECT count(*) FROM memories").fetchall() == [(0,)]
            with guest.transaction(force_rollback=True):
                guest.execute("SELECT recollect_set('recollect.reach', 'user')")
                guest.execute("SELECT recollect_set('recollect.user_id', %s)", (user,))
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    guest.execute(search, (vector, _USERS[7]))


class Explainer:
    """Asks for the plans of statements on connections of its own: a plan that Citus cannot show ends a transaction."""

    def __init__(self, address: str) -> None:
        self._bound = psycopg.connect(address, autocommit=True)
        self._filled = psycopg.connect(address, autocommit=True, cursor_factory=psycopg.ClientCursor)
        for connection in (self._bound, self._filled):
            register_types(connection)
        self.tasks: dict[str, set[int]] = {}

    def explain(self, text: str, values: Any) -> None:
        """Note into how many tasks a statement is divided."""
        try:
            plan = self._filled.cursor().execute(f"EXPLAIN {text}".encode(), values).fetchall()
        except psycopg.Error:  # arrays in the server's own format cannot be put into the text
            plan = self._bound.cursor().execute(f"EXPLAIN {text}".encode(), values).fetchall()
        counts = {int(found) for (line,) in plan for found in _TASKS.findall(line)}
        self.tasks.setdefault(text, set()).update(counts)

    def close(self) -> None:
        """Close both connections."""
        self._bound.close()
        self._filled.close()


def test_every_statement_of_a_user_is_one_task(running: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_FEW_ROWS", -1)
    address = _distributed(running)
    store = PostgresStore(address, PostgresSettings(), SteppingClock(), analyser=1, geocodes=True)
    furnish(store)
    explainer = Explainer(address)
    execute = psycopg.Connection.execute

    def explained(self: psycopg.Connection[Any], query: Any, params: Any = None, **options: Any) -> Any:
        text = query.decode() if isinstance(query, bytes) else str(query)
        if _OF_A_USER.search(text) and _OF_MEMBERS not in text and "%(only_user)s = ''" not in text:
            explainer.explain(text, params)
        return execute(self, query, params, **options)

    monkeypatch.setattr(psycopg.Connection, "execute", explained)
    monkeypatch.setattr(
        PostgresSession,
        "execute_many",
        lambda self, name, rows, **gaps: [self.execute(name, row, **gaps) for row in rows],
    )
    for ask in READS.values():
        ask(store)
    for name, crossing in WRITES.items():
        with (
            store._connected() as connection,
            connection.transaction(force_rollback=True),
            monkeypatch.context() as patch,
        ):
            patch.setattr(store, "_connected", partial(nullcontext, connection))
            try:
                crossing(store)
            except IndexError:
                assert name == "revise what has no vector"
    store.close()
    explainer.close()
    assert len(explainer.tasks) > 120
    assert {text: found for text, found in explainer.tasks.items() if found != {1}} == {}


class Writer(Thread):
    """Writes for its user until it is told to end, and knows what was acknowledged."""

    def __init__(self, memory: Memory, user: str, ended: Event) -> None:
        super().__init__(name=user, daemon=True)
        self.user, self.kept, self.refused = user, list[str](), 0
        self._memory, self._ended = memory, ended

    def run(self) -> None:
        """Write one memory after the other."""
        number = 0
        while not self._ended.is_set():
            number += 1
            try:
                self.kept.append(self._memory.user(self.user).remember(f"{self.user} says {number}").id)
            except StoreUnavailable:
                self.refused += 1
                self._ended.wait(0.05)


def test_a_killed_worker_costs_its_own_users_only(running: Cluster) -> None:
    with open_memory(_distributed(running)) as memory:
        for user in _USERS:
            memory.user(user).remember(f"{user} has a lamp")
        ended = Event()
        writers = [Writer(memory, user, ended) for user in _USERS[:6]]
        for writer in writers:
            writer.start()
        until(lambda: all(len(writer.kept) > 2 for writer in writers), "writes")
        running.workers[0].kill()
        until(lambda: any(writer.refused for writer in writers), "a refusal")
        before = [len(writer.kept) for writer in writers]
        until(
            lambda: all(
                writer.refused > 2 or len(writer.kept) > sofar + 2
                for writer, sofar in zip(writers, before, strict=True)
            ),
            "writes of the others",
        )
        reached = {user for user in _USERS if _answers(memory, user)}
        assert set() < reached < set(_USERS)
        status = memory.status()
        assert any(f":{running.workers[0].port} does not answer" in advice for advice in status.advice)
        assert status.stats.users == len(reached)
        assert [problem.check for problem in memory.doctor()] == ["workers_away"]
        memory.embed_waiting()
        running.workers[0].start()
        until(lambda: all(_answers(memory, user) for user in _USERS), "the worker's return")
        ended.set()
        for writer in writers:
            writer.join()
        for writer in writers:
            found = {record.id for record in memory.user(writer.user).list(limit=1000).items}
            assert set(writer.kept) <= found
        until(lambda: memory.doctor() == (), "an end of what the worker left")
        assert memory.status().stats.users == len(_USERS)


def _answers(memory: Memory, user: str) -> bool:
    try:
        return bool(memory.user(user).list().items)
    except StoreUnavailable:
        return False


class OtherEmbedder(QuickEmbedder):
    """The same vectors by another name: a model to change to."""

    space = replace(QuickEmbedder.space, model="other")


def _furnish(memory: Memory, clock: SteppingClock) -> None:
    """Give every user something to expire, to erase, to index and to sweep."""
    for user in _USERS:
        me = memory.user(user)
        me.remember(f"{user} has a lamp", media=[me.media.add(_SOUND)])
        me.remember(f"{user} has guests", expires_at=clock.now() + timedelta(hours=1))
        me.forget(me.remember(f"{user} has a secret").id)


def test_upkeep_without_a_worker_is_for_the_others_and_is_finished_later(running: Cluster, tmp_path: Path) -> None:
    clock, originals = SteppingClock(), tmp_path / "originals"
    address, folder = _distributed(running), {"files.originals": str(originals)}
    with open_memory(address, clock=clock, **WITH_QUICK_VECTORS, **folder) as memory:
        _furnish(memory, clock)
        clock.advance(days=1)
        kept = [path for path in originals.rglob("*") if path.is_file()]
        for path in kept:
            os.utime(path, (0, 0))
        store = memory._engine.store
        store.set_analyser(0)
        memory.models.reembed(embedder=OtherEmbedder(), wait=False)
        running.workers[0].kill()
        worker = f"127.0.0.1:{running.workers[0].port}"
        reached = {user for user in _USERS if _answers(memory, user)}
        assert set() < reached < set(_USERS)

        maintained = memory.maintain()
        assert maintained.expired == len(reached)
        assert [failure for failure in maintained.failed if worker in failure]
        assert store.analyser() == 0
        assert all(path.exists() for path in kept)

        change = memory.models.reembed()
        assert (change.state, worker in change.unavailable) == ("building", True)
        assert change.previous == QuickEmbedder.space
        assert {part.source: part.vectors for part in change.coverage}["memory"] == len(reached)

        purged = memory.purge()
        assert [failure for failure in purged.failed if worker in failure]
        assert store.erasure().reason
        assert all(path.exists() for path in kept)

        running.workers[0].start()
        until(lambda: all(_answers(memory, user) for user in _USERS), "the worker's return")
        maintained = memory.maintain()
        assert (maintained.expired, maintained.failed) == (len(_USERS) - len(reached), ())
        assert store.analyser() == ANALYSER
        assert memory.status().space == OtherEmbedder.space
        assert memory.purge().failed == ()
        assert not store.erasure().reason
        assert memory.doctor() == ()
        assert all(path.exists() for path in kept)


def test_no_model_is_changed_to_without_a_worker(running: Cluster) -> None:
    with open_memory(_distributed(running), **WITH_QUICK_VECTORS) as memory:
        memory.user("me").remember("A lamp")
        before = memory.models.list()
        running.workers[0].kill()
        with pytest.raises(StoreUnavailable):
            memory.models.reembed(embedder=OtherEmbedder())
        running.workers[0].start()
        until(lambda: memory.doctor() == (), "the worker's return")
        assert memory.models.list() == before
        assert memory.models.reembed(embedder=OtherEmbedder()).state == "finished"


def test_a_large_user_has_an_index_at_the_worker(running: Cluster) -> None:
    address = _distributed(running)
    with psycopg.connect(address, autocommit=True) as connection:  # or so few rows would be sorted; Citus tells workers
        connection.execute(f"ALTER DATABASE {connection.info.dbname} SET random_page_cost = 1".encode())
    rows, questions = 6_000, 20
    vectors = np.random.default_rng(7).standard_normal((rows, 384)).astype(np.float32)
    settings: dict[str, Any] = {**WITH_QUICK_VECTORS, "postgres.giant_user_rows": 5_000}
    with open_memory(address, **settings) as memory:
        large = memory.user("large")
        large.remember_many(NewMemory(f"Row {row}", vector=vector) for row, vector in enumerate(vectors))
        assert any("1 large user" in note for note in memory.maintain().notes)
        assert memory.status().advice == ()
        for row in range(questions):
            assert large.recall("xyzzy", vector=vectors[row]).hits[0].content == f"Row {row}"
    name = f"{index_name(1, 'large')}\\_%"
    until(lambda: _index_scans(running, address, name) == questions, "the uses of the index at a worker")


def _index_scans(running: Cluster, address: str, name: str) -> int:
    """Count the uses of an index at all workers."""
    query, used = "SELECT coalesce(sum(idx_scan), 0) FROM pg_stat_user_indexes WHERE indexrelname LIKE %s", 0
    for worker in running.workers:
        with psycopg.connect(worker.url(address.rpartition("/")[2])) as connection:
            used += int(connection.execute(query, (name,)).fetchall()[0][0])
    return used


def test_shards_move_while_the_store_is_open(running: Cluster) -> None:
    address = _distributed(running)
    with open_memory(address) as memory, psycopg.connect(address, autocommit=True) as administrator:
        for user in _USERS:
            memory.user(user).remember(f"{user} has a lamp")
        port = running.workers[0].port
        administrator.execute("SELECT citus_set_node_property('127.0.0.1', %s, 'shouldhaveshards', false)", (port,))
        administrator.execute(
            "SELECT rebalance_table_shards('users', shard_transfer_mode => 'block_writes', drain_only => true)"
        )
        places = administrator.execute(
            "SELECT DISTINCT nodeport FROM citus_shards WHERE table_name = 'users'::regclass"
        )
        assert places.fetchall() == [(running.workers[1].port,)]
        for user in _USERS:
            memory.user(user).remember(f"{user} has a stove")
            assert len(memory.user(user).recall("lamp stove").hits) == 2
        assert memory.doctor() == ()
