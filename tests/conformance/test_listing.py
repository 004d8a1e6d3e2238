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
    seen: list[list[str]] = []
    cursor = None
    while not seen or cursor:
        page = plain.list(limit=10, cursor=cursor)
        seen.append([record.id for record in page.items])
        cursor = page.cursor
    assert [len(ids) for ids in seen] == [10, 10, 5]
    assert [one for ids in seen for one in ids] == stored[::-1]
    assert plain.list(limit=25).cursor is None  # a page that ends exactly at the end
    assert len(plain.list(limit=24, cursor=plain.list(limit=24).cursor).items) == 1


def test_pages_hold_still_while_things_come_and_go(plain: UserMemory) -> None:
    kinds: tuple[Any, ...] = ("fact", "other", "other")
    stored = [answer.id for answer in plain.remember_many(NewMemory(f"Note {n}", type=kinds[n % 3]) for n in range(6))]
    facts = plain.list(limit=1, type="fact")
    rest = plain.list(limit=4, type="fact", cursor=facts.cursor)
    assert ([one.content for one in facts.items + rest.items], rest.cursor) == (["Note 3", "Note 0"], None)
    first = plain.list(limit=3)
    plain.remember("A newer note")
    plain.forget(first.items[-1].id)
    rest = plain.list(limit=3, cursor=first.cursor)
    assert [record.id for record in rest.items] == stored[2::-1]


def test_what_cannot_be_meant_is_refused(plain: UserMemory, subtests: pytest.Subtests) -> None:
    many: tuple[Any, ...] = ("hello", {"content": "hello"})
    for one in many:
        with subtests.test(one=one), pytest.raises(InvalidInput, match="To store one, use remember"):
            plain.remember_many(one)
    assert (plain.list().items, plain.list().cursor, plain.count()) == ((), None, 0)
    for limit in (0, -5, 1_001):
        with subtests.test(limit=limit), pytest.raises(InvalidInput, match=f"limit is {limit}"):
            plain.list(limit=limit)
    with pytest.raises(InvalidInput, match="cursor"):
        plain.list(cursor="page two")


def test_the_order_is_that_of_storing_even_when_the_clock_stands_still(
    plain: UserMemory, clock: SteppingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: clock.moment)
    stored = [plain.remember(f"Note {n}").id for n in range(5)]
    assert [record.id for record in plain.list().items] == stored[::-1]


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


def test_what_is_no_id_is_simply_not_found(plain: UserMemory, subtests: pytest.Subtests) -> None:
    stored = plain.remember("One").id
    for memory_id in NO_IDS:
        with subtests.test(memory_id=memory_id):
            with pytest.raises(NotFound):
                plain.get(memory_id)
            with pytest.raises(NotFound):
                plain.history(memory_id)
            with pytest.raises(NotFound):
                plain.update(memory_id, content="Two")
            assert plain.forget(memory_id).action == "not_found"
            assert plain.count() == 1
    for spelled in (stored.upper(), f" {stored}\n", f"{{{stored}}}"):  # as people copy it
        assert plain.get(spelled).id == stored
        assert plain.history(spelled) == (plain.get(stored),)
        assert plain.forget(spelled, dry_run=True).ids == (stored,)


def test_users_have_names_that_tell_them_apart(memory: Memory, subtests: pytest.Subtests) -> None:
    none: tuple[Any, ...] = ("", " me", "a\0b", "x" * 129, None, 7, "half \ud83d")
    for user_id in none:
        with subtests.test(user_id=user_id), pytest.raises(InvalidInput):
            memory.user(user_id)

    for user_id in ("me", "Женя", "o'brien", "a b", "%s", "🦊", "x" * 128, "é"):
        with subtests.test(user_id=user_id):
            user = memory.user(user_id)
            stored = user.remember("The kettle is on")
            assert user.user_id == user_id
            assert [hit.id for hit in user.recall("kettle").hits] == [stored.id]
            assert memory.user("somebody else").recall("kettle").hits == ()

    for user_id in ("ann", "Ann", "ànn"):
        memory.user(user_id).remember(f"The name is {user_id}")
    for user_id in ("ann", "Ann", "ànn"):
        assert [hit.content for hit in memory.user(user_id).recall("name").hits] == [f"The name is {user_id}"]

    hers = memory.user("ann").remember("One").id
    with pytest.raises(NotFound):
        memory.user("bob").get(hers)
    with pytest.raises(NotFound):
        memory.user("bob").history(hers)


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


def test_the_figures_and_the_status_of_the_store(memory: Memory) -> None:
    memory.user("ann").remember_many(["One", "Two"])
    memory.user("bob").remember("Three")
    memory.user("eve").recall("anything")
    stats = memory.stats()
    assert (stats.users, stats.memories, stats.vectors) == (2, 3, 3)
    assert (stats.pending_jobs, stats.parked_jobs) == (0, 0)
    assert stats.size_bytes > 0

    status = memory.status()
    assert status.backend in {"sqlite", "postgresql"}
    assert status.embedding == "local/recollect-encoder-4"
    assert status.space is not None
    assert status.space.dimensions == 384
    assert status.stats == memory.stats()
    assert status.schema_version >= 1
    assert status.advice == ()
    assert int(status.backend_version.split(".")[0]) >= 3
