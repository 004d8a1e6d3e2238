"""The order after a reranker: its score mixed with that of the search."""

from recollect.ranking.ordering import order


def test_the_reranker_turns_round_what_the_search_finds_nearly_as_good() -> None:
    assert order([-2.0, 3.0, 1.0], [0.5, 0.4, 0.1]) == [1, 0, 2]


def test_equals_keep_their_places_and_the_unread_are_left_alone() -> None:
    assert order([1.0, 1.0], [0.5, 0.5, 0.9]) == [0, 1]
    assert order([], [0.5]) == []


def test_a_score_of_nothing_has_an_order() -> None:
    assert order([0.0, 1.0], [0.0, 0.0]) == [1, 0]
