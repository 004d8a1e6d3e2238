"""Searching memories and all that was said, on both stores."""

from datetime import timedelta
from typing import Any

import pytest

from recollect import InvalidInput, Memory, Recall, UserMemory
from tests.fixtures import SteppingClock

ASKED = "blue bicycle pump"


def sources(found: Recall) -> set[str]:
    return {hit.source for hit in found.hits}


@pytest.fixture
def told(me: UserMemory) -> UserMemory:
    """A user who said it in every way."""
    me.remember("The blue bicycle pump is in the attic", type="fact")
    chat = me.conversation("s1")
    chat.append("system", "You know all about the blue bicycle pump.")
    chat.append("user", "I miss the blue bicycle pump. Where did it go?")
    chat.append("reasoning", "The blue bicycle pump must be upstairs.")
    chat.append("assistant", "I look for it.", tool_calls=[{"id": "t", "name": "find", "arguments": "{}"}])
    chat.append("tool", "blue bicycle pump: attic, left shelf", tool_call_id="t")
    chat.append("assistant", "The blue bicycle pump is on the left shelf.", model="gpt-9")
    return me


def test_sources_are_searched_together_or_alone(told: UserMemory, subtests: pytest.Subtests) -> None:
    found = told.search_context(ASKED, limit=20)
    assert sources(found) == {"memory", "request", "response", "reasoning", "tool"}
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    response = next(hit for hit in found.hits if hit.content.endswith("left shelf."))
    assert (response.source, response.type, response.trust) == ("response", "assistant", 2)
    assert response.record.model == "gpt-9"  # type: ignore[union-attr]
    assert found.degraded == ()

    # one alone
    cases: list[Any] = ["memory", "request", "response", "reasoning", "tool", "system"]
    for source in cases:
        with subtests.test(source=source):
            assert sources(told.search_context(ASKED, sources=[source])) == {source}

    # limit and least score
    assert len(told.search_context(ASKED, limit=2).hits) == 2
    least = told.search_context(ASKED, limit=3).hits[-1].score
    assert all(hit.score >= least for hit in told.search_context(ASKED, min_score=least).hits)
    for limit in (0, 1_001):
        with pytest.raises(InvalidInput, match="limit"):
            told.search_context(ASKED, limit=limit)
    with pytest.raises(InvalidInput, match="query is empty"):
        told.search_context(" ")

    # files are none yet
    assert told.search_context(ASKED, sources=["file"]).hits == ()
    with pytest.raises(InvalidInput, match="Unknown source 'dream'"):
        told.search_context(ASKED, sources=["dream"])  # type: ignore[list-item]

    # summaries and what they folded are found
    told.conversation("s1").compact(keep_recent=0)
    assert sources(told.search_context(ASKED, sources=["summary"])) == {"summary"}
    assert sources(told.search_context(ASKED, limit=20)) == {"memory", "request", "response", "reasoning", "tool"}


def test_meaning_finds_what_was_said_once_it_is_embedded(told: UserMemory, memory: Memory) -> None:
    told.conversation("s2").append("user", "Grandmother was born in Olomouc")
    memory.maintain()
    best = told.search_context("the place of birth of my granny", sources=["request"]).hits[0]
    assert best.content == "Grandmother was born in Olomouc"
    assert best.similarity is not None
    assert "text" not in best.parts.channels or best.parts.channels["text"].rank is None


def test_the_turn_that_is_going_on_is_left_out_however_many_tools_it_needs(told: UserMemory) -> None:
    chat = told.conversation("s1")
    before = {hit.id for hit in told.search_context(ASKED, limit=50).hits}
    chat.append("user", "Once more, I looked and found no blue bicycle pump.")
    chat.append("reasoning", "The blue bicycle pump, again.")
    assert {hit.id for hit in told.search_context(ASKED, limit=50, current="s1").hits} == before
    assert len(told.search_context(ASKED, limit=50).hits) == len(before) + 2
    assert len(told.search_context(ASKED, limit=50, current="s2").hits) == len(before) + 2
    for number in range(40):
        chat.append("assistant", tool_calls=[{"id": f"t{number}", "name": "look", "arguments": "{}"}])
        chat.append("tool", f"blue bicycle pump, page {number}", tool_call_id=f"t{number}")
    assert {hit.id for hit in told.search_context(ASKED, limit=50, current="s1").hits} == before


def test_a_request_that_only_repeats_the_query_is_no_answer(me: UserMemory) -> None:
    me.conversation("s1").append("user", "Where is the blue bicycle pump?")
    me.conversation("s1").append("assistant", "The blue bicycle pump is in the attic.")
    found = me.search_context("where is the  BLUE bicycle pump?")
    assert sources(found) == {"response"}


def test_what_only_asks_or_acknowledges_is_left_out_unless_sources_are_chosen(me: UserMemory) -> None:
    chat = me.conversation("s1")
    chat.append("user", "What did Dave say about the knee?", speaker="Ann")
    chat.append("user", "I moved to Brno, what should I do about the knee?", speaker="Ann")
    chat.append("user", "The knee is fine again.", speaker="Dave")
    chat.append("user", "Noted, thank you.", speaker="Ann")
    told = [hit.content for hit in me.search_context("Dave's knee", limit=20).hits]
    assert sorted(told) == ["I moved to Brno, what should I do about the knee?", "The knee is fine again."]
    asked = me.search_context("Dave's knee", sources=["request"], limit=20).hits
    assert {hit.content for hit in asked} >= {*told, "What did Dave say about the knee?"}


def test_time_bounds(told: UserMemory, clock: SteppingClock) -> None:
    start = clock.moment
    clock.advance(days=2)
    told.conversation("s2").append("user", "The blue bicycle pump broke.", said_at=start + timedelta(days=1))
    recent = told.search_context(ASKED, since=start + timedelta(hours=1))
    assert [hit.content for hit in recent.hits] == ["The blue bicycle pump broke."]
    assert "The blue bicycle pump broke." not in {
        hit.content for hit in told.search_context(ASKED, until=start + timedelta(hours=1)).hits
    }
    with pytest.raises(InvalidInput, match="since"):
        told.search_context(ASKED, since=start.replace(tzinfo=None))


def test_a_users_answer_does_not_depend_on_whether_there_are_others(told: UserMemory, memory: Memory) -> None:
    alone = told.search_context(ASKED, limit=20)
    other = memory.user("other").conversation("s1")
    other.append("user", "My blue bicycle pump is not yours.")
    other.append("assistant", "The blue bicycle, then.")
    among_others = told.search_context(ASKED, limit=20)
    assert [(hit.id, hit.parts.channels["text"].raw) for hit in among_others.hits] == [
        (hit.id, hit.parts.channels["text"].raw) for hit in alone.hits
    ]
