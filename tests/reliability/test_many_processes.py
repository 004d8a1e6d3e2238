"""Many processes on one store: nothing is lost, nothing is there twice, nobody is told that it is locked."""

import random
from pathlib import Path
from typing import Any

import pytest

from recollect import Memory, UserMemory
from tests.fixtures import BACKENDS, OpenMemory, Server
from tests.reliability.figures import figure
from tests.reliability.zygote import Zygote, at_once
from tests.sizes import sized
from tests.storage.catalogue import plain
from tests.storage.later import LATEST, as_version, later_version

_PROCESSES = sized(3, 8)


@pytest.mark.parametrize(
    ("amount", "way"),
    [
        pytest.param(200, {"many": False}, marks=pytest.mark.slow),
        pytest.param(200, {"many": True}, marks=pytest.mark.slow),
        (sized(20, 60), {"many": False, "vectors": True}),
        (sized(50, 200), {"many": True, "vectors": True}),
    ],
    ids=str,
)
def test_the_same_facts_are_kept_once(
    database: str, zygote: Zygote, open_memory: OpenMemory, amount: int, way: dict[str, bool]
) -> None:
    facts = [f"Parcel {number} lies on shelf {number * 7 % 31}" for number in range(amount)]
    children = []
    for number in range(_PROCESSES):
        order = random.Random(number).sample(range(amount), amount)
        children.append(zygote.start("store_facts", database=database, facts=facts, order=order, **way))
    answers = [answer for told in at_once(children) for answer in told]

    assert len(answers) == _PROCESSES * amount
    assert sorted(number for number, action, _ in answers if action == "created") == list(range(amount))
    memory = open_memory(embedding__provider="local" if way.get("vectors") else "none")
    kept = {record.id: record.content for record in memory.user("me").list(limit=1000).items}
    assert sorted(kept.values()) == sorted(facts)
    assert [facts[number] for number, _, _ in answers] == [kept[memory_id] for _, _, memory_id in answers]
    assert memory.stats().vectors == (amount if way.get("vectors") else 0)
    assert memory.doctor() == ()
    figure(5, f"{way}", offers=len(answers), facts=amount, kept_twice=len(kept) - amount, missing=0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_new_store_may_be_opened_by_all_at_once(
    backend: str, zygote: Zygote, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    later = later_version(tmp_path / "later")
    for attempt in range(sized(1, 3)):
        if backend == "sqlite":
            database = str(tmp_path / f"folder{attempt}" / "memory.db")
        else:
            server: Server = request.getfixturevalue("server")
            database = server.fresh(empty=True)
        children = [zygote.start("open_only", database=database, version=str(later)) for _ in range(_PROCESSES)]
        assert at_once(children) == [[LATEST, 0]] * _PROCESSES
        with plain(database) as store:
            assert store.rows("SELECT count(*), count(DISTINCT applied_at) FROM schema_migrations") == [(LATEST, 1)]
        with as_version(later), Memory.open(database) as memory:
            assert memory.doctor() == ()


def test_one_slot_has_one_value_whoever_wins(database: str, zygote: Zygote, open_memory: OpenMemory) -> None:
    values = [[f"shade-{number}-{step}" for step in range(12)] for number in range(_PROCESSES)]
    at_once([zygote.start("supersede", database=database, values=mine) for mine in values])

    memory = open_memory(embedding__provider="none")
    me = memory.user("me")
    (live,) = me.list().items
    history = me.history(live.id)
    assert sorted(version.value for version in history) == sorted(value for mine in values for value in mine)
    assert history[-1] == live
    _insist_chain(me, live.id)
    for mine in values:  # what one process said later never comes before what it said earlier
        said = [version.value for version in _by_link(me, live.id) if version.value in mine]
        assert said == mine
    assert memory.doctor() == ()


def _by_link(me: UserMemory, newest: str) -> list[Any]:
    """The versions from the oldest to the newest, as each points to the next."""
    history = me.history(newest)
    before = {version.superseded_by: version for version in history}
    chain = [before[None]]
    while chain[-1].id in before:
        chain.append(before[chain[-1].id])
    return chain[::-1]


def _insist_chain(me: UserMemory, newest: str) -> None:
    history = me.history(newest)
    assert len({version.superseded_by for version in history}) == len(history), "two versions have one successor"
    assert len(_by_link(me, newest)) == len(history), "a version leads nowhere"
    assert all(version.valid_until is not None for version in history if version.id != newest)


def test_all_verbs_at_once(database: str, zygote: Zygote, open_memory: OpenMemory) -> None:
    rounds = sized(2, 6)
    names = [f"user{number}" for number in range(_PROCESSES)]
    kept = at_once([zygote.start("live", database=database, name=name, rounds=rounds) for name in names])

    memory = open_memory(embedding__provider="none")
    for name, ids in zip(names, kept, strict=True):
        assert {record.id for record in memory.user(name).list(limit=1000).items} == set(ids)
        assert memory.user(name).stats().superseded == rounds
    assert memory.doctor() == ()
