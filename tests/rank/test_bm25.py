from math import isclose, log
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from recollect.ports import TextCandidate, TextCandidates
from recollect.rank.bm25 import score

VOCABULARY = ("tea", "green", "anna", "office", "lamp", "friday")

rows_of_terms = st.lists(st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12), max_size=8)
questions = st.lists(st.sampled_from((*VOCABULARY, "unheard")), min_size=1, max_size=6, unique=True)


def candidates(rows: list[list[str]], total: int | None = None) -> TextCandidates:
    frequencies = {word: sum(word in terms for terms in rows) for word in VOCABULARY}
    named = [TextCandidate(f"m{i}", tuple(terms)) for i, terms in enumerate(rows)]
    return TextCandidates(named, frequencies, len(rows) if total is None else total)


def test_scores_as_the_formula_says() -> None:
    found = score(candidates([["tea", "tea", "green"], ["anna"]], total=10), ["tea"], k1=0.9, b=0.3)
    rarity = log(1 + (10 - 1 + 0.5) / (1 + 0.5))
    norm = 0.9 * (1 - 0.3 + 0.3 * 3 / 2)
    assert isclose(found.scores["m0"], rarity * 2 * 1.9 / (2 + norm))
    assert found.scores["m1"] == 0.0


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    found = score(candidates([["anna", "tea"], ["anna", "lamp"], ["anna", "tea"], ["anna", "tea"]]), ["lamp", "tea"])
    assert found.scores["m1"] > found.scores["m0"]


def test_coverage_is_the_share_of_the_question_that_the_best_row_holds() -> None:
    rows = candidates([["green", "tea"], ["lamp"]], total=1_000)
    assert score(rows, ["green", "tea"]).best_coverage == 1.0
    assert score(rows, ["lamp", "unheard"]).best_coverage < 0.5
    assert score(rows, ["unheard"]).best_coverage == 0.0


def test_half_of_a_long_question_is_certain_and_half_of_a_short_one_is_not() -> None:
    rows = candidates([["anna", "green", "tea", "friday"]], total=100)
    missing = ("one", "two", "three", "four")
    long = score(rows, ["anna", "green", "tea", "friday", *missing])
    short = score(rows, ["anna", missing[0]])
    assert isclose(long.best_coverage, short.best_coverage)
    assert long.certainty == 1.0
    assert short.certainty < 0.5
    assert score(rows, ["anna"]).certainty == 1.0


def test_the_forms_of_a_word_count_once() -> None:
    rows = [TextCandidate("cs", ("klic", "klice", "auto")), TextCandidate("en", ("klice", "auto", "x"))]
    both = TextCandidates(rows, {"klic": 1, "klice": 2}, 10)
    found = score(both, [("klic", "klice")])
    assert found.best_coverage == 1.0
    assert found.scores["cs"] == found.scores["en"]


def test_nothing_found_scores_nothing() -> None:
    assert score(TextCandidates((), {}, 0), ["tea"]).scores == {}
    assert score(candidates([["tea"]]), []).certainty == 0.0


@given(rows_of_terms, questions, st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_that_of_words_matters(
    rows: list[list[str]], words: list[str], random: Random
) -> None:
    ordered = candidates(rows)
    shuffled = TextCandidates(random.sample(ordered.rows, len(rows)), ordered.frequencies, ordered.total)
    assert score(ordered, words) == score(shuffled, random.sample(words, len(words)))


@given(rows_of_terms, questions)
def test_coverage_and_certainty_are_shares(rows: list[list[str]], words: list[str]) -> None:
    found = score(candidates(rows), words)
    assert 0.0 <= found.best_coverage <= found.certainty <= 1.0
    assert all(value >= 0.0 for value in found.scores.values())


@given(rows_of_terms.filter(bool), questions)
def test_one_more_occurrence_never_lowers_a_score(rows: list[list[str]], words: list[str]) -> None:
    held = [word for word in words if word in rows[0]]
    before = score(candidates(rows), words).scores["m0"]
    for word in held:
        other = next(i for i, term in enumerate((*rows[0], "")) if term not in words)
        if other < len(rows[0]):
            more = [*rows[0][:other], word, *rows[0][other + 1 :]]
            assert score(candidates([more, *rows[1:]]), words).scores["m0"] >= before
