"""An index of words that an older analyser has made is noticed, and made anew by `maintain`, on both stores."""

from collections.abc import Callable
from threading import Event, Thread
from typing import Any

import pytest

from recollect import Memory, NewMessage, UserMemory
from recollect.engine.drafts.items import terms_of
from recollect.engine.maintenance import reindex
from recollect.storage.base import IndexedItem
from recollect.text.terms import ANALYSER
from tests.fixtures import OpenMemory
from tests.storage.older_words import age, hash_as_before, insist_indexed_once, mark, strange

AMOUNT = 12
ITEMS = 2 * (AMOUNT + 2 + AMOUNT)  # of two users: memories, two of them of a fact, and messages
ADVICE = "The index of words was made by an older analyser; run `recollect maintain`."


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    """A store without vectors: what is found is found by words."""
    return open_memory(embedding__provider="none")


def fill(memory: Memory, amount: int = AMOUNT) -> None:
    """Let two users keep and say things."""
    for name in ("me", "you"):
        user = memory.user(name)
        user.remember_many([f"Crate {number} holds part p{number}" for number in range(amount)])
        user.facts.set("gate", "colour", "green")
        user.facts.set("gate", "colour", "red")
        user.conversation("c").extend(
            NewMessage("user", f"Please plant tulips in bed b{number}.", speaker="Jana") for number in range(amount)
        )


def insist_found(memory: Memory, amount: int = AMOUNT) -> None:
    for name in ("me", "you"):
        user = memory.user(name)
        for number in range(amount):
            assert user.recall(f"p{number}").hits[0].content == f"Crate {number} holds part p{number}"
            said = user.search_context(f"b{number}").hits  # and what was said next to it
            assert said[0].content == f"Please plant tulips in bed b{number}."
        assert [hit.content for hit in user.recall("gate").hits] == ["gate colour: red"]
        hits = user.search_context("Jana", limit=1_000).hits
        assert sum(hit.content.startswith("Please plant tulips") for hit in hits) == amount


def test_an_index_of_another_version_is_noticed_and_made_anew(
    memory: Memory, database: str, open_memory: OpenMemory
) -> None:
    fill(memory)
    assert (mark(database), memory.status().advice, memory.doctor()) == (ANALYSER, (), ())
    assert memory.maintain().reindexed == 0, "a new store needs nothing"
    insist_found(memory)
    age(database)
    other, me = open_memory(embedding__provider="none"), memory.user("me")
    for process in (memory, other):
        assert process.user("me").recall("p7").hits == ()
    assert me.search_context("tulips").hits == ()
    assert memory.status().advice == (ADVICE,)
    (problem,) = memory.doctor()
    assert (problem.check, problem.count, problem.advice) == ("index_of_words", ITEMS, ADVICE)
    me.remember("The pump is in the attic")  # with words of today
    assert memory.maintain().reindexed == ITEMS
    for process in (memory, other):
        insist_found(process)
    assert me.recall("attic").hits
    insist_indexed_once(database)
    assert (mark(database), memory.status().advice, memory.doctor()) == (ANALYSER, (), ())
    assert memory.maintain().reindexed == 0
    age(database, ANALYSER + 1)
    assert memory.status().advice == (ADVICE.replace("an older", "a newer"),)
    memory.maintain()
    assert mark(database) == ANALYSER
    insist_found(memory)
    memory.user("me").forget(everything=True)
    memory.user("you").forget(everything=True)
    age(database)
    assert (memory.status().advice, memory.doctor(), memory.maintain().reindexed) == ((), (), 0), "it is empty"
    assert mark(database) == ANALYSER


def test_what_was_stored_before_is_known_again(memory: Memory, database: str) -> None:
    me = memory.user("me")
    stored = me.remember_many(["The gate is green", {"content": "The pond is deep", "trust": 1}, "We met Tom"])
    me.remember("Watered the plants", type="event")
    hash_as_before(database)
    age(database)
    twice = me.remember_many(["the gate is green!", "The pond is deep."])
    assert [answer.action for answer in twice] == ["created"] * 2  # it cannot be known before
    me.remember("Watered the plants", type="event")
    memory.maintain()
    told = {record.content for record in me.list().items}
    assert told == {"The gate is green", "The pond is deep.", "We met Tom", "Watered the plants"}
    assert me.count() == 5  # what happened twice
    for text, kept in zip(
        ("The gate is green.", "the pond is deep", "We met  Tom"), (stored[0], twice[1], stored[2]), strict=True
    ):
        answer = me.remember(text)
        assert (answer.action, answer.id) == ("duplicate", kept.id)
    assert [version.content for version in me.history(twice[1].id)] == ["The pond is deep", "The pond is deep."]
    assert memory.doctor() == ()


def test_vectors_stay_as_they_are(open_memory: OpenMemory, database: str) -> None:
    memory = open_memory()
    me = memory.user("me")
    me.remember("Grandmother was born in Olomouc")
    me.conversation("c").append("user", "Grandfather worked at the railway")
    memory.maintain()
    age(database)
    assert me.recall("Where was granny born?").hits
    done = memory.maintain()
    assert (done.reindexed, done.embedded) == (2, 0)
    assert memory.stats().vectors == 2
    assert me.recall("Olomouc").hits[0].parts.channels["text"].raw > 0
    assert memory.doctor() == ()


def test_a_round_that_ends_in_the_middle_goes_on_next_time(
    memory: Memory, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(memory)
    age(database)
    monkeypatch.setattr(reindex, "_BATCH", 10)
    analysed = 0

    def failing(item: Any) -> tuple[str, ...]:
        nonlocal analysed
        analysed += 1
        if analysed > AMOUNT + 2 + 8:
            raise MemoryError
        return terms_of(item)

    monkeypatch.setattr(reindex, "terms_of", failing)
    with pytest.raises(MemoryError):
        memory.maintain()
    assert mark(database) == 1
    assert [problem.check for problem in memory.doctor()] == ["index_of_words"]
    left = strange(database)
    assert left == ITEMS - (AMOUNT + 2)  # all memories of the first user; the batch of messages was not whole
    insist_indexed_once(database)
    monkeypatch.setattr(reindex, "terms_of", terms_of)
    assert memory.maintain().reindexed == left
    insist_found(memory)
    insist_indexed_once(database)
    assert memory.doctor() == ()


def test_long_texts_share_no_transaction(memory: Memory, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    me = memory.user("me")
    me.remember_many([f"Book {book}: " + " ".join(f"w{book}x{n}" for n in range(4_000)) for book in range(5)])
    age(database)
    sizes: list[int] = []
    replace = reindex._replace

    def counted(*arguments: Any) -> int:
        sizes.append(replace(*arguments))
        return sizes[-1]

    monkeypatch.setattr(reindex, "_replace", counted)
    assert memory.maintain().reindexed == 5
    assert sizes == [2, 2, 1]
    assert me.recall("w3x17").hits[0].content.startswith("Book 3:")
    insist_indexed_once(database)


def meanwhile(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], None]) -> None:
    """Let something happen once, between the first reading and the first writing."""
    batch = reindex._batch
    left = [happens]

    def interrupted(*arguments: Any) -> list[IndexedItem]:
        read = batch(*arguments)
        if left:
            left.pop()()
        return read

    monkeypatch.setattr(reindex, "_batch", interrupted)


def test_what_is_changed_meanwhile_is_indexed_as_it_is_then(
    memory: Memory, database: str, open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(memory)
    me = memory.user("me")
    ids = {record.content: record.id for record in me.list().items}
    age(database)
    theirs = open_memory(embedding__provider="none").user("me")

    def happens() -> None:
        theirs.update(ids["Crate 3 holds part p3"], content="Crate 3 was lent to the neighbour")
        theirs.update(ids["Crate 4 holds part p4"], importance=0.9)
        theirs.forget(ids["Crate 5 holds part p5"])
        theirs.remember("Crate 99 came today")

    meanwhile(monkeypatch, happens)
    memory.maintain()
    insist_indexed_once(database)
    assert strange(database) == 0
    assert me.recall("p3").hits == ()
    assert me.recall("neighbour").hits[0].id == ids["Crate 3 holds part p3"]
    assert [hit.id for hit in me.recall("p4").hits] == [ids["Crate 4 holds part p4"]]
    assert me.recall("p5").hits == ()
    assert [hit.content for hit in me.recall("99").hits] == ["Crate 99 came today"]
    assert memory.doctor() == ()


def test_two_rounds_at_once_do_no_harm(
    memory: Memory, database: str, open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(memory)
    age(database)
    other = open_memory(embedding__provider="none")
    meanwhile(monkeypatch, lambda: None if other.maintain().reindexed else pytest.fail("nothing was left to do"))
    memory.maintain()
    insist_found(memory)
    insist_indexed_once(database)
    assert memory.doctor() == ()


def test_writers_go_on_while_terms_are_made(
    memory: Memory, database: str, open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(memory)
    age(database)
    monkeypatch.setattr(reindex, "_BATCH", 5)
    done = Event()
    written: list[int] = []

    def write(user: UserMemory) -> None:
        while not done.is_set() or not written:
            number = len(written)
            user.remember(f"Letter l{number} went to box x{number}")
            user.conversation("c").append("user", f"Water the roses in row r{number}.")
            written.append(number)

    writer = Thread(target=write, args=(open_memory(embedding__provider="none").user("me"),))
    writer.start()
    try:
        assert memory.maintain().reindexed == ITEMS
    finally:
        done.set()
        writer.join()
    insist_found(memory)
    insist_indexed_once(database)
    for number in written:
        assert [hit.content for hit in memory.user("me").recall(f"l{number}").hits] == [
            f"Letter l{number} went to box x{number}"
        ]
        best = memory.user("me").search_context(f"r{number}").hits[0]
        assert best.content == f"Water the roses in row r{number}."
    assert memory.doctor() == ()
