# ruff: noqa: RUF001  # letters of other alphabets are the point here
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from recollect.text.language import _stem, languages_in, stop_words
from recollect.text.terms import MAX_TERM_CHARACTERS, MAX_TERMS, index_terms, query_words
from recollect.text.terms import query_terms as terms_of_words
from tests.growth import assert_linear
from tests.rows import every, read_rows
from tests.sizes import sized

any_text = st.text(st.characters(exclude_categories=["Cs"]))
latin_text = st.text("abcdeilnorst' .,-_@#/:+0123äéłß\n")


def query_terms(text: str) -> tuple[str, ...]:
    """Give the terms that a store is asked for."""
    return terms_of_words(query_words(text))


def finds(question: str, memory: str) -> bool:
    return not set(query_terms(question)).isdisjoint(index_terms(memory))


@every(("question", "memory"), read_rows(Path(__file__).with_name("forms.tsv")))
def test_a_question_finds_another_form_of_its_words(question: str, memory: str) -> None:
    assert finds(question, memory)


@every(
    ("question", "memory"),
    [
        ("Caroline", "Minha amiga Caroline mora em Lisboa"),
        ("Kennt Caroline den Code?", "Caroline knows the code of the safe"),
        ("Schlüssel", "Wo sind die Schlüssel zum Büro? Die Schlüssel sind bei mir."),
        ("Meetings", "Die Meetings sind immer montags, und ich komme nicht"),
        ("Bratislava", "Сегодня мы были в городе Bratislava"),
        ("сервер Ubuntu", "The server runs Ubuntu"),
    ],
)
def test_a_name_is_found_whatever_language_the_text_was_taken_for(question: str, memory: str) -> None:
    assert finds(question, memory)


@every(
    ("text", "terms"),
    [
        ("light.office", ("light.office", "light", "offic")),
        ("anna@example.com", ("anna@example.com", "anna", "exampl", "com")),
        ("text-embedding-3-small", ("text-embedding-3-small", "text", "embed", "3", "small")),
        ("#1204", ("#1204", "1204")),
        ("2026-03-14", ("2026-03-14", "2026", "03", "14")),
        ("/etc/nginx.conf", ("etc/nginx.conf", "etc", "nginx", "conf")),
        ("https://example.com", ("https", "example.com", "exampl", "com")),
        ("C++ C#", ("c++", "c", "c#", "c")),
        ("snake_case", ("snake_case", "snake", "case")),
        ("10:30", ("10:30", "10", "30")),
        ("Anna's", ("anna",)),
        ("Anna\u2019s", ("anna",)),
        ("(office).", ("offic",)),
        ("co\u00adoperation", ("cooper",)),
        ("сім'я", ("сим",)),
        ("ＡＮＮＡ", ("anna",)),
        ("-- ... !?", ()),
        ("🎂", ()),
    ],
)
def test_identifiers_stay_whole_and_come_apart(text: str, terms: tuple[str, ...]) -> None:
    assert index_terms(text) == terms


def test_repeats_and_order_are_kept_for_texts_and_dropped_for_questions() -> None:
    assert index_terms("Tea, green tea") == ("tea", "green", "tea")
    assert query_terms("Tea, green tea") == ("tea", "green")


def test_function_words_count_only_when_there_is_nothing_else() -> None:
    assert query_terms("Where did she put it?") == ("put",)
    assert query_terms("Who is it?") == ("who", "is", "it")
    assert finds("to be or not to be", "To be, or not to be")


def test_the_forms_of_a_word_belong_together() -> None:
    assert query_words("Kde jsou klíče?") == (("klic", "klice"),)
    assert query_words("Where are the keys?") == (("key",),)


@given(st.one_of(any_text, latin_text))
def test_terms_have_one_alphabet_and_a_largest_size(text: str) -> None:
    for term in (*index_terms(text), *query_terms(text)):
        assert 0 < len(term) <= MAX_TERM_CHARACTERS
        assert all(c in "._-@#/:+" or unicodedata.category(c)[0] in "LMN" for c in term)


@given(st.one_of(any_text, latin_text))
def test_a_text_finds_itself(text: str) -> None:
    assert set(query_terms(text)) <= set(index_terms(text))
    assert bool(query_terms(text)) == bool(index_terms(text))


@given(st.one_of(any_text, latin_text))
def test_case_does_not_matter(text: str) -> None:
    if text.isascii():
        assert index_terms(text) == index_terms(text.upper())
    assert len(set(query_terms(text))) == len(query_terms(text))


@given(
    st.sampled_from(sorted({*languages_in("latin", "cyrillic")} - {"sr"})),
    st.text("abcdefghijklmnopqrstuvwxyzäöüéčřßñ", min_size=1, max_size=12),
)
def test_a_word_alone_is_found_in_a_sentence_of_any_language(language: str, word: str) -> None:
    sentence = " ".join([*sorted(stop_words(language))[:12], word])
    if not any(word in stop_words(other) for other in languages_in("latin", "cyrillic")):
        assert finds(word, sentence)


LETTERS = "".join(Random(1).choices("abcdeginrst", k=140_000))
HOSTILE = {
    "one word": "a" * 1_000_000,
    "joined letters": "a-" * 500_000,
    "joiners": "-.@#" * 250_000,
    "apostrophes": "'" * 1_000_000,
    "one function word": "the " * 250_000,
    "piled marks": "a" + "\u0301\u0323" * 500_000,
    "a character that becomes eighteen": "\ufdfa" * 1_000_000,
    "unspaced": "猫犬" * 500_000,
    "new words": " ".join(LETTERS[at : at + 7] for at in range(0, len(LETTERS), 7)) * 6,
}


@every("name", HOSTILE)
def test_a_hostile_megabyte_takes_linear_time(name: str) -> None:
    text = HOSTILE[name]
    assert_linear(lambda size: index_terms(text[:size]), sized(len(text) // 8, len(text)))
    assert len(index_terms(text[: sized(len(text) // 8, len(text))])) <= MAX_TERMS


def test_threads_that_stem_at_once_do_not_disturb_each_other() -> None:
    words = ["appointments", "running", "happiness", "relational", "conditional", "organisations"] * 50
    alone = [_stem.__wrapped__(word, "en") for word in words]
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(lambda word: _stem.__wrapped__(word, "en"), words))
    assert together == alone
