"""The lives in which something is corrected: every language and half says everything, and the halves share nothing."""

from itertools import product

from benchmarks.corrections import LANGUAGES, PARTS, PROPERTIES, sections

SECTIONS = ("values", "before", "after", "update", "question", "echo")


def test_every_half_of_every_language_says_everything() -> None:
    known = sections()
    for language, half, part in product(LANGUAGES, PARTS, SECTIONS):
        texts = known[f"{language} {half} {part}"]
        assert texts.keys() == {*PROPERTIES}
        if part != "values":
            assert all(("{}" in one) == (part != "question") for several in texts.values() for one in several)
    for language, half in product(LANGUAGES, PARTS):
        assert len(known[f"{language} {half} other"][""]) == 16
        assert len(known[f"{language} {half} reply"][""]) == 4


def test_halves_share_no_value_and_no_phrase() -> None:
    known = sections()
    for language, part in product(LANGUAGES, ("values", "before", "after", "question")):
        for name in PROPERTIES:
            texts = [one for half in PARTS for one in known[f"{language} {half} {part}"][name]]
            assert len(texts) == len({*texts})
