from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recollect.text.repetition import same_statement
from tests.rows import every, read_rows


@every(("one", "other", "says"), read_rows(Path(__file__).with_name("near_duplicates.tsv")))
def test_another_wording_of_the_same_is_told_from_what_an_encoder_hardly_sees(one: str, other: str, says: str) -> None:
    assert same_statement(one, other) is same_statement(other, one) is (says == "the same")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_says_the_same_as_itself(text: str) -> None:
    assert same_statement(text, text)


@given(st.text("ab1 .-'nN?"), st.text("ab1 .-'nN?"))
def test_the_order_of_the_two_does_not_matter(one: str, other: str) -> None:
    assert same_statement(one, other) == same_statement(other, one)


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_different_numbers_never_say_the_same(one: int, other: int) -> None:
    assert same_statement(f"Room {one} is free", f"Room {other} is free") == (one == other)
