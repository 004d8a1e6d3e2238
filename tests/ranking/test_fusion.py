from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.engine.search.channels import ScoredCandidates, highest
from recollect.model.literals import FUSIONS
from recollect.ranking.bm25 import TextScores
from recollect.ranking.fusion import _FIXED_VECTOR, DEFAULT, TEXT, VECTOR, Fused, FusionRecipe, belief, fuse
from tests.rows import every

CLOSE = 1e-9

ids = st.sampled_from([f"m{i}" for i in range(8)])
shares = st.floats(0.0, 1.0)
figures = st.one_of(st.just(0.0), st.floats(0.001, 50.0))
cosines = st.dictionaries(ids, st.floats(-1.0, 1.0).map(lambda cosine: round(cosine, 6)))
texts = st.builds(TextScores, st.dictionaries(ids, figures), shares, shares)
recipes = st.builds(
    FusionRecipe, st.floats(0.01, 1.0), st.floats(0.01, 1.0), st.sampled_from(FUSIONS), st.floats(0.5, 100.0)
)
untimed = settings(deadline=None)


def found(scores: Mapping[str, float], fullest: float = 1.0) -> TextScores:
    return TextScores(dict(scores), fullest, fullest)


def order(fused: Fused) -> list[str]:
    return sorted(fused.relevance, key=lambda row: (-fused.relevance[row], row))


def place(fused: Fused, row: str) -> int:
    """Count the rows that are clearly better."""
    return sum(other > fused.relevance[row] + CLOSE for other in fused.relevance.values())


def test_what_both_channels_like_comes_first() -> None:
    assert order(fuse({"a": 0.7, "b": 0.6, "c": 0.1}, found({"b": 9.0, "c": 3.0}))) == ["b", "a", "c"]


def test_vectors_decide_when_hardly_a_word_is_shared() -> None:
    fused = fuse({"peanuts": 0.45, "meeting": 0.25}, found({"meeting": 2.4}, fullest=0.1))
    assert order(fused) == ["peanuts", "meeting"]


def test_words_decide_when_the_question_is_covered() -> None:
    fused = fuse({"locker 17": 0.80, "locker 18": 0.84}, found({"locker 17": 12.0, "locker 18": 4.0}))
    assert order(fused) == ["locker 17", "locker 18"]


def test_a_part_says_how_a_row_fared_in_its_channel() -> None:
    words = replace(found({"b": 8.0}), has_code=True)
    fused = fuse({"a": 0.5, "b": 0.4, "c": 0.4}, words, FusionRecipe(vector=1.0, text=1.0))
    assert fused.relevance["b"] == pytest.approx(0.5 * 0.4 * 0.4 / 0.5 + 0.5)
    first, second = fused.parts("b"), fused.parts("a")
    assert (first[TEXT].rank, first[TEXT].raw, first[TEXT].score, first[TEXT].weight) == (1, 8.0, 1.0, 0.5)
    assert (first[VECTOR].rank, first[VECTOR].raw) == (2, 0.4)
    assert (second[TEXT].rank, second[TEXT].raw, second[TEXT].score) == (None, 0.0, 0.0)
    assert fused.parts("c")[VECTOR].rank == 2
    assert (fused.similarity("b"), fused.similarity("unseen")) == (0.4, None)


def test_parts_can_be_brought_to_another_scale() -> None:
    fused = fuse({"a": 0.5}, found({"a": 8.0}))
    for name, part in fused.parts("a", 0.25).items():
        assert part.weight == fused.parts("a")[name].weight * 0.25
        assert part.score == fused.parts("a")[name].score


@every("missing", [None, found({})])
@every("method", FUSIONS)
def test_without_text_the_vectors_have_all_the_weight(missing: TextScores | None, method: str) -> None:
    fused = fuse({"a": 0.6, "b": -0.2}, missing, FusionRecipe(method=method))  # type: ignore[arg-type]
    assert fused.relevance == {"a": 0.6, "b": 0.0}
    assert list(fused.parts("a")) == [VECTOR]
    assert fused.similarity("b") == 0.0


@every("method", FUSIONS)
def test_without_vectors_the_text_has_all_the_weight_and_no_more_trust_than_it_deserves(method: str) -> None:
    fused = fuse({}, TextScores({"a": 8.0, "b": 2.0}, 0.4, 0.9), FusionRecipe(method=method))  # type: ignore[arg-type]
    assert fused.relevance == pytest.approx({"a": 0.4, "b": 0.1})
    assert list(fused.parts("a")) == [TEXT]
    assert fused.similarity("a") is None


def test_a_weight_of_zero_mutes_a_channel() -> None:
    by_meaning, by_words = {"a": 0.9}, found({"b": 5.0})
    assert order(fuse(by_meaning, by_words, FusionRecipe(vector=1.0, text=0.0))) == ["a"]
    assert order(fuse(by_meaning, by_words, FusionRecipe(vector=0.0, text=1.0))) == ["b"]


def test_nothing_found_is_no_row() -> None:
    assert fuse({}, None) == Fused()
    assert fuse({}, found({})) == Fused()


def test_words_that_are_believed_have_the_share_of_the_recipe_and_less_otherwise() -> None:
    for score, fullest in ((0.5, 0.0), (8.0, 0.4), (1.0, 1.0)):
        words = found({"a": score}, fullest)
        parts = fuse({"a": 0.5}, words).parts("a")
        share = DEFAULT.text / (DEFAULT.text + DEFAULT.vector) * belief(words)
        assert (parts[TEXT].weight, parts[VECTOR].weight) == pytest.approx((share, 1 - share))


def test_words_are_believed_the_more_of_the_question_the_best_row_holds_and_the_rarer_they_are() -> None:
    part, whole, rare = found({"twin": 7.0}, 0.3), found({"twin": 7.0}, 1.0), found({"twin": 20.0}, 0.3)
    assert 0.0 < belief(part) < min(belief(whole), belief(rare))
    assert max(belief(whole), belief(rare)) < belief(found({"twin": 20.0}, 1.0)) < 1.0
    assert belief(found({})) == belief(found({"twin": 0.0}, 0.0)) == 0.0


def test_beside_letters_words_are_believed_less_but_for_a_code() -> None:
    words = found({"a": 7.0, "b": 2.0})
    code = replace(words, has_code=True)
    alone, beside = (
        [fuse({"a": 0.5}, texts, FusionRecipe(letters=letters)).parts("a")[TEXT].weight for texts in (words, code)]
        for letters in (False, True)
    )
    assert 0.0 < beside[0] < alone[0] < alone[1] == beside[1]


def test_of_the_vectors_it_counts_how_far_a_row_is_behind_the_nearest() -> None:
    fused = fuse({"a": 0.8, "b": 0.4}, None)
    assert fused.relevance == pytest.approx({"a": 0.8, "b": 0.2})
    assert fuse({"a": 0.8, "b": 0.4}, None, FusionRecipe(method="fixed")).relevance == {"a": 0.8, "b": 0.4}


def test_the_best_of_poor_rows_stays_low() -> None:
    assert max(fuse({"a": 0.15, "b": 0.12}, found({"b": 1.2}, fullest=0.05)).relevance.values()) < 0.25


@every("fullest", [0.0, 1.0])
def test_fixed_weights_do_not_ask_how_far_words_are_believed(fullest: float) -> None:
    fused = fuse({"a": 0.5, "b": 0.4}, found({"b": 8.0}, fullest), FusionRecipe(method="fixed"))
    assert fused.relevance["a"] == pytest.approx(_FIXED_VECTOR * 0.5)
    assert fused.relevance["b"] == pytest.approx(_FIXED_VECTOR * 0.4 + (1 - _FIXED_VECTOR))


def test_reciprocal_ranks_ask_for_the_order_only() -> None:
    recipe = FusionRecipe(vector=1.0, text=3.0, method="rrf", rrf_k=10.0)
    fused = fuse({"a": 0.9, "b": 0.1}, found({"b": 8.0, "c": 7.9}), recipe)
    assert fused.relevance["a"] == pytest.approx(0.25)
    assert fused.relevance["b"] == pytest.approx(0.25 * 11 / 12 + 0.75)
    assert fused.relevance["c"] == pytest.approx(0.75 * 11 / 12)
    assert fuse({"a": 0.5, "b": 0.49}, found({"b": 2.0, "c": 0.1}), recipe).relevance == fused.relevance


@every("method", ["weighted", "fixed"])
def test_rows_that_are_looked_at_later_fare_as_if_they_had_been_there(method: str) -> None:
    recipe = FusionRecipe(method=method)  # type: ignore[arg-type]
    later, together = fuse({"a": 0.9}, found({"a": 2.0}), recipe), fuse({"a": 0.9, "b": 0.4}, found({"a": 2.0}), recipe)
    later.add_cosines({"b": 0.4})
    assert later == together
    assert later.parts("b") == together.parts("b")


def test_a_row_that_is_looked_at_later_does_not_pass_nearer_ones_by_rank() -> None:
    near = {f"m{number}": 0.9 - number / 1_000 for number in range(100)}
    fused = fuse(near, found({"m0": 1.0}), FusionRecipe(method="rrf"))
    fused.add_cosines({"far": 0.5})
    assert fused.relevance["far"] <= fused.relevance["m99"]


def test_by_rank_a_row_that_is_looked_at_later_has_the_place_of_its_cosine() -> None:
    recipe = FusionRecipe(vector=1.0, text=1.0, method="rrf", rrf_k=10.0)
    fused = fuse({"a": 0.9, "b": 0.3}, found({"a": 2.0}), recipe)
    before = dict(fused.relevance)
    fused.add_cosines({"c": 0.5, "d": 0.1})
    assert {row: fused.relevance[row] for row in before} == before
    assert fused.relevance["c"] == pytest.approx(0.5 * 11 / 12)  # the second of four
    assert fused.relevance["d"] == pytest.approx(0.5 * 11 / 14)  # the last of them
    assert [fused.parts(row)[VECTOR].rank for row in "acbd"] == [1, 2, 3, 4]
    for row, relevance in fused.relevance.items():
        parts = fused.parts(row).values()
        assert relevance == pytest.approx(sum(part.weight * part.score for part in parts), abs=CLOSE)


def test_by_meaning_alone_ranks_do_not_count_for_what_is_looked_at_later_either() -> None:
    fused = fuse({"a": 0.9}, None, FusionRecipe(method="rrf"))
    fused.add_cosines({"b": 0.4, "c": -0.2})
    assert fused.relevance == {"a": 0.9, "b": 0.4, "c": 0.0}


def test_equals_come_in_the_order_of_their_ids() -> None:
    same = ScoredCandidates(fuse({"b": 0.5, "c": 0.5, "a": 0.5}, found({"c": 2.0, "a": 2.0, "b": 2.0})))
    assert same.best(2) == ["a", "b"]
    assert same.best(9) == ["a", "b", "c"]


@untimed
@given(cosines, texts, recipes)
def test_parts_add_up_to_a_relevance_between_zero_and_one(
    near: dict[str, float], words: TextScores, recipe: FusionRecipe
) -> None:
    fused = fuse(near, words, recipe)
    assert fused.relevance.keys() == near.keys() | words.scores.keys()
    for row, relevance in fused.relevance.items():
        parts = fused.parts(row).values()
        assert relevance == pytest.approx(sum(part.weight * part.score for part in parts), abs=CLOSE)
        assert sum(part.weight for part in parts) == pytest.approx(1.0)
        assert 0.0 <= relevance <= 1.0
        assert all(0.0 <= part.score <= 1.0 and 0.0 <= part.weight <= 1.0 for part in parts)
        assert fused.similarity(row) == (max(0.0, near[row]) if row in near else None)


@untimed
@given(cosines, texts, recipes, st.randoms(use_true_random=False))
def test_it_does_not_matter_in_which_order_rows_come(
    near: dict[str, float], words: TextScores, recipe: FusionRecipe, random: Random
) -> None:
    shuffled = dict(random.sample(list(near.items()), len(near)))
    turned = TextScores(dict(reversed(list(words.scores.items()))), words.coverage, words.fullest)
    assert fuse(shuffled, turned, recipe) == fuse(near, words, recipe)
    assert highest(fuse(shuffled, turned, recipe).relevance, 5) == order(fuse(near, words, recipe))[:5]


@untimed
@given(cosines.filter(bool), texts, recipes, st.floats(-1.0, 1.0))
def test_a_nearer_vector_never_lowers_a_row(
    near: dict[str, float], words: TextScores, recipe: FusionRecipe, closer: float
) -> None:
    row = min(near)
    before, after = fuse(near, words, recipe), fuse({**near, row: max(near[row], closer)}, words, recipe)
    assert after.relevance[row] >= before.relevance[row] - CLOSE or after.relevance[row] == max(
        after.relevance.values()
    )
    assert place(after, row) <= place(before, row)


@untimed
@given(cosines, texts.filter(lambda words: bool(words.scores)), recipes, st.floats(0.001, 50.0))
def test_a_better_text_score_never_lowers_a_row(
    near: dict[str, float], words: TextScores, recipe: FusionRecipe, better: float
) -> None:
    row = min(words.scores)
    raised = TextScores({**words.scores, row: max(words.scores[row], better)}, words.coverage, words.fullest)
    before, after = fuse(near, words, recipe), fuse(near, raised, recipe)
    assert after.relevance[row] >= before.relevance[row] - CLOSE
    assert place(after, row) <= place(before, row)


@untimed
@given(cosines, texts, recipes)
def test_an_empty_channel_leaves_the_order_of_the_other(
    near: dict[str, float], words: TextScores, recipe: FusionRecipe
) -> None:
    by_meaning, by_words = fuse(near, None, recipe), fuse({}, words, recipe)
    assert order(by_meaning) == sorted(near, key=lambda row: (-max(0.0, near[row]), row))
    ranked = [words.scores[row] for row in order(by_words)]
    assert words.coverage < CLOSE or ranked == sorted(ranked, reverse=True)
