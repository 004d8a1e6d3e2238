"""SIGKILL at every call that changes a file, during one compaction and during one turn: all of it, or nothing.

And then again: a turn that is delivered once more, or a compaction that is repeated, completes what was not done and
changes nothing of what was.
"""

import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recollect.model.messages import NewMessage
from tests.reliability.figures import figure
from tests.reliability.opening import WITH_QUICK_VECTORS, open_memory
from tests.reliability.points import points as every
from tests.reliability.talking import line
from tests.reliability.tracing import counted, moments, traced
from tests.reliability.turns import TURN, effect
from tests.reliability.wholeness import insist_whole
from tests.reliability.zygote import Child, Zygote, was_killed
from tests.sizes import sized
from tests.storage.catalogue import plain

pytestmark = pytest.mark.usefixtures("strace")

_SAID = 6
_POINTS = sized(2, 40)


@dataclass(frozen=True)
class Step:
    """What a process is doing when it is killed."""

    ask: Callable[[Child], Any]


_STEPS = {
    "compact": Step(lambda child: child.ask("compact", user="me", conversation="talk", keep_recent=1)),
    "after_turn": Step(lambda child: child.ask("after_turn", user="me", messages=list(TURN), session="talk")),
}


@pytest.mark.parametrize("name", _STEPS)
def test_killed_at_every_call(name: str, zygote: Zygote, tmp_path: Path) -> None:
    base = tmp_path / "base.db"
    _prepare(base)
    before = effect(str(base), "me")
    log, step = tmp_path / "log", _STEPS[name]
    whole = _copied(base, tmp_path / "whole.db")
    points = _calls(step, whole, log, zygote)
    after = _settled(whole)
    assert after != before
    assert points["pwrite64"] > 0
    found: Counter[bool] = Counter()
    for call, number in moments(points, every(_POINTS)):
        database = _copied(base, tmp_path / f"{call}{number}.db")
        done = _killed_at(f"{call}:signal=SIGKILL:when={number}", step, database, log, zygote)
        reached = _settled(database)
        assert reached in ([after] if done else [before, after]), f"{name} is half done after {call} {number}"
        found[reached == after] += 1
        _insist_completes(step, database, after, zygote)
    counts = {"calls": points.total(), "before": found[False], "after": found[True]}
    figure(1, f"sqlite, {name}, each call in turn", kill_points=found.total(), **counts, lost=0, half_done=0)


def _prepare(base: Path) -> None:
    with open_memory(str(base), **WITH_QUICK_VECTORS) as memory:
        talk = memory.user("me").conversation("talk")
        talk.extend([NewMessage("user", line("host", number), id=f"host-{number}") for number in range(_SAID)])
        memory.maintain()


def _copied(base: Path, database: Path) -> Path:
    """Copy a store that nobody has open."""
    shutil.copy(base, database)
    return database


def _serving(zygote: Zygote, database: Path) -> Child:
    """A process with a write behind it, so that the store is not only open but in use."""
    child = zygote.serve(str(database), **WITH_QUICK_VECTORS)
    child.ask("append", user="other", conversation="elsewhere", role="user", content="Something else")
    return child


def _calls(step: Step, database: Path, log: Path, zygote: Zygote) -> Counter[str]:
    child = _serving(zygote, database)
    with traced(child.pid, log):
        step.ask(child)
    child.end()
    return counted(log)


def _killed_at(inject: str, step: Step, database: Path, log: Path, zygote: Zygote) -> bool:
    """Kill a process at a certain call; says whether it had acknowledged by then."""
    child = _serving(zygote, database)
    done = False
    with traced(child.pid, log, inject), suppress(EOFError):
        step.ask(child)
        done = True
    assert was_killed(child.end())
    return done


def _settled(database: Path) -> Any:
    """Insist that the store is sound, and say what it holds."""
    with open_memory(str(database), **WITH_QUICK_VECTORS) as memory:
        assert memory.doctor() == ()
        insist_whole(str(database), memory.user("me").conversation("talk"), {})
        assert memory.user("other").stats().messages == 1
    return effect(str(database), "me")


def _insist_completes(step: Step, database: Path, after: Any, zygote: Zygote) -> None:
    """Ask again, twice: the first completes it, the second changes nothing."""
    child = zygote.serve(str(database), **WITH_QUICK_VECTORS)
    step.ask(child)
    assert effect(str(database), "me") == after
    step.ask(child)
    assert effect(str(database), "me") == after
    child.close()
    with plain(str(database)) as store:
        assert store.rows("SELECT count(*) FROM messages WHERE user_id = 'other'") == [(1,)]
