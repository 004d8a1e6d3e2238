"""An engine tells how its searches go, to whoever wants to know."""

import pytest

from recollect import Memory
from recollect.ports import Stage

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


class Listener:
    """Somebody who writes everything down."""

    def __init__(self) -> None:
        self.stages: list[tuple[Stage, float]] = []
        self.missing: list[str] = []

    def took(self, stage: Stage, seconds: float) -> None:
        """Write a stage down."""
        self.stages.append((stage, seconds))

    def went_without(self, part: str) -> None:
        """Write a part down."""
        self.missing.append(part)


@pytest.fixture
def listener(memory: Memory) -> Listener:
    listening = Listener()
    memory.operations.observe(listening)
    return listening


def test_a_search_in_its_stages(memory: Memory, listener: Listener) -> None:
    me = memory.user("me")
    me.remember("Takes the tram to work")
    me.recall("how do I get to work?")
    assert [stage for stage, _ in listener.stages] == ["embed", "store", "rank", "total"]
    *parts, (_, total) = listener.stages
    assert all(seconds > 0 for _, seconds in parts)
    assert sum(seconds for _, seconds in parts) <= total
    assert listener.missing == []


def test_with_a_vector_of_ones_own_nothing_is_embedded(memory: Memory, listener: Listener) -> None:
    vector = [1.0, *[0.0] * 383]
    memory.user("me").recall("tram", vector=vector)
    assert [stage for stage, _ in listener.stages] == ["store", "rank", "total"]


def test_a_turn_that_could_not_wait(memory: Memory, listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError

    monkeypatch.setattr("recollect.engine.conversations.turns.recall.recall_sources", broken)
    found = memory.user("me").before_prompt("What did I say?", session="talk")
    assert found.degraded == ("recall",)
    assert listener.missing == ["recall"]
