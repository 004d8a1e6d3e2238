"""Moving from one model to another: searches never notice, never mix, and never miss, on both stores."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from threading import Event

import numpy as np
import pytest

from recollect import EmbeddingError, InvalidInput, Memory, NotFound, load_settings
from recollect.errors import TextRefused
from recollect.model.memories import Space, Vector
from recollect.model.stats import WorkReport
from recollect.ports import Embedder, Role
from tests.fixtures import OpenMemory, Server, SteppingClock
from tests.providers.vectors import vector_of
from tests.storage.catalogue import plain

WORDS = (
    "garden",
    "ladder",
    "shed",
    "piano",
    "violin",
    "train",
    "coast",
    "coffee",
    "parcel",
    "river",
    "bridge",
    "honey",
)
# More than a batch, so that a change can be interrupted in the middle.
TEXTS = tuple(f"{' '.join(Random(number).sample(WORDS, 4))} number {number}" for number in range(100))
QUESTIONS = ("garden by the river", "coffee and honey", "the train to the coast", "a violin beside the piano")
LATE = ("honey bridge window parcel at noon", "coffee garden train river at night")

Ranking = dict[str, list[tuple[str, float | None]]]
Opener = Callable[..., Memory]
Fresh = Callable[[Embedder, Sequence[str]], Ranking]


class Words:
    """Makes vectors of words, of any length. Counts what it was asked for; refuses what it is told to refuse."""

    def __init__(self, dimensions: int) -> None:
        self.space = Space("test", f"words-{dimensions}", "1", "none", dimensions, normalised=True)
        self.languages: frozenset[str] | None = None
        self.asked: list[str] = []
        self.refused = ""

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        if self.refused and any(self.refused in text for text in texts):
            raise TextRefused("This text is not accepted.")
        self.asked += texts
        return np.stack([vector_of(text, "any", self.space.model, self.space.dimensions) for text in texts])

    def close(self) -> None:
        pass


class Broken(Words):
    """Gives something that is no vector, or nothing."""

    def __init__(self, answer: object) -> None:
        super().__init__(16)
        self._answer = answer

    def embed(self, texts: Sequence[str], role: Role) -> Vector:
        if self._answer is None:
            raise EmbeddingError("The provider is out of order.")
        return np.asarray(self._answer, np.float32)


@pytest.fixture
def old() -> Words:
    return Words(8)


@pytest.fixture
def new() -> Words:
    return Words(16)


@pytest.fixture
def opener(open_memory: OpenMemory) -> Opener:
    """Open the test's store with an embedder, and always search."""
    return partial(open_memory, recall__cache=0)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Fresh:
    """The rankings of a store that has never known another model, which both databases give alike: of a file."""
    folder, known = tmp_path_factory.mktemp("fresh"), dict[tuple[object, ...], Ranking]()

    def rank(embedder: Embedder, texts: Sequence[str]) -> Ranking:
        asked = (embedder.space, *texts)
        if asked not in known:
            overrides = {"database": str(folder / f"{len(known)}.db"), "embedding.worker": False}
            settings = load_settings(os.devnull, environ={}, overrides={**overrides, "recall.deadline_s": 120})
            with Memory.open(settings=settings, embedder=embedder) as memory:
                memory.user("me").remember_many(texts)
                known[asked] = rankings(memory)
        return known[asked]

    return rank


@pytest.fixture
def memory(opener: Opener, old: Words) -> Memory:
    opened = opener(old)
    opened.user("me").remember_many(TEXTS)
    return opened


def rankings(memory: Memory) -> Ranking:
    """Give the first ten answers to each question, with their similarities; no answer may miss anything."""
    answers = {question: memory.user("me").recall(question, limit=10) for question in QUESTIONS}
    assert all(answer.degraded == () for answer in answers.values())
    return {
        question: [(hit.content, hit.similarity and round(hit.similarity, 4)) for hit in answer.hits]
        for question, answer in answers.items()
    }


def same(one: Ranking, other: Ranking) -> bool:
    """Compare rankings: the same texts in the same order, equally near but for rounding."""
    if {question: [text for text, _ in rows] for question, rows in one.items()} != {
        question: [text for text, _ in rows] for question, rows in other.items()
    }:
        return False
    near = [[similarity or 0.0 for rows in ranking.values() for _, similarity in rows] for ranking in (one, other)]
    return bool(np.allclose(near[0], near[1], atol=2e-4))


def states(memory: Memory) -> dict[int, str]:
    return {known.space.dimensions: known.state for known in memory._engine.store.spaces()}


def interrupted(memory: Memory, embedder: Embedder) -> None:
    """Begin a change and stop in the middle."""
    stop = Event()

    def tell(_: WorkReport) -> None:
        stop.set()

    changed = memory.models.reembed(embedder=embedder, stop=stop, tell=tell)
    assert changed.state == "building"
    assert 0 < changed.coverage[0].vectors < changed.coverage[0].items


def test_the_old_space_is_searched_until_the_new_one_is_complete(
    memory: Memory, old: Words, new: Words, fresh: Fresh
) -> None:
    before = rankings(memory)
    assert memory.models.reembed(embedder=new, wait=False).state == "building"
    assert same(rankings(memory), before)
    interrupted(memory, new)
    assert same(rankings(memory), before)
    assert states(memory) == {8: "active", 16: "building"}
    assert memory.status().space == old.space
    done = memory.models.reembed()
    assert (done.state, done.space, done.previous, done.coverage[0].share) == ("finished", new.space, old.space, 1.0)
    assert states(memory) == {8: "kept", 16: "active"}
    after = rankings(memory)
    assert not same(after, before)
    assert same(after, fresh(new, TEXTS))
    assert memory.doctor() == ()


def test_what_is_stored_meanwhile_is_owed_a_vector_in_both(memory: Memory, new: Words, fresh: Fresh) -> None:
    interrupted(memory, new)
    stored = [memory.user("me").remember(text) for text in LATE]
    assert [one.degraded for one in stored] == [(), ()]
    assert memory.user("me").recall(LATE[0]).hits[0].similarity == pytest.approx(1.0, abs=1e-4)
    searched, coming = memory.status().coverage[0], memory._engine.store.coverage(new.space)[0]
    assert (searched.vectors, searched.waiting) == (len(TEXTS) + 2, 0)
    assert coming.items == len(TEXTS) + 2 == coming.vectors + coming.waiting
    assert memory.embed_waiting().embedded == coming.waiting, "workers finish what somebody began"
    assert states(memory) == {8: "kept", 16: "active"}
    assert same(rankings(memory), fresh(new, (*TEXTS, *LATE)))
    assert memory.doctor() == ()


def test_updating_and_forgetting_meanwhile(memory: Memory, new: Words, fresh: Fresh) -> None:
    me = memory.user("me")
    ids = {record.content: record.id for record in me.list(limit=1000).items}
    memory.models.reembed(embedder=new, wait=False)
    me.update(ids[TEXTS[3]], content=LATE[0])
    interrupted(memory, new)
    me.update(ids[TEXTS[3]], importance=0.7, metadata={"seen": True})
    me.update(ids[TEXTS[4]], content=LATE[1])
    me.forget(ids[TEXTS[5]])
    me.forget(ids[TEXTS[95]])
    assert memory.models.reembed().state == "finished"
    left = [LATE[TEXTS.index(text) - 3] if text in TEXTS[3:5] else text for text in TEXTS]
    expected = [text for text in left if text not in (TEXTS[5], TEXTS[95])]
    assert same(rankings(memory), fresh(new, expected))
    assert memory.status().coverage[0].share == 1.0
    assert memory.doctor() == ()
    assert me.forget(ids[TEXTS[3]]).action == "deleted"
    assert memory.doctor() == ()


def test_messages_of_all_kinds_move_along(opener: Opener, old: Words, new: Words) -> None:
    memory = opener(old)
    talk = memory.user("me").conversation("talk")
    talk.append("user", "Where is the ladder?")
    talk.append("assistant", "Behind the shed.")
    talk.append("system", "Be brief.")
    talk.append("assistant", "", tool_calls=[{"id": "1", "name": "look", "arguments": "{}"}])
    talk.append("tool", "", tool_call_id="1")
    memory.embed_waiting()
    done = memory.models.reembed(embedder=new)
    assert done.state == "finished"
    assert {one.share for one in done.coverage} == {1.0}
    assert memory.doctor() == ()


def test_an_empty_store_moves_at_once(opener: Opener, old: Words, new: Words) -> None:
    memory = opener(old)
    assert memory.models.reembed(embedder=new).state == "finished"
    memory.user("me").remember(TEXTS[0])
    assert memory.status().space == new.space
    assert memory.user("me").recall(TEXTS[0]).hits[0].similarity == pytest.approx(1.0, abs=1e-4)


def test_to_the_real_encoder_and_back(memory: Memory, old: Words, encoder: Embedder, fresh: Fresh) -> None:
    before = rankings(memory)
    assert memory.models.reembed(embedder=encoder).state == "finished"
    assert same(rankings(memory), fresh(encoder, TEXTS))
    old.asked.clear()
    assert memory.models.reembed(embedder=old).state == "finished"
    assert same(rankings(memory), before)
    assert not set(old.asked) & set(TEXTS)


def test_going_back_embeds_only_what_is_new(memory: Memory, old: Words, new: Words, fresh: Fresh) -> None:
    me = memory.user("me")
    ids = {record.content: record.id for record in me.list(limit=1000).items}
    memory.models.reembed(embedder=new)
    me.remember(LATE[0])
    me.update(ids[TEXTS[7]], content=LATE[1])
    me.forget(ids[TEXTS[8]])
    old.asked.clear()
    assert memory.models.reembed(embedder=old).state == "finished"
    assert sorted(text for text in old.asked if text in (*TEXTS, *LATE)) == sorted(LATE)
    expected = [LATE[1] if text == TEXTS[7] else text for text in TEXTS if text != TEXTS[8]]
    assert same(rankings(memory), fresh(old, (*expected, LATE[0])))
    assert memory.doctor() == ()


def test_another_process_follows_at_its_next_search(
    memory: Memory, old: Words, new: Words, opener: Opener, fresh: Fresh
) -> None:
    other = opener(old)
    other._engine.models.offer(new)  # as one that can make both by itself
    before = rankings(other)
    interrupted(memory, new)
    assert same(rankings(other), before)
    memory.models.reembed()
    expected = fresh(new, TEXTS)
    assert same(rankings(other), expected)
    other.user("me").remember(LATE[0])
    other.embed_waiting()
    assert memory.user("me").recall(LATE[0]).hits[0].similarity == pytest.approx(1.0, abs=1e-4)
    assert memory.doctor() == other.doctor() == ()


def test_one_that_cannot_follow_answers_by_words(memory: Memory, old: Words, new: Words, opener: Opener) -> None:
    other = opener(old)
    memory.models.reembed(embedder=new)
    answer = other.user("me").recall(TEXTS[0])
    assert (answer.hits[0].content, answer.degraded) == (TEXTS[0], ("vector",))
    stored = other.user("me").remember(LATE[0])
    assert stored.action == "created"
    assert memory.embed_waiting().embedded == 1
    assert memory.user("me").recall(LATE[0]).hits[0].similarity == pytest.approx(1.0, abs=1e-4)


def test_whoever_searches_during_the_change_sees_one_space_or_the_other(
    memory: Memory, old: Words, new: Words, opener: Opener, fresh: Fresh
) -> None:
    other = opener(old)
    other._engine.models.offer(new)
    before, after = rankings(memory), fresh(new, TEXTS)
    over = Event()

    def search(searcher: Memory) -> list[Ranking]:
        seen = []
        while not over.is_set():
            seen.append(rankings(searcher))
        return [*seen, rankings(searcher)]

    with ThreadPoolExecutor(2) as pool:
        searches = [pool.submit(search, one) for one in (memory, other)]
        try:
            assert memory.models.reembed(embedder=new).state == "finished"
        finally:
            over.set()
        seen = [future.result() for future in searches]
    for rows in seen:
        # One ranking asks several questions, and the change may fall between two of them.
        for ranking in rows:
            assert all(_is_of(ranking, question, before) or _is_of(ranking, question, after) for question in QUESTIONS)
        assert same(rows[-1], after)


def _is_of(ranking: Ranking, question: str, expected: Ranking) -> bool:
    return same({question: ranking[question]}, {question: expected[question]})


def test_cancelling_keeps_the_old(memory: Memory, old: Words, new: Words, fresh: Fresh) -> None:
    before = rankings(memory)
    interrupted(memory, new)
    assert memory.models.cancel_reembed() == new.space
    assert states(memory) == {8: "active", 16: "kept"}
    assert same(rankings(memory), before)
    with pytest.raises(NotFound):
        memory.models.cancel_reembed()
    memory.user("me").remember(LATE[0])
    assert memory._engine.store.coverage(new.space)[0].waiting == 0
    assert memory.embed_waiting().embedded == 0
    assert memory.doctor() == ()
    new.asked.clear()
    assert memory.models.reembed(embedder=new).state == "finished"
    assert 0 < len([text for text in new.asked if text in TEXTS]) < len(TEXTS)
    assert same(rankings(memory), fresh(new, (*TEXTS, LATE[0])))


def test_only_what_is_kept_can_be_dropped(memory: Memory, old: Words, new: Words, database: str) -> None:
    with pytest.raises(InvalidInput, match="searched"):
        memory.models.drop("test/words-8")
    interrupted(memory, new)
    with pytest.raises(InvalidInput, match="being built"):
        memory.models.drop("test/words-16")
    with pytest.raises(NotFound):
        memory.models.drop("test/words-99")
    assert states(memory) == {8: "active", 16: "building"}
    memory.models.reembed()
    assert memory.models.drop("test/words-8") == old.space
    assert states(memory) == {16: "active"}
    with plain(database) as store:
        assert {row[0] for row in store.rows("SELECT dimensions FROM embedding_spaces")} == {16}
    assert len(rankings(memory)[QUESTIONS[0]]) == 10
    assert memory.doctor() == ()
    old.asked.clear()
    assert memory.models.reembed(embedder=old).state == "finished"
    assert set(old.asked) >= set(TEXTS)


def test_a_probe_that_fails_changes_nothing(memory: Memory, subtests: pytest.Subtests) -> None:
    before, ranked = memory._engine.store.spaces(), rankings(memory)
    nan, infinite = float("nan"), float("inf")
    for answer in (None, [], [[0.0] * 16], [[nan] + [1.0] * 15], [[1.0] * 15], [[infinite] * 16]):
        with subtests.test(answer=answer), pytest.raises(EmbeddingError):
            memory.models.reembed(embedder=Broken(answer))
        assert memory._engine.store.spaces() == before
    assert same(rankings(memory), ranked)
    assert memory.doctor() == ()


def test_one_change_at_a_time(memory: Memory, new: Words) -> None:
    interrupted(memory, new)
    with pytest.raises(InvalidInput, match="under way"):
        memory.models.reembed(embedder=Words(12))
    assert states(memory) == {8: "active", 16: "building"}


def test_what_cannot_be_embedded_stands_in_the_way_unless_told_otherwise(
    memory: Memory, old: Words, new: Words
) -> None:
    before = rankings(memory)
    new.refused = "number 42"
    changed = memory.models.reembed(embedder=new)
    assert (changed.state, changed.coverage[0].parked, changed.coverage[0].waiting) == ("building", 1, 0)
    assert same(rankings(memory), before)
    (parked,) = memory.status().parked
    assert (parked.space, parked.reason) == (new.space, "This text is not accepted.")
    assert memory.models.reembed().state == "building"
    assert memory.models.reembed(without_parked=True).state == "finished"
    assert states(memory) == {8: "kept", 16: "active"}
    assert TEXTS[42] in [hit.content for hit in memory.user("me").recall(TEXTS[42]).hits]
    assert memory.doctor() == ()
    new.refused = ""
    assert memory.retry_parked() == 1
    assert memory.embed_waiting().embedded == 1
    assert memory.user("me").recall(TEXTS[42]).hits[0].similarity == pytest.approx(1.0, abs=1e-4)


def test_long_vectors_are_searched_alike_on_both_stores(server: Server, tmp_path: Path, clock: SteppingClock) -> None:
    long, addresses = Words(3_072), [str(tmp_path / "long.db"), server.fresh()]
    found: list[Ranking] = []
    for address in addresses:
        overrides = {"database": address, "embedding.worker": False, "recall.deadline_s": 120}
        settings = load_settings(os.devnull, environ={}, overrides=overrides)
        with Memory.open(settings=settings, clock=clock, embedder=Words(8)) as memory:
            memory.user("me").remember_many(TEXTS[:50])
            assert memory.models.reembed(embedder=long).state == "finished"
            memory.user("me").remember_many(TEXTS[50:], wait=False)
            memory.embed_waiting()
            found.append(rankings(memory))
            assert memory.doctor() == ()
    with plain(addresses[1]) as store:
        types = store.rows("SELECT udt_name FROM information_schema.columns WHERE column_name = 'embedding' ORDER BY 1")
    assert {row[0] for row in types} == {"halfvec", "vector"}
    expected = [
        float(vector_of(question, "any", long.space.model, 3_072) @ vector_of(text, "any", long.space.model, 3_072))
        for question, rows in found[0].items()
        for text, _ in rows
    ]
    assert [near for rows in found[0].values() for _, near in rows] == pytest.approx(expected, abs=1e-3)
    assert same(*found)
    server.drop(addresses[1])
