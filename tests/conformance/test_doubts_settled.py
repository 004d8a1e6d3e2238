"""A doubt is settled with the id of what is right, on both stores."""

import pytest

from recollect import Memory, NotFound, UserMemory
from recollect.errors import InvalidMemory
from tests.fixtures import SteppingClock


def guessed(me: UserMemory, clock: SteppingClock) -> tuple[str, str]:
    """Let a guess contradict what the user stated; gives both ids."""
    held = me.facts.set("user", "home", "Brno")
    clock.advance(days=1)
    claim = me.facts.set("user", "home", "Oslo", source="inferred")
    clock.advance(days=1)
    assert [(one.memory.value, one.contradicted_by.value) for one in me.facts.doubts()] == [("Brno", "Oslo")]
    return held.id, claim.id


def captured(me: UserMemory, clock: SteppingClock) -> tuple[str, str]:
    """Let a statement that was captured stand beside what the user stated; gives both ids."""
    held = me.facts.set("user", "home", "Brno")
    clock.advance(days=1)
    said = me.remember(
        "I think I live in Oslo", type="fact", subject="user", value="Oslo",
        metadata={"captured_by": "test", "property": "home"},
    )  # fmt: skip
    clock.advance(days=1)
    assert [(one.memory.value, one.contradicted_by.value) for one in me.facts.doubts()] == [("Brno", "Oslo")]
    return held.id, said.id


@pytest.mark.parametrize("begin", [guessed, captured])
def test_what_is_held_is_right(memory: Memory, clock: SteppingClock, begin: object) -> None:
    assert callable(begin)
    me = memory.user("user 0")
    held, other = begin(me, clock)
    kept = me.facts.settle(held)
    assert (kept.id, kept.value) == (held, "Brno")
    assert me.facts.doubts() == ()
    assert [row.id for row in me.list().items] == [held]
    assert me.get(other).superseded_by == held
    assert {row.id for row in me.history(held)} == {held, other}
    with pytest.raises(InvalidMemory, match="Nothing contradicts"):
        me.facts.settle(held)
    assert memory.doctor() == ()


@pytest.mark.parametrize("begin", [guessed, captured])
def test_the_other_is_right(memory: Memory, clock: SteppingClock, begin: object) -> None:
    assert callable(begin)
    me = memory.user("user 0")
    held, other = begin(me, clock)
    kept = me.facts.settle(other)
    assert (kept.id, kept.value, kept.key, kept.trust, kept.superseded_by) == (other, "Oslo", "home", 3, None)
    assert me.get(other)._replace(updated_at=kept.updated_at) == kept
    assert me.facts.doubts() == ()
    assert [row.id for row in me.list().items] == [other]
    assert me.get(held).superseded_by == other
    assert me.recall("where do I live, in Oslo?").hits[0].id == other
    clock.advance(days=1)
    assert me.facts.set("user", "home", "Rome", source="inferred").action == "outranked"
    assert me.facts.set("user", "home", "Graz").existing_id == other
    assert memory.doctor() == ()


def test_what_is_in_no_doubt_is_refused(me: UserMemory) -> None:
    kept = me.facts.set("user", "home", "Brno")
    with pytest.raises(InvalidMemory, match="Nothing contradicts"):
        me.facts.settle(kept.id)
    with pytest.raises(NotFound):
        me.facts.settle("019a8c31-7c11-7d02-8e35-2b9c4d6f1a07")
