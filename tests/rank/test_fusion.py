from collections.abc import Mapping
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rank.bm25 import TextScores
from recollect.rank.fusion import Fused, Weights, fuse

ids = st.sampled_from([f"m{i}" for i in range(8)])
shares = st.floats(0.0, 1.0)
cosines = st.dictionaries(ids, st.floats(-1.0, 1.0))
texts = st.builds(TextScores, st.dictionaries(ids, st.floats(0.0, 50.0)), shares, shares)
weights = st.builds(Weights, st.floats(0.01, 1.0), st.floats(0.01, 1.0))


def found(scores: Mapping[str, float], certainty: float = 1.0) -> TextScores:
    return TextScores(scores, certainty, certainty)


def order(hits: list[Fused]) -> list[str]:
    return [hit.id for hit in hits]


def test_what_both_channels_like_comes_first() -> None:
    hits = fuse({"a": 0.7, "b": 0.6, "c": 0.1}, found({"b": 9.0, "c": 3.0}))
    assert order(hits) == ["b", "a", "c"]


def test_vectors_decide_when_hardly_a_word_is_shared() -> None:
    hits = fuse({"peanuts": 0.45, "meeting": 0.25}, found({"meeting": 2.4}, certainty=0.3))
    assert order(hits) == ["peanuts", "meeting"]


def test_words_decide_when_the_question_is_covered() -> None:
    hits = fuse({"locker 17": 0.80, "locker 18": 0.84}, found({"locker 17": 12.0, "locker 18": 4.0}))
    assert order(hits) == ["locker 17", "locker 18"]


def test_a_part_says_how_a_row_fared_in_its_channel() -> None:
    first, second = fuse({"a": 0.5, "b": 0.4}, found({"b": 8.0}), Weights(vector=1.0, text=1.0))
    assert (first.id, first.relevance, first.similarity) == ("b", 0.5 * 0.4 + 0.5, 0.4)
    assert first.parts["text"].rank == 1
    assert first.parts["text"].raw == 8.0
    assert first.parts["vector"].rank == 2
    assert second.parts["text"].rank is None
    assert second.parts["text"].score == 0.0


@pytest.mark.parametrize("missing", [None, found({})])
def test_without_text_the_vectors_have_all_the_weight(missing: TextScores | None) -> None:
    (hit,) = fuse({"a": 0.6}, missing)
    assert hit.relevance == 0.6
    assert list(hit.parts) == ["vector"]


def test_without_vectors_the_text_has_all_the_weight_and_no_more_trust_than_it_deserves() -> None:
    hits = fuse({}, found({"a": 8.0, "b": 2.0}, certainty=0.4))
    assert [(hit.id, hit.relevance, hit.similarity) for hit in hits] == [("a", 0.4, None), ("b", 0.1, None)]
    assert list(hits[0].parts) == ["text"]


def test_a_weight_of_zero_mutes_a_channel() -> None:
    by_meaning, by_words = {"a": 0.9}, found({"b": 5.0})
    assert order(fuse(by_meaning, by_words, Weights(vector=1.0, text=0.0))) == ["a"]
    assert order(fuse(by_meaning, by_words, Weights(vector=0.0, text=1.0))) == ["b"]


def test_nothing_found_is_no_hit() -> None:
    assert fuse({}, None) == []


def test_the_best_of_poor_hits_stays_low() -> None:
    best, *_ = fuse({"a": 0.15, "b": 0.12}, found({"b": 1.2}, certainty=0.2))
    assert best.relevance < 0.25


@given(cosines, texts, weights)
def test_parts_add_up_to_a_relevance_between_zero_and_one(
    near: dict[str, float], words: TextScores, chosen: Weights
) -> None:
    hits = fuse(near, words, chosen)
    assert set(order(hits)) == near.keys() | words.scores.keys()
    for hit in hits:
        assert hit.relevance == sum(part.weight * part.score for part in hit.parts.values())
        assert 0.0 <= hit.relevance <= 1.0
        assert all(0.0 <= part.score <= 1.0 and 0.0 <= part.weight <= 1.0 for part in hit.parts.values())
        assert hit.similarity == (max(0.0, near[hit.id]) if hit.id in near else None)


@given(cosines, texts, st.randoms(use_true_random=False))
def test_best_first_equals_by_id_whatever_order_they_came_in(
    near: dict[str, float], words: TextScores, random: Random
) -> None:
    hits = fuse(near, words)
    assert hits == sorted(hits, key=lambda hit: (-hit.relevance, hit.id))
    shuffled = dict(random.sample(list(near.items()), len(near)))
    turned = TextScores(dict(reversed(list(words.scores.items()))), words.best_coverage, words.certainty)
    assert fuse(shuffled, turned) == hits


@given(cosines.filter(bool), texts, st.floats(0.0, 1.0))
def test_a_nearer_vector_never_lowers_a_row(near: dict[str, float], words: TextScores, closer: float) -> None:
    row = min(near)
    before = {hit.id: hit.relevance for hit in fuse(near, words)}
    raised = fuse({**near, row: max(near[row], closer)}, words)
    after = {hit.id: hit.relevance for hit in raised}
    assert after[row] >= before[row]
    assert {other: after[other] for other in after if other != row} == {
        other: before[other] for other in before if other != row
    }


@given(cosines, texts.filter(lambda words: bool(words.scores)), st.floats(0.0, 50.0))
def test_a_better_text_score_never_lowers_a_row(near: dict[str, float], words: TextScores, better: float) -> None:
    row = min(words.scores)
    raised = TextScores({**words.scores, row: max(words.scores[row], better)}, words.best_coverage, words.certainty)
    before, after = fuse(near, words), fuse(near, raised)
    assert order(after).index(row) <= order(before).index(row)
    assert (
        next(hit for hit in after if hit.id == row).relevance >= next(hit for hit in before if hit.id == row).relevance
    )
