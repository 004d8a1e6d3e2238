"""What `list`, `count`, `get`, `history` and `stats` promise, on both stores."""

from datetime import timedelta
from typing import Any

import pytest

from recollect import InvalidInput, Memory, NewMemory, NotFound, UserMemory
from tests.fixtures import OpenMemory, SteppingClock


@pytest.fixture
def plain(open_memory: OpenMemory) -> UserMemory:
    """A user of a store that makes no vectors, where they do not matter."""
    return open_memory(embedding__provider="none").user("me")


def test_pages_cover_everything_once_newest_first(plain: UserMemory) -> None:
    stored = [answer.id for answer in plain.remember_many(f"Note {n}" for n in range(25))]
    seen: list[str] = []
    cursor = None
    sizes = []
    while True:
        page = plain.list(limit=10, cursor=cursor)
        seen += [record.id for record in page.items]
        sizes.append(len(page.items))
        cursor = page.cursor
        if cursor is None:
            break
    assert seen == stored[::-1]
    assert sizes == [10, 10, 5]


def test_a_page_that_ends_exactly_at_the_end_has_no_cursor(plain: UserMemory) -> None:
    plain.remember_many(f"Note {n}" for n in range(10))
    assert plain.list(limit=10).cursor is None
    assert plain.list(limit=9).cursor is not None
    assert len(plain.list(limit=9, cursor=plain.list(limit=9).cursor).items) == 1


def test_pages_hold_still_while_things_come_and_go(plain: UserMemory) -> None:
    stored = [answer.id for answer in plain.remember_many(f"Note {n}" for n in range(6))]
    first = plain.list(limit=3)
    plain.remember("A newer note")
    plain.forget(first.items[-1].id)
    rest = plain.list(limit=3, cursor=first.cursor)
    assert [record.id for record in rest.items] == stored[2::-1]


def test_pages_with_filters(plain: UserMemory) -> None:
    plain.remember_many(NewMemory(f"Note {n}", type="fact" if n % 3 == 0 else "other") for n in range(20))
    first = plain.list(limit=4, type="fact")
    second = plain.list(limit=4, type="fact", cursor=first.cursor)
    assert [record.content for record in first.items + second.items] == [f"Note {n}" for n in (18, 15, 12, 9, 6, 3, 0)]
    assert second.cursor is None


@pytest.mark.parametrize("one", ["hello", {"content": "hello"}])
def test_many_means_several(plain: UserMemory, one: Any) -> None:
    with pytest.raises(InvalidInput, match="To store one, use remember"):
        plain.remember_many(one)
    assert plain.count() == 0


def test_an_empty_store_has_an_empty_page(plain: UserMemory) -> None:
    page = plain.list()
    assert (page.items, page.cursor) == ((), None)
    assert plain.count() == 0


@pytest.mark.parametrize("limit", [0, -5, 1_001])
def test_a_limit_out_of_bounds_is_refused(plain: UserMemory, limit: int) -> None:
    with pytest.raises(InvalidInput, match=f"limit is {limit}"):
        plain.list(limit=limit)


def test_a_cursor_that_is_none_is_refused(plain: UserMemory) -> None:
    with pytest.raises(InvalidInput, match="cursor"):
        plain.list(cursor="page two")


def test_the_order_is_that_of_storing_even_when_the_clock_stands_still(
    plain: UserMemory, clock: SteppingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: clock.moment)
    stored = [plain.remember(f"Note {n}").id for n in range(5)]
    assert [record.id for record in plain.list().items] == stored[::-1]


def test_counting_with_filters(plain: UserMemory, clock: SteppingClock) -> None:
    plain.remember("One", type="fact", subject="a", importance=0.1)
    plain.remember("Two", type="fact", subject="b", importance=0.9)
    plain.remember("Three", type="event", subject="a", occurred_at=clock.moment - timedelta(days=5))
    assert plain.count() == 3
    assert plain.count(type="fact") == 2
    assert plain.count(type=["fact", "event"], subject="a") == 2
    assert plain.count(min_importance=0.5) == 2
    assert plain.count(until=clock.moment - timedelta(days=1)) == 1
    assert plain.count(subject="c") == 0


def test_a_listing_without_the_subject_or_the_key(plain: UserMemory) -> None:
    plain.remember("One", subject="a", key="b", context="c", session="d")
    plain.remember("Two")
    empty: list[dict[str, Any]] = [{"subject": ""}, {"key": ""}, {"context": ""}, {"session": ""}]
    for filters in empty:
        assert [record.content for record in plain.list(**filters).items] == ["Two"], filters


def test_the_history_is_the_same_whichever_version_is_asked_for(plain: UserMemory) -> None:
    slot: Any = {"subject": "me", "key": "city"}
    for city in ("Prague", "Brno", "Ostrava"):
        last = plain.remember(f"Lives in {city}", **slot).id
    plain.update(last, content="Lives in Opava")
    plain.remember("Lives in Zlín", trust=0, **slot)
    versions = plain.history(last)
    assert [version.content for version in versions[:-1]] == [
        "Lives in Prague",
        "Lives in Brno",
        "Lives in Ostrava",
        "Lives in Zlín",
    ]
    assert versions[-1].content == "Lives in Opava"
    for version in versions:
        assert plain.history(version.id) == versions
    assert sum(version.superseded_by is None for version in versions) == 1


def test_a_memory_without_changes_is_its_own_history(plain: UserMemory) -> None:
    stored = plain.remember("One")
    assert plain.history(stored.id) == (plain.get(stored.id),)


NO_IDS = (
    "",
    " ",
    "nobody",
    "0198c0de-0000-7000-8000-000000000000",
    "00000000-0000-0000-0000-000000000000",
    "0198c0de-0000-7000-8000-00000000000",
    "'; DROP TABLE memories; --",
    "a\0b",
    "half \ud83d",
    "é" * 36,
    "x" * 10_000,
)


@pytest.mark.parametrize("memory_id", NO_IDS, ids=range(len(NO_IDS)))
def test_what_is_no_id_is_simply_not_found(plain: UserMemory, memory_id: str) -> None:
    plain.remember("One")
    with pytest.raises(NotFound):
        plain.get(memory_id)
    with pytest.raises(NotFound):
        plain.history(memory_id)
    with pytest.raises(NotFound):
        plain.update(memory_id, content="Two")
    assert plain.forget(memory_id).action == "not_found"
    assert plain.count() == 1


def test_an_id_may_be_spelled_as_people_copy_it(plain: UserMemory) -> None:
    stored = plain.remember("One").id
    for spelled in (stored.upper(), f" {stored}\n", f"{{{stored}}}"):
        assert plain.get(spelled).id == stored
        assert plain.history(spelled)[0].id == stored
        assert plain.forget(spelled, dry_run=True).ids == (stored,)


def test_an_id_of_another_user_is_not_found(memory: Memory) -> None:
    stored = memory.user("ann").remember("One").id
    with pytest.raises(NotFound):
        memory.user("bob").get(stored)
    with pytest.raises(NotFound):
        memory.user("bob").history(stored)


@pytest.mark.parametrize("user_id", ["", " me", "a\0b", "x" * 129, None, 7, "half \ud83d"])
def test_a_user_id_that_cannot_be_one_is_refused(memory: Memory, user_id: Any) -> None:
    with pytest.raises(InvalidInput):
        memory.user(user_id)


@pytest.mark.parametrize("user_id", ["me", "Женя", "o'brien", "a b", "%s", "🦊", "x" * 128, "é"])
def test_a_user_may_have_any_name(memory: Memory, user_id: str) -> None:
    user = memory.user(user_id)
    stored = user.remember("The kettle is on")
    assert user.user_id == user_id
    assert [hit.id for hit in user.recall("kettle").hits] == [stored.id]
    assert memory.user("somebody else").recall("kettle").hits == ()


def test_names_that_differ_in_case_or_accent_are_different_users(memory: Memory) -> None:
    for user_id in ("ann", "Ann", "ànn"):
        memory.user(user_id).remember(f"The name is {user_id}")
    for user_id in ("ann", "Ann", "ànn"):
        assert [hit.content for hit in memory.user(user_id).recall("name").hits] == [f"The name is {user_id}"]


def test_the_figures_of_a_user(memory: Memory, me: UserMemory, clock: SteppingClock) -> None:
    assert me.stats().memories == 0
    assert (me.stats().oldest, me.stats().newest, me.stats().by_type) == (None, None, {})
    first = me.remember("One", type="fact")
    clock.advance(days=1)
    me.remember("The first city", subject="me", key="city", type="fact")
    me.remember("The second city", subject="me", key="city", type="fact")
    me.remember("A passing thing", expires_at=clock.moment + timedelta(days=1))
    last = me.remember("A strike", type="event", valid_until=clock.moment + timedelta(days=1))
    stats = me.stats()
    assert (stats.memories, stats.superseded, stats.expired) == (4, 1, 0)
    assert stats.by_type == {"fact": 2, "other": 1, "event": 1}
    assert (stats.with_vector, stats.pending_jobs, stats.parked_jobs) == (5, 0, 0)
    assert (stats.oldest, stats.newest) == (me.get(first.id).created_at, me.get(last.id).created_at)
    clock.advance(days=2)
    stats = me.stats()
    assert stats.memories == me.count() == 2
    assert stats.by_type == {"fact": 2}
    assert (stats.superseded, stats.expired) == (1, 2)
    assert memory.user("nobody").stats().memories == 0


def test_the_figures_of_the_store(memory: Memory) -> None:
    memory.user("ann").remember_many(["One", "Two"])
    memory.user("bob").remember("Three")
    memory.user("eve").recall("anything")
    stats = memory.stats()
    assert (stats.users, stats.memories, stats.vectors) == (2, 3, 3)
    assert (stats.pending_jobs, stats.parked_jobs) == (0, 0)
    assert stats.size_bytes > 0


def test_the_status_names_what_is_running(memory: Memory) -> None:
    memory.user("me").remember("One")
    status = memory.status()
    assert status.backend in {"sqlite", "postgresql"}
    assert status.embedding == "local/recollect-encoder-3"
    assert status.space is not None
    assert status.space.dimensions == 384
    assert status.stats == memory.stats()
    assert status.schema_version >= 1
    assert status.advice == ()
    assert int(status.backend_version.split(".")[0]) >= 3
