# ruff: noqa: RUF001  # letters of other alphabets are the point here
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.errors import SummaryError
from recollect.model.messages import SummaryPoints
from recollect.text.summary.format import LONGEST_POINT, as_memory, fit, parse, render, shorten, tidy, tokens_of
from tests.rows import every
from tests.sizes import sized
from tests.text.summary.talks import count

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
END = datetime(2026, 3, 2, 17, 5, 59, tzinfo=UTC)

POINTS = SummaryPoints(
    ("User prefers metric units", "Decision: SQLite"), ("Called light.turn_on (light.office)",), ("Who pays?",)
)
RENDERED = """\
[Conversation Summary - 2026-03-01 09:00 to 2026-03-02 17:05]

Key points discussed:
- User prefers metric units
- Decision: SQLite
Actions taken:
- Called light.turn_on (light.office)
Open items:
- Who pays?"""

any_line = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
tricky_line = st.sampled_from(
    [
        "Open items:",
        "**Actions taken**",
        "- dash",
        "1. one",
        "* star",
        "None",
        "n/a",
        "[ ] box",
        "[x] [ ] y",
        "#",
        "a:b",
    ]
)
lists = st.lists(any_line | tricky_line, max_size=6).map(tuple)
any_points = st.builds(SummaryPoints, lists, lists, lists)


def test_the_form_is_the_documented_one() -> None:
    assert render(POINTS, START, END) == RENDERED


def test_empty_sections_are_left_out() -> None:
    text = render(SummaryPoints(actions=("Sent the report",)), START, END)
    assert text.splitlines()[2:] == ["Actions taken:", "- Sent the report"]


def test_times_are_written_in_utc() -> None:
    prague = timezone(timedelta(hours=2))
    text = render(POINTS, datetime(2026, 6, 1, 1, 30, tzinfo=prague), END)
    assert text.startswith("[Conversation Summary - 2026-05-31 23:30 to ")


@given(any_points)
def test_what_is_written_can_be_read_back(points: SummaryPoints) -> None:
    tidied = tidy(points)
    assert tidy(tidied) == tidied
    if tidied:
        assert parse(render(points, START, END)) == tidied


KEY, DONE, OPEN = "- likes tea\n- 21 °C", "- sent mail", "- call Bob"
AS_MODELS_WRITE = [
    "Key points:\n* likes tea\n* 21 °C\nActions:\n1. sent mail\nOpen items:\n• call Bob",
    f"**Key points discussed:**\n{KEY}\n\n**Actions taken:**\n{DONE}\n\n**Open items**\n{OPEN}",
    "## Key Points Discussed\n1) likes tea\n2) 21 °C\n### ACTIONS TAKEN\n– sent mail\n### Open Items:\n- [ ] call Bob",
    f"Here it is.\n\nKey points discussed:\n{KEY}\nActions taken:\n{DONE}\nOpen items:\n{OPEN}\n\nI hope this helps!",
    f"1. Key points discussed\n{KEY}\n2. Actions taken:\n{DONE}\n3. Open items:\n{OPEN}",
    f"Ключевые моменты:\n{KEY}\nВыполненные действия:\n{DONE}\nОткрытые вопросы:\n{OPEN}",
    f"Klíčové body:\n{KEY}\nProvedené kroky:\n{DONE}\nOtevřené body:\n{OPEN}",
    f"Wichtige Punkte:\n- likes\n  tea\n- 21 °C\nDurchgeführte Maßnahmen:\n{DONE}\nOffene Punkte:\n{OPEN}",
    "[Summary]\r\n\r\nKey points:\r\nlikes tea\r\n21 °C\r\nActions taken: sent mail\r\nOpen items: call Bob\r\n",
]


@every("text", AS_MODELS_WRITE)
def test_what_models_write_can_be_read(text: str) -> None:
    assert parse(text) == SummaryPoints(("likes tea", "21 °C"), ("sent mail",), ("call Bob",))


def test_a_section_that_says_none_is_empty() -> None:
    assert parse("Key points:\n- likes tea\nActions taken: None.\nOpen items:\n- (none)") == SummaryPoints(
        ("likes tea",)
    )


@every("text", ["", "I'm sorry, I can't help with that.", "<html><body>Bad gateway</body></html>", "{}"])
def test_what_has_no_headings_is_no_summary(text: str) -> None:
    with pytest.raises(SummaryError, match="No heading"):
        parse(text)


@given(any_points, st.integers(min_value=40, max_value=300))
def test_a_fitted_summary_fits_and_says_something(points: SummaryPoints, max_tokens: int) -> None:
    fitted = fit(points, max_tokens, count)
    assert tokens_of(fitted, count) <= max_tokens or len(render(fitted, START, END)) < 250
    assert bool(fitted) == bool(tidy(points))


def test_the_last_points_go_first_and_actions_before_what_is_open() -> None:
    many = SummaryPoints(
        *(tuple(f"{name} number {n} is a point" for n in range(20)) for name in ("key", "did", "open"))
    )
    fitted = fit(many, 200, count)
    assert tokens_of(fitted, count) <= 200
    assert fitted.key_points == many.key_points[: len(fitted.key_points)]
    assert len(fitted.actions) < len(fitted.key_points) < len(fitted.open_items)


def test_long_points_are_shortened_before_points_are_dropped() -> None:
    points = SummaryPoints(("word " * 500, "short one"))
    fitted = fit(points, 150, count)
    assert len(fitted.key_points) == 2
    assert len(fitted.key_points[0]) <= LONGEST_POINT


def test_without_any_room_one_short_point_is_left() -> None:
    fitted = fit(POINTS, 1, count)
    assert sum(map(len, (fitted.key_points, fitted.actions, fitted.open_items))) == 1


def test_fitting_thousands_of_points_counts_the_tokens_of_each_about_once() -> None:
    points = SummaryPoints(tuple(f"point {n}" for n in range(sized(2_000, 10_000))))
    counted_characters = 0

    def counted(text: str) -> int:
        nonlocal counted_characters
        counted_characters += len(text)
        return count(text)

    assert tokens_of(fit(points, 500, counted), count) <= 500
    assert counted_characters < 2 * sum(map(len, points.key_points))


@given(any_line, st.integers(min_value=1, max_value=60))
def test_a_shortened_text_is_short(text: str, longest: int) -> None:
    assert len(shorten(text, longest)) <= max(longest, 2)


def test_a_memory_of_a_session_is_one_paragraph() -> None:
    text = as_memory(POINTS)
    assert text == (
        "User prefers metric units. Decision: SQLite. Done: Called light.turn_on (light.office). Open: Who pays?"
    )


@given(any_points, st.integers(min_value=30, max_value=600))
def test_a_memory_of_a_session_is_never_too_long(points: SummaryPoints, longest: int) -> None:
    text = as_memory(points, longest)
    assert len(text) <= longest
    assert "\n" not in text
    assert bool(text) == bool(tidy(points))
