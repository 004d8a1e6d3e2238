from datetime import UTC, datetime, timedelta
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.model.literals import ROLES, MessageRole, Trust
from recollect.ranking import factors
from recollect.ranking.additions import _SHORT
from recollect.ranking.factors import Fading
from recollect.settings import RecallSettings
from tests.rows import every

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
FADING = Fading({"event": 30.0}, 0.1)

shares = st.floats(0.0, 1.0)
ages = st.floats(-10_000.0, 10_000.0).map(lambda days: timedelta(days=days))
fadings = st.builds(lambda days, most: Fading({"event": days}, most), st.floats(0.01, 10_000.0), shares)
untimed = settings(deadline=None)


def test_after_the_half_life_half_of_what_may_fade_is_gone() -> None:
    faded = [factors.recency("event", NOW - timedelta(days=days), NOW, FADING) for days in (0, 30, 60, 300_000)]
    assert faded == pytest.approx([1.0, 0.95, 0.925, 0.9])


def test_what_does_not_fade_and_what_lies_ahead_keep_all() -> None:
    assert factors.recency("fact", NOW - timedelta(days=9_999), NOW, FADING) == 1.0
    assert factors.recency("event", NOW - timedelta(days=9_999), NOW, Fading()) == 1.0
    assert factors.recency("event", NOW + timedelta(days=9_999), NOW, FADING) == 1.0
    assert factors.recency("event", NOW - timedelta(days=9), NOW, Fading({"event": 30.0}, 0.0)) == 1.0


def test_importance_and_confidence_cost_at_most_their_weight() -> None:
    assert [factors.importance(value, 0.1) for value in (1.0, 0.7, 0.0)] == pytest.approx([1.0, 0.97, 0.9])
    assert [factors.confidence(value, 0.2) for value in (1.0, 0.5, 0.0)] == pytest.approx([1.0, 0.9, 0.8])


def test_what_is_unknown_or_does_not_count_changes_nothing() -> None:
    settings_of_recall = RecallSettings()
    assert factors.importance(1.0, settings_of_recall.importance_weight) == 1.0
    assert factors.confidence(1.0, settings_of_recall.confidence_weight) == 1.0
    assert factors.importance(0.0, 0.0) == factors.confidence(0.0, 0.0) == 1.0
    assert factors.trust(99) == factors.trust(-1) == 1.0
    assert factors.question(asks=False) == 1.0
    assert factors.role("user", 10_000, asked_of_assistant=False) == 1.0


def test_the_more_trusted_the_better() -> None:
    tiers = [factors.trust(tier) for tier in sorted(Trust)]
    assert tiers == sorted(tiers)
    assert factors.trust(Trust.STATED) == 1.0
    assert min(tiers) > 0.0


@every("role", [role for role in ROLES if role != "user"])
def test_what_an_assistant_said_comes_later_the_longer_it_is(role: MessageRole) -> None:
    short, middle, long = (factors.role(role, tokens, asked_of_assistant=False) for tokens in (1, _SHORT, _SHORT * 10))
    assert 1.0 > factors._SHORT_ANSWER >= short > middle > long >= factors._LONG_ANSWER
    assert middle == pytest.approx((factors._SHORT_ANSWER + factors._LONG_ANSWER) / 2)
    assert factors.role(role, 10_000, asked_of_assistant=True) == 1.0


def test_what_an_assistant_said_is_no_wish_of_the_user() -> None:
    for tokens in (1, 10_000):
        aside = factors.role("assistant", tokens, asked_of_assistant=False, personal=False)
        assert aside < factors.role("assistant", tokens, asked_of_assistant=False)
    assert factors.role("assistant", 1, asked_of_assistant=True, personal=False) == 1.0
    assert factors.role("user", 1, asked_of_assistant=False, personal=False) == 1.0


def test_summaries_are_as_good_as_what_they_tell() -> None:
    assert factors.role("summary", 10_000, asked_of_assistant=False) == 1.0


def test_what_was_told_soon_after_a_time_counts_for_it_and_less_what_was_told_before() -> None:
    since, until = NOW, NOW + timedelta(days=1)
    told = [factors.time(NOW + timedelta(days=days), since, until) for days in (0.5, 1.5, 3.0, 5.0, 60.0)]
    assert told == sorted(told, reverse=True)
    assert told[0] > told[1] > told[3] > told[4] == 1.0
    assert (
        1.0
        < factors.time(NOW - timedelta(days=2), since, until)
        < factors.time(until + timedelta(days=2), since, until)
    )


def test_the_shorter_the_time_that_is_named_the_more_it_counts() -> None:
    lengths = [factors.time(NOW, NOW, NOW + timedelta(days=days)) for days in (1, 7, 30, 365, 9_999)]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[-1] == pytest.approx(factors.TIME, abs=1e-3)


def test_a_month_of_an_earlier_year_counts_where_no_year_is_named() -> None:
    march, april = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)
    earlier = datetime(2023, 3, 9, tzinfo=UTC)
    assert factors.time(earlier, march, april) == 1.0
    assert 1.0 < factors.time(earlier, march, april, yearly=True) < factors.time(NOW, march, april)
    assert factors.time(datetime(2023, 9, 9, tzinfo=UTC), march, april, yearly=True) == 1.0


def test_what_speaks_for_a_row_lifts_and_a_question_lowers() -> None:
    lifting = (factors.SPEAKER, factors.SUBJECT, factors.PHRASE, factors.TIME, factors.PREFERRED)
    assert min(lifting) > 1.0
    assert 0.0 < factors.question(asks=True) < 1.0


def merit(importance: float, confidence: float, age: timedelta, fading: Fading) -> float:
    """Give all that is known besides relevance, as one factor."""
    weights = RecallSettings()
    return prod(
        (
            factors.importance(importance, weights.importance_weight),
            factors.confidence(confidence, weights.confidence_weight),
            factors.recency("event", NOW - age, NOW, fading),
        )
    )


@untimed
@given(shares, shares, ages, fadings, shares)
def test_more_importance_or_confidence_never_lowers(
    importance: float, confidence: float, age: timedelta, fading: Fading, more: float
) -> None:
    before = merit(importance, confidence, age, fading)
    assert merit(max(importance, more), confidence, age, fading) >= before
    assert merit(importance, max(confidence, more), age, fading) >= before
    assert 0.0 <= before <= 1.0


@untimed
@given(shares, shares, ages, ages, fadings)
def test_what_happened_later_is_never_worse(
    importance: float, confidence: float, one: timedelta, other: timedelta, fading: Fading
) -> None:
    younger, older = sorted((one, other))
    assert merit(importance, confidence, younger, fading) >= merit(importance, confidence, older, fading)


@untimed
@given(ages, fadings)
def test_no_more_than_the_most_fades(age: timedelta, fading: Fading) -> None:
    assert 1.0 - fading.most <= factors.recency("event", NOW - age, NOW, fading) <= 1.0
