"""The form of a statement: what says something else has another, what only looks otherwise has the same."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.text.sameness import statement_form
from tests.growth import assert_linear
from tests.rows import every
from tests.text.same import pairs


@every("language", pairs.LANGUAGES)
def test_a_difference_in_meaning_is_seen(language: str) -> None:
    table = pairs.read(language, "differ")
    assert len(table) >= 100
    assert [pair for pair in table if statement_form(pair[0]) == statement_form(pair[1])] == []


@every("half", [0, 1])
def test_a_difference_in_style_is_not(half: int) -> None:
    table = [pair for language in pairs.LANGUAGES for pair in pairs.read(language, "same")[half::2]]
    assert len(table) >= 100
    differing = [pair for pair in table if statement_form(pair[0]) != statement_form(pair[1])]
    assert len(differing) <= 0.05 * len(table), differing


@every(
    ("one", "other"),
    [
        ("C", "C++"), ("C++", "C#"), ("-5", "5"), ("5", "5.0"), ("10²", "102"), ("1½", "11/2"), ("A+", "A"),
        ("ja", "ja?"), ("Maße", "Masse"), ("9-17", "9, 17"), ("5 MW", "5 mW"), ("x7Kq", "x7kq"), ("a/b", "a b"),
        ("The US", "The us."), ("Vitamin A", "Vitamin"), ("<b>", "b"), ("✓", "✗"), ("猫が好き", "犬が好き"),
    ],
)  # fmt: skip
def test_signs_count(one: str, other: str) -> None:
    same = {("The US", "The us.")}  # case does not count, in a name either
    assert (statement_form(one) == statement_form(other)) == ((one, other) in same)


@given(st.text(min_size=1))
def test_every_text_has_a_form_whatever_its_spacing(text: str) -> None:
    form = statement_form(text)
    assert form == statement_form(f"  {text} ")
    assert bool(form) == bool(text.strip())


def test_long_texts_take_linear_time() -> None:
    assert_linear(lambda size: statement_form("a, and " * size), 2_000)
