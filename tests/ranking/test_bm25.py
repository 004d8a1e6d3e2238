from math import isclose, log
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.model.memories import TextCandidate, TextCandidates
from recollect.ranking import bm25
from recollect.ranking.bm25 import TextScores, score
from recollect.ranking.fusion import belief

VOCABULARY = ("tea", "green", "anna", "office", "lamp", "friday")
CLOSE = 1e-9

rows_of_terms = st.lists(st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12), max_size=8)
questions = st.lists(st.sampled_from((*VOCABULARY, "unheard")), min_size=1, max_size=6, unique=True)
untimed = settings(deadline=None)


def candidates(rows: list[list[str]], total: int | None = None) -> TextCandidates:
    frequencies = {word: sum(word in terms for terms in rows) for word in VOCABULARY}
    named = [TextCandidate(f"m{i}", tuple(terms)) for i, terms in enumerate(rows)]
    return TextCandidates(named, frequencies, len(rows) if total is None else total)


def rarity(frequency: int, total: int) -> float:
    return log(1 + (total - frequency + 0.5) / (frequency + 0.5))


def saturated(count: int, length: int, average: float) -> float:
    """Give what BM25 makes of a count."""
    return count * (bm25._K1 + 1) / (count + bm25._K1 * (1 - bm25._B + bm25._B * length / average))


def test_one_word_scores_as_the_formula_says() -> None:
    found = score(candidates([["tea", "tea", "green"], ["anna"]], total=10), ["tea"])
    assert isclose(found.scores["m0"], rarity(1, 10) * (saturated(2, 3, 2.0) + 1))  # all of it, next to itself
    assert found.scores["m1"] == 0.0


def test_two_words_score_as_the_formula_says() -> None:
    rows = candidates([["tea", "green", "lamp"], ["tea"]], total=10)
    found = score(rows, ["tea", "green", "friday"])
    tea, green, friday = rarity(2, 10), rarity(1, 10), rarity(0, 10)
    counted = (tea + green) * saturated(1, 3, 2.0)
    covered = (tea + green) / (tea + green + friday)
    assert isclose(found.scores["m0"], (counted + tea + green) * covered**bm25._COVERAGE_OF_SHORT)
    assert isclose(found.coverage, (tea + green) / min(tea + green + friday, bm25._ENOUGH * log(11)))


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    found = score(candidates([["anna", "tea"], ["anna", "lamp"], ["anna", "tea"], ["anna", "tea"]]), ["lamp", "tea"])
    assert found.scores["m1"] > found.scores["m0"]


def test_words_that_stand_together_count_more_than_the_same_words_apart() -> None:
    between = ["lamp"] * bm25._NEAR
    found = score(candidates([["green", "tea", *between], ["green", *between, "tea"]]), ["green", "tea"])
    assert found.scores["m0"] > found.scores["m1"] > 0.0


def test_the_last_place_that_is_near_and_the_first_that_is_not() -> None:
    near = ["green", *["lamp"] * (bm25._NEAR - 2), "tea", "lamp"]
    apart = ["green", *["lamp"] * (bm25._NEAR - 1), "tea"]
    found = score(candidates([near, apart]), ["green", "tea"])
    assert isclose(found.scores["m0"] - found.scores["m1"], rarity(2, 2))


def test_all_of_the_question_beats_a_part_that_is_repeated() -> None:
    found = score(candidates([["green", "tea", "lamp"], ["green", "green", "green"]], total=50), ["green", "tea"])
    assert found.scores["m0"] > found.scores["m1"]


def test_a_part_of_the_question_costs_less_where_texts_are_long() -> None:
    def part(length: int) -> float:
        row = TextCandidate("m", ("green", *["lamp"] * (length - 1)))
        return score(TextCandidates([row], {"green": 2, "tea": 2}, 10), ["green", "tea"]).scores["m"]

    assert part(bm25._SHORT - 1) == pytest.approx(part(bm25._SHORT))
    assert part(bm25._SHORT + 1) > part(bm25._SHORT)


def test_coverage_is_the_share_of_the_question_that_the_best_row_holds() -> None:
    rows = candidates([["green", "tea"], ["lamp"]], total=1_000)
    assert score(rows, ["green", "tea"]).coverage == 1.0
    assert score(rows, ["lamp", "unheard"]).coverage < 0.5
    assert score(rows, ["unheard"]).coverage == 0.0


def test_half_of_a_long_question_is_enough_and_half_of_a_short_one_is_not() -> None:
    rows = candidates([["anna", "green", "tea", "friday"]], total=100)
    missing = ("one", "two", "three", "four")
    long = score(rows, ["anna", "green", "tea", "friday", *missing])
    short = score(rows, ["anna", missing[0]])
    assert (long.coverage, short.coverage < 0.5) == (1.0, True)
    assert long.fullest < 0.5
    assert score(rows, ["anna"]).fullest == 1.0


def test_a_word_that_many_rows_hold_proves_little() -> None:
    rows = [TextCandidate("m", ("anna", "tea"))]
    common = score(TextCandidates(rows, {"tea": 500}, 1_000), ["tea", "unheard", "green"])
    rare = score(TextCandidates(rows, {"tea": 1}, 100_000), ["tea", "unheard", "green"])
    assert common.fullest < 0.1 < rare.fullest
    assert belief(common) < 0.05
    assert belief(rare) > 0.3


def test_the_forms_of_a_word_count_once() -> None:
    rows = [TextCandidate("cs", ("klic", "klice", "auto")), TextCandidate("en", ("klice", "auto", "x"))]
    both = TextCandidates(rows, {"klic": 1, "klice": 2}, 10)
    found = score(both, [("klic", "klice")])
    assert found.coverage == 1.0
    assert found.scores["cs"] == found.scores["en"] > 0.0


def test_nothing_found_scores_nothing() -> None:
    assert score(TextCandidates((), {}, 0), ["tea"]) == TextScores()
    assert score(candidates([["tea"]]), []) == TextScores()


@untimed
@given(rows_of_terms, questions, st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_that_of_words_matters(
    rows: list[list[str]], words: list[str], random: Random
) -> None:
    ordered = candidates(rows)
    shuffled = TextCandidates(
        random.sample(ordered.rows, len(rows)), dict(reversed(list(ordered.frequencies.items()))), ordered.total
    )
    assert score(ordered, words) == score(shuffled, random.sample(words, len(words)))


@untimed
@given(rows_of_terms, questions, st.integers(0, 100_000))
def test_coverage_and_the_fullest_row_are_shares(rows: list[list[str]], words: list[str], others: int) -> None:
    found = score(candidates(rows, len(rows) + others), words)
    assert 0.0 <= found.coverage <= 1.0
    assert 0.0 <= found.fullest <= 1.0
    assert all(value >= 0.0 for value in found.scores.values())
    assert all((found.scores[f"m{i}"] > 0.0) == (not set(terms).isdisjoint(words)) for i, terms in enumerate(rows))


@untimed
@given(rows_of_terms, questions)
def test_a_row_that_holds_the_whole_question_is_full(rows: list[list[str]], words: list[str]) -> None:
    found = score(candidates([*rows, words], 10_000), words)
    assert found.coverage == 1.0
    assert found.fullest == pytest.approx(1.0)


@untimed
@given(rows_of_terms.filter(bool), questions)
def test_one_more_of_the_asked_words_never_lowers_a_score(rows: list[list[str]], words: list[str]) -> None:
    idle = next((place for place, term in enumerate(rows[0]) if term not in words), None)
    if idle is None:
        return
    before = candidates(rows)
    for word in words:
        more = TextCandidate("m0", (*rows[0][:idle], word, *rows[0][idle + 1 :]))
        after = TextCandidates([more, *before.rows[1:]], before.frequencies, before.total)
        assert score(after, words).scores["m0"] >= score(before, words).scores["m0"] - CLOSE


@untimed
@given(rows_of_terms.filter(bool), questions)
def test_a_word_that_nobody_holds_does_not_change_the_order_of_short_rows(
    rows: list[list[str]], words: list[str]
) -> None:
    before = score(candidates(rows), words).scores
    after = score(candidates(rows), [*words, "nowhere"]).scores
    for one in before:
        for other in before:
            if before[one] > before[other] + CLOSE:
                assert after[one] > after[other]
