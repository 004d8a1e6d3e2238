import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.engine.search.channels import ScoredCandidates
from recollect.ranking.bm25 import TextScores
from recollect.ranking.fusion import _COSINE, _SHARE, answerable, fuse

shares = st.floats(0.0, 1.0)
cosines = st.one_of(st.none(), st.floats(-1.0, 1.0))
untimed = settings(deadline=None)

FEW, MANY = _SHARE
FAR, NEAR = _COSINE


def test_either_makes_up_for_the_other() -> None:
    assert answerable(1.0, None) == answerable(0.0, NEAR) == answerable(1.0, -1.0) == answerable(MANY, FAR) == 1.0
    assert answerable(0.0, None) == answerable(0.0, FAR) == answerable(FEW, -1.0) == 0.0


def test_between_the_figures_chance_turns_into_an_answer() -> None:
    assert answerable((FEW + MANY) / 2, None) == pytest.approx(0.5)
    assert answerable(0.0, (FAR + NEAR) / 2) == pytest.approx(0.5)
    assert answerable((FEW + MANY) / 2, (FAR + NEAR) / 2) == pytest.approx(0.75)


def test_a_row_that_a_channel_did_not_see_is_judged_by_the_other() -> None:
    texts = TextScores({"a": 2.0, "b": 1.0}, 1.0, 1.0, {"a": MANY, "b": FEW})
    found = ScoredCandidates(fuse({"b": FAR, "c": NEAR}, texts), texts.shares)
    assert [found.answerable(row) for row in "abc"] == [1.0, 0.0, 1.0]
    assert found.answerable("unseen") == 0.0


@untimed
@given(shares, cosines)
def test_it_is_a_share_and_no_less_than_the_words_alone(share: float, cosine: float | None) -> None:
    assert 0.0 <= answerable(share, cosine) <= 1.0
    assert answerable(share, cosine) >= answerable(share, None)


@untimed
@given(shares, st.floats(-1.0, 1.0), shares)
def test_more_of_either_never_lowers_it(share: float, cosine: float, more: float) -> None:
    before = answerable(share, cosine)
    assert answerable(max(share, more), cosine) >= before
    assert answerable(share, max(cosine, more)) >= before
