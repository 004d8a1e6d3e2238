"""Values are cleaned: no preposition, article or half a bracket; units, dates, addresses and numbers whole."""

from datetime import UTC, datetime

from recollect.text.capture import capture
from recollect.text.capture.values import event_time
from tests.rows import every
from tests.text.capture.marked import Told, marked

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)  # a Wednesday


def value_of(message: str, told: Told) -> str:
    (found,) = capture(*marked(message, told))
    return found.value


@every(
    ("message", "value"),
    [
        ("[we live {in Brno}]", "Brno"),
        ("[we live {in} Brno]", "Brno"),
        ("[I drive {a Honda}]", "Honda"),
        ("[my favourite season is {the autumn}]", "autumn"),
        ("[bydlíme {v Brně}]", "Brně"),
        ("[ich fahre {einen Honda}]", "Honda"),
        ("[мы живём {в Казани}]", "Казани"),
        ('[my favourite book is "{Emma}"]', "Emma"),
        ("[I have {a (small) dog}]", "small dog"),
        ("[our dog is {Rex (the} old one)]", "Rex"),
        ("[our dentist is {Dr. Nováková}.]", "Dr. Nováková"),
        ("[we have {two cats,} both grey]", "two cats"),
        ("[I am {not a vegan}]", "not a vegan"),
        ("[my shoe is a {size 4}2]", "size 42"),
    ],
)
def test_small_words_and_marks_are_left_out_and_words_are_whole(message: str, value: str) -> None:
    assert value_of(message, Told("fact", "trait")) == value


@every(
    ("message", "value"),
    [
        ("[my desk is {140} cm wide]", "140 cm"),
        ("[it costs me {1 200} Kč a month]", "1 200 Kč"),
        ("[she is {7} years old]", "7 years"),
        ("[мой рюкзак весит {12} кг]", "12 кг"),
        ("[wir sind {5} Personen]", "5 Personen"),
        ("[there are {12} apples on it]", "12"),
    ],
)
def test_a_number_takes_its_unit_along(message: str, value: str) -> None:
    assert value_of(message, Told("fact", "size")) == value


@every(
    ("message", "key", "value"),
    [
        ("[write to me at {anna.b@mail}.cz please]", "email", "anna.b@mail.cz"),
        ("[the best address is anna@mail.cz]", "email", "anna@mail.cz"),
        ("[you reach me at {+420 777} 123 456]", "phone", "+420 777 123 456"),
        ("[ruf mich an: {0171}/123 45 67]", "phone", "0171/123 45 67"),
    ],
)
def test_addresses_and_numbers_are_whole(message: str, key: str, value: str) -> None:
    assert value_of(message, Told("fact", key)) == value


@every(
    ("message", "told", "value"),
    [
        ("[I have yoga {on Tuesdays}]", Told("fact", "schedule"), "on Tuesdays"),
        ("[I wake up {at 6:30}]", Told("fact", "schedule"), "at 6:30"),
        ("[the course runs {until Friday}]", Told("event"), "until Friday"),
        ("[the party is in {Brno} next Friday]", Told("event"), "next Friday"),
        ("[the party is next Friday]", Told("event"), "next Friday"),
        ("oh well, [we meet at {7 Elm Street} next Friday]", Told("event"), "7 Elm Street"),
        ("[we meet at {the old mill}]", Told("event"), "the old mill"),
    ],
)
def test_the_value_of_an_event_is_its_time(message: str, told: Told, value: str) -> None:
    assert value_of(message, told) == value


def test_without_a_value_there_is_none() -> None:
    assert value_of("[we are looking for a bigger flat]", Told("fact", "goal")) == ""


def test_a_value_that_goes_on_and_on_is_none() -> None:
    assert value_of(f"[I like {{{'tea and coffee and ' * 8}milk}}]", Told("preference", "like")) == ""


@every(
    ("text", "when"),
    [
        ("the wedding is on 14 March 2027", datetime(2027, 3, 14, tzinfo=UTC)),
        ("the plumber comes tomorrow", datetime(2026, 3, 5, tzinfo=UTC)),
        ("вчера мы подписали договор", datetime(2026, 3, 3, tzinfo=UTC)),
        ("the wedding is on 14 March", None),
        ("the wedding is on Friday", None),
        ("the wedding was lovely", None),
    ],
)
def test_the_time_of_an_event_is_what_its_words_say_clearly(text: str, when: datetime | None) -> None:
    assert event_time(text, NOW) == when
