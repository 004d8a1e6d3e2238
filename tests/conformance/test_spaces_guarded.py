"""What keeps spaces from being confused when several act at once, and embedders of a caller's own from doing harm."""

from collections.abc import Sequence

import pytest

from recollect import EmbeddingError, InvalidInput
from recollect.model.memories import Space, Vector
from recollect.ports import Embedder, Role
from tests.fixtures import OpenMemory
from tests.waiting import until

TEXTS = ("The ladder stands behind the shed", "Grandmother was born in Olomouc")
SMALL = Space("own", "small", "1", "none", 384, normalised=True)


class Own:
    """A caller's own embedder: it knows its space from its first text on, and raises what it likes."""

    languages: frozenset[str] | None = None

    def __init__(self, encoder: Embedder, space: Space = SMALL, *, known: bool = True) -> None:
        self._encoder = encoder
        self._space = space
        self._known = known
        self.trouble: Exception | None = None

    @property
    def space(self) -> Space | None:
        return self._space if self._known else None

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        if self.trouble is not None:
            raise self.trouble
        self._known = True
        return self._encoder.embed(texts, role)

    def close(self) -> None:
        pass


def test_a_change_that_was_cancelled_is_not_completed_by_whoever_is_late(
    open_memory: OpenMemory, encoder: Embedder
) -> None:
    memory = open_memory(Own(encoder))
    memory.user("me").remember_many(TEXTS)
    coming = Space("own", "other", "1", "none", 384, normalised=True)
    memory.models.reembed(embedder=Own(encoder, coming), wait=False)
    store = memory._engine.store
    memory.models.cancel_reembed()
    assert store.owe(coming, memory._engine.clock.now()) == 0
    assert not store.activate(coming)
    assert memory.status().embedding == "own/small"


def test_a_space_that_was_dropped_does_not_come_back(open_memory: OpenMemory, encoder: Embedder) -> None:
    memory = open_memory(Own(encoder))
    memory.user("me").remember_many(TEXTS)
    other = Space("own", "other", "1", "none", 384, normalised=True)
    memory.models.reembed(embedder=Own(encoder, other))
    memory.models.drop("own/small")
    memory._engine.store.owe(SMALL, memory._engine.clock.now())
    assert [(model.model, model.state) for model in memory.models.list(ask=False)] == [
        ("other", "active"),
        ("small", "configured"),
    ]


def test_two_changes_at_once_are_refused(open_memory: OpenMemory, encoder: Embedder) -> None:
    memory = open_memory(Own(encoder))
    memory.user("me").remember_many(TEXTS)
    first, second = (Space("own", name, "1", "none", 384, normalised=True) for name in ("first", "second"))
    memory._engine.store.open_space(first, "building", memory._engine.clock.now())
    with pytest.raises(InvalidInput, match="own/first"):
        memory._engine.store.open_space(second, "building", memory._engine.clock.now())


def test_models_of_one_name_are_told_apart(open_memory: OpenMemory, encoder: Embedder) -> None:
    memory = open_memory(Own(encoder))
    memory.user("me").remember_many(TEXTS)
    for revision in ("2", "3"):
        memory.models.reembed(embedder=Own(encoder, Space("own", "small", revision, "none", 384, normalised=True)))
    with pytest.raises(InvalidInput, match=r"own/small@384\+1\+none, own/small@384\+2\+none"):
        memory.models.drop("own/small")
    assert memory.models.drop("own/small@384+1+none").revision == "1"
    assert memory.models.drop("own/small").revision == "2"


def test_a_move_to_what_is_used_already_makes_up_for_what_it_lacks(open_memory: OpenMemory, encoder: Embedder) -> None:
    open_memory(embedding__provider="none").user("me").remember_many(TEXTS)
    memory = open_memory(Own(encoder))
    moved = memory.models.reembed()
    assert (moved.state, moved.embedded, memory.user("me").stats().with_vector) == ("finished", 2, 2)


def test_an_embedder_that_learns_its_length_is_known_again(open_memory: OpenMemory, encoder: Embedder) -> None:
    memory = open_memory(Own(encoder, known=False))
    memory.user("me").remember(TEXTS[0], wait=True)
    again = open_memory(Own(encoder, known=False)).user("me")
    assert again.remember(TEXTS[1]).degraded == ()
    assert again.recall("something to climb with").degraded == ()


def test_one_that_cannot_say_who_it_is_does_no_harm(open_memory: OpenMemory, encoder: Embedder) -> None:
    open_memory(Own(encoder, known=False)).user("me").remember(TEXTS[0], wait=True)
    own = Own(encoder, known=False)
    own.trouble = ConnectionError("away")
    me = open_memory(own).user("me")
    assert me.remember(TEXTS[1]).degraded == ("vector",)
    assert me.recall("ladder").degraded == ("vector",)


@pytest.mark.parametrize("trouble", [ConnectionError("away"), ValueError("odd"), EmbeddingError("no")], ids=repr)
def test_whatever_an_embedder_raises_is_trouble_with_vectors_and_nothing_else(
    open_memory: OpenMemory, encoder: Embedder, trouble: Exception
) -> None:
    own = Own(encoder)
    memory = open_memory(own, recall__deadline_s=3600, embedding__worker=True)
    me = memory.user("me")
    me.remember(TEXTS[0])
    own.trouble = trouble
    assert me.remember(TEXTS[1]).degraded == ("vector",)
    assert me.recall("Grandmother Olomouc").degraded == ("vector",), "an hour was waited for what never comes"
    memory.embed_waiting()
    own.trouble = None
    memory.embed_waiting()
    until(lambda: not me.stats().pending_jobs)
    assert me.stats().with_vector == 2


def test_a_process_that_is_killed_before_it_has_queued_everything_leaves_nothing_out(
    open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_memory(embedding__provider="none").user("me").remember_many(TEXTS)
    killed = open_memory()

    def owe(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(killed._engine.store, "owe", owe)
    with pytest.raises(KeyboardInterrupt):
        killed.embed_waiting()
    memory = open_memory()
    assert memory.embed_waiting().embedded == len(TEXTS)
    assert memory.status().coverage[0].vectors == len(TEXTS)
    assert [known.state for known in memory._engine.store.spaces()] == ["active"]


def test_a_first_space_that_was_left_behind_gives_way_to_another_model(
    open_memory: OpenMemory, encoder: Embedder
) -> None:
    open_memory(embedding__provider="none").user("me").remember_many(TEXTS)
    memory = open_memory(Own(encoder))
    left = Space("own", "left behind", "1", "none", 384, normalised=True)
    memory._engine.store.open_space(left, "building", memory._engine.clock.now())
    assert memory.embed_waiting().embedded == len(TEXTS)
    states = {known.space.model: known.state for known in memory._engine.store.spaces()}
    assert states == {"small": "active", "left behind": "kept"}
