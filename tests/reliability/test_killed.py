"""SIGKILL at random moments: what was acknowledged is there, what was forgotten is gone, nothing is half done.

Each point starts a process on the store, kills it after a random delay and opens the store again. The delays come from
a seed that is printed with the figures.
"""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from recollect import NotFound, UserMemory
from tests.fixtures import BACKENDS, Server
from tests.reliability.figures import figure
from tests.reliability.worker import WITH_VECTORS, open_memory, remember_batch
from tests.reliability.zygote import Child, Zygote, was_killed
from tests.sizes import ALL, sized
from tests.storage.catalogue import backend_of, older_store
from tests.storage.later import LATEST, as_version, later_migrations, later_version

_SEED = 20260301
_POINTS = sized(2, 100)  # of each of three kinds, on each store, in each round
_ROUNDS = range(sized(1, 9))  # each begins with an empty store: what is in it is looked through at every point
_MIGRATIONS = sized(2, 40)
_ITEMS = 40  # more than a process gets done before it is killed
_BATCH = 25
_MOMENT_S = 0.006  # about twice as long as an operation takes


@dataclass
class Figures:
    """What the points of one test came to."""

    points: int = 0
    killed: int = 0
    acknowledged: int = 0
    unacknowledged: int = 0
    lost: list[str] = field(default_factory=list)

    def show(self, what: str, database: str) -> None:
        store = "postgresql" if "://" in database else "sqlite"
        figure(
            1,
            f"{store}, {what}, seed {_SEED}",
            kill_points=self.points,
            killed_at_work=self.killed,
            acknowledged=self.acknowledged,
            done_but_not_yet_acknowledged=self.unacknowledged,
            lost=len(self.lost),
            half_done=0,
        )


def _killed(child: Child, chance: random.Random, figures: Figures) -> list[Any]:
    """Kill a child after a few acknowledgements and a moment more; gives all that it had acknowledged."""
    assert child.hear() == "ready"
    heard = [child.hear() for _ in range(chance.randrange(5))]
    time.sleep(chance.uniform(0, _MOMENT_S))
    heard += _end(child, figures)
    return [word for word in heard if word != "done"]


def _end(child: Child, figures: Figures) -> list[Any]:
    child.kill()
    heard = child.rest()
    figures.points += 1
    figures.killed += was_killed(child.end())
    return heard


@contextmanager
def _reopened(database: str) -> Iterator[UserMemory]:
    """Open what a killed process left behind; it must be sound."""
    with open_memory(database) as memory:
        assert memory.doctor() == ()
        yield memory.user("me")


def _contents(me: UserMemory) -> dict[str, str]:
    found: dict[str, str] = {}
    cursor: str | None = None
    while True:
        page = me.list(limit=1000, cursor=cursor)
        found |= {record.id: record.content for record in page.items}
        cursor = page.cursor
        if cursor is None:
            return found


@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.slow), 8])
@pytest.mark.parametrize("round_", _ROUNDS)
def test_what_was_remembered_stays(database: str, zygote: Zygote, round_: int, threads: int) -> None:
    chance, figures = random.Random(_SEED + round_), Figures()
    known: dict[str, str] = {}
    for point in range(_POINTS):
        texts = [f"Letter {point}-{number} went to box {number}" for number in range(_ITEMS)]
        child = zygote.start("remember_on", database=database, items=texts, threads=threads)
        acknowledged = _killed(child, chance, figures)
        known |= {memory_id: texts[position] for position, memory_id in acknowledged}
        with _reopened(database) as me:
            kept = _contents(me)
            figures.lost += [text for memory_id, text in known.items() if kept.get(memory_id) != text]
            assert all(me.get(memory_id).content == texts[position] for position, memory_id in acknowledged)
        figures.unacknowledged += len(kept.keys() - known.keys())
        known |= kept
    figures.acknowledged = len(known) - figures.unacknowledged
    figures.show(f"remember in {threads} threads", database)
    assert figures.lost == []
    assert figures.killed > _POINTS // 2
    assert figures.acknowledged > 0


@pytest.mark.parametrize("round_", _ROUNDS)
def test_a_batch_is_there_or_not(database: str, zygote: Zygote, round_: int) -> None:
    chance, figures = random.Random(_SEED + round_), Figures()
    known: dict[str, str] = {}
    for point in range(_POINTS):
        batches = [
            [f"Crate {point}-{number} holds part {part}" for part in range(_BATCH)] for number in range(_ITEMS // 2)
        ]
        child = zygote.start("remember_many_on", database=database, items=batches)
        acknowledged = _killed(child, chance, figures)
        for position, ids in acknowledged:
            known |= dict(zip(ids, batches[position], strict=True))
        with _reopened(database) as me:
            kept = _contents(me)
        figures.lost += [text for memory_id, text in known.items() if kept.get(memory_id) != text]
        there = set(kept.values())
        assert {len(there.intersection(batch)) for batch in batches} <= {0, _BATCH}, "half a batch was kept"
        figures.unacknowledged += len(kept.keys() - known.keys())
        known |= kept
    figures.acknowledged = len(known) - figures.unacknowledged
    figures.show("remember_many", database)
    assert figures.lost == []
    assert figures.killed > _POINTS // 2
    assert figures.acknowledged > 0


@pytest.mark.parametrize("round_", _ROUNDS)
def test_what_was_forgotten_stays_away(database: str, zygote: Zygote, round_: int) -> None:
    chance, figures = random.Random(_SEED + round_), Figures()
    with open_memory(database, **WITH_VECTORS) as memory:
        texts = [f"Secret number s{number}x of drawer d{number}x" for number in range(_POINTS * _ITEMS)]
        left = {answer.id: text for answer, text in zip(remember_batch(memory.user("me"), texts), texts, strict=True)}
    for _ in range(_POINTS):
        doomed = list(left)[:_ITEMS]
        child = zygote.start("forget_on", database=database, items=doomed)
        acknowledged = _killed(child, chance, figures)
        gone = [doomed[position] for position, action in acknowledged if action == "deleted"]
        assert len(gone) == len(acknowledged)
        figures.acknowledged += len(gone)
        with _reopened(database) as me:
            kept = _contents(me)
            for memory_id in gone:
                _insist_gone(me, memory_id, left.pop(memory_id), kept)
        unsure = left.keys() - kept.keys()
        assert len(unsure) <= 1, "more is missing than the one that was being forgotten"
        figures.lost += [memory_id for memory_id in unsure if memory_id not in doomed]
        figures.unacknowledged += len(unsure)
        left = {memory_id: text for memory_id, text in left.items() if memory_id in kept}
        assert kept == left
    figures.show("forget", database)
    assert figures.lost == []
    assert figures.killed > _POINTS // 2
    assert figures.acknowledged > 0


def _insist_gone(me: UserMemory, memory_id: str, text: str, kept: dict[str, str]) -> None:
    assert memory_id not in kept
    with pytest.raises(NotFound):
        me.get(memory_id)
    number = text.split()[2]
    assert [hit.content for hit in me.recall(number, only_related=False).hits] == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_killed_migration_is_taken_up_again(
    backend: str, zygote: Zygote, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    later = later_version(tmp_path / "later")

    def opening(number: int) -> tuple[str, Child]:
        if backend == "sqlite":
            database = str(tmp_path / f"{number}.db")
        else:
            server: Server = request.getfixturevalue("server")
            database = server.fresh(empty=True)
        older_store(database, later_migrations(backend_of(database))[: number % LATEST])
        child = zygote.start("open_only", database=database, version=str(later))
        assert child.hear() == "ready"
        return database, child

    chance, figures = random.Random(_SEED), Figures()
    whole_s = min(_opening_time_s(opening(number)[1]) for number in (-1, 0))
    for point in range(1, _MIGRATIONS + 1):
        database, child = opening(point)
        child.say("go")
        time.sleep(whole_s * (point - chance.random()) / _MIGRATIONS)
        _end(child, figures)
        with as_version(later), open_memory(database) as memory:
            assert memory.doctor() == ()
            assert memory.status().schema_version == LATEST
            me = memory.user("me")
            me.remember("The store works")
            assert len(me.recall("works").hits) == 1
    figures.show("migration", database)
    if ALL:  # of few, a busy machine may miss each; at every call is in test_killed_at_syscalls
        assert figures.killed > _MIGRATIONS // 6


def _opening_time_s(child: Child) -> float:
    started = time.monotonic()
    child.say("go")
    child.rest()
    assert child.end() == 0
    return time.monotonic() - started
