"""Many processes deliver the same turn at the same moment: it has one effect, that of a single delivery."""

from collections.abc import Sequence
from typing import Any

import pytest

from recollect import Memory, load_settings
from recollect.model.memories import Vector
from recollect.ports import Role
from tests.reliability.opening import WITH_QUICK_VECTORS, QuickEmbedder, open_memory
from tests.reliability.turns import TURN, effect, named
from tests.reliability.zygote import Zygote, at_once
from tests.sizes import sized

_PROCESSES = sized(3, 8)

_WAYS: dict[str, list[list[dict[str, Any]]]] = {
    "with ids": [named()],
    "without ids": [list(TURN)],
    "some with ids, some without": [named(), list(TURN)],
}


@pytest.mark.parametrize(
    "request_saved", [pytest.param(False, marks=pytest.mark.slow), True], ids=["turn only", "after before_prompt"]
)
@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=() if way.startswith("some") else pytest.mark.slow) for way in _WAYS]
)
def test_one_effect(way: str, database: str, zygote: Zygote, *, request_saved: bool) -> None:
    with open_memory(database, **WITH_QUICK_VECTORS) as memory:
        for user in ("one", "many"):
            talk = memory.user(user).conversation("talk")
            talk.append("user", "Good morning")
            talk.append("assistant", "Good morning. What can I do?")
            if request_saved:
                memory.user(user).before_prompt(TURN[0]["content"], session="talk")
        memory.user("one").after_turn(_WAYS[way][0], session="talk")
    turns = [_WAYS[way][number % len(_WAYS[way])] for number in range(_PROCESSES)]
    children = [
        zygote.start("deliver_at_once", database=database, user="many", session="talk", turn=turn) for turn in turns
    ]
    told = at_once(children)

    saved = len(TURN) + 1 - request_saved  # the thought is a message of its own
    assert sorted(told, reverse=True) == [[saved, 2, 1]] + [[0, 0, 0]] * (_PROCESSES - 1)
    assert effect(database, "many") == effect(database, "one")
    with open_memory(database, **WITH_QUICK_VECTORS) as memory:
        assert memory.doctor() == ()
        assert memory.user("many").after_turn(list(TURN), session="talk").saved == 0
    assert effect(database, "many") == effect(database, "one")


class _Interrupting(QuickEmbedder):
    """Lets somebody else save the request between the moment it is looked at and the moment it is learned from."""

    def __init__(self, database: str) -> None:
        self._others = [database]

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        while self._others:
            with open_memory(self._others.pop(), **WITH_QUICK_VECTORS) as other:
                other.user("many").conversation("talk").append("user", TURN[0]["content"])
        return super().embed(texts, role)


def test_a_request_that_another_process_saves_meanwhile_still_teaches(database: str) -> None:
    unhurried = {"embedding.provider": "none", "embedding.worker": False}
    settings = load_settings(environ={}, overrides={"database": database, **unhurried})
    with Memory.open(settings=settings, embedder=_Interrupting(database)) as memory:
        outcome = memory.user("many").after_turn([TURN[0]], session="talk")
    assert (outcome.saved, len(outcome.captured)) == (0, 2)
    with open_memory(database, **WITH_QUICK_VECTORS) as memory:
        memory.user("one").after_turn([TURN[0]], session="talk")
    assert effect(database, "many") == effect(database, "one")
