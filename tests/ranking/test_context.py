from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.model.literals import MessageRole
from recollect.model.messages import MessagePosition
from recollect.ranking.additions import (
    _ALL_NEIGHBOURS,
    _BEST_TURNS,
    _CONVERSATION,
    _NEXT,
    _NEXT_BUT_ONE,
    _NOTHING,
    _REPLY,
    _SHORT,
    REACH,
    Smoothed,
    _leans_back,
    needs_context,
    smooth,
)

SAID_AT = datetime(2026, 3, 1, 9, tzinfo=UTC)
CLOSE = 1e-9
USUAL = 40  # tokens of a turn that is not terse


def spot(conversation: str, sequence: int, role: MessageRole = "user", tokens: int = USUAL) -> MessagePosition:
    return MessagePosition(
        f"{conversation}{sequence}", conversation, sequence, role, "", tokens, 3, SAID_AT, asks=False
    )


def around_weight(reply: float) -> float:
    """Give the weight of the turns around a message."""
    return _ALL_NEIGHBOURS + _REPLY * reply


def chat(length: int, tokens: int = USUAL) -> list[MessagePosition]:
    return [spot("a", number, tokens=tokens) for number in range(1, length + 1)]


roles = st.sampled_from(("user", "assistant", "tool"))
places = st.tuples(st.sampled_from("ab"), st.integers(1, 9))
all_spots = st.lists(
    st.builds(lambda place, role, tokens: spot(place[0], place[1], role, tokens), places, roles, st.integers(1, 500)),
    min_size=1,
    max_size=12,
    unique_by=lambda one: one.id,
)
scores_of_some = st.dictionaries(
    st.builds(lambda place: f"{place[0]}{place[1]}", places), st.one_of(st.just(0.0), st.floats(0.001, 1.0))
)
untimed = settings(deadline=None)


def place(smoothed: Smoothed, row: str) -> int:
    """Count the messages that are clearly better."""
    return sum(other > smoothed.relevance[row] + CLOSE for other in smoothed.relevance.values())


def test_without_messages_there_is_nothing_to_smooth() -> None:
    assert smooth({"m": 0.5}, []) == Smoothed()


def test_where_nothing_was_found_nothing_is_relevant() -> None:
    smoothed = smooth({}, chat(3))
    assert (smoothed.scale, set(smoothed.relevance.values())) == (1.0, {0.0})


def test_a_message_alone_keeps_its_score() -> None:
    assert smooth({"a1": 0.4}, chat(1)).relevance["a1"] == pytest.approx(0.4)


def test_neighbours_and_conversation_add_as_their_weights_say() -> None:
    smoothed = smooth({"a3": 0.6, "a4": 0.3}, chat(6))
    best, near = (0.6 + 0.3) / _BEST_TURNS, _NEXT * 0.6 + _NEXT_BUT_ONE * 0.3
    need, reply = needs_context(USUAL), _leans_back(USUAL, answers=False)
    assert smoothed.around["a2"] == pytest.approx((near / around_weight(reply), best, need, reply))
    assert smoothed.relevance["a2"] == pytest.approx(need * (near + _CONVERSATION * best) * smoothed.scale)
    assert smoothed.around["a1"].neighbours * around_weight(reply) == pytest.approx(_NEXT_BUT_ONE * 0.6)
    assert smoothed.around["a6"].neighbours * around_weight(reply) == pytest.approx(_NEXT_BUT_ONE * 0.3)


def test_the_nearer_neighbour_counts_more_and_none_beyond_reach() -> None:
    relevance = smooth({"a5": 0.5}, chat(9)).relevance
    assert relevance["a5"] > relevance["a6"] > relevance["a4"] > relevance["a3"] == relevance["a7"]
    assert relevance["a3"] > relevance["a2"] == relevance["a8"] > 0.0
    assert REACH == 2


def test_what_was_said_elsewhere_adds_nothing() -> None:
    smoothed = smooth({"a1": 0.5}, [spot("a", 1), spot("b", 2)])
    assert smoothed.relevance["b2"] == 0.0


def test_a_gap_in_a_conversation_is_no_neighbour() -> None:
    smoothed = smooth({"a1": 0.5}, [spot("a", 1), spot("a", 1 + REACH + 1)])
    assert smoothed.around[f"a{2 + REACH}"].neighbours == 0.0


def test_a_short_text_needs_its_surroundings_and_a_long_one_does_not() -> None:
    assert needs_context(0) == 1.0
    assert needs_context(_SHORT) == 0.5
    assert needs_context(_SHORT * 10) < 1e-5
    long = smooth({"a1": 0.8, "a2": 0.2}, chat(3, tokens=_SHORT * 100))
    assert long.relevance == pytest.approx({"a1": 0.8, "a2": 0.2, "a3": 0.0}, abs=1e-6)


def test_what_is_usual_in_a_role_counts_and_not_the_length_of_one_turn() -> None:
    turns = [spot("a", 1, "user", 2), spot("a", 2, "assistant", 2), spot("a", 3, "assistant", 998)]
    smoothed = smooth({"a1": 0.5}, turns)
    assert smoothed.around["a1"].need == needs_context(2)
    assert smoothed.around["a2"].need == smoothed.around["a3"].need == needs_context(500)


def test_a_terse_turn_and_an_answer_lean_on_the_turn_before() -> None:
    asked, told = spot("a", 1)._replace(asks=True), spot("a", 1)
    gains = [
        smooth({"a1": 0.5}, [before, spot("a", 2, tokens=tokens)]).around["a2"].neighbours
        * around_weight(_leans_back(tokens, answers=before.asks))
        for before, tokens in ((told, 100), (asked, 100), (told, 9), (asked, 5))
    ]
    assert gains == sorted(gains)
    assert gains[0] == pytest.approx(_NEXT * 0.5, rel=1e-3)
    assert gains[-1] == pytest.approx((_NEXT + _REPLY) * 0.5, rel=1e-3)


def test_a_turn_that_says_nothing_and_answers_nothing_is_lent_no_more() -> None:
    smoothed = smooth({"a1": 0.5}, [spot("a", 1), spot("a", 2, tokens=_NOTHING), spot("b", 1)])
    assert smoothed.around["a2"].reply == 0.0
    asked = smooth({"a1": 0.5}, [spot("a", 1)._replace(asks=True), spot("a", 2, tokens=_NOTHING)])
    assert asked.around["a2"].reply > 0.9


def test_the_turn_after_a_terse_one_is_not_lent_more() -> None:
    smoothed = smooth({"a2": 0.5}, [spot("a", 1, tokens=5), spot("a", 2)])
    weight = around_weight(smoothed.around["a1"].reply)
    assert smoothed.around["a1"].neighbours * weight == pytest.approx(_NEXT * 0.5)


@untimed
@given(scores_of_some, all_spots)
def test_the_best_score_stays_and_nothing_leaves_the_scale(
    scores: Mapping[str, float], spots: Sequence[MessagePosition]
) -> None:
    relevance = smooth(scores, spots).relevance
    assert relevance.keys() == {one.id for one in spots}
    assert max(relevance.values()) == pytest.approx(max(scores.get(one.id, 0.0) for one in spots))
    assert all(0.0 <= value <= 1.0 for value in relevance.values())


@untimed
@given(scores_of_some, all_spots)
def test_the_parts_add_up(scores: Mapping[str, float], spots: Sequence[MessagePosition]) -> None:
    smoothed = smooth(scores, spots)
    assert smoothed.around.keys() == smoothed.relevance.keys()
    for row, around in smoothed.around.items():
        neighbours, conversation = smoothed.weights(row)
        added = neighbours * around.neighbours + conversation * around.conversation
        assert smoothed.relevance[row] == pytest.approx(scores.get(row, 0.0) * smoothed.scale + added, abs=CLOSE)
        assert all(0.0 <= share <= 1.0 for share in around)


@untimed
@given(scores_of_some, all_spots, st.randoms(use_true_random=False))
def test_the_order_in_which_messages_come_does_not_matter(
    scores: Mapping[str, float], spots: Sequence[MessagePosition], random: Random
) -> None:
    turned = dict(random.sample(list(scores.items()), len(scores)))
    assert smooth(turned, random.sample(spots, len(spots))) == smooth(scores, spots)


def test_nor_does_it_when_a_host_numbers_two_messages_alike() -> None:
    spots = [spot("a", 5), spot("a", 5)._replace(id="twin"), spot("a", 6)]
    scores = {"a5": 0.5}
    assert smooth(scores, spots) == smooth(scores, spots[::-1])
    assert smooth(scores, spots).around["a6"].neighbours > 0.0


def test_of_two_messages_that_are_numbered_alike_the_larger_score_counts_for_others() -> None:
    spots = [spot("a", 5), spot("a", 5)._replace(id="twin"), spot("a", 6)]
    smoothed = smooth({"a5": 0.2, "twin": 0.6}, spots)
    reply = smoothed.around["a6"].reply
    assert smoothed.around["a6"].neighbours * around_weight(reply) == pytest.approx((_NEXT + _REPLY * reply) * 0.6)
    assert smoothed.around["a6"].conversation == pytest.approx(0.6 / _BEST_TURNS)
    assert smoothed.relevance["twin"] - smoothed.relevance["a5"] == pytest.approx(0.4 * smoothed.scale)


@untimed
@given(scores_of_some, all_spots, st.floats(0.001, 1.0))
def test_a_better_score_never_lowers_a_message(
    scores: Mapping[str, float], spots: Sequence[MessagePosition], better: float
) -> None:
    row = spots[0].id
    raised = {**scores, row: max(scores.get(row, 0.0), better)}
    assert place(smooth(raised, spots), row) <= place(smooth(scores, spots), row)


@untimed
@given(scores_of_some, all_spots)
def test_two_messages_in_the_same_surroundings_keep_their_order(
    scores: Mapping[str, float], spots: Sequence[MessagePosition]
) -> None:
    lonely = [one._replace(conversation=one.id, tokens=1) for one in spots]
    assert smooth(scores, lonely).relevance == pytest.approx({one.id: scores.get(one.id, 0.0) for one in spots})


@untimed
@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_longer_text_never_needs_more(one: float, other: float) -> None:
    shorter, longer = sorted((one, other))
    assert 1.0 >= needs_context(shorter) >= needs_context(longer) >= 0.0
