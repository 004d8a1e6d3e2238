import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import InvalidMemory
from recollect.text.clean import MAX_CHARACTERS, clean, clean_content, fingerprint_text
from tests.growth import assert_linear
from tests.rows import every

texts = st.text(st.characters(exclude_categories=["Cs"]))


@every(
    ("given_text", "kept"),
    [
        ("  Anna is allergic to peanuts \n", "Anna is allergic to peanuts"),
        ("first\r\nsecond\rthird", "first\nsecond\nthird"),
        ("tabs\tstay\tand so do\nlines", "tabs\tstay\tand so do\nlines"),
        ("a\x00b\x07c\x1b[31md", "abc[31md"),
        ("Dvor\u030ca\u0301k", "Dvořák"),
        ("e\x00\u0301", "é"),
        ("Ключи в ящике", "Ключи в ящике"),
        ("", ""),
    ],
)
def test_keeps_what_was_meant_and_drops_what_cannot_be_stored(given_text: str, kept: str) -> None:
    assert clean(given_text) == kept


def test_refuses_half_a_surrogate_pair_and_says_where() -> None:
    with pytest.raises(InvalidMemory, match=r"Character 4 is U\+D83D.*errors='replace'"):
        clean("cake\ud83d")


@every("value", [None, 7, b"bytes", ["text"]])
def test_refuses_what_is_not_text_and_names_it(value: object) -> None:
    with pytest.raises(InvalidMemory, match=type(value).__name__):
        clean(value)  # type: ignore[arg-type]


@every("empty", ["", "  \n\t ", "\x00\x01"])
def test_refuses_content_that_is_empty_once_cleaned(empty: str) -> None:
    with pytest.raises(InvalidMemory, match="empty"):
        clean_content(empty)


def test_refuses_content_that_is_too_long_and_says_how_long_it_was() -> None:
    assert len(clean_content(" " + "a" * MAX_CHARACTERS)) == MAX_CHARACTERS
    with pytest.raises(InvalidMemory, match="100,001"):
        clean_content("a" * (MAX_CHARACTERS + 1))


@given(texts)
def test_cleaning_twice_changes_nothing_and_gives_composed_text(text: str) -> None:
    once = clean(text)
    assert clean(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert not set(once) & {chr(code) for code in range(32) if chr(code) not in "\t\n"}


@every("marks", ["\u0301\u0323", "\u0f73", "\u0344\u0323"])
def test_a_pile_of_marks_takes_linear_time(marks: str) -> None:
    assert_linear(lambda size: (clean("a" + marks * size), fingerprint_text("a" + marks * size)), 50_000)
    once = clean("a" + marks * 50_000)
    assert clean(once) == once


@every(
    ("one", "other"),
    [
        ("Anna likes tea", "anna  likes\ntea."),
        ("Ready?!", "ready"),
        ("Straße", "STRASSE"),
        ("\uff21\uff2e\uff2e\uff21", "anna"),
        ("Люблю чай…", "люблю чай"),
    ],
)
def test_the_fingerprint_ignores_case_spacing_width_and_the_end_of_the_sentence(one: str, other: str) -> None:
    assert fingerprint_text(one) == fingerprint_text(other)


@every(("one", "other"), [("locker 17", "locker 18"), ("resume", "résumé"), ("no, thanks", "no thanks"), ("!", "?")])
def test_the_fingerprint_keeps_every_other_difference(one: str, other: str) -> None:
    assert fingerprint_text(one) != fingerprint_text(other)


@given(texts)
def test_the_fingerprint_of_a_fingerprint_is_itself(text: str) -> None:
    once = fingerprint_text(text)
    assert fingerprint_text(once) == once


@given(st.text(st.characters(max_codepoint=127)))
def test_the_short_way_for_ascii_agrees_with_the_long_one(text: str) -> None:
    assert fingerprint_text(text + " \u00e9") == " ".join(f"{text} \u00e9".casefold().split())
