"""What still works when no vectors can be made, and how they are made up for, on both stores."""

from collections.abc import Callable, Sequence

import pytest

from recollect import EmbeddingError, Memory
from recollect.model.memories import Space, Vector
from recollect.ports import Embedder, Role
from tests.fixtures import OpenMemory, SteppingClock


class Moody:
    """A provider that fails when told to, for all texts or for those that hold a word."""

    def __init__(self, encoder: Embedder) -> None:
        self._encoder = encoder
        self.refuses: str | None = None
        self.before_answering: Callable[[], object] = lambda: None

    @property
    def space(self) -> Space | None:
        return self._encoder.space

    @property
    def languages(self) -> frozenset[str] | None:
        return None

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        refused = self.refuses
        if refused is not None and any(refused in text for text in texts):
            raise EmbeddingError("The provider is out of order.")
        vectors = self._encoder.embed(texts, role)
        self.before_answering()
        return vectors

    def close(self) -> None:
        pass


@pytest.fixture
def moody(encoder: Embedder) -> Moody:
    return Moody(encoder)


@pytest.fixture
def moody_memory(open_memory: OpenMemory, moody: Moody) -> Memory:
    return open_memory(moody)


def test_without_vectors_words_still_work_and_the_answer_says_so(moody_memory: Memory, moody: Moody) -> None:
    me = moody_memory.user("me")
    me.remember("The spare key is under the flowerpot")
    moody.refuses = ""
    stored = me.remember("The ladder stands behind the shed")
    assert (stored.action, stored.degraded) == ("created", ("vector",))
    answer = me.recall("ladder", only_related=False)
    assert [hit.id for hit in answer.hits] == [stored.id]
    assert answer.degraded == ("vector",)
    assert answer.hits[0].similarity is None
    stats = me.stats()
    assert (stats.memories, stats.with_vector, stats.pending_jobs, stats.parked_jobs) == (2, 1, 1, 0)
    assert [problem.check for problem in moody_memory.doctor()] == ["embedder"]


def test_what_was_stored_without_a_vector_is_embedded_later(moody_memory: Memory, moody: Moody) -> None:
    me = moody_memory.user("me")
    moody.refuses = ""
    stored = me.remember_many(["The ladder stands behind the shed", "Grandmother was born in Olomouc"])
    assert [answer.degraded for answer in stored] == [("vector",), ("vector",)]
    moody.refuses = None
    assert me.recall("climbing up to the roof", only_related=False).hits == ()
    assert moody_memory.maintain().embedded == 2
    assert me.recall("climbing up to the roof", only_related=False).hits[0].id == stored[0].id
    assert (me.stats().with_vector, me.stats().pending_jobs) == (2, 0)
    assert moody_memory.maintain().embedded == 0
    assert moody_memory.doctor() == ()


def test_five_failures_park_the_work(moody_memory: Memory, moody: Moody, clock: SteppingClock) -> None:
    me = moody_memory.user("me")
    moody.refuses = "ladder"
    me.remember("The ladder stands behind the shed")
    for attempt in range(1, 6):
        clock.advance(hours=1)
        assert me.stats().pending_jobs == 1
        assert moody_memory.maintain().parked == (1 if attempt == 5 else 0)
    assert (me.stats().pending_jobs, me.stats().parked_jobs) == (0, 1)
    assert moody_memory.stats().parked_jobs == 1
    moody.refuses = None
    clock.advance(days=30)
    assert moody_memory.maintain().embedded == 0
    assert any("could not be embedded" in advice for advice in moody_memory.status().advice)
    assert len(me.recall("ladder", only_related=False).hits) == 1


def test_a_provider_that_fails_on_everything_blames_no_text(
    moody_memory: Memory, moody: Moody, clock: SteppingClock
) -> None:
    me = moody_memory.user("me")
    moody.refuses = ""
    me.remember("The ladder stands behind the shed")
    for _ in range(10):
        clock.advance(hours=1)
        assert any("out of order" in failure for failure in moody_memory.maintain().failed)
    assert (me.stats().pending_jobs, me.stats().parked_jobs) == (1, 0)
    moody.refuses = None
    assert moody_memory.maintain().embedded == 1


def test_one_bad_text_waits_and_holds_up_no_others(moody_memory: Memory, moody: Moody, clock: SteppingClock) -> None:
    me = moody_memory.user("me")
    moody.refuses = ""
    me.remember_many(["The ladder stands behind the shed", "A poisonous text", "Grandmother was born in Olomouc"])
    moody.refuses = "poisonous"
    for _ in range(6):
        moody_memory.maintain()
        clock.advance(hours=1)
    assert (me.stats().with_vector, me.stats().pending_jobs, me.stats().parked_jobs) == (2, 0, 1)

    # work that failed waits before it is tried again
    other = moody_memory.user("other")
    moody.refuses = "ladder"
    other.remember("The ladder stands behind the shed")
    moody_memory.maintain()
    moody.refuses = None
    assert moody_memory.maintain().embedded == 0
    assert other.stats().pending_jobs == 1


def test_a_late_vector_never_lands_on_a_text_that_was_changed_meanwhile(moody_memory: Memory, moody: Moody) -> None:
    me = moody_memory.user("me")
    moody.refuses = ""
    stored = me.remember("The ladder stands behind the shed")
    moody.refuses = None

    def change() -> None:
        moody.before_answering = lambda: None
        me.update(stored.id, content="Grandmother was born in Olomouc")

    moody.before_answering = change
    moody_memory.maintain()
    (hit,) = me.recall("Grandmother was born in Olomouc", only_related=False).hits
    assert hit.similarity == pytest.approx(1.0, abs=1e-5)
    assert moody_memory.doctor() == ()


def test_what_is_forgotten_before_its_vector_arrives_stays_forgotten(moody_memory: Memory, moody: Moody) -> None:
    me = moody_memory.user("me")
    moody.refuses = ""
    stored = me.remember("The ladder stands behind the shed")
    moody.refuses = None
    moody.before_answering = lambda: me.forget(stored.id)
    moody_memory.maintain()
    assert (me.stats().memories, me.stats().with_vector, me.stats().pending_jobs) == (0, 0, 0)
    assert moody_memory.doctor() == ()
