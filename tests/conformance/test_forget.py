"""What `forget` promises, on both stores."""

from datetime import timedelta
from typing import Any

import pytest

from recollect import InvalidInput, Memory, NotFound, UserMemory
from tests.fixtures import SteppingClock

SLOT: Any = {"type": "fact", "subject": "me", "key": "city"}
CITIES = ("Lives in Prague", "Lives in Brno", "Lives in Ostrava")


def moved_about(me: UserMemory) -> list[str]:
    return [me.remember(text, **SLOT).id for text in CITIES]


def test_an_id_is_forgotten_for_good(memory: Memory, me: UserMemory) -> None:
    kept = me.remember("The piano is tuned in May")
    gone = me.remember("The safe code is 4711")
    answer = me.forget(gone.id)
    assert (answer.action, answer.ids, answer.id, answer.candidates) == ("deleted", (gone.id,), gone.id, ())
    assert not answer.dry_run
    assert me.recall("safe code 4711").hits[0].id == kept.id
    assert [record.id for record in me.list().items] == [kept.id]
    assert me.forget(gone.id).action == "not_found"
    for verb in (me.get, me.history, me.update):
        changes: Any = {"importance": 0.1} if verb == me.update else {}
        with pytest.raises(NotFound, match=gone.id):
            verb(gone.id, **changes)
    assert memory.doctor() == ()


def test_a_live_memory_takes_its_history_along(memory: Memory, me: UserMemory, clock: SteppingClock) -> None:
    between = clock.now()
    ids = moved_about(me)
    answer = me.forget(ids[-1])
    assert answer.id == ids[-1]
    assert set(answer.ids) == set(ids)
    assert me.count() == me.count(as_of=between) == 0
    assert (me.stats().superseded, me.stats().with_vector) == (0, 0)
    assert memory.stats().memories == 0
    assert memory.doctor() == ()


def test_an_updated_memory_takes_its_versions_along(memory: Memory, me: UserMemory) -> None:
    stored = me.remember("The piano is tuned in May")
    me.update(stored.id, content="The piano is tuned in June")
    me.update(stored.id, importance=0.1)
    assert len(me.forget(stored.id).ids) == 3
    assert memory.stats().memories == memory.stats().vectors == 0


@pytest.mark.parametrize("position", [0, 1])
def test_an_old_version_goes_alone_and_the_chain_stays_whole(me: UserMemory, memory: Memory, position: int) -> None:
    ids = moved_about(me)
    assert me.forget(ids[position]).ids == (ids[position],)
    rest = [memory_id for memory_id in ids if memory_id != ids[position]]
    for memory_id in rest:
        assert [version.id for version in me.history(memory_id)] == rest
    assert [record.content for record in me.list().items] == [CITIES[-1]]
    assert memory.doctor() == ()


def test_a_version_made_by_an_update_can_be_forgotten_alone(me: UserMemory, memory: Memory) -> None:
    stored = me.remember("The piano is tuned in May")
    me.update(stored.id, content="The piano is tuned in June")
    me.update(stored.id, content="The piano is tuned in July")
    first, second, last = me.history(stored.id)
    assert me.forget(second.id).ids == (second.id,)
    assert me.history(stored.id) == (first, last)
    assert memory.doctor() == ()


def test_a_clear_match_of_a_query_is_forgotten(me: UserMemory) -> None:
    me.remember("Anna is allergic to peanuts")
    gone = me.remember("The wifi password is hunter2")
    answer = me.forget(query="the wifi password is hunter2")
    assert (answer.action, answer.ids) == ("deleted", (gone.id,))
    assert [record.content for record in me.list().items] == ["Anna is allergic to peanuts"]


def test_several_matches_are_offered_and_nothing_is_forgotten(me: UserMemory) -> None:
    lockers = [me.remember(f"The code of locker {n} is {4700 + n}", type="fact").id for n in (17, 18, 19)]
    answer = me.forget(query="locker code")
    assert (answer.action, answer.ids, answer.id) == ("candidates", (), None)
    assert {hit.id for hit in answer.candidates} == set(lockers)
    assert me.count() == 3
    chosen = answer.candidates[1].id
    assert me.forget(chosen).ids == (chosen,)
    assert me.count() == 2


def test_what_others_say_in_nearly_the_same_words_is_only_offered(me: UserMemory) -> None:
    me.remember("Petr called Anna about the house on Monday", importance=0.9)
    me.remember("Anna called Petr about the house on Monday", importance=0.1)
    answer = me.forget(query="Anna called Petr about the house on Monday")
    assert answer.action == "candidates"
    assert me.count() == 2


def test_naming_a_time_forgets_nothing(me: UserMemory, clock: SteppingClock) -> None:
    stored = me.events.log("Jana was born", occurred_at=clock.now() - timedelta(days=1))
    for query in ("yesterday", "what happened yesterday?"):
        answer = me.forget(query=query)
        assert (answer.action, [hit.id for hit in answer.candidates]) == ("candidates", [stored.id])
    assert me.count() == 1


def test_a_poor_match_is_only_offered(me: UserMemory) -> None:
    stored = me.remember("Anna is allergic to peanuts")
    answer = me.forget(query="peanut butter recipes")
    assert answer.action == "candidates"
    assert [hit.id for hit in answer.candidates] == [stored.id]
    assert me.count() == 1


def test_what_does_not_match_is_not_even_offered(me: UserMemory) -> None:
    me.remember("Anna is allergic to peanuts")
    assert me.forget(query="quantum physics lecture").action == "not_found"
    assert me.count() == 1


def test_a_query_takes_the_history_of_its_match_along(me: UserMemory) -> None:
    ids = moved_about(me)
    assert set(me.forget(query="Lives in Ostrava").ids) == set(ids)


def test_a_query_in_an_empty_store_finds_nothing(me: UserMemory) -> None:
    assert me.forget(query="anything").action == "not_found"


def test_an_empty_query_is_refused(me: UserMemory) -> None:
    me.remember("Anna is allergic to peanuts")
    with pytest.raises(InvalidInput, match="query is empty"):
        me.forget(query="  ")
    assert me.count() == 1


def test_everything_of_one_user_goes_and_nothing_of_another(memory: Memory, clock: SteppingClock) -> None:
    ann, bob = memory.user("ann"), memory.user("bob")
    ids = moved_about(ann)
    ids.append(ann.remember("The gate code is 1204", expires_at=clock.now()).id)
    bob.remember("The safe is in the cellar")
    answer = ann.forget(everything=True)
    assert answer.action == "deleted"
    assert set(answer.ids) == set(ids)
    assert (ann.count(), ann.stats().with_vector, bob.count(), bob.stats().with_vector) == (0, 0, 1, 1)
    assert (memory.stats().users, memory.stats().memories) == (1, 1)
    assert ann.forget(everything=True).action == "not_found"
    assert ann.remember("A new beginning").action == "created"
    assert [hit.content for hit in ann.recall("beginning").hits] == ["A new beginning"]
    assert memory.doctor() == ()


def test_a_dry_run_says_what_would_go_and_keeps_it(me: UserMemory) -> None:
    ids = moved_about(me)
    for given in ({"id": ids[-1]}, {"query": "Lives in Ostrava"}, {"everything": True}):
        answer = me.forget(**given, dry_run=True)
        assert answer.action == "would_delete"
        assert answer.dry_run
        assert set(answer.ids) == set(ids)
    assert me.forget(ids[0], dry_run=True).ids == (ids[0],)
    assert me.forget("nobody", dry_run=True).action == "not_found"
    assert len(me.history(ids[0])) == 3


@pytest.mark.parametrize(
    "given", [{}, {"id": "x", "query": "y"}, {"id": "x", "everything": True}, {"query": "x", "everything": True}]
)
def test_exactly_one_thing_must_be_said(me: UserMemory, given: dict[str, Any]) -> None:
    me.remember("Anna is allergic to peanuts")
    with pytest.raises(InvalidInput, match="exactly one of: id, query, session, source, folder, everything"):
        me.forget(**given)
    assert me.count() == 1


def test_what_was_forgotten_can_be_learned_again(me: UserMemory) -> None:
    first = me.remember("Anna is allergic to peanuts")
    me.forget(first.id)
    again = me.remember("Anna is allergic to peanuts")
    assert again.action == "created"
    assert again.id != first.id
    assert me.recall("who must not eat nuts?").hits[0].id == again.id
