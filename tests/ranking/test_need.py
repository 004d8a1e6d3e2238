"""Which requests get memories, from numbers alone."""

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.model.memories import MemoryRecord
from recollect.model.readings import NEED_NONE, NEED_UNKNOWN, Need
from recollect.model.search import ChannelPart, Hit, ScoreParts
from recollect.ranking.need import (
    WordEvidence,
    door_features,
    is_asked_for,
    is_idle,
    is_needed,
    is_related,
    is_worth_showing,
    match_features,
    may_need,
    means_known,
    request_features,
)

ASKS = Need(0.02, 0.02, 0.96)
DAY = datetime(2026, 3, 1, tzinfo=UTC)
RECORD = MemoryRecord(
    id="h", type="fact", content="text", subject="", key="", value="", context="", importance=0.5, confidence=0.9,
    source="", trust=3, session="", occurred_at=None, valid_from=DAY, valid_until=None, superseded_by=None,
    expires_at=None, lat=None, lng=None, address="", place_label="", metadata={}, created_at=DAY, updated_at=DAY,
)  # fmt: skip
shares = st.floats(0.0, 1.0)
needs = st.builds(lambda no, maybe: Need(no, (1 - no) * maybe, (1 - no) * (1 - maybe)), shares, shares)
NOTHING_HELD = WordEvidence(3, 0)
NAMED = WordEvidence(3, 0, is_named=True)


def request(
    need: Need,
    *,
    own: bool = False,
    for_me: bool = False,
    general: bool = False,
    asks: bool = True,
    command: bool = False,
) -> dict[str, float]:
    return request_features(need, own=own, for_me=for_me, general=general, asks=asks, command=command)


requests = st.builds(lambda need, own: request(need, own=own), needs, st.booleans())


def hit(score: float, cosine: float | None) -> Hit:
    channels = {"vector": ChannelPart(1, cosine, cosine, 1.0)} if cosine is not None else {}
    parts = ScoreParts(channels, score, {})
    return Hit("h", "memory", "fact", "text", score, cosine, parts, DAY, None, None, 3, {}, RECORD)


def test_the_best_of_several_hits_counts() -> None:
    found = match_features([hit(0.4, 0.6), hit(0.8, None)], WordEvidence(2, 2, is_named=True))
    assert found == {"match": (0.8 + 0.6) / 2, "named": 1.0, "held": 1.0}
    assert match_features([], NOTHING_HELD) == {"match": 0.0, "named": 0.0, "held": 0.0}


def test_a_question_about_oneself_needs_less_of_a_match_than_a_general_one() -> None:
    fair, good = (match_features([hit(match, match)], NOTHING_HELD) for match in (0.25, 0.45))
    assert is_needed(request(ASKS, own=True), fair)
    assert is_needed(request(ASKS, for_me=True), fair)
    assert not is_needed(request(ASKS), fair)
    assert is_needed(request(ASKS), match_features([hit(0.25, 0.25)], NAMED))
    assert is_needed(request(ASKS), match_features([hit(0.25, 0.25)], WordEvidence(3, 3)))
    assert is_needed(request(ASKS), good)
    assert not is_needed(request(ASKS, general=True), good)


def test_what_surely_needs_memory_needs_less_of_a_match() -> None:
    nearly = Need(0.03, 0.03, 0.94)
    fair = match_features([hit(0.35, 0.35)], NOTHING_HELD)
    assert is_needed(request(ASKS), fair)
    assert not is_needed(request(nearly), fair)
    assert is_needed(request(nearly, own=True), fair)


def test_what_needs_nothing_is_not_searched_for() -> None:
    assert not may_need(request(NEED_NONE, asks=False))
    assert may_need(request(ASKS))
    assert may_need(request(NEED_NONE, own=True))
    assert may_need(request(NEED_UNKNOWN, own=True))
    assert is_idle(request(NEED_NONE, own=True))
    assert not is_idle(request(ASKS))


def test_a_door_shows_what_is_likely_an_answer_and_a_prompt_what_is_needed_too() -> None:
    near, far = [hit(0.6, 0.6)], [hit(0.1, 0.1)]
    told, untold = WordEvidence(3, 2), WordEvidence(3, 0)
    assert is_asked_for(door_features(request(ASKS), told, near, 0.97))
    assert not is_asked_for(door_features(request(ASKS), untold, far, 0.1))
    assert not is_asked_for(door_features(request(NEED_NONE, asks=False), untold, far, 0.9))
    assert is_worth_showing(request(ASKS, own=True), told, near, 0.9)
    assert not is_worth_showing(request(NEED_NONE, asks=False), WordEvidence(3, 1), near, 0.97)


def test_terse_requests_get_what_surely_answers_them() -> None:
    found, keywords = [hit(0.6, 0.6)], WordEvidence(4, 2, is_keywords=True)
    assert is_worth_showing(request(NEED_NONE, asks=False), keywords, found, 0.9)
    assert not is_worth_showing(request(NEED_NONE, asks=False), keywords, [hit(0.3, 0.3)], 0.5)
    assert not is_worth_showing(request(NEED_NONE, asks=False, command=True), keywords, found, 0.9)
    assert is_worth_showing(request(NEED_NONE), WordEvidence(5, 3), found, 0.98)
    assert not is_worth_showing(request(NEED_NONE, general=True), WordEvidence(5, 3), found, 0.98)


def test_keywords_are_related_to_what_holds_one() -> None:
    assert is_related(WordEvidence(1, 1, is_keywords=True), 0.0)
    assert is_related(WordEvidence(2, 1, is_keywords=True), 0.45)
    assert not is_related(WordEvidence(2, 1, is_keywords=True), 0.3)
    assert not is_related(WordEvidence(2, 0, is_keywords=True), 0.9)
    assert is_related(WordEvidence(2, 0, is_keywords=True), 0.96)


def test_keywords_can_mean_what_is_known_in_other_words() -> None:
    keywords = WordEvidence(2, 0, is_keywords=True)
    assert means_known(request(NEED_NONE), keywords, [hit(0.1, 0.1), hit(0.2, 0.4)])
    assert not means_known(request(NEED_NONE), keywords, [hit(0.9, 0.3)])
    assert not means_known(request(NEED_NONE), keywords, [hit(0.9, None)])
    assert not means_known(request(NEED_NONE, command=True), keywords, [hit(0.2, 0.6)])
    assert not means_known(request(NEED_NONE), NOTHING_HELD, [hit(0.2, 0.6)])


@settings(deadline=None)
@given(requests, shares, shares, shares)
def test_a_better_match_never_silences(asked: dict[str, float], score: float, cosine: float, more: float) -> None:
    before = is_needed(asked, match_features([hit(score, cosine)], NOTHING_HELD))
    assert is_needed(asked, match_features([hit(score, cosine)], WordEvidence(3, 3))) >= before
    assert is_needed(asked, match_features([hit(score, cosine)], NAMED)) >= before
    for better in (hit(max(score, more), cosine), hit(score, max(cosine, more))):
        assert is_needed(asked, match_features([better], NOTHING_HELD)) >= before
