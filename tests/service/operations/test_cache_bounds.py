"""Whatever is asked, no cache of the process holds more than its bound, in entries or in about so many bytes."""

from threading import BoundedSemaphore, Lock, Thread
from typing import Any

import numpy as np
import pytest

from recollect import Memory
from recollect.model.memories import Scope, Vector
from recollect.models import runtime
from recollect.storage.sqlite import caches
from recollect.storage.sqlite.caches import InMemoryUser, InMemoryUsers, in_memory_user
from recollect.text import language, terms
from recollect.text.summary import sentences
from tests.fixtures import OpenMemory

LONG = 10_000


def test_results_have_a_bound_in_bytes(open_memory: OpenMemory) -> None:
    with open_memory(embedding__provider="none", recall__cache=1_000) as memory:
        me = memory.user("me")
        results = _engine(memory).search.results
        me.remember_many([{"content": f"Oil of lamp {number}. " + "More words. " * 300} for number in range(20)])
        results.max_bytes = 600_000
        for number in range(40):
            me.recall(f"oil {number}", limit=20, only_related=False)
        assert 0 < len(results) < 5
        assert 0 < results.held_bytes <= results.max_bytes
        assert me.recall("oil 39", limit=20, only_related=False) == me.recall("oil 39", limit=20, only_related=False)
        _engine(memory).forget_cached(Scope("me"))
        assert (len(results), results.held_bytes) == (0, 0)


def _engine(memory: Memory) -> Any:
    return memory._engine


def _user(rows: int, words: int) -> InMemoryUser:
    vector = np.ones(384, np.float32).tobytes()
    return in_memory_user(1, 1, [(f"m{row}", "word " * words, vector, None) for row in range(rows)], (), 384)


def test_users_in_memory_have_a_bound_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "_MOST_BYTES", 2_000_000)
    users = InMemoryUsers()
    for number in range(100):
        users.fresh((f"user-{number}", 1), 1, 1, lambda: _user(20, 100))
        assert users.bytes <= 2_000_000
    assert 1 < len(users._users) < 20
    assert users._sizes.keys() == users._users.keys()
    users.fresh(("large", 1), 1, 1, lambda: _user(300, 1_000))
    assert list(users._users) == [("large", 1)], "one user is always kept, however large"
    users.drop("large")
    assert users.bytes == 0


def test_words_have_one_bound_in_all_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "_CACHED_TERMS", 5_000)
    word_caches: list[dict[str, Any]] = [*terms._INDEXED.values(), *terms._ASKED.values()]
    for number in range(300):
        text = " ".join(f"{number}.{row}.a.b.c.d.e.f 漢字{number}漢字{row}" for row in range(20))
        terms.index_terms(text)
        terms.query_words(f"{text} und der die das ist nicht")
        assert sum(1 + len(found) for cache in word_caches for found in cache.values()) <= 5_100


def test_what_is_no_word_is_no_key_of_a_cache() -> None:
    before = language._stem.cache_info().currsize, sentences._find_cues.cache_info().currsize
    for number in range(50):
        word = "q" * LONG + str(number)
        assert language.stem(word, "en") == word
        assert not sentences.signs_of(word).found
    assert (language._stem.cache_info().currsize, sentences._find_cues.cache_info().currsize) == before


def test_readings_are_not_kept_by_their_texts(open_memory: OpenMemory) -> None:
    with open_memory(embedding__provider="none") as memory:
        me = memory.user("me")
        text = "I prefer green tea. " * 100
        assert me.messages.explain(text) == me.messages.explain(text)
        held = _engine(memory).capture.readings._entries
        assert held
        assert not any(text in str(key) for key in held)


def test_only_a_few_runs_of_a_model_are_under_way_at_once() -> None:
    graph = object.__new__(runtime.Graph)
    graph._turns = BoundedSemaphore(runtime.MOST_AT_ONCE)
    graph._mapped, graph._outputs = None, ["embedding"]
    session = _Session()
    graph._session = session
    threads = [Thread(target=graph.run, args=([[1, 2, 3]],)) for _ in range(4 * runtime.MOST_AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (session.done, session.most <= runtime.MOST_AT_ONCE) == (len(threads), True)


class _Session:
    """Counts how many are inside at once."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.inside = self.most = self.done = 0

    def run(self, _outputs: None, given: dict[str, Vector]) -> list[Vector]:
        """Do some work, so that others come meanwhile."""
        with self.lock:
            self.inside += 1
            self.most = max(self.most, self.inside)
        sum(range(100_000))
        with self.lock:
            self.inside -= 1
            self.done += 1
        return [given["input_ids"]]
