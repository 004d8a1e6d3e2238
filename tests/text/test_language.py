# letters of other alphabets are the point here
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recollect.text.language import guess_language, guess_latin, languages_in, stop_words
from tests.rows import every, read_rows


@every(("text", "language"), read_rows(Path(__file__).with_name("questions.tsv")))
def test_recognises_a_question(text: str, language: str) -> None:
    assert guess_language(text) == language


@every("text", ["", "4711", "Anna", "light.office", "🎂", "Анна", "dentist appointment", "..."])
def test_admits_when_it_cannot_know(text: str) -> None:
    assert guess_language(text) is None


def test_names_the_language_of_most_of_the_text() -> None:
    assert (
        guess_language("Wir treffen uns mit Anna nach der Arbeit in der Bar, weil sie es schön findet, as she said")
        == "de"
    )


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_never_fails(text: str) -> None:
    language = guess_language(text)
    assert language is None or len(language) == 2


def test_function_words_are_written_as_the_analyser_sees_them() -> None:
    for language in languages_in("latin", "cyrillic"):
        assert all(word == word.casefold() for word in stop_words(language)), language


@every("text", ["garage door", "open garage door", "hat", "the war on drugs"])
def test_a_word_of_english_does_not_make_a_text_foreign(text: str) -> None:
    assert guess_latin(text.split()) in (None, "en")


@every(("text", "language"), [("de deur wordt door mij geopend", "nl"), ("der mann hat keinen hund", "de")])
def test_a_sentence_is_still_known_by_its_other_words(text: str, language: str) -> None:
    assert guess_latin(text.split()) == language
