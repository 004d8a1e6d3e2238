"""Items of LangGraph: what is put is got, listed, filtered and deleted, and what each of them is to Recollect."""

import asyncio
from typing import Any

import pytest
from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from tests.fixtures import SteppingClock
from tests.rows import every

from recollect import InvalidInput, Memory
from recollect_connect.integrations.langgraph import AsyncRecollectStore, RecollectStore
from tests_connect.integrations.conftest import OpenStore

NOTES = ("anna", "notes")
TEA = {"text": "Drinks green tea in the morning", "cups": 2}
BREAD = {"text": "Bakes rye bread on Sundays", "cups": 0}


def keys(found: list[Any]) -> list[str]:
    return [item.key for item in found]


def test_an_item_is_got_by_its_key_as_it_was_put(store: RecollectStore) -> None:
    value = {"text": "Grüße", "nested": {"list": [1, 2.5, None, True]}, "empty": {}}
    store.put(NOTES, "one", value)
    item = store.get(NOTES, "one")
    assert item is not None
    assert (item.namespace, item.key, item.value) == (NOTES, "one", value)
    assert store.get(NOTES, "two") is None
    assert store.get(("anna",), "one") is None


def test_a_second_put_is_an_update(store: RecollectStore, memory: Memory) -> None:
    store.put(NOTES, "drink", TEA)
    first = store.get(NOTES, "drink")
    store.put(NOTES, "drink", {"text": "Drinks coffee"})
    second = store.get(NOTES, "drink")
    assert first is not None
    assert second is not None
    assert second.value == {"text": "Drinks coffee"}
    assert (second.created_at, second.updated_at > first.updated_at) == (first.created_at, True)
    assert memory.user("anna").count() == 1


def test_two_items_may_say_the_same(store: RecollectStore) -> None:
    store.batch([PutOp(NOTES, "a", TEA), PutOp(NOTES, "b", TEA), PutOp(("anna", "more"), "a", TEA)])
    assert sorted(keys(store.search(("anna",), query="green tea"))) == ["a", "a", "b"]
    store.delete(NOTES, "a")
    assert store.get(NOTES, "a") is None
    assert sorted(keys(store.search(("anna",), query="green tea"))) == ["a", "b"]


def test_recall_finds_an_item_and_forgetting_erases_it(store: RecollectStore, memory: Memory) -> None:
    store.put(NOTES, "drink", TEA)
    store.put(NOTES, "bread", BREAD)
    anna = memory.user("anna")
    (hit,) = anna.recall("what does she drink in the morning?", limit=1).hits
    assert (hit.content, hit.learned_from) == ("text: Drinks green tea in the morning\ncups: 2", "langgraph")
    anna.forget(hit.id)
    assert store.get(NOTES, "drink") is None
    assert keys(store.search(NOTES)) == ["bread"]
    store.put(NOTES, "drink", TEA)
    assert keys(store.search(NOTES, query="tea", limit=1)) == ["drink"]
    anna.forget(source="langgraph")
    assert store.search(("anna",)) == []


def test_a_deleted_item_leaves_nothing(store: RecollectStore, memory: Memory) -> None:
    store.put(NOTES, "drink", TEA)
    store.put(NOTES, "drink", {"text": "Drinks coffee"})
    store.delete(NOTES, "drink")
    store.delete(NOTES, "drink")
    assert memory.user("anna").count() == 0
    assert memory.user("anna").recall("coffee tea").hits == ()
    assert store.list_namespaces() == []


def test_a_search_goes_by_meaning_and_fills_up_with_the_rest(store: RecollectStore) -> None:
    store.put(NOTES, "bread", BREAD)
    store.put(NOTES, "drink", TEA)
    store.put(NOTES, "secret", {"text": "tea, but not to be searched"}, index=False)
    found = store.search(NOTES, query="a hot beverage")
    assert keys(found)[0] == "drink"
    assert keys(found)[-1] == "secret"
    assert (found[0].score or 0.0) > 0.0
    assert found[-1].score is None
    assert keys(store.search(NOTES, query="a hot beverage", limit=1, offset=1)) == [keys(found)[1]]
    assert keys(store.search(NOTES, query="tea", filter={"cups": 0})) == ["bread"]


def test_only_the_fields_of_the_index_are_searched(open_store: OpenStore, memory: Memory) -> None:
    store = open_store(user="anna", index={"fields": ["text"]})
    store.put(NOTES, "drink", {"text": "Drinks green tea", "note": "zeppelin"})
    store.put(NOTES, "other", {"text": "Drinks milk", "note": "balloon"}, index=["note"])
    assert memory.user("anna").recall("zeppelin", min_score=0.01).hits[0].content != "zeppelin"
    assert {record.content for record in memory.user("anna").list().items} == {"Drinks green tea", "balloon"}


@every(
    ("wanted", "found"),
    [
        ({"cups": 2}, ["drink"]),
        ({"cups": {"$gt": 0}}, ["drink"]),
        ({"cups": {"$gte": 0, "$lt": 2}}, ["bread"]),
        ({"cups": {"$ne": 2}}, ["bread", "odd"]),
        ({"cups": {"$lte": float("inf")}}, ["bread", "drink"]),
        ({"cups": {"$eq": float("nan")}}, []),
        ({"tags": ["a", "b"]}, ["odd"]),
        ({"tags": ["b", "a"]}, []),
        ({"deep.er": "yes"}, ["odd"]),
        ({"deep": {"er": "yes"}}, ["odd"]),
        ({"text": "x' OR '1'='1"}, []),
        (None, ["bread", "drink", "odd"]),
    ],
)
def test_filters_compare_values(store: RecollectStore, wanted: dict[str, Any] | None, found: list[str]) -> None:
    store.put(NOTES, "drink", TEA)
    store.put(NOTES, "bread", BREAD)
    store.put(NOTES, "odd", {"cups": None, "tags": ["a", "b"], "deep": {"er": "yes"}})
    assert sorted(keys(store.search(NOTES, filter=wanted))) == found


@every("wanted", [{"a') OR ('1": 1}, {"cups": {"$near": 1}}])
def test_a_filter_that_cannot_be_meant_is_refused(store: RecollectStore, wanted: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=r"Invalid filter key|Unsupported operator"):
        store.search(NOTES, filter=wanted)


def test_namespaces_are_matched_label_by_label(store: RecollectStore) -> None:
    spaces = [("a", "b", "c"), ("a", "b", "d", "e"), ("ab",), ("a*", "c"), ("a", "é\n"), ("a", "é")]
    for namespace in spaces:
        store.put(namespace, "k", {"v": 1})
    assert store.list_namespaces() == sorted(spaces)
    assert store.list_namespaces(prefix=("a", "b")) == [("a", "b", "c"), ("a", "b", "d", "e")]
    assert store.list_namespaces(prefix=("a", "*", "c")) == [("a", "b", "c")]
    assert store.list_namespaces(suffix=("c",)) == [("a", "b", "c"), ("a*", "c")]
    assert store.list_namespaces(prefix=("a", "b"), max_depth=2) == [("a", "b")]
    assert store.list_namespaces(limit=2, offset=1) == sorted(spaces)[1:3]
    assert store.list_namespaces(prefix=("a", "é")) == [("a", "é")]
    assert {item.namespace for item in store.search(("a",))} == {space for space in spaces if space[0] == "a"}
    assert len(store.search(())) == len(spaces)


def test_a_batch_reads_before_it_writes_and_the_last_write_counts(store: RecollectStore) -> None:
    store.put(NOTES, "drink", TEA)
    results = store.batch(
        [
            PutOp(NOTES, "drink", BREAD),
            GetOp(NOTES, "drink"),
            PutOp(NOTES, "drink", {"text": "last"}),
            SearchOp(NOTES, limit=5),
            ListNamespacesOp(match_conditions=(MatchCondition("prefix", ("anna",)),)),
            PutOp(NOTES, "none", None),
        ]
    )
    assert results[1].value == TEA  # type: ignore[union-attr]
    assert [len(results[3]), results[4]] == [1, [NOTES]]  # type: ignore[arg-type]
    assert store.get(NOTES, "drink").value == {"text": "last"}  # type: ignore[union-attr]


def test_a_time_to_live_ends_and_reads_may_prolong_it(open_store: OpenStore, clock: SteppingClock) -> None:
    store = open_store(user="anna", ttl={"default_ttl": 60, "refresh_on_read": True})
    store.put(NOTES, "read", TEA)
    store.put(NOTES, "unread", BREAD)
    store.put(NOTES, "lasting", BREAD, ttl=None)
    store.put(NOTES, "short", TEA, ttl=1)
    clock.advance(minutes=45)
    assert store.get(NOTES, "short") is None
    assert store.get(NOTES, "read") is not None
    assert keys(store.search(NOTES, filter={"text": "no"})) == []
    clock.advance(minutes=45)
    assert sorted(keys(store.search(NOTES, refresh_ttl=False))) == ["lasting", "read"]
    assert store.sweep_ttl() == 2
    clock.advance(minutes=45)
    assert keys(store.search(NOTES)) == ["lasting"]


@pytest.mark.parametrize("label", [0, 1])
def test_a_label_of_the_namespace_names_the_user(open_store: OpenStore, memory: Memory, label: int) -> None:
    store = open_store(user_label=label)
    spaces = {name: (name, "notes") if label == 0 else ("notes", name) for name in ("anna", "bert")}
    store.put(spaces["anna"], "drink", TEA)
    store.put(spaces["bert"], "drink", BREAD)
    assert [memory.user(name).count() for name in ("anna", "bert", "notes")] == [1, 1, 0]
    assert [item.value for item in store.search(spaces["anna"], query="bread")] == [TEA]
    assert store.list_namespaces(prefix=spaces["bert"]) == [spaces["bert"]]
    assert memory.user("bert").recall("green tea", only_related=True).hits == ()
    for unnamed in ((), ("notes",)[:label]):
        with pytest.raises(InvalidInput, match="names no user"):
            store.search(unnamed, query="tea")
    with pytest.raises(InvalidInput, match="names no user"):
        store.list_namespaces()
    with pytest.raises(InvalidInput, match="names no user"):
        store.list_namespaces(prefix=("*", "*"))


def test_what_cannot_be_an_item_is_refused(store: RecollectStore, memory: Memory) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put((), "k", TEA)
    with pytest.raises(InvalidInput, match="cannot be written as JSON"):
        store.put(NOTES, "k", {"moment": object()})
    with pytest.raises(InvalidInput, match="characters long as JSON; at most 60,000"):
        store.put(NOTES, "k", {"text": "x" * 60_001})
    with pytest.raises(InvalidInput, match="Give one of them"):
        RecollectStore(memory, user="anna", user_label=0)
    assert memory.user("anna").count() == 0


def test_long_labels_and_keys_are_kept_apart(store: RecollectStore) -> None:
    label, key = "l" * 500, "k" * 500
    store.put((label, "x"), key + "1", TEA)
    store.put((label + "y", "x"), key + "2", BREAD)
    assert [item.value for item in store.search((label,))] == [TEA]
    assert store.get((label, "x"), key + "2") is None


def test_the_asynchronous_store_batches_what_is_awaited_together(store: RecollectStore) -> None:
    async def use() -> list[Any]:
        waiting = AsyncRecollectStore(store)
        await asyncio.gather(*(waiting.aput(NOTES, f"k{number}", {"number": number}) for number in range(20)))
        with pytest.raises(asyncio.InvalidStateError):
            waiting.get(NOTES, "k1")
        found = await asyncio.gather(*(waiting.aget(NOTES, f"k{number}") for number in range(20)))
        await store.adelete(NOTES, "k0")
        return [*found, await waiting.asearch(NOTES, limit=100), await waiting.alist_namespaces()]

    *found, listed, namespaces = asyncio.run(use())
    assert [item.value["number"] for item in found] == list(range(20))
    assert (len(listed), namespaces) == (19, [NOTES])
