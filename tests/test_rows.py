"""The tests' own tables: every row is tried, and each that fails is named."""

import pytest

from tests.rows import every


def test_all_rows_that_fail_are_named(tmp_path: object) -> None:
    tried: list[int] = []

    @every("number", [1, 2, 3, 4])
    @every(("half", "kind"), [(0.5, "a")])
    def check(number: int, half: float, kind: str) -> None:
        tried.append(number)
        if number == 2:
            pytest.fail(kind)
        with pytest.raises(ZeroDivisionError):
            number / (number - 3)

    with pytest.raises(BaseExceptionGroup, match="3 of 4 rows") as failure:
        check()
    assert tried == [1, 2, 3, 4]
    assert [one.__notes__[-1] for one in failure.value.exceptions] == [
        "row 0: number=1",
        "row 1: number=2",
        "row 3: number=4",
    ]


@every("number", [1, 2])
def test_fixtures_reach_every_row(number: int, tmp_path: object) -> None:
    assert number in (1, 2)
    assert tmp_path


def test_a_table_without_rows_or_with_other_names_is_refused() -> None:
    for names, rows in (("number", []), ("other", [1]), ("number, other", [(1, 2, 3)])):
        with pytest.raises(AssertionError):

            @every(names, rows)
            def check(number: int) -> None:
                assert number
