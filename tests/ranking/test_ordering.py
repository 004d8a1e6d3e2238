"""The order after a reranker: its score mixed with that of the search, which counts more further down."""

from recollect.ranking.ordering import FIRST, order


def test_the_reranker_turns_round_what_the_search_finds_nearly_as_good() -> None:
    assert order([-2.0, 3.0, 1.0], [0.5, 0.4, 0.1]) == [1, 0, 2]


def test_equals_keep_their_places_and_the_unread_are_left_alone() -> None:
    assert order([1.0, 1.0], [0.5, 0.5, 0.9]) == [0, 1]
    assert order([], [0.5]) == []


def test_behind_the_first_places_the_search_counts_twice() -> None:
    first = [9.0] * FIRST
    assert order([*first, 0.0, 6.0], [0.9] * FIRST + [0.5, 0.3])[FIRST:] == [FIRST, FIRST + 1]
    assert order([0.0, 6.0], [0.5, 0.3]) == [1, 0]


def test_a_score_of_nothing_has_an_order() -> None:
    assert order([0.0, 1.0], [0.0, 0.0]) == [1, 0]
