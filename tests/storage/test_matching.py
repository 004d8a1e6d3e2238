"""Looking where the best must be finds what looking everywhere finds."""

import os
import random
from collections.abc import Iterator

import pytest

from recollect import Memory, UserMemory, load_settings
from recollect.storage.sqlite import reader
from recollect.storage.sqlite.matching import any_of, promising

WORDS = [f"word{number}" for number in range(60)]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[UserMemory]:
    """A user with more rows than are ranked at once; some words are in every third row, some in one of a hundred."""
    path = str(tmp_path_factory.mktemp("matching") / "memory.db")
    settings = load_settings(os.devnull, environ={}, overrides={"database": path, "embedding.provider": "none"})
    dice = random.Random(11)
    weights = [1 / (rank + 1) for rank in range(len(WORDS))]
    with Memory.open(settings=settings) as memory:
        me = memory.user("me")
        me.remember_many(f"{number} " + " ".join(dice.choices(WORDS, weights, k=8)) for number in range(6_000))
        yield me


def test_the_best_are_the_same(told: UserMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(12)
    queries = [" ".join(dice.sample(WORDS, dice.randint(1, 6))) for _ in range(60)]
    narrow = [[hit.id for hit in told.recall(query, limit=10).hits] for query in queries]
    monkeypatch.setattr(reader, "MANY_ROWS", 10**9)
    everywhere = [[hit.id for hit in told.recall(query, limit=10).hits] for query in queries]
    same = sum(len(set(one) & set(other)) for one, other in zip(narrow, everywhere, strict=True))
    assert same >= 0.99 * sum(map(len, everywhere))
    assert all(one[:1] == other[:1] for one, other in zip(narrow, everywhere, strict=True))


def test_filters_that_leave_little_still_find_it(told: UserMemory) -> None:
    told.remember(f"The only lesson speaks of {WORDS[0]}", type="lesson")
    found = told.recall(f"{WORDS[0]} {WORDS[20]} {WORDS[30]}", type="lesson").hits
    assert [hit.type for hit in found] == ["lesson"]


def test_rare_terms_alone_and_common_ones_in_pairs() -> None:
    counts = {"a": 5, "b": 4_000, "c": 5_000, "d": 6_000, "x": 0}
    assert promising(["d", "c", "b", "a", "x"], counts, 400) == '"a" OR "b" OR ("c" AND "d")'
    assert promising(["a", "x"], counts, 400) == '"a"'
    assert promising(["x"], counts, 400) == '"x"'
    assert promising(["a", "b"], counts, 10_000) == '"a" OR "b"'


def test_nothing_in_a_term_is_syntax() -> None:
    assert any_of(['a" OR "b', "NEAR("]) == '"a"" OR ""b" OR "NEAR("'
