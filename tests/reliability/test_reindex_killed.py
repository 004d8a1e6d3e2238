"""SIGKILL while the index of words is made anew: nothing is lost, and the next round completes it."""

import random
import time

from recollect import NewMessage
from recollect.text.terms import ANALYSER
from tests.reliability.points import SEED, Kills, points
from tests.reliability.worker import open_memory
from tests.reliability.zygote import Zygote, was_killed
from tests.sizes import sized
from tests.storage.older_words import age, insist_indexed_once, mark, strange

_ROWS = sized(600, 2_000)  # of each kind: several transactions
_TALK = 100  # messages of a conversation: too few for a summary
_POINTS = sized(1, 4)


def _whole_s(zygote: Zygote, database: str) -> float:
    """Say how long a round takes."""
    child = zygote.serve(database)
    started = time.monotonic()
    assert child.ask("maintain")["reindexed"] == 2 * _ROWS
    took_s = time.monotonic() - started
    child.close()
    return took_s


def test_a_round_that_is_killed_is_completed_by_the_next(database: str, zygote: Zygote) -> None:
    with open_memory(database) as memory:
        me = memory.user("me")
        me.remember_many([f"Crate {number} holds part p{number}" for number in range(_ROWS)])
        for start in range(0, _ROWS, _TALK):
            said = (f"Tulips in bed b{number}." for number in range(start, start + _TALK))
            me.conversation(f"c{start}").extend(NewMessage("user", text) for text in said)
    age(database)
    whole_s = _whole_s(zygote, database)
    chance, kills, halfway = random.Random(SEED), Kills(), 0
    for _ in range(points(_POINTS)):
        age(database)
        child = zygote.serve(database)
        child.say({"verb": "maintain"})
        time.sleep(chance.uniform(0, whole_s * 0.7))
        child.kill()
        child.rest()
        kills.points += 1
        kills.killed += was_killed(child.end())
        left = strange(database)
        halfway += 0 < left < 2 * _ROWS
        assert left == 0 or mark(database) == 1
        insist_indexed_once(database)
        with open_memory(database) as memory:
            assert {problem.check for problem in memory.doctor()} <= {"index_of_words"}
            memory.maintain()
            assert (memory.doctor(), mark(database), strange(database)) == ((), ANALYSER, 0)
            me = memory.user("me")
            for number in chance.sample(range(_ROWS), sized(5, 20)):
                assert [hit.content for hit in me.recall(f"p{number}").hits] == [f"Crate {number} holds part p{number}"]
                assert me.search_context(f"b{number}").hits[0].content == f"Tulips in bed b{number}."
        insist_indexed_once(database)
    kills.show("reindexing", database, halfway=halfway)
    assert kills.killed > kills.points // 3
