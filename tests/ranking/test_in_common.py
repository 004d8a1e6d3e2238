"""What rows about several people share: the likeness of each to the most similar row about another."""

import numpy as np
import pytest

from recollect.ranking.additions import shares_in_common


def a_vector(*numbers: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    vector = np.array(numbers, np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


# The first number is the name, and each of the others a topic.
ROWS = {
    "tom plays": a_vector(1, 1, 0, 0, 0, 0),
    "tom drives": a_vector(1, 0, 1, 0, 0, 0),
    "tom cooks": a_vector(1, 0, 0, 1, 0, 0),
    "mia plays": a_vector(-1, 1, 0, 0, 0, 0.1),
    "mia travels": a_vector(-1, 0, 0, 0, 1, 0),
    "mia studies": a_vector(-1, 0, 0, 0, 0, 1),
}
TOM = frozenset({"tom plays", "tom drives", "tom cooks"})
MIA = frozenset({"mia plays", "mia travels", "mia studies"})
EQUAL = dict.fromkeys(ROWS, 0.4)


def test_rows_that_have_their_like_about_the_other_person_are_most_alike() -> None:
    found = shares_in_common(ROWS, [TOM, MIA], EQUAL)

    assert set(found) == TOM | MIA
    assert set(sorted(found, key=found.__getitem__)[-2:]) == {"tom plays", "mia plays"}
    assert all(0.0 <= likeness <= 1.0 for likeness in found.values())


def test_a_row_about_all_of_them_is_as_alike_as_can_be() -> None:
    both = {"both": a_vector(0, 0, 1, 0, 1, 0)}

    assert shares_in_common({**ROWS, **both}, [TOM | {"both"}, MIA | {"both"}], EQUAL)["both"] == 1.0


def test_a_likeness_does_not_depend_on_the_order_of_people_and_rows() -> None:
    found = shares_in_common(ROWS, [TOM, MIA], EQUAL)
    turned = shares_in_common(dict(reversed(ROWS.items())), [MIA, TOM], EQUAL)

    assert turned == {row: pytest.approx(likeness, abs=1e-6) for row, likeness in found.items()}


def test_of_three_people_a_row_counts_by_the_one_with_whom_it_shares_least() -> None:
    eva = {"eva swims": a_vector(0, 0, 1, 0, 1, 1)}
    found = shares_in_common({**ROWS, **eva}, [TOM, MIA, frozenset(eva)], EQUAL | {"eva swims": 0.4})

    assert found["tom plays"] < shares_in_common(ROWS, [TOM, MIA], EQUAL)["tom plays"]


def test_a_row_counts_less_when_its_like_has_less_to_do_with_the_question() -> None:
    found = shares_in_common(ROWS, [TOM, MIA], {**EQUAL, "mia plays": 0.1})

    assert found["tom plays"] < shares_in_common(ROWS, [TOM, MIA], EQUAL)["tom plays"]
    assert found["mia plays"] == pytest.approx(shares_in_common(ROWS, [TOM, MIA], EQUAL)["mia plays"])


def test_nothing_is_said_when_a_person_has_no_row_with_a_vector() -> None:
    assert shares_in_common(ROWS, [TOM, frozenset()], EQUAL) == {}
    assert shares_in_common(ROWS, [TOM, frozenset({"mia without a vector"})], EQUAL) == {}


def test_rows_that_are_all_the_same_are_no_failure() -> None:
    same = {f"row {number}": a_vector(1, 0) for number in range(6)}
    first, rest = frozenset(list(same)[:3]), frozenset(list(same)[3:])

    assert set(shares_in_common(same, [first, rest], dict.fromkeys(same, 0.4)).values()) == {0.0}
