"""SIGKILL while a worker reads messages: none is lost, none is captured twice, and what was said last holds."""

import re
import shutil
import time
from collections import Counter
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from recollect import Memory
from tests.reliability.figures import figure
from tests.reliability.opening import WITH_QUICK_VECTORS, LaterClock, open_memory
from tests.reliability.points import SEED, points
from tests.reliability.tracing import counted, moments, traced
from tests.reliability.turns import effect
from tests.reliability.zygote import Child, Zygote, was_killed
from tests.sizes import sized
from tests.storage.catalogue import plain
from tests.waiting import until

_USERS = ("anna", "bob", "eve")
_TURNS = sized(3, 150)  # of each user
_KILLS = sized(1, 40)
_POINTS = sized(2, 60)
_SHORT_LEASE_S = 1.0
_SETTINGS: dict[str, Any] = {**WITH_QUICK_VECTORS, "capture.when": "worker", "embedding.lease_s": 60.0,
                             "compaction.auto": False}  # no summaries among the messages  # fmt: skip
_NAMES = [f"{first}{second}lena" for first in "BDFGHKLMNPRST" for second in ("a", "e", "i", "o", "u", "an", "en", "in",
          "on", "un", "ar", "er")][:_TURNS]  # fmt: skip


def _talk(memory: Memory) -> None:
    for number, name in enumerate(_NAMES):
        for user in _USERS:
            said = f"My name is {name}. Remember that box {number} is in the attic."
            memory.user(user).after_turn(
                [{"role": "user", "content": said}, {"role": "assistant", "content": "Noted."}], session="s1"
            )


def _insist_read_once(memory: Memory, database: str) -> None:
    """Each message taught what it says, once, and the names followed each other."""
    gap = "%s" if "://" in database else "?"
    for user in _USERS:
        with plain(database) as store:
            kept = store.rows(f"SELECT content, key, value, confidence FROM memories WHERE user_id = {gap}"  # noqa: S608
                              " ORDER BY created_at, id", (user,))  # fmt: skip
        assert [value for _, key, value, _ in kept if key == "name"] == _NAMES
        boxes = [(re.findall(r"box (\d+) ", content), confidence) for content, key, _, confidence in kept if not key]
        assert [numbers for numbers, _ in boxes] == [[str(number)] for number in range(_TURNS)]
        assert len({confidence for _, confidence in boxes}) == 1  # what is captured again is surer
        held = [record.value for record in memory.user(user).list(limit=1_000).items if record.key == "name"]
        assert held == _NAMES[-1:]
    with plain(database) as store:
        assert store.rows("SELECT count(*) FROM jobs") == [(0,)]
        assert store.rows("SELECT count(*) FROM messages WHERE NOT learned") == [(0,)]
        assert store.rows("SELECT count(*) FROM derivations") == [(2 * _TURNS * len(_USERS),)]
    assert memory.doctor() == ()


def test_workers_that_are_killed_lose_no_message(database: str, zygote: Zygote) -> None:
    chance, killed, halfway = Random(SEED), 0, 0
    settings, messages = {**_SETTINGS, "embedding.lease_s": _SHORT_LEASE_S}, _TURNS * len(_USERS)
    with open_memory(database, **settings) as memory:
        _talk(memory)
        for number in range(1, _KILLS + 1):
            workers = [zygote.serve(database, **settings) for _ in range(2)]
            for worker in workers:
                worker.say({"verb": "embed_waiting", "thorough": False})
            left = messages - messages * number // (_KILLS + 1)
            until(lambda left=left: memory.status().unread.waiting <= left)  # type: ignore[misc]
            time.sleep(chance.uniform(0, 0.01))
            for worker in workers:
                worker.kill()
            for worker in workers:
                halfway += not worker.rest()
                killed += was_killed(worker.end())
            assert memory.doctor() == ()
            time.sleep(_SHORT_LEASE_S)  # until the leases of the dead have ended
        memory.embed_waiting()
        _insist_read_once(memory, database)
    assert killed == 2 * _KILLS
    store = "postgresql" if "://" in database else "sqlite"
    figure(1, f"{store}, reading", kill_points=killed, killed_at_work=halfway, lost=0, half_done=0)


def test_workers_at_once_read_every_message_once(database: str, zygote: Zygote) -> None:
    with open_memory(database, **_SETTINGS) as memory:
        _talk(memory)
        workers = [zygote.serve(database, **_SETTINGS) for _ in range(3)]
        for worker in workers:
            worker.say({"verb": "embed_waiting"})
        assert sum(worker.hear()["read"] for worker in workers) == _TURNS * len(_USERS)
        memory.embed_waiting()
        _insist_read_once(memory, database)
        for worker in workers:
            worker.close()


def _read(child: Child) -> Any:
    return child.ask("embed_waiting", thorough=False)


@pytest.mark.usefixtures("strace")
def test_killed_at_every_call(zygote: Zygote, tmp_path: Path) -> None:
    base, log, clock = tmp_path / "base.db", tmp_path / "log", LaterClock()
    with open_memory(str(base), **_SETTINGS) as memory:
        turn = [{"role": "user", "content": "My name is Balena. Remember that box 7 is in the attic."}]
        memory.user("me").after_turn(turn, session="s1")
    before = effect(str(base), "me")
    child = zygote.serve(str(shutil.copy(base, tmp_path / "whole.db")), **_SETTINGS)
    with traced(child.pid, log):
        assert _read(child)["read"] == 1
    child.end()
    after, calls = effect(str(tmp_path / "whole.db"), "me"), counted(log)
    assert (len(before["kept"]), len(after["kept"]), after["said"][0][-1]) == (0, 2, True)
    found = Counter[bool]()
    clock.ahead = timedelta(hours=1)
    for call, number in moments(calls, points(_POINTS)):
        database = str(shutil.copy(base, tmp_path / f"{call}{number}.db"))
        child = zygote.serve(database, **_SETTINGS)
        done = False
        with traced(child.pid, log, f"{call}:signal=SIGKILL:when={number}"), suppress(EOFError):
            _read(child)
            done = True
        assert was_killed(child.end())
        reached = effect(database, "me")
        assert reached in ([after] if done else [before, after]), f"half read after {call} {number}"
        found[reached == after] += 1
        with open_memory(database, clock=clock, **_SETTINGS) as memory:
            assert memory.doctor() == ()
            assert memory.embed_waiting().read == (reached == before)
            assert effect(database, "me") == after
    assert found[False]
    assert found[True]
    counts = {"calls": calls.total(), "before": found[False], "after": found[True]}
    figure(1, "sqlite, reading, each call in turn", kill_points=found.total(), **counts, lost=0, half_done=0)
