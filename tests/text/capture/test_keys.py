"""When a memory takes the place of the one before it: one value at a time, clear, current, and sure."""

from recollect.model.calibration import CERTAIN, REPLACE
from recollect.model.readings import READING_KEYS
from recollect.text.capture import capture
from recollect.text.capture.values import may_replace
from tests.rows import every
from tests.text.capture.marked import Told, marked

SINGLE_VALUED = {
    "name": "Anna Novak",
    "home": "Bad Ischl",
    "employer": "Novak & Sons",
    "birthday": "14 March",
    "age": "34",
    "address": "7 Elm Street",
    "email": "a@b.cz",
    "timezone": "Europe/Prague",
}


def said(value: str) -> str:
    return f"Mine is {value}"


@every("key", READING_KEYS)
def test_only_what_there_is_one_of_replaces(key: str) -> None:
    value = SINGLE_VALUED.get(key, "Anna")
    assert may_replace(key, value, said(value), REPLACE, about_user=True) is (key in SINGLE_VALUED)


@every(
    ("key", "value"),
    [
        ("name", ""),
        ("name", "Anna Maria Eva Nováková Malá"),
        ("name", "R2D2"),
        ("home", "small flat"),
        ("home", "in Brno"),
        ("employer", "local school"),
        ("birthday", "soon"),
        ("age", "old"),
        ("age", "34 and a half years"),
        ("address", "Elm Street"),
        ("email", "mail"),
        ("timezone", "the one of my mother"),
    ],
)
def test_a_value_that_is_not_clear_replaces_nothing(key: str, value: str) -> None:
    assert not may_replace(key, value, said(value), CERTAIN, about_user=True)


def test_a_value_without_capitals_is_clear_where_nothing_has_any() -> None:
    assert may_replace("home", "brno", "we live in brno", REPLACE, about_user=True)
    assert not may_replace("home", "brno", "We live in brno", REPLACE, about_user=True)


def test_what_is_less_sure_replaces_nothing() -> None:
    assert not may_replace("home", "Graz", said("Graz"), REPLACE - 0.01, about_user=True)


@every(
    "message",
    [
        "[I used to live in {Graz}]",
        "[I don't live in {Graz}]",
        "[I dont live in {Graz}]",
        "[I no longer live in {Graz}]",
        "[nebydlím v {Grazu}]",
        "[dřív jsem bydlel v {Grazu}]",
        "[ich wohne nicht in {Graz}]",
        "[ich wohne nicht mehr in {Graz}]",
        "[я не живу в {Граце}]",
        "[раньше я жила в {Граце}]",
    ],
)
def test_what_was_or_is_denied_replaces_nothing(message: str) -> None:
    (found,) = capture(*marked(message, Told("fact", "home")))
    assert (found.key, found.property) == ("", "")


@every("message", ["[we live in {Graz}], not in Linz", "[we live in {Graz} and not in Linz]"])
def test_what_is_denied_after_the_value_does_not_deny_it(message: str) -> None:
    (found,) = capture(*marked(message, Told("fact", "home")))
    assert (found.key, found.value) == ("home", "Graz")


@every(
    ("message", "key"),
    [
        ("[my sister is called {Eva}]", "name"),
        ("[my other sister is called {Eva}]", ""),
        ("[moje mladší sestra se jmenuje {Eva}]", ""),
        ("[mein jüngerer Bruder heißt {Jan}]", ""),
    ],
)
def test_one_of_several_people_replaces_no_other(message: str, key: str) -> None:
    (found,) = capture(*marked(message, Told("fact", "name")))
    assert found.key == key


@every("message", ["[I am staying in {Graz} this week]", "[we are in {Graz} right now]"])
def test_where_one_is_for_now_replaces_no_home(message: str) -> None:
    (found,) = capture(*marked(message, Told("fact", "home")))
    assert (found.key, found.value) == ("", "Graz")


@every("kind", ["event", "preference", "decision"])
def test_only_facts_replace(kind: str) -> None:
    (found,) = capture(*marked("[we chose to live in {Graz}]", Told(kind, "home")))  # type: ignore[arg-type]
    assert found.key == ""
