# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""What holds in every language: places, order, clocks that change, and that no text is too strange."""

import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import InvalidInput
from recollect.text import time_expressions
from recollect.text.tables import LANGUAGES, load_sections
from recollect.text.time_expressions import TimeSpan, find_time_spans
from tests.rows import every
from tests.text.time_expressions.reading import PRAGUE, WEDNESDAY, found

ZONES = ["UTC", "Europe/Prague", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "America/Sao_Paulo"]
WORDS = sorted(
    {
        word.strip("{}?")
        for language in LANGUAGES
        for table in ("time_words", "time_phrases", "time_points")
        for section in load_sections(language, table)
        for text in (section.heading, *(line.text for line in section.lines))
        for word in text.replace("|", " ").replace("=", " ").replace(":", " ").split()
    }
    | {"7", "31", "2022", "7.5.2023", "31.2.2023", "2023-05-07", "7th", "2019-2021", "999", ".", ",", "-", "'s", '"'}
)
nows = st.builds(
    lambda moment, zone: moment.astimezone(ZoneInfo(zone)),
    st.datetimes(datetime(1950, 1, 1), datetime(2080, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    st.sampled_from(ZONES),
)
queries = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)


def utc(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


def only(query: str, now: datetime) -> tuple[datetime, datetime]:
    (span,) = find_time_spans(query, now)
    return span.since, span.until


def check_sound(query: str, result: tuple[TimeSpan, ...]) -> None:
    for span in result:
        assert span.since < span.until
        assert span.since.utcoffset() == span.until.utcoffset() == timedelta()
        assert 0 <= span.start < span.end <= len(query)
        assert query[span.start : span.end].strip() == query[span.start : span.end]
    for one, other in pairwise(result):
        assert one.end <= other.start


@given(st.text(max_size=2_000), nows)
def test_no_text_is_too_strange(query: str, now: datetime) -> None:
    check_sound(query, find_time_spans(query, now))


@given(queries, nows)
def test_no_heap_of_time_words_is_too_strange(query: str, now: datetime) -> None:
    check_sound(query, find_time_spans(query, now))


@given(queries)
def test_the_same_query_means_the_same_however_its_letters_are_composed(query: str) -> None:
    composed = unicodedata.normalize("NFC", query)
    apart = unicodedata.normalize("NFD", query)
    assert [times[1:] for times in found(composed)] == [times[1:] for times in found(apart)]


@given(queries, st.sampled_from([datetime.min, datetime.max, datetime(1, 1, 2), datetime(9999, 12, 30)]))  # noqa: DTZ001, DTZ901
def test_the_ends_of_the_calendar_are_no_trouble(query: str, moment: datetime) -> None:
    check_sound(query, find_time_spans(query, moment.replace(tzinfo=UTC)))


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(InvalidInput, match="without a zone"):
        find_time_spans("yesterday", datetime(2024, 5, 15))  # noqa: DTZ001


@every("query", ["", " ", "\0", "🎂🎉", "أمس ذهبت", "אתמול", "昨日", "\ud800", "'s", "'s yesterda", "²³ ½ ⅷ", "٧ مايو"])
def test_what_we_do_not_read_is_no_time(query: str) -> None:
    assert find_time_spans(query, WEDNESDAY) == ()


def test_several_times_come_in_the_order_of_the_text() -> None:
    query = "compare what I ate yesterday, on Monday and in March 2022 🎂 with today"
    assert [words for words, _, _ in found(query)] == ["yesterday", "on Monday", "in March 2022", "today"]


def test_of_times_that_overlap_the_longest_counts() -> None:
    assert [words for words, _, _ in found("the day before yesterday evening")] == ["the day before yesterday evening"]
    assert [words for words, _, _ in found("between last March and yesterday")] == ["between last March and yesterday"]


def test_languages_may_be_mixed() -> None:
    words = [words for words, _, _ in found("meeting вчера, schůzka minulý týden und im März, since Monday")]
    assert words == ["вчера", "minulý týden", "im März", "since Monday"]


def test_places_hold_behind_letters_of_any_width() -> None:
    query = "ﬁle ß İstanbul 🎂 e\u0301 yesterday"
    assert [words for words, _, _ in found(query)] == ["yesterday"]


# The clocks of Prague went forward on 31 March 2024 and back on 27 October 2024, both on a Sunday.


def test_a_day_is_shorter_when_the_clocks_go_forward() -> None:
    now = datetime(2024, 4, 1, 9, tzinfo=PRAGUE)
    assert only("yesterday", now) == (utc(2024, 3, 30, 23), utc(2024, 3, 31, 22))


def test_a_day_is_longer_when_the_clocks_go_back() -> None:
    now = datetime(2024, 10, 28, 9, tzinfo=PRAGUE)
    assert only("on Sunday", now) == (utc(2024, 10, 26, 22), utc(2024, 10, 27, 23))


@every(
    ("now", "since", "until"),
    [
        (datetime(2024, 3, 31, 9, tzinfo=PRAGUE), utc(2024, 3, 30, 17), utc(2024, 3, 31, 4)),
        (datetime(2024, 10, 27, 9, tzinfo=PRAGUE), utc(2024, 10, 26, 16), utc(2024, 10, 27, 5)),
    ],
)
def test_the_night_in_which_the_clocks_change(now: datetime, since: datetime, until: datetime) -> None:
    assert only("last night", now) == (since, until)


def test_hours_are_hours_when_the_clocks_change() -> None:
    now = datetime(2024, 3, 31, 4, tzinfo=PRAGUE)  # 02:00 UTC, three hours of wall clock after 00:59
    assert only("in the last 3 hours", now) == (utc(2024, 3, 30, 23), utc(2024, 3, 31, 2))
    assert only("2 hours ago", now) == (utc(2024, 3, 30, 23, 30), utc(2024, 3, 31, 0, 30))


def test_weeks_and_months_begin_at_the_offset_of_their_own_day() -> None:
    now = datetime(2024, 4, 3, 9, tzinfo=PRAGUE)
    assert only("last week", now) == (utc(2024, 3, 24, 23), utc(2024, 3, 31, 22))
    assert only("in March", now) == (utc(2024, 2, 29, 23), utc(2024, 3, 31, 22))
    assert only("in the last 5 days", now) == (utc(2024, 3, 28, 23), utc(2024, 4, 3, 7))


def test_now_may_stand_on_either_side_of_the_hour_that_comes_twice() -> None:
    first = datetime(2024, 10, 27, 2, 30, tzinfo=PRAGUE, fold=0)
    second = first.replace(fold=1)
    assert only("since yesterday", first)[1] == utc(2024, 10, 27, 0, 30)
    assert only("since yesterday", second)[1] == utc(2024, 10, 27, 1, 30)


def test_a_day_may_begin_after_midnight() -> None:
    sao_paulo = ZoneInfo("America/Sao_Paulo")  # on 4 November 2018 midnight was skipped
    now = datetime(2018, 11, 5, 9, tzinfo=sao_paulo)
    assert only("yesterday", now) == (utc(2018, 11, 4, 3), utc(2018, 11, 5, 2))


def test_the_day_is_the_users_own() -> None:
    moment = utc(2024, 5, 15, 23, 30)
    assert only("today", moment.astimezone(PRAGUE))[0] == utc(2024, 5, 15, 22)
    assert only("today", moment)[0] == utc(2024, 5, 15)
    assert only("today", moment.astimezone(timezone(timedelta(hours=-8))))[0] == utc(2024, 5, 15, 8)


def prague(day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(2024, 5, day, hour, minute, tzinfo=PRAGUE)


@every(
    ("query", "now", "since", "until"),
    [
        # at two in the night, last night is the one that goes on
        ("last night", prague(15, 2), prague(14, 18), prague(15, 6)),
        ("last night", prague(15, 5, 59), prague(14, 18), prague(15, 6)),
        ("last night", prague(15, 6), prague(14, 18), prague(15, 6)),
        ("last night", prague(15, 23), prague(14, 18), prague(15, 6)),
        ("tonight", prague(15, 2), prague(14, 18), prague(15, 6)),
        ("tonight", prague(15, 6), prague(15, 18), prague(16, 6)),
        ("tonight", prague(15, 23), prague(15, 18), prague(16, 6)),
        # in these languages one word is for the night behind us and the one before us
        ("heute Nacht", prague(15, 10), prague(14, 18), prague(15, 6)),
        ("heute Nacht", prague(15, 18), prague(15, 18), prague(16, 6)),
        ("сегодня ночью", prague(15, 17, 59), prague(14, 18), prague(15, 6)),
        ("dnes v noci", prague(15, 22), prague(15, 18), prague(16, 6)),
        ("today", prague(15), prague(15), prague(16)),
        ("yesterday", prague(15), prague(14), prague(15)),
        ("on Wednesday", prague(15), prague(15), prague(16)),
        ("last week", prague(12, 23, 59), datetime(2024, 4, 29, tzinfo=PRAGUE), prague(6)),
        ("last week", prague(13), prague(6), prague(13)),
        ("in May", prague(1), prague(1), datetime(2024, 6, 1, tzinfo=PRAGUE)),
        ("5 minutes ago", prague(15, 0, 2), prague(14, 23, 27), prague(15, 0, 2)),
    ],
)
def test_the_edges_of_a_day(query: str, now: datetime, since: datetime, until: datetime) -> None:
    assert only(query, now) == (since, until)


def test_since_the_moment_it_begins_is_no_time() -> None:
    assert find_time_spans("since Wednesday", prague(15)) == ()


HOSTILE = {
    "words of time": "in the last week of March ",
    "since": "since ",
    "between": "between March and ",
    "early": "early ",
    "from": "from 5 to 10 ",
    "numerals": "1.",
    "numerals and letters": "1,2,3,a",
    "years": "in 2022 ",
    "dates": "7.5.2023 ",
    "Russian": "с марта по ",
    "Czech": "od 5. do ",
    "German": "in der letzten ",
    "apostrophes": "a'",
    "marks": "e\u0301\u0302",
    "one letter": "v",
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_twice_the_text_is_at_most_about_twice_the_work(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = 0
    step = time_expressions._PhraseSearch._steps

    def counted(*arguments: object) -> object:
        nonlocal steps
        steps += 1
        return step(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(time_expressions._PhraseSearch, "_steps", counted)
    work = []
    for length in (2_000, 4_000, 8_000):
        steps = 0
        find_time_spans((piece * length)[:length], WEDNESDAY)
        work.append(steps)
    assert all(twice <= 2.2 * once + 200 for once, twice in pairwise(work)), work


def test_a_time_of_which_nothing_says_the_year_comes_every_year() -> None:
    now = datetime(2026, 6, 10, 12, tzinfo=UTC)
    yearly = ("in March", "im März", "в марте", "v březnu", "in the summer", "on 7 May", "at Christmas")
    of_one_year = (
        "in March 2022",
        "last March",
        "in March last year",
        "the winter of 2022/23",
        "on 7.5.2023",
        "yesterday",
    )
    for words, expected in ((yearly, True), (of_one_year, False)):
        for typed in words:
            (span,) = find_time_spans(f"what happened {typed}?", now)
            assert span.yearly is expected, typed
