# ruff: noqa: RUF001  # letters of other alphabets are the point here
"""Questions about what several people have in common: who is compared, and whom a text is about."""

from recollect.text.names import same_name
from recollect.text.questions import Party, compared_parties
from tests.growth import assert_linear
from tests.rows import every

I_IN_ENGLISH = Party(frozenset(), "en")


def named(text: str) -> list[list[str]]:
    return [sorted(party.names) or [f"user, {party.language}"] for party in compared_parties(text)]


@every(
    ("text", "parties"),
    [
        ("What do Tom and Mia have in common?", [["tom"], ["mia"]]),
        ("what do tom and mia have in common", [["tom"], ["mia"]]),
        ("Is there anything that both Eva and my brother Paul like?", [["eva"], ["brother", "paul"]]),
        ("What do Tom, Mia and Eva all have in common?", [["tom"], ["mia"], ["eva"]]),
        ("What do I share with Mia?", [["user, en"], ["mia"]]),
        ("Which dish do Mia and I both like?", [["mia"], ["user, en"]]),
        ("Was haben Tom und Mia gemeinsam?", [["tom"], ["mia"]]),
        ("Welches Hobby haben beide, Eva und meine Schwester Lena?", [["eva"], ["lena", "schwester"]]),
        ("Was habe ich mit Mia gemeinsam?", [["user, de"], ["mia"]]),
        ("Co má Tom společného s Mií?", [["tom"], ["mii"]]),
        ("co máme já a Mia společného?", [["user, cs"], ["mia"]]),
        ("Что общего у Тома и Мии?", [["тома"], ["мии"]]),
        ("что у меня общего с Мишей", [["user, ru"], ["мишеи"]]),
        ("Where did Jana Nováková and Petr both study?", [["jana", "novakova"], ["petr"]]),
    ],
)
def test_a_question_names_those_whom_it_compares(text: str, parties: list[list[str]]) -> None:
    assert named(text) == parties


@every(
    "text",
    [
        "What do Tom and Mia do on Fridays?",  # nothing is compared
        "Is it common to be afraid of spiders?",
        "Who has the same birthday as Tom?",  # only one is named
        "Where do we both go?",
        "beide",
        "",
        "and with both, , and",
        "и с обе",
    ],
)
def test_other_questions_compare_no_one(text: str) -> None:
    assert compared_parties(text) == ()


@every(("name", "other"), [("mia", "mii"), ("mia", "miou"), ("tom", "tomas"), ("тома", "томом"), ("мия", "мией")])
def test_a_name_is_known_with_other_endings(name: str, other: str) -> None:
    assert same_name(name, other)
    assert same_name(other, name)


@every(("name", "other"), [("tom", "tony"), ("tom", "to"), ("mia", "max"), ("eva", "evangeline")])
def test_other_names_are_told_apart(name: str, other: str) -> None:
    assert not same_name(name, other)
    assert not same_name(other, name)


def test_a_text_is_about_whom_it_names_with_a_capital() -> None:
    tom = Party(frozenset({"tom"}))

    assert tom.is_subject_of("Tom's dog is called Rex")
    assert tom.is_subject_of("I saw Tom yesterday")
    assert not tom.is_subject_of("a tom cat")
    assert not tom.is_subject_of("Mia plays chess")


def test_a_text_is_about_the_user_who_speaks_of_themselves() -> None:
    assert I_IN_ENGLISH.is_subject_of("I am allergic to peanuts")
    assert I_IN_ENGLISH.is_subject_of("The peanuts are bad for my skin")
    assert not I_IN_ENGLISH.is_subject_of("Mia must not eat nuts")


def test_reading_a_long_question_takes_linear_time() -> None:
    assert_linear(lambda size: compared_parties("both " + "my Tom, " * size), 20_000)
