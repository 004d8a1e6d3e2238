import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.model.calibration import KNOWN
from recollect.ranking.bm25 import TextScores
from recollect.ranking.fusion import FusionRecipe, answerable, fuse

shares = st.floats(0.0, 1.0)
cosines = st.one_of(st.none(), st.floats(-1.0, 1.0))
untimed = settings(deadline=None)


def test_what_is_relevant_is_known_and_what_is_not_is_not() -> None:
    assert answerable(0.8, 0.6) > 0.9 > KNOWN > answerable(0.2, 0.2) > 0.0
    assert answerable(0.9, None) > KNOWN > answerable(0.2, None)
    assert answerable(0.0, None) == answerable(0.0, 0.9) == 0.0


def test_without_a_cosine_the_words_stand_in_for_it() -> None:
    assert answerable(0.6, None) == answerable(0.6, 0.6)


def test_ranks_do_not_make_an_answer() -> None:
    texts = TextScores({"a": 2.0}, 0.1, 0.1)
    ranked = fuse({"a": 0.1, "b": 0.05}, texts, FusionRecipe(method="rrf"))
    assert ranked.relevance["a"] == pytest.approx(1.0)
    assert ranked.answerable("a") < KNOWN
    assert ranked.answerable("unseen") == 0.0


@untimed
@given(shares, cosines)
def test_it_is_a_share(relevance: float, cosine: float | None) -> None:
    assert 0.0 <= answerable(relevance, cosine) <= 1.0


@untimed
@given(shares, st.floats(-1.0, 1.0), shares)
def test_more_of_either_never_lowers_it(relevance: float, cosine: float, more: float) -> None:
    before = answerable(relevance, cosine)
    assert answerable(max(relevance, more), cosine) >= before
    assert answerable(relevance, max(cosine, more)) >= before
