"""Groups of similar memories, and merging what says the same, on both stores."""

import pytest

from recollect import InvalidInput, Memory, NotFound, UserMemory
from recollect.errors import InvalidMemory
from tests.fixtures import OpenMemory

DOG = [
    "Our dog Bruno limps after long walks",
    "The vet gave our dog Bruno tablets for his joints",
    "Bruno the dog must not eat chicken",
    "The dog Bruno needs a new collar",
]
GUITAR = [
    "I practise the guitar for twenty minutes a day",
    "The high string of my guitar broke during the concert",
    "My guitar teacher moved the guitar lesson to Thursday",
]


def test_similar_memories_are_in_one_group_with_the_words_they_share(me: UserMemory) -> None:
    for text in (*DOG, *GUITAR, "My passport runs out in March"):
        me.remember(text)
    found = me.clusters(examples=10)
    assert [{member.content for member in group.members} for group in found.clusters] == [{*DOG}, {*GUITAR}]
    dog, guitar = found.clusters
    assert {"dog", "Bruno"} <= set(dog.terms)
    assert guitar.terms[0] == "guitar"
    assert (found.memories, found.grouped, found.total, found.degraded) == (8, 7, 2, ())
    for group in found.clusters:
        assert 0 <= group.x - group.radius <= group.x + group.radius <= 1
        assert 0 <= group.y - group.radius <= group.y + group.radius <= 1
    assert me.clusters(examples=10) == found
    assert [len(group.members) for group in me.clusters(limit=1, examples=2).clusters] == [2]


def test_nothing_of_what_was_forgotten_or_superseded_is_left(memory: Memory, me: UserMemory) -> None:
    assert me.clusters().clusters == ()
    dogs = [me.remember(text).id for text in DOG]
    memory.user("ben").remember(DOG[0])
    assert me.clusters().clusters[0].size == 4
    me.forget(dogs[0])
    me.update(dogs[1], content="The tax office sent a letter")
    assert {member.id for group in me.clusters(examples=9).clusters for member in group.members} == {*dogs[2:]}


def test_memories_that_say_the_same_are_merged_and_kept_in_the_history(memory: Memory, me: UserMemory) -> None:
    kept = me.remember("The gate of the garden opens at seven in the morning").id
    repeat = me.remember_many(["The gate of our garden opens at seven in the morning"])[0].id
    me.remember_many(["The gate of the garden opens at nine in the morning", *DOG])
    (pair,) = me.clusters().duplicates
    assert {pair.keep.id, pair.repeat.id} == {kept, repeat}
    merged = me.merge(pair.repeat.id, into=pair.keep.id)
    assert merged == me.get(pair.keep.id)
    assert [version.id for version in me.history(merged.id)] == [pair.repeat.id, pair.keep.id]
    assert pair.repeat.id not in {hit.id for hit in me.recall("when does the gate open?").hits}
    assert me.clusters().duplicates == ()
    assert me.merge(pair.repeat.id, into=pair.keep.id) == merged  # twice is once
    with pytest.raises(NotFound):
        memory.user("ben").merge(pair.repeat.id, into=pair.keep.id)


def test_what_is_trusted_more_or_has_a_key_is_the_one_to_keep(me: UserMemory) -> None:
    said = me.remember("Anna drinks green tea").id
    guessed = me.remember("Anna drinks green tea, always", source="agent").id
    fact = me.facts.set("anna", "drink", "green tea", content="Green tea is what Anna drinks").id
    for repeat, into in ((said, guessed), (fact, said), (said, said)):
        with pytest.raises(InvalidMemory):
            me.merge(repeat, into=into)
    assert me.merge(guessed, into=said).id == said
    with pytest.raises(InvalidMemory, match="no longer current"):
        me.merge(guessed, into=fact)
    assert me.merge(said, into=fact).key == "drink"


def test_without_vectors_that_is_said_and_limits_are_checked(open_memory: OpenMemory) -> None:
    me = open_memory(embedding__provider="none").user("me")
    me.remember(DOG[0])
    found = me.clusters()
    assert (found.clusters, found.memories, found.degraded) == ((), 0, ("vector",))
    for wrong in ({"limit": 0}, {"limit": 201}, {"examples": 101}):
        with pytest.raises(InvalidInput):
            me.clusters(**wrong)
