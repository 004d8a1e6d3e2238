"""Writers of one process share a commit: each is answered after it, and what fails in one undoes that one only."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from recollect import Memory, StoreError
from recollect.model.memories import Scope
from recollect.storage.base import StoreWriter
from recollect.storage.sqlite import group_commit
from tests.reliability.opening import open_memory
from tests.waiting import PATIENCE_S, until

_THREADS = 40


class Crowd:
    """A store, and threads whose writes wait until all of them can be carried out together."""

    def __init__(self, memory: Memory, threads: ThreadPoolExecutor) -> None:
        self.memory = memory
        self.store: Any = memory._engine.store
        self.threads = threads
        self.started: list[Future[Any]] = []
        self.answered: list[int] = []  # how many writers were, at each commit
        self.veto = False

    def begin(self, call: Callable[[], Any]) -> Future[Any]:
        """Start a write that waits."""
        self.started.append(self.threads.submit(call))
        until(lambda: sum(map(len, self.store._turns._waiting.values())) == len(self.started), "a writer in line")
        return self.started[-1]

    def remember(self, user: str, text: str) -> Future[Any]:
        """Start to store a text."""
        return self.begin(lambda: self.memory.user(user).remember(text).action)

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Let all writes that are started inside wait until the end."""
        self.store._turns.take()
        try:
            yield
        finally:
            self.store._writer.set_commit_hook(self._commits)
            self.store._turns.end()
            for call in self.started:
                call.exception(PATIENCE_S)

    def _commits(self) -> bool:
        self.answered.append(sum(call.done() for call in self.started))
        return self.veto

    def texts(self, user: str) -> set[str]:
        return {record.content for record in self.memory.user(user).list().items}


@pytest.fixture
def crowd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Crowd]:
    monkeypatch.setattr(group_commit, "_LONGEST_S", PATIENCE_S)
    with open_memory(str(tmp_path / "memory.db")) as memory, ThreadPoolExecutor(_THREADS) as threads:
        memory.user("me").remember("Something else")
        yield Crowd(memory, threads)
        assert memory.doctor() == ()


def test_writers_share_a_commit_and_are_answered_after_it(crowd: Crowd) -> None:
    with crowd.gathered():
        calls = [crowd.remember(f"user{number}", f"Letter {number}") for number in range(12)]
        again = crowd.remember("user3", "Letter 3")
    assert [call.result() for call in calls] == ["created"] * 12
    assert again.result() == "duplicate"
    assert crowd.answered == [0]
    assert all(crowd.texts(f"user{number}") == {f"Letter {number}"} for number in range(12))


def _fail(_: StoreWriter) -> None:
    raise ValueError("a bug")


def _violate(writer: StoreWriter) -> None:
    writer.exhume(["something"])
    session: Any = writer._session
    session.connection.execute("INSERT INTO sequence (name, value) VALUES ('item', 1)")


def test_a_writer_that_fails_undoes_only_its_own_changes(crowd: Crowd) -> None:
    def half(user: str, end: Callable[[StoreWriter], None]) -> Callable[[], object]:
        def work(writer: StoreWriter) -> None:
            writer.record_spending("2026-01-01", "half", user, crowd.memory._engine.store.spent("2026-01-01"))
            end(writer)

        return lambda: crowd.store.write(Scope(user), work)

    with crowd.gathered():
        first = crowd.begin(half("first", _fail))
        kept = crowd.remember("anna", "The pump is in the attic")
        failed = crowd.begin(half("ben", _fail))
        also_kept = crowd.remember("carla", "The ladder is in the barn")
        violated = crowd.begin(half("dora", _violate))
    assert isinstance(first.exception(), ValueError)
    assert isinstance(failed.exception(), ValueError)
    assert isinstance(violated.exception(), StoreError)
    assert (kept.result(), also_kept.result()) == ("created", "created")
    assert len(crowd.answered) == 1  # of the two that are kept; the first was alone, and undone
    assert (crowd.texts("anna"), crowd.texts("carla")) == ({"The pump is in the attic"}, {"The ladder is in the barn"})
    assert [scope.user_id for scope in crowd.store.reached_users().scopes] == ["anna", "carla", "me"]


def test_writes_that_sqlite_undoes_for_the_fault_of_another_are_carried_out_again(crowd: Crowd) -> None:
    def damage(writer: StoreWriter) -> None:
        session: Any = writer._session
        session.connection.execute("ROLLBACK")  # as SQLite does by itself where a page cannot be read
        raise apsw.IOError("a page cannot be read")

    with crowd.gathered():
        calls = [crowd.remember("anna", "The pump is in the attic"), crowd.remember("ben", "The ladder is in the barn")]
        failed = crowd.begin(lambda: crowd.store.write(Scope("carla"), damage))
        later = crowd.remember("dora", "The mower is in the shed")
    assert [call.result() for call in (*calls, later)] == ["created"] * 3
    assert isinstance(failed.exception(), StoreError)
    assert (crowd.texts("anna"), crowd.texts("ben")) == ({"The pump is in the attic"}, {"The ladder is in the barn"})


def test_a_commit_that_fails_is_told_to_all_who_share_it(crowd: Crowd) -> None:
    crowd.veto = True
    with crowd.gathered():
        calls = [crowd.remember(f"user{number}", f"Letter {number}") for number in range(5)]
    assert all(isinstance(call.exception(), StoreError) for call in calls)
    crowd.store._writer.set_commit_hook(None)
    assert [crowd.texts(f"user{number}") for number in range(5)] == [set()] * 5
    assert crowd.memory.user("user1").remember("Letter 1").action == "created"


def test_users_take_turns(crowd: Crowd) -> None:
    order: list[str] = []
    with crowd.gathered():
        for user in (*["busy"] * 20, "anna", "ben"):
            crowd.begin(lambda user=user: crowd.store.write(Scope(user), lambda _: order.append(user)))  # type: ignore[misc]
    assert order[:4] == ["busy", "anna", "ben", "busy"]
    assert len(order) == 22


def test_a_user_changes_what_the_same_group_has_stored(crowd: Crowd) -> None:
    me = crowd.memory.user("anna")

    def rewrite() -> None:
        crowd.store.write(Scope("anna"), lambda writer: writer.delete(writer.everything()))

    with crowd.gathered():
        crowd.remember("anna", "The pump is in the attic")
        crowd.remember("ben", "The pump is in the cellar")
        crowd.begin(rewrite)
        crowd.remember("anna", "The pump is in the barn")
    assert crowd.answered == [0]
    assert [hit.content for hit in me.recall("pump").hits] == ["The pump is in the barn"]
    assert [hit.content for hit in crowd.memory.user("ben").recall("pump").hits] == ["The pump is in the cellar"]


def test_who_writes_alone_waits_for_the_group_and_is_not_overtaken_for_ever(crowd: Crowd) -> None:
    def look() -> tuple[set[str], set[str]]:
        with crowd.store._writing():
            return crowd.texts("anna"), crowd.texts("ben")

    with crowd.gathered():
        crowd.remember("anna", "The pump is in the attic")
        looked = crowd.begin(look)
        crowd.remember("ben", "The ladder is in the barn")
    assert looked.result() == ({"The pump is in the attic"}, set())
    assert crowd.texts("ben") == {"The ladder is in the barn"}
