"""One summary after the other: what was decided long ago is still known, and the summary does not grow."""

from recollect.model.messages import SummaryPoints, SummaryTask
from recollect.text.summary.extractive import SMALL_TALK, ExtractiveSummarizer
from recollect.text.summary.format import parse, render, tokens_of
from tests.rows import every
from tests.sizes import sized
from tests.text.summary.talks import START, conversation, count, talk

MAX_TOKENS = 700
MANY = sized(25, 50)
summarizer = ExtractiveSummarizer(count)


def fold(previous: SummaryPoints, *lines: str, max_tokens: int = MAX_TOKENS) -> SummaryPoints:
    return summarizer.summarize(SummaryTask(talk(*lines), previous, max_tokens)).points


def a_week(number: int) -> tuple[str, ...]:
    return (
        f"user: hi, is the report for week {number} ready?",
        f"assistant: The report for week {number} has {number * 7 + 3} pages and was finished on Monday.",
        "user: thanks",
        "assistant: You're welcome!",
        f"user: Let's use template number {number} for customer Nr{number}x.",
        "assistant: Good.",
        f"user: please send it to group {number}",
        f"assistant: I've sent the report to group {number}.",
        f"user: I need to check the invoice {number * 13} later",
        "assistant: ok",
    )


def test_after_many_summaries_the_first_decisions_names_and_preferences_are_still_there() -> None:
    points = summarizer.summarize(SummaryTask(conversation("home_en"), SummaryPoints(), MAX_TOKENS)).points
    for number in range(MANY):
        points = parse(render(fold(points, *a_week(number)), START, START))
        assert tokens_of(points, count) <= MAX_TOKENS
    text = render(points, START, START)
    for phrase in (
        "Hue bulbs",
        "guest room at 14 degrees",
        "Emma is allergic",
        "Tom Bradley",
        "2700 K",
        "Alder Street",
    ):
        assert phrase in text
    assert f"customer Nr{MANY - 1}x" in text
    assert f"group {MANY - 1}" in text


@every("name", ["home_en", "work_ru", "trip_cs", "project_de"])
def test_folding_nothing_in_changes_nothing(name: str) -> None:
    points = summarizer.summarize(SummaryTask(conversation(name), SummaryPoints(), 600)).points
    again = fold(points, "user: thanks!", "assistant: You're welcome!", max_tokens=900)
    assert again == points


def test_a_repeated_point_is_not_listed_twice() -> None:
    points = fold(SummaryPoints(), "user: I prefer oat milk in my coffee.", "assistant: ok")
    assert fold(points, "user: as I said, I prefer oat milk in my coffee", "assistant: ok").key_points.__len__() == 1


def test_an_open_item_that_got_done_is_dropped() -> None:
    points = fold(SummaryPoints(), "user: I need to renew my passport before June.", "assistant: ok")
    assert points.open_items == ("User: I need to renew my passport before June.",)
    points = fold(points, "user: I renewed my passport yesterday.", "assistant: great!")
    assert points.open_items == ()
    assert points.key_points == ("User: I renewed my passport yesterday.",)


def test_an_open_item_that_has_nothing_to_do_with_it_stays() -> None:
    points = fold(SummaryPoints(), "user: I need to renew my passport before June.", "assistant: ok")
    points = fold(points, "user: I paid the gas bill yesterday.", "assistant: great!")
    assert points.open_items == ("User: I need to renew my passport before June.",)


def test_an_open_question_that_was_answered_later_is_dropped() -> None:
    points = fold(SummaryPoints(), "user: When is the electrician coming to the house?")
    assert len(points.open_items) == 1
    points = fold(points, "user: So when is the electrician coming?", "assistant: The electrician is coming on 4 May.")
    assert points.open_items == ()


def test_when_room_is_short_old_points_go_by_their_worth() -> None:
    old = SummaryPoints(
        key_points=(
            "Decision: We decided to rent the flat in Brno.",
            *(f"Assistant: Fact number {n} is a long story about topic {n * 31}." for n in range(30)),
        )
    )
    points = fold(old, "user: We decided to buy a red sofa.", "assistant: ok", max_tokens=150)
    assert "Decision: We decided to rent the flat in Brno." in points.key_points
    assert "Decision: We decided to buy a red sofa." in points.key_points
    assert tokens_of(points, count) <= 150


def test_points_written_by_a_model_are_kept_too() -> None:
    old = SummaryPoints(
        ("Anna prefers tea to coffee", "The API runs on port 8080"), ("Restarted the server",), ("Logs",)
    )
    points = fold(old, "user: hello", "assistant: hi")
    assert points == old


def test_small_talk_is_forgotten_when_there_is_something_to_say() -> None:
    points = fold(SummaryPoints(key_points=(SMALL_TALK,)), "user: We decided on 12 plums.", "assistant: ok")
    assert points.key_points == ("Decision: We decided on 12 plums.",)
