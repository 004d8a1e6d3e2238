"""Reads that go to a standby: never without what was written before, and never with an error of the standby's own."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import pytest

from recollect import Memory
from recollect.errors import NotFound, StoreUnavailable
from recollect.model.stats import ReplicaStatus
from recollect.storage.postgres import replicas
from recollect.storage.postgres.store import PostgresStore
from tests.cli.conftest import Cli
from tests.clusters import Pair, running_pair
from tests.fixtures import Server
from tests.reliability.opening import open_memory
from tests.waiting import until

_ENDED = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE backend_type = 'client backend'"


@contextmanager
def _behind(pair: Pair) -> Iterator[None]:
    """Let the standby replay nothing for a while."""
    pair.standby.ask("SELECT pg_wal_replay_pause()")
    try:
        until(lambda: pair.standby.ask("SELECT pg_get_wal_replay_pause_state()") == [("paused",)])
        yield
    finally:
        pair.standby.ask("SELECT pg_wal_replay_resume()")


@pytest.fixture(scope="module")
def pair(server: Server) -> Iterator[Pair]:
    """A primary with its standby, for all of these tests."""
    with running_pair() as running:
        with open_memory(running.primary.url):
            pass
        yield running


@pytest.fixture
def memory(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """A store that reads from the standby, waits for it, and tries it again at once when it was of no use."""
    monkeypatch.setattr(replicas, "_COOL_DOWN_S", 0.0)
    monkeypatch.setattr(replicas, "_WAIT_S", 10.0)
    monkeypatch.setattr(replicas, "_ANSWER_S", 30.0)
    with _opened(pair) as opened:
        opened.user("me").forget(everything=True)
        yield opened


def _opened(pair: Pair, **settings: Any) -> Memory:
    usual = {"postgres.replicas": [pair.standby.url], "postgres.replica_max_lag_s": 3600}
    return open_memory(pair.primary.url, **{**usual, **settings})


def _standby(memory: Memory) -> ReplicaStatus:
    (found,) = memory.status().replicas
    return found


def _contents(memory: Memory) -> set[str]:
    return {record.content for record in memory.user("me").list().items}


def _reads_there(memory: Memory) -> bool:
    """Read, and say whether the standby answered."""
    before = _reads(memory)
    memory.user("me").count()
    return _reads(memory) > before


def _reads(memory: Memory) -> int:
    """Count what the standby has answered."""
    store = memory._engine.store
    assert isinstance(store, PostgresStore)
    assert store._replicas is not None
    return sum(replica.reads for replica in store._replicas._replicas)


def test_reads_go_to_the_standby_once_it_has_what_was_written(pair: Pair, memory: Memory) -> None:
    me = memory.user("me")
    me.remember("The key is under the mat")
    until(lambda: _reads_there(memory))
    before = _reads(memory)
    assert [hit.content for hit in me.recall("key mat").hits] == ["The key is under the mat"]
    assert _contents(memory) == {"The key is under the mat"}
    assert me.stats().memories == 1
    assert _reads(memory) == before + 3
    until(lambda: _standby(memory) == ReplicaStatus(pair.standby.url, reads=before + 3))


def test_what_is_read_by_id_or_within_a_conversation_is_asked_of_the_primary(memory: Memory) -> None:
    me = memory.user("me")
    stored = me.remember("The key is under the mat")
    me.conversation("c").append("user", "Where is the key?")
    until(lambda: _reads_there(memory))
    before = _reads(memory)
    assert me.get(stored.id).content == "The key is under the mat"
    assert len(me.conversation("c").window().messages) == 1
    assert memory.keys.list() == ()
    assert _reads(memory) == before


def test_a_write_is_seen_at_once_while_the_standby_is_behind(pair: Pair, memory: Memory) -> None:
    memory.user("me").remember("First")
    until(lambda: _reads_there(memory))
    with _behind(pair):
        memory.user("me").remember("Second")
        before = _reads(memory)
        assert _contents(memory) == {"First", "Second"}
        assert memory.user("me").count() == 2
        assert _reads(memory) == before
        assert _standby(memory).lag_bytes > 0
        with _opened(pair, **{"postgres.replica_max_lag_s": 0.1}) as impatient:
            (problem,) = impatient.doctor()
        assert "answers no reads: within 0.1 s it has not replayed what the primary had" in problem.advice
    until(lambda: _reads_there(memory))
    assert _contents(memory) == {"First", "Second"}


def test_what_others_wrote_is_seen_when_the_standby_is_too_far_behind(pair: Pair, memory: Memory) -> None:
    with _opened(pair, **{"postgres.replica_max_lag_s": 0.1}) as other:
        until(lambda: _reads_there(other))
        with _behind(pair):
            memory.user("me").remember("Written by another process")
            until(lambda: _contents(other) == {"Written by another process"})


def test_answers_do_not_go_back_in_time(pair: Pair, memory: Memory) -> None:
    with _opened(pair) as other:
        until(lambda: _reads_there(other))
        with _behind(pair):
            stored = memory.user("me").remember("Written by another process")
            assert _contents(other) == set()  # from the standby
            assert other.user("me").get(stored.id)  # from the primary, and from now on known
            assert _contents(other) == {"Written by another process"}


def test_an_error_that_only_the_standby_would_give_is_none(pair: Pair, memory: Memory) -> None:
    with _opened(pair) as other:
        until(lambda: _reads_there(other))
        with _behind(pair):
            stored = memory.user("me").remember("Written by another process")
            assert other.user("me").similar(stored.id).hits == ()
        with pytest.raises(NotFound):
            other.user("me").similar(memory.user("other").remember("Not mine").id)


def test_a_recovery_conflict_costs_nothing(pair: Pair, memory: Memory) -> None:
    me = memory.user("me")
    me.remember("The key is under the mat")
    until(lambda: _reads_there(memory))
    store, rounds = memory._engine.store, 0

    def conflicted(reader: Any) -> int:
        nonlocal rounds
        rounds += 1
        found = reader.count(me._filters({}))
        if rounds == 1:  # the standby removes rows that this snapshot still sees, and ends it
            pair.primary.ask("UPDATE memories SET content = content")
            pair.primary.ask("VACUUM memories")
            pair.catch_up()
        return int(reader.count(me._filters({})) + found)

    assert store.read(me._scope, conflicted, replica=True) == 2
    assert rounds == 2
    assert pair.standby.ask("SELECT sum(confl_snapshot) > 0 FROM pg_stat_database_conflicts") == [(True,)]
    until(lambda: _reads_there(memory))


def test_a_standby_that_is_killed_costs_nothing_and_is_told(pair: Pair, memory: Memory) -> None:
    memory.user("me").remember("The key is under the mat")
    until(lambda: _reads_there(memory))
    pair.standby.stop()
    try:
        assert _contents(memory) == {"The key is under the mat"}
        assert "Cannot connect" in _standby(memory).trouble
        (problem,) = memory.doctor()
        assert str(pair.standby.sockets) in problem.advice
    finally:
        pair.standby.start()
    until(lambda: _reads_there(memory))
    assert _standby(memory).trouble == ""


def test_a_standby_that_hangs_costs_a_moment(pair: Pair, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.user("me").remember("The key is under the mat")
    until(lambda: _reads_there(memory))
    monkeypatch.setattr(replicas, "_ANSWER_S", 1.0)
    pids = pair.standby.ask("SELECT pid FROM pg_stat_activity WHERE usename = 'postgres' AND pid <> pg_backend_pid()")
    for (pid,) in pids:
        os.kill(int(str(pid)), signal.SIGSTOP)
    try:
        before = _reads(memory)
        assert _contents(memory) == {"The key is under the mat"}
        assert _reads(memory) == before
    finally:
        for (pid,) in pids:
            os.kill(int(str(pid)), signal.SIGCONT)
    until(lambda: _reads_there(memory))


def test_a_server_that_is_no_standby_of_this_one_is_refused(pair: Pair, server: Server, memory: Memory) -> None:
    memory.user("me").remember("The key is under the mat")
    foreign = {"postgres.replicas": [server.fresh(), pair.primary.url]}
    with _opened(pair, **foreign) as opened:
        for _ in range(20):
            assert _contents(opened) == {"The key is under the mat"}
        other, itself = opened.status().replicas
        assert "no standby of this database" in other.trouble
        assert "promoted" in itself.trouble
        assert other.reads == itself.reads == 0


def test_a_standby_that_failed_is_left_alone_for_a_while(pair: Pair, memory: Memory) -> None:
    until(lambda: _reads_there(memory))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replicas, "_COOL_DOWN_S", 3600.0)
        pair.standby.ask(f"{_ENDED} AND pid <> pg_backend_pid()")
        before = _reads(memory)
        assert [memory.user("me").count() for _ in range(20)] == [0] * 20
        assert _reads(memory) == before


def test_a_new_connection_to_the_primary_lets_the_standby_be_checked_again(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _opened(pair, **{"postgres.pool_size": 1}) as memory:
        until(lambda: _reads_there(memory))
        monkeypatch.setattr(replicas.ServerIdentity, "mismatch", lambda *_: "of another timeline")
        assert _reads_there(memory)
        pair.primary.ask(f"{_ENDED} AND pid <> pg_backend_pid()")
        until(lambda: _stores(memory, "After the end of all connections"))
        assert not _reads_there(memory)


def test_a_login_with_the_role_of_the_application_reads_from_the_standby(pair: Pair, memory: Memory) -> None:
    memory.user("me").remember("The key is under the mat")
    pair.primary.ask("CREATE ROLE service LOGIN IN ROLE recollect_app")
    primary, standby = (one.url.replace("//postgres@", "//service@") for one in (pair.primary, pair.standby))
    settings: dict[str, Any] = {"postgres.replicas": [standby]}
    with open_memory(primary, **settings) as opened:
        until(lambda: _reads_there(opened))
        assert _contents(opened) == {"The key is under the mat"}
        assert _standby(opened).trouble == ""


def test_the_command_line_shows_replicas(pair: Pair, memory: Memory) -> None:
    memory.user("me").remember("The key is under the mat")
    pair.catch_up()
    cli = Cli("--database", pair.primary.url)
    cli.environment["RECOLLECT_POSTGRES_REPLICAS"] = f"{pair.standby.url} {pair.primary.url}"
    until(lambda: f"replica{pair.standby.url}uptodate" in "".join(cli.ok("status").split()))
    shown = "".join(cli.ok("status").split())
    assert f"replica{pair.primary.url}notused:itisnostandby:itwaspromoted,oristheprimaryitself" in shown
    assert [row["trouble"] for row in cli.json("status")["replicas"]] == ["", replicas._PROMOTED]


def test_only_users_of_the_last_seconds_have_a_position_of_their_own() -> None:
    positions, now = replicas.LogPositions(3600), monotonic()
    assert positions.needed("me") is None
    positions.note(10, ("me",), now)
    assert (positions.needed("me"), positions.needed("other")) == (10, 10)
    positions.note(20, ("me",), now)
    positions.note_replayed(30, "other")
    positions.note(15, (None,), now)
    assert (positions.needed("me"), positions.needed("other"), positions.needed("third")) == (20, 30, 15)
    positions.void()
    assert positions.needed("me") is None
    positions.note(25, (), now)  # asked before the write whose end is not known
    assert positions.needed("me") is None
    positions.note(25, (), monotonic())
    assert (positions.needed("me"), positions.needed("other")) == (25, 30)
    assert positions._of_users == {"other": 30}
    positions.note(40, (None,), monotonic())
    positions.void()
    positions.note(35, (), monotonic())  # begun before the write of the whole store, and answered after it
    assert positions.needed("me") == 40


@pytest.mark.slow
def test_after_a_promotion_the_old_primary_answers_and_the_new_one_when_it_is_gone(
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replicas, "_COOL_DOWN_S", 0.0)
    with running_pair() as pair:
        both = f"{pair.primary.url},{pair.standby.sockets}&target_session_attrs=read-write"
        with _opened(pair) as memory, open_memory(both) as lasting:
            memory.user("me").remember("Before the promotion")
            until(lambda: _reads_there(memory))
            pair.standby.promote()
            pair.standby.ask("UPDATE memories SET content = 'Of the other half of a split brain'")
            assert _contents(memory) == {"Before the promotion"}
            assert "promoted" in _standby(memory).trouble
            assert not _reads_there(memory)
            assert _contents(lasting) == {"Before the promotion"}
            late = pair.add_standby()
            pair.primary.stop()
            until(lambda: _stores(lasting, "After the failover"))
            expected = {"Of the other half of a split brain", "After the failover"}
            assert _contents(lasting) == expected
        follower: dict[str, Any] = {"postgres.replicas": [late.url]}
        with open_memory(pair.standby.url, **follower) as promoted:
            assert "it is on timeline 1, and the primary on 2" in _standby(promoted).trouble
            assert [_contents(promoted) for _ in range(10)] == [expected] * 10
            assert _reads(promoted) == 0


def _stores(memory: Memory, content: str) -> bool:
    """Write, and say whether there was a server that took it."""
    try:
        memory.user("me").remember(content)
    except StoreUnavailable:
        return False
    return True
