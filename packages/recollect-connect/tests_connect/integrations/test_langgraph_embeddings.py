"""A store of LangGraph with embeddings of the program's own: the score is the cosine of the nearest field."""

import asyncio
from collections.abc import Sequence

import pytest

from recollect.errors import InvalidVector
from recollect_connect.integrations.langgraph.store import coded
from tests_connect.integrations.conftest import OpenStore

LETTERS = "abcdefghijklmnopqrstuvwxyz"
NOTES = ("anna", "notes")


def by_letters(texts: Sequence[str]) -> list[list[float]]:
    return [[float(text.count(letter)) for letter in LETTERS] for text in texts]


def test_the_best_field_of_an_item_is_its_score(open_store: OpenStore) -> None:
    store = open_store(user="anna", index={"dims": 26, "embed": by_letters, "fields": ["one", "two[*]"]})
    store.put(NOTES, "first", {"one": "xxx", "two": ["yyy", "zzz"], "three": "www"})
    store.put(NOTES, "second", {"one": "uuu"})
    store.put(NOTES, "third", {"one": "xxx"}, index=False)
    store.put(NOTES, "other", {"three": "vvv"}, index=["three"])
    found = store.search(NOTES, query="zzz")
    assert [item.key for item in found][:1] == ["first"]
    assert found[0].score == pytest.approx(1.0)
    assert {item.key: item.score for item in found}["third"] is None
    assert {item.key: item.score for item in store.search(NOTES, query="www")}["first"] == pytest.approx(0.0)
    assert store.search(NOTES, query="vvv")[0].key == "other"
    store.put(NOTES, "first", {"one": "aaa"})
    assert store.search(NOTES, query="za")[0].score == pytest.approx(0.5**0.5, abs=1e-4)


def test_embeddings_are_awaited_where_the_store_is(open_store: OpenStore) -> None:
    async def embed(texts: Sequence[str]) -> list[list[float]]:
        return by_letters(texts)

    async def use() -> list[str]:
        store = open_store(user="anna", index={"dims": 26, "embed": embed})
        await store.aput(NOTES, "one", {"text": "kkk"})
        await store.aput(NOTES, "two", {"text": "mmm"})
        return [item.key for item in await store.asearch(NOTES, query="mm")]

    assert asyncio.run(use()) == ["two", "one"]


def test_a_vector_that_is_none_is_refused() -> None:
    assert coded([0.0, 0.0]) == [0, 0]
    with pytest.raises(InvalidVector):
        coded([float("nan")])
