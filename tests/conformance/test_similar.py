"""What is like a memory, by its stored vector, on both stores."""

import pytest

from recollect import InvalidInput, Memory, NotFound, UserMemory
from tests.fixtures import OpenMemory


def test_the_nearest_memories_come_first_and_not_the_memory_itself(memory: Memory) -> None:
    me = memory.user("user 0")
    tea = me.remember("Anna drinks green tea every morning").id
    like = me.remember("Anna drinks black tea in the morning").id
    me.remember("The roof was repaired by a carpenter from Olomouc")
    found = me.similar(tea)
    assert [hit.id for hit in found.hits][:1] == [like]
    assert len(found.hits) == 2
    assert not found.degraded
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert found.hits[0].parts.channels.keys() == {"vector"}
    assert [hit.id for hit in me.similar(tea, limit=1).hits] == [like]

    # old versions and what was forgotten are left out
    me = memory.user("user 1")
    tea = me.remember("Anna drinks green tea every morning").id
    old = me.facts.set("anna", "drink", "black tea").id
    new = me.facts.set("anna", "drink", "white tea").id
    gone = me.remember("Anna has tea in the morning, the green one").id
    me.forget(gone)
    assert [hit.id for hit in me.similar(tea).hits] == [new]
    assert {hit.id for hit in me.similar(old).hits} == {tea, new}  # an old version can be asked about


def test_others_are_neither_found_nor_asked_about(memory: Memory, me: UserMemory) -> None:
    mine = me.remember("Anna drinks green tea every morning").id
    ben = memory.user("ben")
    theirs = ben.remember("Ben drinks green tea every morning").id
    assert not me.similar(mine).hits
    for unknown in (theirs, "7", "01900000-0000-7000-8000-000000000000"):
        with pytest.raises(NotFound):
            me.similar(unknown)
    with pytest.raises(InvalidInput):
        me.similar(mine, limit=0)


def test_without_vectors_that_is_said(open_memory: OpenMemory) -> None:
    me = open_memory(embedding__provider="none").user("me")
    tea = me.remember("Anna drinks green tea every morning").id
    me.remember("Anna drinks black tea in the morning")
    found = me.similar(tea)
    assert (found.hits, found.degraded) == ((), ("vector",))
