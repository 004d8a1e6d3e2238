"""What `forget` promises, on both stores."""

from datetime import timedelta
from typing import Any

import pytest

from recollect import InvalidInput, Memory, NotFound, UserMemory
from tests.fixtures import SteppingClock
from tests.rows import every

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
    assert me.recall("safe code 4711", only_related=False).hits[0].id == kept.id
    assert [record.id for record in me.list().items] == [kept.id]
    assert me.forget(gone.id).action == "not_found"
    for verb in (me.get, me.history, me.update):
        changes: Any = {"importance": 0.1} if verb == me.update else {}
        with pytest.raises(NotFound, match=gone.id):
            verb(gone.id, **changes)
    assert memory.doctor() == ()


def test_a_live_memory_takes_its_history_along(memory: Memory, clock: SteppingClock) -> None:
    me = memory.user("user 0")
    between = clock.now()
    ids = moved_about(me)
    answer = me.forget(ids[-1])
    assert answer.id == ids[-1]
    assert set(answer.ids) == set(ids)
    assert me.count() == me.count(as_of=between) == 0
    assert (me.stats().superseded, me.stats().with_vector) == (0, 0)
    assert memory.stats().memories == 0
    assert memory.doctor() == ()

    # a version made by an update can be forgotten alone
    me = memory.user("user 1")
    stored = me.remember("The piano is tuned in May")
    me.update(stored.id, content="The piano is tuned in June")
    me.update(stored.id, content="The piano is tuned in July")
    first, second, last = me.history(stored.id)
    assert me.forget(second.id).ids == (second.id,)
    assert me.history(stored.id) == (first, last)
    assert memory.doctor() == ()


def test_an_updated_memory_takes_its_versions_along(memory: Memory, me: UserMemory) -> None:
    stored = me.remember("The piano is tuned in May")
    me.update(stored.id, content="The piano is tuned in June")
    me.update(stored.id, importance=0.1)
    assert len(me.forget(stored.id).ids) == 3
    assert memory.stats().memories == memory.stats().vectors == 0


@every("position", [0, 1])
def test_an_old_version_goes_alone_and_the_chain_stays_whole(memory: Memory, position: int) -> None:
    me = memory.user(f"forgets {position}")
    ids = moved_about(me)
    assert me.forget(ids[position]).ids == (ids[position],)
    rest = [memory_id for memory_id in ids if memory_id != ids[position]]
    for memory_id in rest:
        assert [version.id for version in me.history(memory_id)] == rest
    assert [record.content for record in me.list().items] == [CITIES[-1]]
    assert memory.doctor() == ()


def test_a_clear_match_of_a_query_is_forgotten(me: UserMemory) -> None:
    me.remember("Anna is allergic to peanuts")
    gone = me.remember("The wifi password is hunter2")
    answer = me.forget(query="the wifi password is hunter2")
    assert (answer.action, answer.ids) == ("deleted", (gone.id,))
    assert [record.content for record in me.list().items] == ["Anna is allergic to peanuts"]


def test_a_query_that_is_not_clear_only_offers_what_it_found(memory: Memory, clock: SteppingClock) -> None:
    # several matches are offered and nothing is forgotten
    me = memory.user("user 0")
    lockers = [me.remember(f"The code of locker {n} is {4700 + n}", type="fact").id for n in (17, 18, 19)]
    answer = me.forget(query="locker code")
    assert (answer.action, answer.ids, answer.id) == ("candidates", (), None)
    assert {hit.id for hit in answer.candidates} == set(lockers)
    assert me.count() == 3
    chosen = answer.candidates[1].id
    assert me.forget(chosen).ids == (chosen,)
    assert me.count() == 2

    # what others say in nearly the same words is only offered
    me = memory.user("user 1")
    me.remember("Petr called Anna about the house on Monday", importance=0.9)
    me.remember("Anna called Petr about the house on Monday", importance=0.1)
    answer = me.forget(query="Anna called Petr about the house on Monday")
    assert answer.action == "candidates"
    assert me.count() == 2

    # naming a time forgets nothing
    me = memory.user("user 2")
    stored = me.events.log("Jana was born", occurred_at=clock.now() - timedelta(days=1))
    for query in ("yesterday", "what happened yesterday?"):
        answer = me.forget(query=query)
        assert (answer.action, [hit.id for hit in answer.candidates]) == ("candidates", [stored.id])
    assert me.count() == 1

    # a poor match is only offered
    me = memory.user("user 3")
    stored = me.remember("Anna is allergic to peanuts")
    answer = me.forget(query="peanut butter recipes")
    assert answer.action == "candidates"
    assert [hit.id for hit in answer.candidates] == [stored.id]
    assert me.count() == 1

    # what does not match is not even offered
    me = memory.user("user 4")
    me.remember("Anna is allergic to peanuts")
    assert me.forget(query="quantum physics lecture").action == "not_found"
    assert me.count() == 1


def test_a_query_takes_the_history_of_its_match_along(me: UserMemory) -> None:
    ids = moved_about(me)
    assert set(me.forget(query="Lives in Ostrava").ids) == set(ids)


def test_a_query_in_an_empty_store_finds_nothing(me: UserMemory) -> None:
    assert me.forget(query="anything").action == "not_found"


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


def test_exactly_one_thing_must_be_said(me: UserMemory, subtests: pytest.Subtests) -> None:
    assert me.forget(query="anything").action == "not_found"
    me.remember("Anna is allergic to peanuts")
    cases: list[dict[str, Any]] = [
        {},
        {"id": "x", "query": "y"},
        {"id": "x", "everything": True},
        {"query": "x", "everything": True},
        {"session": "c", "source": "web"},
        {"session": "c", "everything": True},
    ]
    for given in cases:
        with (
            subtests.test(given=given),
            pytest.raises(InvalidInput, match="exactly one of: id, query, session, source, folder, everything"),
        ):
            me.forget(**given)
    with pytest.raises(InvalidInput, match="query is empty"):
        me.forget(query="  ")
    assert me.count() == 1
