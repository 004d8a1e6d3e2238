"""What `update` promises, on both stores."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import pairwise
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from recollect import InvalidInput, Memory, NotFound, UserMemory
from recollect.errors import InvalidMemory, InvalidVector
from tests.fixtures import OpenMemory, SteppingClock
from tests.rows import every

TEXT = "The piano is tuned in May"


def test_the_id_and_the_birth_stay_and_the_change_shows(me: UserMemory, clock: SteppingClock) -> None:
    stored = me.remember(TEXT, type="fact", subject="piano", metadata={"a": 1})
    before = me.get(stored.id)
    clock.advance(days=1)
    updated = me.update(stored.id, content="The piano is tuned in June", importance=0.9, metadata={"b": 2})
    assert updated == me.get(stored.id)
    assert (updated.id, updated.created_at) == (stored.id, before.created_at)
    assert (updated.content, updated.importance, updated.metadata) == ("The piano is tuned in June", 0.9, {"b": 2})
    assert (updated.type, updated.subject, updated.confidence) == ("fact", "piano", 1.0)
    assert updated.updated_at > before.updated_at
    assert updated.superseded_by is None
    assert me.count() == 1


def test_an_update_has_a_version_only_if_it_changes_something(memory: Memory, clock: SteppingClock) -> None:
    # what it was stays in the history
    me = memory.user("user 0")
    stored = me.remember(TEXT)
    before = me.get(stored.id)
    clock.advance(days=1)
    updated = me.update(stored.id, content="The piano is tuned in June")
    old, new = me.history(stored.id)
    assert new == updated
    assert old.id != stored.id
    assert (old.content, old.superseded_by) == (TEXT, stored.id)
    assert (old.valid_from, old.valid_until) == (before.valid_from, updated.valid_from)
    assert (old.created_at, old.updated_at) == (before.created_at, before.updated_at)
    assert me.history(old.id) == (old, new)

    # as of sees what it was
    me = memory.user("user 1")
    stored = me.remember(TEXT)
    clock.advance(days=1)
    between = clock.now()
    clock.advance(days=1)
    me.update(stored.id, content="The piano is tuned in June")
    assert [hit.content for hit in me.recall("piano", as_of=between, only_related=False).hits] == [TEXT]
    assert [hit.content for hit in me.recall("piano", only_related=False).hits] == ["The piano is tuned in June"]
    assert me.count(as_of=between) == me.count() == 1

    # an update that changes nothing adds no version
    me = memory.user("user 2")
    stored = me.remember(TEXT, metadata={"a": [1, 2]})
    before = me.get(stored.id)
    clock.advance(days=1)
    assert me.update(stored.id, content=f"  {TEXT}\r\n", metadata={"a": (1, 2)}) == before
    assert me.history(stored.id) == (before,)

    # unknown fields and no fields are refused
    me = memory.user("user 3")
    stored = me.remember(TEXT)
    unknown: Any = {"colour": "blue"}
    with pytest.raises(InvalidMemory, match=r"Unknown fields: colour\. A memory has: address, .*content"):
        me.update(stored.id, **unknown)
    with pytest.raises(InvalidMemory, match="Nothing to change"):
        me.update(stored.id)
    assert me.history(stored.id) == (me.get(stored.id),)


def test_new_content_is_found_by_its_meaning_and_its_words_and_the_old_is_not(me: UserMemory) -> None:
    stored = me.remember("Our dog is called Rex")
    (before,) = me.recall("the family pet", only_related=False).hits
    me.update(stored.id, content="The mortgage costs three percent a year")
    (loan,) = me.recall("interest rate of the loan on our house", only_related=False).hits
    (pet,) = me.recall("the family pet", only_related=False).hits
    assert before.similarity is not None
    assert loan.similarity is not None
    assert pet.similarity is not None
    assert before.similarity > pet.similarity + 0.2
    assert loan.similarity > pet.similarity + 0.2
    assert "text" not in me.recall("Rex", only_related=False).hits[0].parts.channels
    assert me.recall("mortgage", only_related=False).hits[0].parts.channels["text"].rank == 1
    assert me.stats().with_vector == 2


def test_vectors_follow_the_content(memory: Memory) -> None:
    # a change beside the content keeps the vector
    me = memory.user("user 0")
    stored = me.remember("Our dog is called Rex")
    me.update(stored.id, importance=0.1, metadata={"checked": True})
    (hit,) = me.recall("Our dog is called Rex", only_related=False).hits
    assert hit.similarity == pytest.approx(1.0, abs=1e-5)
    assert me.stats().with_vector == 2
    assert memory.doctor() == ()

    # a given vector takes the place of the old one
    me = memory.user("user 1")
    one, other = np.eye(2, 384, dtype=np.float32)
    stored = me.remember(TEXT, vector=one)
    me.update(stored.id, vector=other)
    assert me.recall("zzz", vector=other, only_related=False).hits[0].similarity == pytest.approx(1.0)
    assert len(me.history(stored.id)) == 2
    with pytest.raises(InvalidVector):
        me.update(stored.id, vector=[1.0, 2.0])


def test_updates_work_without_an_embedder(open_memory: OpenMemory) -> None:
    me = open_memory(embedding__provider="none").user("me")
    stored = me.remember(TEXT)
    me.update(stored.id, content="The organ is tuned in June")
    assert [hit.content for hit in me.recall("organ", only_related=False).hits] == ["The organ is tuned in June"]
    assert me.recall("piano", only_related=False).hits == ()


def test_when_something_is_true_can_be_corrected(memory: Memory, clock: SteppingClock) -> None:
    # when something became true can be corrected
    me = memory.user("user 0")
    stored = me.remember(TEXT)
    earlier = clock.moment - timedelta(days=30)
    assert me.update(stored.id, valid_from=earlier).valid_from == earlier
    assert me.get(stored.id).valid_from == earlier
    assert me.count(as_of=earlier) == 1

    # what becomes true later is updated now
    me = memory.user("user 1")
    stored = me.remember(TEXT, valid_from=clock.moment + timedelta(days=365))
    now = clock.moment
    updated = me.update(stored.id, importance=0.1)
    assert updated.updated_at - now < timedelta(minutes=1)
    assert me.remember("The trumpet needs no tuning").id[:8] == stored.id[:8]  # ids go on following the clock

    # what ceased to be true can still be corrected
    me = memory.user("user 2")
    end = clock.moment + timedelta(days=1)
    stored = me.remember(TEXT, valid_until=end)
    during = clock.now()
    clock.advance(days=2)
    assert me.update(stored.id, importance=0.1).importance == 0.1
    assert me.count() == 0
    assert [record.importance for record in me.list(as_of=during).items] == [0.1]
    afterwards = clock.now()
    assert me.update(stored.id, valid_until=None).valid_until is None
    assert me.count() == 1
    assert me.history(stored.id)[-2].valid_until == end
    assert (me.count(as_of=during), me.count(as_of=afterwards)) == (1, 0)

    # an end in the past can be noted
    me = memory.user("user 3")
    stored = me.remember(TEXT)
    during = clock.now()
    clock.advance(days=2)
    me.update(stored.id, valid_until=clock.moment - timedelta(days=1))
    assert (me.count(), me.count(as_of=during), me.count(as_of=clock.moment)) == (0, 1, 0)
    with pytest.raises(InvalidMemory, match="must be later than valid_from"):
        me.update(stored.id, valid_until=clock.moment - timedelta(days=100))


def test_expiry_can_be_put_off_without_a_new_version(memory: Memory, clock: SteppingClock) -> None:
    # expiry can be put off
    me = memory.user("user 0")
    stored = me.remember(TEXT, expires_at=clock.moment + timedelta(days=1))
    clock.advance(days=2)
    assert me.count() == 0
    me.update(stored.id, expires_at=None)
    assert [hit.id for hit in me.recall("piano", only_related=False).hits] == [stored.id]

    # an expiry is moved without a new version
    me = memory.user("user 1")
    stored = me.remember(TEXT, expires_at=clock.moment + timedelta(hours=1))
    for _ in range(3):
        moved = me.update(stored.id, expires_at=clock.moment + timedelta(hours=2))
    assert (moved.expires_at, me.history(stored.id)) == (me.get(stored.id).expires_at, (me.get(stored.id),))
    clock.advance(hours=1.5)
    assert me.recall("piano", only_related=False).hits[0].id == stored.id
    clock.advance(hours=1)
    assert me.recall("piano", only_related=False).hits == ()
    assert memory.maintain().expired == 1


def test_an_unknown_id_or_that_of_another_is_not_found(memory: Memory, me: UserMemory) -> None:
    theirs = memory.user("ann").remember(TEXT).id
    for memory_id in ("", "nobody", "0198c0de-0000-7000-8000-000000000000", "a\0b", "é", theirs):
        with pytest.raises(NotFound):
            me.update(memory_id, content="x")


def test_what_collides_with_another_memory_is_refused(memory: Memory, clock: SteppingClock) -> None:
    # an old version cannot be changed
    me = memory.user("user 0")
    stored = me.remember(TEXT)
    me.update(stored.id, content="The piano is tuned in June")
    old, _ = me.history(stored.id)
    with pytest.raises(InvalidMemory, match=f"old version, replaced by {stored.id}"):
        me.update(old.id, content="x")
    assert len(me.history(stored.id)) == 2

    # the text of another memory is refused
    me = memory.user("user 1")
    one = me.remember(TEXT)
    other = me.remember("Anna is allergic to peanuts")
    with pytest.raises(InvalidMemory, match=f"Memory {one.id} already says this"):
        me.update(other.id, content=f"{TEXT}.")
    assert me.get(other.id).content == "Anna is allergic to peanuts"
    assert me.count() == 2

    # the slot of another memory is refused
    me = memory.user("user 2")
    holder = me.remember("Lives in Prague", subject="me", key="city")
    other = me.remember("Lives in Brno")
    with pytest.raises(InvalidMemory, match=holder.id):
        me.update(other.id, subject="me", key="city")
    assert me.count() == 2

    # the text of a memory that expired is free
    me = memory.user("user 3")
    me.remember(TEXT, expires_at=clock.moment + timedelta(days=1))
    other = me.remember("Anna is allergic to peanuts")
    clock.advance(days=2)
    assert me.update(other.id, content=TEXT).content == TEXT
    assert [record.content for record in me.list().items] == [TEXT]


def nested(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


@every(
    "changes",
    [
        {"content": " "},
        {"content": 5},
        {"type": "opinion"},
        {"importance": 2},
        {"lat": 3.0},
        {"metadata": {1, 2}},
        {"metadata": {"deep": nested(20_000)}},
        {"valid_until": "tomorrow"},
    ],
)
def test_a_change_is_checked_like_a_new_memory(me: UserMemory, changes: Any) -> None:
    stored = me.remember(TEXT)
    with pytest.raises(InvalidInput):
        me.update(stored.id, **changes)
    assert me.history(stored.id) == (me.get(stored.id),)


def test_updates_from_many_threads_all_become_versions(memory: Memory, me: UserMemory) -> None:
    stored = me.remember("Draft 0")
    threads = 8
    start = Barrier(threads)

    def work(number: int) -> None:
        start.wait()
        me.update(stored.id, content=f"Draft {number}")

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(1, threads + 1)))
    versions = me.history(stored.id)
    assert {version.content for version in versions} == {f"Draft {number}" for number in range(threads + 1)}
    assert len(versions) == threads + 1
    assert versions[-1] == me.get(stored.id)
    for earlier, later in pairwise(versions):
        assert earlier.valid_until == later.valid_from
    assert memory.doctor() == ()


def test_updates_of_different_fields_from_many_threads_are_all_kept(me: UserMemory) -> None:
    stored = me.remember(TEXT)
    changes: list[Any] = [{"importance": 0.1}, {"confidence": 0.2}, {"address": "Here 1"}, {"place_label": "home"}]
    changes += [{"value": "440 Hz"}, {"session": "s"}, {"source": "learned"}, {"metadata": {"a": 1}}]
    start = Barrier(len(changes))

    def work(change: Any) -> None:
        start.wait()
        me.update(stored.id, **change)

    with ThreadPoolExecutor(len(changes)) as pool:
        list(pool.map(work, changes))
    kept = me.get(stored.id)
    assert [{name: getattr(kept, name) for name in change} for change in changes] == changes


def test_since_when_something_is_true_is_a_change_by_itself(me: UserMemory, clock: SteppingClock) -> None:
    stored = me.remember(TEXT)
    since = clock.now() - timedelta(days=30)
    clock.advance(days=1)
    assert me.update(stored.id, valid_from=since).valid_from == since
    assert me.get(stored.id).valid_from == since
    assert me.update(stored.id, valid_from=since) == me.get(stored.id)
    assert len(me.history(stored.id)) == 2


@every(
    "said, value",
    [("light.office location: the attic", "the attic"), ("The light of the office is in the attic", ""),
     ("light.office location: home office, on the left", "home office")],
)  # fmt: skip
def test_a_value_follows_the_content_or_goes(memory: Memory, said: str, value: str) -> None:
    me = memory.user(said)
    lamp = me.facts.set("light.office", "location", "home office")
    assert me.update(lamp.id, content=said).value == value
    assert me.update(lamp.id, content="Elsewhere", value="elsewhere").value == "elsewhere"
