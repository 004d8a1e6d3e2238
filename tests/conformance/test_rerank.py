"""Reranking on both stores: what it reads, what it changes, when it is left out, and what a failure leaves."""

from collections.abc import Iterator
from math import prod
from typing import Any

import pytest

from recollect import InvalidInput, Memory, NewMessage
from recollect.model import Recall
from tests.fixtures import OpenMemory
from tests.reranking.server import RerankServer

QUESTION = "where is the spare key of the boat kept?"
MEMORIES = (
    "The key of the boat is green.",
    "The boat has a spare sail.",
    "The spare key of the boat is kept where the oars are.",
    "Tom sold his old boat.",
)


@pytest.fixture
def provider() -> Iterator[RerankServer]:
    with RerankServer() as running:
        yield running


@pytest.fixture
def reranked(open_memory: OpenMemory, provider: RerankServer) -> Memory:
    """A store whose reranker counts common words, with all the time in the world."""
    return open_memory(**asking(provider))


def asking(provider: RerankServer, **more: Any) -> dict[str, Any]:
    usual = {"recall__rerank": "always", "rerank__provider": "tei", "rerank__url": provider.url("tei")}
    return {**usual, "rerank__budget_s": 60.0, **more}


def remember(memory: Memory) -> None:
    memory.user("me").remember_many(MEMORIES)


def contents(answer: Recall) -> list[str]:
    return [hit.content for hit in answer.hits]


def test_the_best_answer_comes_first_and_the_score_is_explained(reranked: Memory, open_memory: OpenMemory) -> None:
    remember(reranked)
    fused = open_memory().user("me").recall("boat key", limit=4, only_related=False)
    answer = reranked.user("me").recall("boat key", limit=4, only_related=False)
    assert answer.reranking is not None
    assert (answer.reranking.model, answer.reranking.scored, answer.reranking.skipped) == ("tei", 4, "")
    assert fused.reranking is None
    assert sorted(contents(answer)) == sorted(contents(fused))
    assert [hit.score for hit in answer.hits] == [hit.score for hit in fused.hits]
    for place, hit in enumerate(answer.hits, 1):
        assert hit.parts.rerank is not None
        assert hit.parts.rerank.after == place
        assert fused.hits[hit.parts.rerank.before - 1].id == hit.id
        assert hit.score == pytest.approx(min(1.0, hit.parts.relevance * prod(hit.parts.factors.values())))


def test_more_hits_are_read_than_are_shown(reranked: Memory, provider: RerankServer) -> None:
    me = reranked.user("me")
    me.remember_many([*MEMORIES, *(f"A boat is boat number {number}." for number in range(60))])
    answer = me.recall("boat number", limit=2, diverse=True, only_related=False)
    ((_, _, body),) = provider.requests
    assert (len(answer.hits), len(body["texts"])) == (2, 40)


def test_a_message_is_read_with_the_turn_before_it(reranked: Memory, provider: RerankServer) -> None:
    reranked.user("me").conversation("talk").extend(
        [
            NewMessage("user", "So where did you put it?", speaker="Ann"),
            NewMessage("user", "The spare key hangs behind the mirror.", speaker="Tom"),
        ]
    )
    reranked.maintain()
    reranked.user("me").search_context("who said that the spare key hangs behind the mirror", only_related=False)
    ((_, _, body),) = provider.requests
    assert "Ann: So where did you put it?\nTom: The spare key hangs behind the mirror." in body["texts"]


@pytest.mark.parametrize("fault", ["busy", "few", "hangs"])
def test_when_it_fails_the_order_stands_and_is_not_cached(
    open_memory: OpenMemory, provider: RerankServer, fault: str
) -> None:
    memory = open_memory(**asking(provider, rerank__budget_s=0.5 if fault == "hangs" else 60.0, rerank__retries=0))
    remember(memory)
    provider.fault = fault
    answer = memory.user("me").recall(QUESTION, limit=4, only_related=False)
    assert answer.degraded == ("reranker",)
    assert contents(answer) == contents(open_memory().user("me").recall(QUESTION, limit=4, only_related=False))
    assert all(hit.parts.rerank is None for hit in answer.hits)
    provider.fault = ""
    provider.let_go.set()
    repaired = open_memory(**asking(provider)).user("me").recall(QUESTION, limit=4, only_related=False)
    assert (repaired.degraded, contents(repaired)[0]) == ((), MEMORIES[2])


def test_a_cached_answer_is_not_scored_again(reranked: Memory, provider: RerankServer) -> None:
    remember(reranked)
    me = reranked.user("me")
    first = me.recall(QUESTION, only_related=False)
    assert me.recall(QUESTION, only_related=False) == first
    assert len(provider.requests) == 1
    me.remember("The boat was painted.")
    me.recall(QUESTION, only_related=False)
    assert len(provider.requests) == 2


def test_auto_leaves_out_what_it_would_not_help(open_memory: OpenMemory, provider: RerankServer) -> None:
    cases: list[tuple[str, str]] = [
        ("what do Tom and Mia have in common?", "comparison"),
        ("show the boats", "instructions"),
        ('"spare key"', "exact phrase"),
        ("The spare key of the boat is kept where the oars are.", "clear lead"),
    ]
    memory = open_memory(**asking(provider, recall__rerank="auto"))
    remember(memory)
    memory.user("me").remember('The "spare key" has a tag.')
    for query, reason in cases:
        report = memory.user("me").recall(query, only_related=False).reranking
        assert report is not None
        assert (report.skipped, report.scored, provider.requests) == (reason, 0, []), query


def test_nothing_is_asked_for_one_hit_a_location_or_a_forgetting(reranked: Memory, provider: RerankServer) -> None:
    me = reranked.user("me")
    me.remember(MEMORIES[0], lat=49.19, lng=16.61)
    assert me.recall("boat", only_related=False).reranking is not None
    remember(reranked)
    report = me.recall("boat", location=(49.2, 16.6), only_related=False).reranking
    assert report is not None
    assert report.skipped == "location"
    me.forget(query="the painted boat", dry_run=True)
    me.about("boat")
    assert provider.requests == []


@pytest.mark.parametrize(("when", "asked"), [("always", 1), ("off", 0)])
def test_the_search_before_a_prompt_has_a_setting_of_its_own(
    open_memory: OpenMemory, provider: RerankServer, when: str, asked: int
) -> None:
    memory = open_memory(**asking(provider, recall__rerank="off", hooks__rerank=when))
    memory.user("me").conversation("before").extend([NewMessage("user", text) for text in MEMORIES])
    memory.maintain()
    context = memory.user("me").before_prompt("where do I keep the spare key of my boat?", session="now")
    assert len(provider.requests) == asked
    assert MEMORIES[2] in [hit.content for hit in context.hits][: 1 if asked else None]


def test_a_search_says_itself_whether_it_is_reranked(open_memory: OpenMemory, provider: RerankServer) -> None:
    memory = open_memory(**asking(provider, recall__rerank="off"))
    remember(memory)
    me = memory.user("me")
    for search in (me.recall, me.search_context):
        assert search(QUESTION).reranking is None
        report = search(QUESTION, rerank="always", only_related=False).reranking
        assert report is not None
        assert (report.model, report.scored, len(provider.requests)) == ("tei", 4, 1)
        provider.requests.clear()
        with pytest.raises(InvalidInput, match="rerank is 'often'; it must be one of auto, off, always"):
            search(QUESTION, rerank="often")  # type: ignore[arg-type]


def test_the_bundled_model_finds_the_answer(open_memory: OpenMemory) -> None:
    memory = open_memory(recall__rerank="always", rerank__budget_s=60.0)
    me = memory.user("me")
    me.remember_many(["I was diagnosed with type 1 diabetes in 2019", "My sister is a nurse in Graz"])
    answer = me.recall("which illness do I have?", only_related=False)
    assert contents(answer)[0].startswith("I was diagnosed")
    assert answer.reranking is not None
    assert (answer.reranking.model, answer.reranking.scored) == ("recollect-reranker-2", 2)
