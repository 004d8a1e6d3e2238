"""SIGKILL at every call that changes a file, for each verb in turn: at any of these moments the store is whole.

And a disk that fails or is full at such a call: that is reported, and nothing is acknowledged that was not kept.
"""

import re
import shutil
from collections import Counter
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from recollect.storage.base.statements import load_migrations
from tests.reliability.figures import figure
from tests.reliability.tracing import counted, moments, traced
from tests.reliability.worker import WITH_VECTORS, open_memory
from tests.reliability.zygote import Child, Zygote, was_killed
from tests.rows import slow_but
from tests.sizes import sized

_MOST = sized(2, 10_000)  # calls of each verb at which it is killed: all of them in full size
_KEPT = "The ladder leans on the barn"
_DOOMED = "The key to the cellar is under the third pot"
_NEW = "The mower is out of petrol"
_BATCH = ["Order 1 of screws", "Order 2 of nails", "Order 3 of glue"]


pytestmark = pytest.mark.usefixtures("strace")


@dataclass(frozen=True)
class Step:
    """What a process is doing when it is killed, and what must hold afterwards, whether it was acknowledged or not."""

    ask: Callable[[Child, str], Any]
    holds: Callable[[set[str], bool], bool]


_STEPS = {
    "remember": Step(
        lambda child, _: child.ask("remember", user="me", content=_NEW, vector_of=_NEW),
        lambda kept, done: kept in ({_KEPT, _DOOMED, _NEW}, *([] if done else [{_KEPT, _DOOMED}])),
    ),
    "remember_many": Step(
        lambda child, _: child.ask(
            "remember_many", user="me", memories=[{"content": text, "vector_of": text} for text in _BATCH]
        ),
        lambda kept, done: kept in ({_KEPT, _DOOMED, *_BATCH}, *([] if done else [{_KEPT, _DOOMED}])),
    ),
    "update": Step(
        lambda child, doomed: child.ask("update", user="me", id=doomed, content=_NEW, vector_of=_NEW),
        lambda kept, done: kept in ({_KEPT, _NEW}, *([] if done else [{_KEPT, _DOOMED}])),
    ),
    "forget": Step(
        lambda child, doomed: child.ask("forget", user="me", id=doomed),
        lambda kept, done: kept in ({_KEPT}, *([] if done else [{_KEPT, _DOOMED}])),
    ),
    "close": Step(
        lambda child, _: child.close_store(),
        lambda kept, done: kept == {_KEPT, _DOOMED},
    ),
}


# By day it is killed while it writes many, forgets and closes: one is written, and replaced, as many are.
@pytest.mark.parametrize("name", slow_but(_STEPS, "remember_many", "forget", "close"))
def test_killed_at_every_call(name: str, zygote: Zygote, tmp_path: Path) -> None:
    step = _STEPS[name]
    base = tmp_path / "base.db"
    doomed = _prepare(base, zygote)
    points = _count_calls(step, _copied(base, tmp_path / "count.db"), doomed, zygote)
    assert points["pwrite64"] > 0
    killed = 0
    for call, number in moments(points, _MOST):
        killed += 1
        database = _copied(base, tmp_path / f"{call}{number}.db")
        done = _killed_at(f"{call}:signal=SIGKILL:when={number}", step, database, doomed, zygote)
        _insist_whole(step, database, done=done)
    figure(1, f"sqlite, {name}, each call in turn", kill_points=killed, calls=points.total(), lost=0, half_done=0)


# That each call may fail in either way is tried by `disk/test_io_faults.py`, without a process of its own.
@pytest.mark.parametrize(
    ("name", "error"),
    slow_but(product(("remember", "forget"), ("EIO", "ENOSPC")), ("remember", "EIO"), ("forget", "ENOSPC")),
)
def test_a_failing_disk_is_reported(name: str, error: str, zygote: Zygote, tmp_path: Path) -> None:
    step = _STEPS[name]
    base = tmp_path / "base.db"
    doomed = _prepare(base, zygote)
    points = _count_calls(step, _copied(base, tmp_path / "count.db"), doomed, zygote)
    faults = 0
    for call, number in moments(points, sized(2, points.total() // (5 if name == "forget" else 1))):
        faults += 1
        database = _copied(base, tmp_path / f"{call}{number}.db")
        done = _fails_at(f"{call}:error={error}:when={number}", step, database, doomed, zygote)
        _insist_whole(step, database, done=done, others={"Something else", "After the trouble"})
    figure(3, f"{error} of a call during {name}", faults=faults, reported=faults, false_acknowledgements=0)


def _fails_at(inject: str, step: Step, database: Path, doomed: str, zygote: Zygote) -> bool:
    """Let a call fail once: the verb says so, or what is left to do, and the next one works in the same process.

    A forgetting that finds no room takes it from the reserve, and ends all the same.
    """
    child = _serving(zygote, database)
    with traced(child.pid, database.with_suffix(".log"), inject):
        try:
            done = bool(step.ask(child, doomed)["pending"]) or (step is _STEPS["forget"] and "ENOSPC" in inject)
            assert done, "a failing disk was not told of"
        except AssertionError as error:
            assert re.search(r"a child failed: Store(Error|Full|Unavailable): .*disk", str(error)), error  # noqa: PT017
            done = False
        text = "After the trouble"
        assert child.ask("remember", user="other", content=text, vector_of=text)["action"] == "created"
    child.end()
    return done


def test_killed_at_every_call_of_a_first_opening(zygote: Zygote, tmp_path: Path) -> None:
    log = tmp_path / "log"
    points = _opened(zygote, tmp_path / "count" / "memory.db", log, "")
    killed = 0
    for call, number in moments(points, _MOST):
        killed += 1
        database = tmp_path / f"{call}{number}" / "memory.db"
        _opened(zygote, database, log, f"{call}:signal=SIGKILL:when={number}")
        with open_memory(str(database)) as memory:
            assert memory.doctor() == ()
            assert memory.status().schema_version == len(load_migrations("sqlite"))
    figure(1, "sqlite, open, each call in turn", kill_points=killed, calls=points.total(), lost=0, half_done=0)


def _opened(zygote: Zygote, database: Path, log: Path, inject: str) -> Counter[str]:
    child = zygote.start("open_only", database=str(database))
    assert child.hear() == "ready"
    with traced(child.pid, log, inject):
        child.say("go")
        child.rest()
    assert was_killed(child.end()) or not inject
    return counted(log)


def _prepare(base: Path, zygote: Zygote) -> str:
    """Make a store with two memories; gives the id of the one that may go."""
    child = zygote.serve(str(base), **WITH_VECTORS)
    child.ask("remember", user="me", content=_KEPT, vector_of=_KEPT)
    doomed: str = child.ask("remember", user="me", content=_DOOMED, vector_of=_DOOMED)["id"]
    child.close()
    return doomed


def _copied(base: Path, database: Path) -> Path:
    """Copy a store that nobody has open."""
    shutil.copy(base, database)
    return database


def _count_calls(step: Step, database: Path, doomed: str, zygote: Zygote) -> Counter[str]:
    log = database.with_suffix(".log")
    child = _serving(zygote, database)
    with traced(child.pid, log):
        step.ask(child, doomed)
    child.end()
    return counted(log)


def _killed_at(inject: str, step: Step, database: Path, doomed: str, zygote: Zygote) -> bool:
    """Kill a process at a certain call; says whether it had acknowledged by then."""
    child = _serving(zygote, database)
    done = False
    with traced(child.pid, database.with_suffix(".log"), inject), suppress(EOFError):
        step.ask(child, doomed)
        done = True
    assert was_killed(child.end())
    return done


def _serving(zygote: Zygote, database: Path) -> Child:
    """A process with a write behind it, so that the store is not only open but in use."""
    child = zygote.serve(str(database), **WITH_VECTORS)
    child.ask("remember", user="other", content="Something else", vector_of="Something else")
    return child


def _insist_whole(
    step: Step, database: Path, *, done: bool, others: AbstractSet[str] = frozenset({"Something else"})
) -> None:
    with open_memory(str(database)) as memory:
        assert memory.doctor() == ()
        me = memory.user("me")
        kept = {record.content for record in me.list().items}
        assert step.holds(kept, done), f"kept {kept}, acknowledged: {done}"
        assert {record.content for record in memory.user("other").list().items} == others
        for text in (_DOOMED, _NEW):
            found = {hit.content for hit in me.recall(text, limit=10).hits}
            assert (text in found) == (text in kept), "the index and the rows disagree"
