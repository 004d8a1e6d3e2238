# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""Phrases that mean one thing only, in four languages: they hold with a reader, without one, and against one."""

from pathlib import Path

from recollect.model.calibration import CERTAIN
from recollect.model.readings import Reading, Statement, TextSpan
from recollect.text.capture import capture
from tests.rows import every, read_rows
from tests.text.capture.marked import Told, marked

PHRASES = read_rows(Path(__file__).with_name("phrases.tsv"))
OF_SEVERAL = read_rows(Path(__file__).with_name("of_several.tsv"))
THINGS = [
    ("Call the office lamp the reading lamp", "office lamp", "reading lamp"),
    ("Říkej lampě v kanceláři Sluníčko", "lampě v kanceláři", "Sluníčko"),
    ("Nenn die Bürolampe Leselampe", "Bürolampe", "Leselampe"),
    ("Называй лампу в офисе Солнышко", "лампу в офисе", "Солнышко"),
]
ASKED = [
    ("Please remember that I drive a Honda", "I drive a Honda"),
    ("Запомни, что я езжу на Хонде", "я езжу на Хонде"),
    ("Zapamatuj si, že jezdím Hondou", "jezdím Hondou"),
    ("Merk dir bitte, dass ich Honda fahre", "ich Honda fahre"),
    ("Can you remember that I'm allergic to nuts?", "I'm allergic to nuts"),
    ("Kannst du dir bitte merken, dass ich Veganer bin?", "ich Veganer bin"),
    ("Můžeš si prosím zapamatovat, že jsem vegan?", "jsem vegan"),
    ("Можешь запомнить, что я веган?", "я веган"),
    ("note to self: the boiler is a Vaillant", "the boiler is a Vaillant"),
]


def unsure(text: str) -> Reading:
    """Give the reading of a reader that saw something else in the message, and hardly that."""
    return Reading((Statement("preference", TextSpan(0, len(text)), 0.2, "hobby"),), reader="by hand")


@every("read", [lambda _: None, unsure])
@every(("text", "category", "key", "value"), PHRASES)
def test_what_there_is_one_of_has_a_key(text: str, category: str, key: str, value: str, read: type) -> None:
    (found,) = capture(text, read(text))
    assert (found.type, found.subject, found.key, found.property, found.value) == (category, "user", key, key, value)
    assert found.confidence == CERTAIN


@every("read", [lambda _: None, unsure])
@every(("text", "key", "value"), OF_SEVERAL)
def test_what_there_may_be_more_of_stands_beside_it(text: str, key: str, value: str, read: type) -> None:
    (found,) = capture(text, read(text))
    many = key == "allergy"
    assert (found.type, found.subject, found.property, found.value) == ("fact", "user", key, value)
    assert (found.key, found.many) == (key if many else "", many)
    assert (found.confidence, found.importance) == (CERTAIN, 0.9)


@every(("text", "thing", "name"), THINGS)
def test_what_a_thing_is_called(text: str, thing: str, name: str) -> None:
    (found,) = capture(text, None)
    assert (found.type, found.subject, found.key, found.value) == ("entity", thing, "nickname", name)
    assert found.content == f"{thing}: {name}"


@every(("text", "content"), ASKED)
def test_what_a_user_asks_to_remember_weighs_most(text: str, content: str) -> None:
    (found,) = capture(text, None)
    assert (found.content, found.rule, found.confidence, found.importance) == (content, "asked", CERTAIN, 0.95)


def test_a_reader_says_what_kind_of_thing_is_to_be_remembered() -> None:
    (found,) = capture(*marked("Please remember that [I prefer {window seats}]", Told("preference", "prefer", 0.3)))
    assert (found.content, found.type, found.value) == ("I prefer window seats", "preference", "window seats")
    assert (found.rule, found.confidence) == ("asked", CERTAIN)


def test_what_is_asked_for_begins_after_the_request_wherever_a_reader_sees_it_begin() -> None:
    (found,) = capture(*marked("Remember [that box {3}] is in the attic.", Told("fact", "home", 0.2)))
    assert (found.content, found.rule, found.value) == ("box 3 is in the attic", "asked", "3")


@every(("sure", "key"), [(0.2, ""), (0.9, "home")])
def test_a_request_makes_no_doubtful_reading_replace_anything(sure: float, key: str) -> None:
    (found,) = capture(*marked("Please remember that [Eve is at {Eden}]", Told("fact", "home", sure)))
    assert (found.key, found.property, found.confidence) == (key, key, CERTAIN)


def test_a_phrase_ends_with_its_sentence() -> None:
    (found,) = capture("My name is Anna. What is up today?", None)
    assert found.content == "My name is Anna"


@every(
    "text",
    [
        "Remember to call mom on Sunday",
        "Nezapomeň koupit chleba a mléko",
        "Vergiss nicht, Brot zu kaufen",
        "Не забудь купить хлеб и молоко",
        "call me tomorrow at noon",
        "do you remember where I live?",
    ],
)
def test_a_reminder_is_no_memory(text: str) -> None:
    assert capture(text, None) == ()


@every(
    "text",
    [
        "is my name Anna?",
        "my name is not important",
        "my name is on the list",
        "I work at night",
        "I live in a small flat",
        "my birthday is soon",
        "translate: my name is Jean",
        "here is what she wrote. My name is Jean.",
        "the form says: my name is Jean",
    ],
)
def test_a_phrase_that_is_asked_denied_or_of_another_person_is_nothing(text: str) -> None:
    assert capture(text, None) == ()


@every(("key", "found"), [("home", 1), ("pet", 0)])
def test_a_name_without_a_capital_needs_a_reader_that_found_the_same(key: str, found: int) -> None:
    text, reading = marked("[i live in {brno}]", Told("fact", key, 0.2))
    captured = capture(text, reading)
    assert [memory.value for memory in captured if memory.confidence >= 0.6] == ["brno"] * found
    assert capture(text, None) == ()


def test_a_statement_that_says_more_before_a_phrase_is_cut_there() -> None:
    text, reading = marked("[we have two {cats} and I moved to Brno]", Told("fact", "pet"))
    home, cats = capture(text, reading)
    assert (cats.content, cats.property, cats.value) == ("we have two cats", "pet", "cats")
    assert (home.content, home.key, home.value) == ("I moved to Brno", "home", "Brno")
