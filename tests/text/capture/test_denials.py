# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""What a message denies and says instead, and what it says is over."""

from recollect.text.capture.denials import denied_part, denied_values, ended, said_instead
from tests.rows import every


@every(
    ("text", "value", "instead"),
    [
        ("No, not 40 %, I want 60 % in the evening from now on", "40 %", "60 %"),
        ("not 40 minutes but 50 minutes", "40 minutes", "50 minutes"),
        ("Ne 40 %, ale 60 %, prosím", "40 %", "60 %"),
        ("nicht um 7:00, sondern um 7:30", "7:00", "7:30"),
        ("не 40 %, а 60 %", "40 %", "60 %"),
        ("Not blue but green is my favourite colour", "blue", "green"),
        ("nicht Anna, sondern Johanna Klein", "Anna", "Johanna Klein"),
        ("not 40 %, please", "40 %", ""),  # nothing is said instead
        ("not 40 %, in 20 minutes", "40 %", ""),  # that is something else
        ("not in Brno", "Brno", ""),
    ],
)
def test_what_is_denied_is_found_with_what_is_said_instead(text: str, value: str, instead: str) -> None:
    assert denied_part(value, denied_values(text)) == value
    assert said_instead(text, value) == instead


def test_a_number_in_a_value_may_be_denied_alone() -> None:
    denied = denied_values("not 40 % but 60 %")
    assert denied_part("light at 40 %", denied) == "40 %"
    assert denied_part("light at 45 %", denied) == ""
    assert denied_part("", denied) == ""


def test_a_message_without_a_denial_or_a_long_one_denies_nothing() -> None:
    assert denied_values("I want 60 % in the evening") == ()
    assert denied_values("not 40 % " + "and so on " * 40) == ()


@every(
    ("said", "over"),
    [
        ("I sold the Skoda", True),
        ("I quit my job at Siemens", True),
        ("we got rid of the cat", True),
        ("Prodali jsme Octavii", True),
        ("wir haben den Golf verkauft", True),
        ("ich arbeite nicht mehr bei Siemens", True),
        ("я продала велосипед", True),
        ("I drive a Skoda", False),
        ("Jezdím Octavií", False),
        ("ich fahre einen Golf", False),
        ("I like the left side of the bed", True),  # only what has this as its value would end
    ],
)
def test_what_is_over_is_known_by_its_verb(said: str, *, over: bool) -> None:
    assert bool(ended(said)) is over


@every(
    ("said", "thing", "job"),
    [
        ("I sold the Skoda", True, False),
        ("I left my laptop at the office", False, True),
        ("the Skoda stopped on the motorway", False, True),
        ("Škoda přestala startovat", False, True),
        ("ich arbeite nicht mehr bei Siemens", False, True),
    ],
)
def test_a_thing_that_is_left_somewhere_is_not_gone(said: str, *, thing: bool, job: bool) -> None:
    assert ("car" in ended(said), "employer" in ended(said)) == (thing, job)
