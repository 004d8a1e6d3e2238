"""Which requests get memories, from numbers alone."""

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.model.memories import MemoryRecord
from recollect.model.readings import NEED_NONE, NEED_UNKNOWN, Need
from recollect.model.search import ChannelPart, Hit, ScoreParts
from recollect.ranking.need import is_needed, match_features, may_need, request_features

ASKS = Need(0.02, 0.02, 0.96)
DAY = datetime(2026, 3, 1, tzinfo=UTC)
RECORD = MemoryRecord(
    id="h", type="fact", content="text", subject="", key="", value="", context="", importance=0.5, confidence=0.9,
    source="", trust=3, session="", occurred_at=None, valid_from=DAY, valid_until=None, superseded_by=None,
    expires_at=None, lat=None, lng=None, address="", place_label="", metadata={}, created_at=DAY, updated_at=DAY,
)  # fmt: skip
shares = st.floats(0.0, 1.0)
needs = st.builds(lambda no, maybe: Need(no, (1 - no) * maybe, (1 - no) * (1 - maybe)), shares, shares)
requests = st.builds(lambda need, personal: request_features(need, personal=personal), needs, st.booleans())


def hit(score: float, cosine: float | None, *, named: bool = False) -> Hit:
    channels = {"vector": ChannelPart(1, cosine, cosine, 1.0)} if cosine is not None else {}
    parts = ScoreParts(channels, score, {"subject": 1.2} if named else {})
    return Hit("h", "memory", "fact", "text", score, cosine, parts, DAY, None, None, 3, {}, RECORD)


def test_the_best_of_several_hits_counts() -> None:
    found = match_features([hit(0.4, 0.6), hit(0.8, None, named=True)])
    assert found == {"match": (0.8 + 0.6) / 2, "named": 1.0}
    assert match_features([]) == {"match": 0.0, "named": 0.0}


def test_a_question_about_oneself_needs_less_of_a_match_than_a_general_one() -> None:
    fair = match_features([hit(0.3, 0.3)])
    assert is_needed(request_features(ASKS, personal=True), fair)
    assert not is_needed(request_features(ASKS, personal=False), fair)
    assert is_needed(request_features(ASKS, personal=False), match_features([hit(0.3, 0.3, named=True)]))


def test_what_needs_nothing_is_not_searched_for() -> None:
    assert not may_need(request_features(NEED_NONE, personal=False))
    assert may_need(request_features(ASKS, personal=False))
    assert may_need(request_features(NEED_UNKNOWN, personal=True))


@settings(deadline=None)
@given(requests, shares, shares, shares)
def test_a_better_match_never_silences(request: dict[str, float], score: float, cosine: float, more: float) -> None:
    before = is_needed(request, match_features([hit(score, cosine)]))
    for better in (hit(max(score, more), cosine), hit(score, max(cosine, more)), hit(score, cosine, named=True)):
        assert is_needed(request, match_features([better])) >= before
