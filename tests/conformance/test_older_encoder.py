"""A store that an older encoder of this project began: it goes on, says how to move, and moves while it is in use."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from recollect import Memory
from recollect.embedding import LocalEmbedder, known_models
from recollect.embedding.known_models import ENCODERS, BundledEncoder
from recollect.model.search import Hit
from recollect.ports import Embedder
from tests.fixtures import OpenMemory

LATEST, *OLDER = ENCODERS
TEXTS = (
    "The user is allergic to peanuts",
    "The winter tyres are in the garage behind the house",
    "Grandmother's birthday is on the third of May",
    "She plays the violin in a small orchestra",
    "The dentist appointment was moved to Thursday afternoon",
)
QUESTION = "which instrument does she play?"
LATE = "Her trumpet is at the repair shop"


@pytest.fixture(params=OLDER, ids=[encoder.name for encoder in OLDER])
def encoder_before(request: pytest.FixtureRequest) -> BundledEncoder:
    """The encoder with which a store was begun."""
    older: BundledEncoder = request.param
    return older


@pytest.fixture
def older(open_memory: OpenMemory, encoder_before: BundledEncoder) -> Memory:
    """A store as an earlier version has left it."""
    memory = open_memory(LocalEmbedder(threads=1, encoder=encoder_before))
    memory.user("me").remember_many(TEXTS)
    return memory


@pytest.fixture
def uninstalled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The distribution of the older encoder's files is not there."""
    monkeypatch.setattr(known_models, "find_spec", lambda name: None)


def first_hit(memory: Memory) -> Hit:
    answer = memory.user("me").recall(QUESTION)
    assert answer.degraded == ()
    return answer.hits[0]


def test_a_store_of_the_older_encoder_goes_on_with_it_and_is_advised_to_move(
    older: Memory, encoder_before: BundledEncoder, open_memory: OpenMemory, encoder: Embedder
) -> None:
    before = first_hit(older)
    memory = open_memory(encoder)
    memory.user("me").remember(LATE)
    assert first_hit(memory).content == before.content == TEXTS[3]
    assert first_hit(memory).similarity == pytest.approx(before.similarity, abs=1e-6)
    assert memory.status().embedding == f"local/recollect-{encoder_before.name}"
    (advice,) = memory.status().advice
    assert f"local/recollect-{encoder_before.name}, an older encoder" in advice
    assert "`recollect reembed`" in advice
    (problem,) = memory.doctor()
    assert (problem.check, problem.advice) == ("older_encoder", advice)
    assert memory.models.reembed().state == "finished"
    assert memory.status().embedding == f"local/recollect-{LATEST.name}"
    assert memory.status().advice == ()
    assert memory.doctor() == ()


def test_without_its_files_searches_go_by_words_until_it_moves(
    older: Memory, encoder_before: BundledEncoder, open_memory: OpenMemory, encoder: Embedder, uninstalled: None
) -> None:
    memory = open_memory(encoder)
    me = memory.user("me")
    answer = me.recall("where are the winter tyres?")
    assert answer.degraded == ("vector",)
    assert [hit.content for hit in answer.hits] == [TEXTS[1]]
    assert me.remember(LATE).degraded == ("vector",)
    remedy = f"pip install 'recollect[{encoder_before.name}]'"
    assert remedy in memory.embed_waiting().unavailable
    advice = memory.status().advice
    assert any(remedy in line and "by words alone" in line for line in advice)
    assert {problem.check for problem in memory.doctor()} == {"older_encoder", "embedder"}
    assert memory.models.reembed().state == "finished"
    assert first_hit(memory).content == TEXTS[3]
    assert memory.doctor() == ()
    assert {(known.space.model, known.state) for known in memory._engine.store.spaces()} == {
        (f"recollect-{LATEST.name}", "active"),
        (f"recollect-{encoder_before.name}", "kept"),
    }


def test_searches_and_writes_go_on_while_it_moves(older: Memory, open_memory: OpenMemory, encoder: Embedder) -> None:
    memory, over = open_memory(encoder), Event()
    wanted = {first_hit(memory).similarity}

    def search() -> list[Hit]:
        seen = []
        while not over.is_set():
            seen.append(first_hit(older))
        return [*seen, first_hit(older)]

    def write() -> int:
        amount = 0
        while not over.is_set() and amount < 20:
            memory.user("me").remember(f"{LATE}, ticket {amount}")
            amount += 1
        return amount

    with ThreadPoolExecutor(2) as pool:
        searching, writing = pool.submit(search), pool.submit(write)
        try:
            while memory.models.reembed().state != "finished":  # what is stored meanwhile may put it off
                pass
        finally:
            over.set()
        seen, written = searching.result(), writing.result()
    wanted.add(seen[-1].similarity)
    assert {hit.content for hit in seen} == {TEXTS[3]}
    assert {hit.similarity for hit in seen} <= wanted, "an answer mixed the two spaces"
    assert seen[-1].similarity == first_hit(memory).similarity
    memory.embed_waiting()
    assert all(part.vectors == part.items for part in memory.status().coverage)
    assert memory.status().coverage[0].items == len(TEXTS) + written
