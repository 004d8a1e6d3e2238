from hypothesis import given
from hypothesis import strategies as st

from recollect.text.private import without_private
from tests.growth import assert_linear
from tests.rows import every
from tests.sizes import sized

PIECES = st.lists(
    st.sampled_from(["<private>", "</private>", "<PRIVATE a='b'>", "<private/>", "x", " ", "\n", "<", "word"])
)


@every(
    ("text", "kept"),
    [
        ("I live in Brno", "I live in Brno"),
        ("I like <private>gin</private> tea", "I like tea"),
        ("I like <private>gin</private>, and tea", "I like, and tea"),
        ("a\n<private>b</private>\nc", "a\nc"),
        ("a <Private reason='x'>b</PRIVATE> c", "a c"),
        ("a <private>b <private>c</private> d</private> e", "a e"),
        ("a <private>b", "a"),
        ("a </private> b", "a b"),
        ("<private>all of it</private>", ""),
        ("a<private>b</private>c", "ac"),
        ("a <private>b</private> <private>c</private> d", "a d"),
        ("the private garden < the public one", "the private garden < the public one"),
        ("<privateer>ship</privateer>", "<privateer>ship</privateer>"),
        ("a <private/> b", "a b"),
    ],
)
def test_cuts_what_is_private_and_leaves_the_rest_tidy(text: str, kept: str) -> None:
    assert without_private(text) == kept


@given(PIECES.map("".join))
def test_leaves_no_tag_and_is_idempotent(text: str) -> None:
    kept = without_private(text)
    assert "<private>" not in kept.lower()
    assert without_private(kept) == kept


@given(st.text(), st.text().filter(lambda text: "<" not in text), st.text())
def test_nothing_between_the_tags_survives(before: str, hidden: str, after: str) -> None:
    marked = without_private(f"{before}<private>{hidden}SECRET</private>{after}")
    assert "SECRET" not in marked or "SECRET" in before + after


@given(st.text())
def test_a_text_without_tags_is_returned_as_it_is(text: str) -> None:
    assert without_private(text) is text or "private" in text.lower()


@every("unit", ["<private>", "</private>", "<private ", "<", "<private>a</private> "])
def test_hostile_text_takes_linear_time(unit: str) -> None:
    assert_linear(lambda size: without_private(unit * size), sized(200_000, 1_000_000) // len(unit))
