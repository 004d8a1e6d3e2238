# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""What a colleague would want to find in a summary is in it, and what nobody wants to read again is not."""

import json
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.model.literals import MessageRole
from recollect.model.messages import Message, SummaryPoints, SummaryTask, ToolCall
from recollect.ports import Summarizer
from recollect.text.summary.extractive import SMALL_TALK, ExtractiveSummarizer
from recollect.text.summary.format import LONGEST_POINT, tokens_of
from tests.growth import assert_linear
from tests.rows import every
from tests.sizes import sized
from tests.text.summary.talks import FOLDER, conversation, count, message, talk

NOTHING = SummaryPoints()
summarizer: Summarizer = ExtractiveSummarizer(count)


def summarize(turns: list[Message], max_tokens: int = 800, previous: SummaryPoints = NOTHING) -> SummaryPoints:
    return summarizer.summarize(SummaryTask(turns, previous, max_tokens)).points


def everything(points: SummaryPoints) -> str:
    return "\n".join((*points.key_points, *points.actions, *points.open_items))


EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))  # for each conversation
SECTIONS = ("key_points", "actions", "open_items")


@every("name", EXPECTED)
def test_what_matters_is_in_its_section(name: str) -> None:
    points = summarize(conversation(name))
    for section in SECTIONS:
        wanted = EXPECTED[name][section]
        text = "\n".join(getattr(points, section))
        assert [phrase for phrase in wanted if phrase not in text] == [], text


@every("name", EXPECTED)
def test_small_talk_and_code_are_not(name: str) -> None:
    text = everything(summarize(conversation(name)))
    assert [phrase for phrase in EXPECTED[name]["chatter"] if phrase in text] == []


@every("name", [name for name, found in EXPECTED.items() if "settled" in found])
def test_what_was_settled_later_is_no_longer_open(name: str) -> None:
    assert EXPECTED[name]["settled"] not in everything(summarize(conversation(name)))


@every("name", EXPECTED)
@every("max_tokens", [120, 200, 400])
def test_it_fits_and_its_points_are_short(name: str, max_tokens: int) -> None:
    points = summarize(conversation(name), max_tokens)
    assert tokens_of(points, count) <= max_tokens
    assert points
    assert max(map(len, everything(points).splitlines())) <= LONGEST_POINT


def test_with_little_room_decisions_and_people_stay() -> None:
    text = everything(summarize(conversation("home_en"), 250))
    assert "guest room at 14 degrees" in text
    assert "Emma is allergic" in text
    assert "batteries" not in text


@every("said", ["I'm vegan", "Call me Al", "I hate mushrooms", "Ich mag Tee", "Не люблю лук", "Mám rád čaj"])
def test_a_few_words_about_oneself_are_enough(said: str) -> None:
    assert summarize(talk(f"user: {said}", "assistant: Noted!")).key_points == (f"User preference: {said}",)


@every("said", ["Never!", "Agreed.", "I like it!", "Sounds like a plan", "ok do it", "Wow!!!", "👍👍"])
def test_a_few_words_about_nothing_are_not(said: str) -> None:
    assert summarize(talk(f"user: {said}", "assistant: Great!")) == SummaryPoints(key_points=(SMALL_TALK,))


def test_a_yes_to_what_was_proposed_is_a_decision() -> None:
    turns = talk("user: Which foam?", "assistant: PIR with 8 cm would be a solution.", "user: Good, PIR with 8 cm.")
    assert "Decision: PIR with 8 cm." in summarize(turns).key_points


def test_a_hedge_is_not_the_answer() -> None:
    turns = talk("user: Is that legal?", "assistant: That depends on many things. Raises of up to 20 % are fine.")
    assert summarize(turns).key_points == ("User asked: Is that legal? — Raises of up to 20 % are fine.",)


def test_a_draft_is_a_deed() -> None:
    points = summarize(
        talk("user: Draft a friendly message to Mr. Novak", "assistant: Here you are:\n\n> Dear Mr. Novak")
    )
    assert points == SummaryPoints(actions=("Done as asked: Draft a friendly message to Mr. Novak",))


def test_what_is_not_to_be_done_is_not_asked_for() -> None:
    turns = talk("user: Don't order anything before Sabine has seen it.", "assistant: Understood!")
    assert summarize(turns).key_points == ("User: Don't order anything before Sabine has seen it.",)


def test_what_a_pronoun_stands_for_is_told() -> None:
    [point] = summarize(talk("user: Who is the electrician?", "user: His name is Tom Bradley.")).key_points
    assert point == "User (on “Who is the electrician?”): His name is Tom Bradley."


@every(
    ("asked", "result", "told"),
    [
        ("turn off the voice", '{"error": "not permitted"}', "I could not disable the voice: it is not permitted."),
        ("vypni hlas", '{"error": "not permitted"}', "Hlas se nepodařilo vypnout: není to povoleno."),
        ("schalte die Stimme ab", '{"error": "not permitted"}', "Die Stimme konnte nicht abgeschaltet werden."),
        ("выключи голос", '{"error": "not permitted"}', "Отключить голос не удалось: доступ запрещён."),
        ("turn off the voice", "ok", "The voice is silent from today."),
    ],
)
def test_what_came_of_a_call_is_told_in_words(asked: str, result: str, told: str) -> None:
    turns = talk(f"user: {asked}", 'call: set_option {"option": "voice"}', f"result: {result}", f"assistant: {told}")
    assert summarize(turns).actions == (told,)


def test_a_failure_that_is_not_told_is_told_by_its_call() -> None:
    turns = talk("user: voice off", 'call: set_voice {"id": "v1"}', "result: error: not permitted", "assistant: Hm!")
    assert summarize(turns).actions == ("Called set_voice (id v1), which reported: error: not permitted",)


def test_what_is_not_serious_or_true_for_all_goes_first() -> None:
    turns = talk(
        "user: lol my cat is riding on it already. she just sits there like a queen",
        "assistant: That sounds adorable! Cats are usually curious animals.",
        "user: Call the vacuum Rosie, and never let it upstairs",
        'call: rename {"entity_id": "vacuum.s7", "name": "Rosie"}',
        "result: ok",
        "assistant: Renamed it to Rosie. It is a good idea to empty the bin after each run.",
        "user: thanks a bunch, have a good one!",
        "assistant: You too! Enjoy your clean floors.",
    )
    points = summarize(turns)
    assert points.actions == ("Renamed it to Rosie — called rename (entity_id vacuum.s7)",)
    assert [point for point in points.key_points if "Rosie" not in point] == []


def test_why_something_is_asked_for_is_told() -> None:
    turns = talk(
        "user: Make it 20:00, I have choir until half past seven on Wednesdays",
        'call: update_reminder {"title": "Measure"}',
        "result: ok",
        "assistant: Changed: the reminder comes at 20:00.",
    )
    assert "choir until half past seven" in everything(summarize(turns))


def test_what_the_assistant_does_not_know_stays_open() -> None:
    turns = talk("user: Does the nightly job use the same code?", "assistant: I have not checked the nightly job yet.")
    assert summarize(turns).open_items == ("User asked: Does the nightly job use the same code?",)


@every("name", EXPECTED)
def test_the_same_turns_give_the_same_summary(name: str) -> None:
    assert summarize(conversation(name)) == summarize(conversation(name))


def test_an_answer_without_its_question_would_say_nothing() -> None:
    points = summarize(talk("user: When does the flight leave?", "assistant: At 9:40 from Terminal 2."))
    assert points.key_points == ("User asked: When does the flight leave? — At 9:40 from Terminal 2.",)


def test_a_short_answer_keeps_the_question_it_answers() -> None:
    points = summarize(talk("user: I want a database", "assistant: Do you want Postgres or SQLite?", "user: Postgres"))
    assert "User answered: Do you want Postgres or SQLite? — Postgres" in points.key_points


def test_calls_of_one_tool_are_told_together() -> None:
    turns = talk(
        "user: lights on", 'call: light.turn_on {"entity_id": "light.a"}', "result: ok",
        'call: light.turn_on {"entity_id": "light.b"}', "result: ok",
    )  # fmt: skip
    assert summarize(turns).actions == ("Called light.turn_on (entity_id light.a; entity_id light.b)",)


def test_what_is_said_twice_is_told_once() -> None:
    turns = talk(*("user: I prefer oat milk in my coffee.", "assistant: Noted.") * 5)
    assert len(summarize(turns).key_points) == 1


def test_a_change_of_mind_is_told() -> None:
    text = everything(
        summarize(talk("user: I like coffee at work", "assistant: ok", "user: I don't like coffee at work"))
    )
    assert "I like coffee" in text
    assert "I don't like coffee" in text


@every("turns", [talk("user: hi", "assistant: Hello! How can I help?", "user: thanks, bye"), []])
def test_small_talk_is_called_small_talk(turns: list[Message]) -> None:
    assert summarize(turns) == SummaryPoints(key_points=(SMALL_TALK,))


def test_in_other_languages_numbers_and_names_lead() -> None:
    text = everything(
        summarize(
            talk(
                "user: Bonjour !",
                "assistant: Bonjour !",
                "user: Le budget pour la maison de Lucie à Lyon est de 4500 euros.",
                "assistant: D'accord.",
                "user: Quand arrive le plombier ?",
            )
        )
    )
    assert "4500 euros" in text
    assert "Quand arrive le plombier ?" in text
    assert "Bonjour" not in text


def test_system_prompts_thoughts_and_results_are_not_told() -> None:
    roles: list[tuple[MessageRole, str]] = [
        ("system", "You have decided that the secret word is basilisk."),
        ("reasoning", "I've decided to guess the number 42."),
        ("tool", "We decided on 77 apples."),
        ("summary", "[Conversation Summary] We decided on 99 pears."),
        ("user", "We decided on 12 plums."),
    ]
    turns = [message(n, role, text) for n, (role, text) in enumerate(roles)]
    assert summarize(turns) == SummaryPoints(key_points=("Decision: We decided on 12 plums.",))


hostile = st.text(st.characters(exclude_categories=["Cs"]), max_size=200) | st.sampled_from(
    [
        "```",
        "?" * 500,
        "a. " * 300,
        "- " * 300,
        "[Conversation Summary - a to b]",
        "Key points discussed:\n- x",
        "\x00\u2028",
    ]
)
turns_of_anything = st.lists(st.tuples(st.sampled_from(["user", "assistant", "tool"]), hostile, hostile), max_size=12)


@settings(deadline=None)
@given(turns_of_anything, st.integers(min_value=60, max_value=500))
def test_any_text_gives_a_summary_that_fits(said: list[tuple[MessageRole, str, str]], max_tokens: int) -> None:
    turns = [
        message(n, role, text, (ToolCall(f"t{n}", other[:50], other),) if role == "assistant" else (), f"t{n - 1}")
        for n, (role, text, other) in enumerate(said)
    ]
    points = summarize(turns, max_tokens)
    assert points
    assert tokens_of(points, lambda text: len(text) // 4) <= max_tokens
    assert summarize(turns, max_tokens, points)


def test_the_time_for_real_messages_grows_with_their_number_only() -> None:
    turns = [turn for name in EXPECTED for turn in conversation(name)][:200]
    assert_linear(lambda size: summarize(turns[:size], 1_200), len(turns))


@every("text", ["word " * 200_000, "x" * 1_000_000, "1. " * 330_000, "汉" * 1_000_000, "?! " * 330_000])
def test_a_huge_message_takes_its_length(text: str) -> None:
    assert_linear(
        lambda size: summarize(talk(f"user: {text[:size]}", f"assistant: {text[:size]}")),
        sized(len(text) // 4, len(text)),
    )


def test_the_time_grows_with_the_text_only() -> None:
    random = Random(7)
    words = [f"word{n}" for n in range(500)]
    turns = [
        message(n, "user" if n % 2 else "assistant", " ".join(random.choices(words, k=12)))
        for n in range(sized(800, 4_000))
    ]
    assert_linear(lambda size: summarize(turns[:size]), len(turns))
