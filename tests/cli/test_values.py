# letters of other alphabets are the point here
"""What may stand behind an option."""

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from recollect import InvalidInput, Trust
from recollect.api.verbs import MemoryVerbs
from recollect.cli.values import coordinates, json_object, moment, past_moment, trust_tier
from recollect.cli.verb_options import arguments
from recollect.settings.kinds import zone_named
from recollect.text.moments import period
from tests.rows import every

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def remembered(**typed: str) -> dict[str, object]:
    """Give what was typed as `remember` takes it."""
    return arguments(MemoryVerbs.remember, typed, (), lambda: NOW)


@pytest.fixture
def in_prague(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Move the machine to a time zone with summer time."""
    monkeypatch.setenv("TZ", "Europe/Prague")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@every(
    ("text", "expected"),
    [
        ("2026-12-03T12:00:00Z", datetime(2026, 12, 3, 12, tzinfo=UTC)),
        ("2026-12-03T12:00+01:00", datetime(2026, 12, 3, 11, tzinfo=UTC)),
        ("2026-12-03 12:00", datetime(2026, 12, 3, 11, tzinfo=UTC)),
        ("2026-12-03", datetime(2026, 12, 2, 23, tzinfo=UTC)),
        ("2026-07-03", datetime(2026, 7, 2, 22, tzinfo=UTC)),
        (" 2026-12-03T12:00:00.25Z ", datetime(2026, 12, 3, 12, 0, 0, 250_000, tzinfo=UTC)),
    ],
)
@pytest.mark.usefixtures("in_prague")
def test_a_time_without_an_offset_is_local(text: str, expected: datetime) -> None:
    assert moment(text, "since", NOW.astimezone(zone_named(""))) == expected
    assert moment(text, "since", NOW.astimezone(zone_named("Europe/Vienna"))) == expected


@every("text", ["", "soon", "2026-13-01", "2026-12-03T25:00", "03.12.2026", "0001-01-01T00:00+14:00"])
def test_what_is_no_time_is_refused_by_the_name_of_its_option(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^--as-of is .*; expected a date or time such as 2026-12-03"):
        moment(text, "as_of", NOW)


@every(
    ("text", "span"),
    [
        ("90m", timedelta(minutes=90)),
        ("12h", timedelta(hours=12)),
        ("30d", timedelta(days=30)),
        ("2 W", timedelta(weeks=2)),
    ],
)
def test_a_span_reaches_ahead_for_expiry_and_back_for_searches(text: str, span: timedelta) -> None:
    assert remembered(expires_at=text) == {"expires_at": NOW + span}
    assert past_moment(text, "since", NOW) == NOW - span


@every(
    ("text", "start", "end"),
    [
        ("today", datetime(2026, 11, 14, 23, tzinfo=UTC), datetime(2026, 11, 15, 23, tzinfo=UTC)),
        ("Yesterday", datetime(2026, 11, 13, 23, tzinfo=UTC), datetime(2026, 11, 14, 23, tzinfo=UTC)),
        ("last night", datetime(2026, 11, 14, 17, tzinfo=UTC), datetime(2026, 11, 15, 5, tzinfo=UTC)),
        (" last-night ", datetime(2026, 11, 14, 17, tzinfo=UTC), datetime(2026, 11, 15, 5, tzinfo=UTC)),
        ("2026-10-25", datetime(2026, 10, 24, 22, tzinfo=UTC), datetime(2026, 10, 25, 23, tzinfo=UTC)),
        ("v noci", datetime(2026, 11, 14, 17, tzinfo=UTC), datetime(2026, 11, 15, 5, tzinfo=UTC)),
        ("gestern Abend", datetime(2026, 11, 14, 17, tzinfo=UTC), datetime(2026, 11, 14, 23, tzinfo=UTC)),
        ("вчера вечером", datetime(2026, 11, 14, 17, tzinfo=UTC), datetime(2026, 11, 14, 23, tzinfo=UTC)),
        ("last week", datetime(2026, 11, 1, 23, tzinfo=UTC), datetime(2026, 11, 8, 23, tzinfo=UTC)),
    ],
)
@pytest.mark.usefixtures("in_prague")
def test_words_for_times_are_read_on_the_local_clock(text: str, start: datetime, end: datetime) -> None:
    for zone in ("", "Europe/Vienna"):
        now = NOW.astimezone(zone_named(zone))
        assert period(text, "when", now) == (start, end)
        assert past_moment(text, "since", now) == start


@every("text", ["", "7d", "soon", "yesterday or so", "2026-12-03T12:00", "9999-12-31"])
def test_what_is_no_period_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^when is .*; expected today, yesterday, last night, last week"):
        period(text, "when", NOW)


@every("text", ["9999999d", "99999999999999999999d", "9" * 5000 + "m"])
def test_a_span_beyond_the_calendar_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="expected a shorter span"):
        remembered(expires_at=text)
    with pytest.raises(InvalidInput, match="expected a shorter span"):
        past_moment(text, "since", NOW)


def test_only_expiry_takes_a_span() -> None:
    with pytest.raises(InvalidInput, match="--occurred is '30d'"):
        remembered(occurred_at="30d")


def test_none_clears_a_time() -> None:
    assert remembered(expires_at="none", occurred_at="None") == {
        "expires_at": None,
        "occurred_at": None,
    }


@every(("text", "tier"), [("stated", Trust.STATED), ("External", Trust.EXTERNAL), ("2", Trust.INFERRED)])
def test_trust_has_names_and_numbers(text: str, tier: Trust) -> None:
    assert trust_tier(text) is tier


@every("text", ["", "4", "-1", "complete"])
def test_other_tiers_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"--trust is .*external \(0\) or file \(1\)"):
        trust_tier(text)


@every("text", ["", "{", "[]", "null", "1", "'a': 1", "[" * 100_000])
def test_metadata_is_a_json_object(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"--metadata is .* a JSON object"):
        json_object(text)


@every(
    ("text", "expected"),
    [
        ("49.1951,16.6068", (49.1951, 16.6068)),
        (" -33.86 , 151.2 ", (-33.86, 151.2)),
        ("-90,180", (-90.0, 180.0)),
        ("1e1,0", (10.0, 0.0)),
        ("Brno", None),
        ("Paris, Texas", None),
        ("Nan", None),
        ("Montréal", None),
        ("1020 Wien", None),
        ("東京", None),
    ],
)
def test_coordinates_are_told_from_names(text: str, expected: tuple[float, float] | None) -> None:
    assert coordinates(text, "near") == expected


@every(
    ("text", "said"),
    [
        ("nan,5", "lat is nan; it must be a number from -90 to 90"),
        ("inf,5", "lat is inf"),
        ("0,-inf", "lng is -inf"),
        ("91,0", "lat is 91.0"),
        ("0,181", "lng is 181.0; it must be a number from -180 to 180"),
        ("49.2", "expected LAT,LNG such as 49.1951,16.6068, or the name of a place."),
        ("49.2,", "lng is missing"),
        (",16.6", "lat is missing"),
        ("1,2,3", "expected LAT,LNG"),
        ("49,2 16,6", "expected LAT,LNG"),
        ("", "expected LAT,LNG"),
        (",", "expected LAT,LNG"),
    ],
)
def test_figures_that_are_no_coordinates_are_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(said)) as caught:
        coordinates(text, "near")
    assert str(caught.value).startswith(f"--near is {text!r}; expected LAT,LNG")
    with pytest.raises(InvalidInput, match=r"^The place is "):
        coordinates(text)
