"""What opening, sharing and closing a store promise, on both stores."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from recollect import InvalidInput, Memory, NotFound, StoreError, load_settings
from recollect.errors import StoreUnavailable
from recollect.ports import Embedder
from tests.fixtures import OpenMemory


def test_a_second_memory_in_one_process_sees_everything_at_once(open_memory: OpenMemory) -> None:
    one, other = open_memory(), open_memory()
    mine, theirs = one.user("me"), other.user("me")
    stored = mine.remember("The kettle is on the stove")
    assert theirs.recall("where does the tea water boil?", only_related=False).hits[0].id == stored.id
    assert theirs.remember("The kettle is on the stove").action == "duplicate"
    theirs.update(stored.id, content="The cat sleeps on the radiator")
    (hit,) = mine.recall("a warm place for a pet", only_related=False).hits
    assert hit.content == "The cat sleeps on the radiator"
    mine.forget(stored.id)
    assert theirs.recall("a warm place for a pet", only_related=False).hits == ()
    assert theirs.count() == 0


def test_turns_of_writing_and_forgetting_stay_in_step(open_memory: OpenMemory) -> None:
    users = [open_memory().user("me"), open_memory().user("me")]
    texts = ["The kettle is on the stove", "Grandmother was born in Olomouc", "The ladder stands behind the shed"]
    for turn in range(4):
        writer, reader = users[turn % 2], users[1 - turn % 2]
        ids = [writer.remember(text).id for text in texts]
        assert {hit.id for hit in reader.recall("family history", only_related=False).hits} == set(ids)
        assert reader.recall("family history", only_related=False).hits[0].id == ids[1]
        reader.forget(ids[1])
        assert {hit.id for hit in writer.recall("family history", only_related=False).hits} == {ids[0], ids[2]}
        writer.forget(everything=True)
        assert reader.recall("family history", only_related=False).hits == ()


def test_a_closed_memory_does_not_disturb_another(open_memory: OpenMemory) -> None:
    one, other = open_memory(), open_memory()
    one.user("me").remember("The kettle is on the stove")
    one.close()
    assert len(other.user("me").recall("tea water", only_related=False).hits) == 1
    assert other.user("me").remember("The ladder stands behind the shed").degraded == ()


USES: dict[str, Callable[[Memory], object]] = {
    "remember": lambda memory: memory.user("me").remember("Two"),
    "remember_many": lambda memory: memory.user("me").remember_many(["Two", "Three"]),
    "recall": lambda memory: memory.user("me").recall("one", only_related=False),
    "forget": lambda memory: memory.user("me").forget("0198c0de-0000-7000-8000-000000000000"),
    "forget everything": lambda memory: memory.user("me").forget(everything=True),
    "get": lambda memory: memory.user("me").get("0198c0de-0000-7000-8000-000000000000"),
    "update": lambda memory: memory.user("me").update("0198c0de-0000-7000-8000-000000000000", content="x"),
    "list": lambda memory: memory.user("me").list(),
    "history": lambda memory: memory.user("me").history("0198c0de-0000-7000-8000-000000000000"),
    "count": lambda memory: memory.user("me").count(),
    "user stats": lambda memory: memory.user("me").stats(),
    "stats": lambda memory: memory.stats(),
    "status": lambda memory: memory.status(),
    "doctor": lambda memory: memory.doctor(),
    "maintain": lambda memory: memory.maintain(),
}


def test_a_closed_store_says_so(memory: Memory, subtests: pytest.Subtests) -> None:
    memory.user("me").remember("One")
    memory.close()
    memory.close()  # twice is fine
    for name, use in USES.items():
        with subtests.test(use=name), pytest.raises(StoreError, match="This store is closed"):
            use(memory)


class Counted:
    """An embedder that counts how often it is closed."""

    def __init__(self, encoder: Embedder) -> None:
        self._encoder = encoder
        self.closed = 0
        self.space = encoder.space
        self.languages = encoder.languages
        self.embed = encoder.embed

    def close(self) -> None:
        self.closed += 1


def test_what_was_stored_is_there_after_opening_again(database: str, encoder: Embedder) -> None:
    given = Counted(encoder)
    overrides = {"database": database, "embedding.worker": False, "recall.deadline_s": 600}
    settings = load_settings(os.devnull, environ={}, overrides=overrides)
    with pytest.raises(InvalidInput, match="either database or settings"):
        Memory.open(database, settings=settings)
    with Memory.open(settings=settings, embedder=given) as memory:
        stored = memory.user("me").remember("The kettle is on the stove")
    assert given.closed == 0, "whoever made it closes it"
    with Memory.open(database, embedder=encoder) as memory:
        assert memory.settings.database == database
        assert memory.user("me").recall("where does the tea water boil?", only_related=False).hits[0].id == stored.id
        assert memory.doctor() == ()
    with Memory.open(settings=settings, embedder=encoder):
        pass  # it may be opened and closed without any use
    with pytest.raises(NotFound), Memory.open(settings=settings, embedder=encoder) as failed:
        failed.user("me").get("nobody")
    with pytest.raises(StoreError, match="closed"):
        failed.stats()


def test_what_cannot_be_opened_is_said(tmp_path: Path, encoder: Embedder, subtests: pytest.Subtests) -> None:
    for where in ("postgresql://127.0.0.1:1/nothing", ":memory:", tmp_path):
        with subtests.test(where=where), pytest.raises(StoreUnavailable):
            Memory.open(where, embedder=encoder)


def test_many_threads_share_one_memory(memory: Memory) -> None:
    threads, rounds = 8, 4
    start = Barrier(threads)

    def work(number: int) -> None:
        me = memory.user("me")
        start.wait()
        for turn in range(rounds):
            stored = me.remember(f"Shelf {number} holds the box {turn}", type="fact")
            assert stored.action == "created"
            assert stored.id in {
                hit.id for hit in me.recall(f"box {turn} on shelf {number}", limit=100, only_related=False).hits
            }
            assert me.get(stored.id).type == "fact"

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))
    assert memory.user("me").count() == threads * rounds
    assert memory.user("me").stats().with_vector == threads * rounds
    assert memory.doctor() == ()


def test_many_threads_that_say_the_same_store_it_once(memory: Memory) -> None:
    threads = 8
    start = Barrier(threads)
    slot: Any = {"subject": "me", "key": "city"}

    def work(number: int) -> tuple[str, str]:
        me = memory.user("me")
        start.wait()
        return me.remember("The kettle is on the stove").action, me.remember(f"Lives in town {number}", **slot).action

    with ThreadPoolExecutor(threads) as pool:
        answers = list(pool.map(work, range(threads)))
    assert sorted(said for said, _ in answers) == ["created"] + ["duplicate"] * (threads - 1)
    assert sorted(moved for _, moved in answers) == ["created"] + ["superseded"] * (threads - 1)
    (home,) = memory.user("me").list(subject="me").items
    assert len(memory.user("me").history(home.id)) == threads
    assert memory.user("me").count() == 2
    assert memory.doctor() == ()


def test_many_threads_write_for_many_users(memory: Memory) -> None:
    threads = 8
    start = Barrier(threads)

    def work(number: int) -> None:
        user = memory.user(f"user {number}")
        start.wait()
        user.remember_many(f"Note {turn} of user {number}" for turn in range(10))
        user.forget(user.list(limit=1).items[0].id)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))
    assert [memory.user(f"user {number}").count() for number in range(threads)] == [9] * threads
    assert (memory.stats().users, memory.stats().memories) == (threads, 9 * threads)
    assert memory.doctor() == ()
