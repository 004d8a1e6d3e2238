"""Letters: which groups a question has, and how many of them texts hold."""

import pytest

from recollect.ranking.additions import shared_letters
from recollect.text.clean import letter_groups, plain_letters


def test_letter_groups_of_a_question_are_of_its_words_without_case_and_accents() -> None:
    assert letter_groups("Čas, ČAS!") == (" ca", "as ")
    assert letter_groups("Vegan?") == (" ve", "ega", "an ")


def test_letter_groups_of_a_question_without_letters_are_none() -> None:
    assert letter_groups("?! …") == ()
    assert shared_letters((), {"a": " any text "}) == {"a": 0.0}
    assert shared_letters((" an",), {}) == {}


def test_letters_of_ascii_texts_are_plain_as_those_of_others() -> None:
    typed = "It's 5 o'clock; see VTX-4471 (cc_eva@example.org)."
    assert plain_letters(typed + "é") == plain_letters(typed)[:-1] + "e "


def test_letters_of_rare_scripts_are_compared_as_they_are() -> None:
    groups = letter_groups("東京の店")
    shares = shared_letters(groups, {"same": plain_letters("東京の店です"), "other": plain_letters("大阪の宿")})
    assert shares["same"] > shares["other"]


def test_question_in_another_form_or_language_shares_letters_with_its_answer() -> None:
    texts = {"vegan": "vegan už nejsem", "tea": "piju jen zelený čaj", "cat": "máme dvě kočky"}
    shares = shared_letters(
        letter_groups("bin ich noch Veganerin?"), {row: plain_letters(text) for row, text in texts.items()}
    )
    assert max(shares, key=shares.__getitem__) == "vegan"


def test_group_that_every_text_holds_counts_least() -> None:
    texts = {"a": " the roof ", "b": " the tap ", "c": " the dog "}
    shares = shared_letters(letter_groups("the dog"), texts)
    assert shares["c"] == pytest.approx(1.0)
    assert 0.0 < shares["a"] == shares["b"] < 0.2
