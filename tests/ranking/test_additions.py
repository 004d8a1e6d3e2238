"""What is added to the relevance of rows: the order changes, the scale does not, and the parts add up."""

import pytest

from recollect.ranking.additions import Additions


def test_an_added_part_changes_the_order_and_not_the_scale() -> None:
    added = Additions({"near": 0.5, "spelt": 0.48, "far": 0.1}).plus("letters", {"spelt": 1.0, "far": 0.2}, 0.4)

    assert sorted(added.relevance, key=added.relevance.__getitem__) == ["far", "near", "spelt"]
    assert max(added.relevance.values()) == pytest.approx(0.5)


def test_the_parts_of_a_row_add_up_to_its_relevance() -> None:
    before = {"a": 0.5, "b": 0.3, "c": 0.0}
    added = Additions(before).plus("letters", {"a": 0.1, "b": 0.9}, 0.4).plus("in common", {"c": 0.7}, 0.75)

    for row, relevance in added.relevance.items():
        parts = sum(part.weight * part.shares.get(row, 0.0) for part in added.parts.values())
        assert relevance == pytest.approx(before[row] * added.scale + parts)


def test_a_part_of_which_no_row_has_a_share_leaves_the_relevance_as_it_was() -> None:
    relevance = {"a": 0.4, "b": 0.0}

    assert Additions(relevance).plus("letters", {}, 0.4).relevance == relevance
    assert Additions({}).plus("letters", {}, 0.4).relevance == {}
